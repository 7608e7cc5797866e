"""What became of a child process, in words."""

import signal
from dataclasses import dataclass
from typing import Literal

_SIGNAL_WORDS = {
    "SIGABRT": "it gave up by itself",
    "SIGBUS": "a file it uses became shorter, or the disk failed",
    "SIGILL": "an instruction this processor does not have",
    "SIGKILL": "killed from outside, perhaps because memory ran out",
    "SIGSEGV": "invalid memory access",
    "SIGTERM": "ended from outside",
}
_WINDOWS_WORDS = {
    0xC0000005: "invalid memory access",
    0xC000001D: "an instruction this processor does not have",
    0xC0000409: "it gave up by itself",
    0xC0000017: "memory ran out",
}


@dataclass(frozen=True, slots=True)
class ProcessOutcome:
    """How a child process ended.

    `name`: for the start of a sentence, "The engine". `code`: exit code, or the number of the signal (POSIX) or the
    status (Windows) of a crash. `reason`: why it could not be started, or what it did not do. `tail`: its last lines
    on stderr.
    """

    name: str
    kind: Literal["exited", "crashed", "not_started", "silent"]
    code: int = 0
    reason: str = ""
    tail: tuple[str, ...] = ()
    asked: bool = False

    @property
    def sentence(self) -> str:
        """What happened."""
        if self.kind == "not_started":
            return f"{self.name} could not be started because {self.reason}."
        if self.kind == "silent":
            return f"{self.name} was ended because {self.reason}."
        if self.kind == "crashed":
            return f"{self.name} crashed ({_crash_words(self.code)})."
        return f"{self.name} exited with code {self.code}."

    @property
    def detail(self) -> str:
        """What it said last, for "Copy details"."""
        return "\n".join([self.sentence, *self.tail])


def _crash_words(code: int) -> str:
    status = code & 0xFFFFFFFF
    if status in _WINDOWS_WORDS:
        return f"0x{status:08X}: {_WINDOWS_WORDS[status]}"
    try:
        name = signal.Signals(code).name
    except ValueError:
        return f"status 0x{status:08X}"
    words = _SIGNAL_WORDS.get(name)
    return f"{name}: {words}" if words else name
