"""Lets short-lived processes look at model files: what llama.cpp makes of them, or that it did not survive them."""

import signal
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from app.core import log
from app.core.errors import CancelledByUser, UserError
from app.core.launch import child_command, child_environment
from app.protocol.codec import ProtocolError, decode, encode
from app.protocol.inspect_messages import FileFacts, InspectFile, Rehearsed
from app.protocol.messages import Failed, Hello, Message

ENGINE_DIED = "engine_died"
AT_ONCE = 8
"""Files for one process: its start costs more than looking at a file, and news should come now and then."""
_LOOK_S = 0.1
_MOST_S = 300.0
_log = log.get("inspection")


@dataclass(frozen=True, slots=True)
class Inspection:
    """What came of one file.

    `facts`: None where llama.cpp did not even get through the vocabulary. `problem`: why it cannot be loaded, None if
    nothing speaks against it.
    """

    facts: FileFacts | None
    problem: UserError | None


def inspect_files(
    files: Sequence[Path],
    cancelled: Callable[[], bool] = lambda: False,
    command: Sequence[str] = (),
    heads_of: Path | None = None,
) -> dict[Path, Inspection]:
    """Look at files, of split sets the first part, absolute paths.

    Args:
        files: Files whose headers make sense.
        cancelled: Asked now and then.
        command: Another program to ask, for tests.
        heads_of: The target whose prediction heads are in `files`; None to look at models.

    Returns:
        What is known now; a file is missing where nothing can be said (no engine, no memory, it took too long).

    Raises:
        CancelledByUser: `cancelled` said so.
    """
    known: dict[Path, Inspection] = {}
    waiting = list(files)
    while waiting:
        batch, waiting = waiting[:AT_ONCE], waiting[AT_ONCE:]
        requests = [
            InspectFile(id=str(number), path=str(path), heads_of=str(heads_of or ""))
            for number, path in enumerate(batch)
        ]
        events, death = _ask(requests, cancelled, list(command) or child_command("inspect"))
        if not any(isinstance(event, Hello) for event in events):
            _log.info("model files are not inspected: %s", death)
            break
        for number, path in enumerate(batch):
            found = _outcome(events, str(number), path)
            if found is not None:
                known[path] = found
                continue
            # The process ended over this one; the others have done nothing wrong.
            blame = _blame(events, str(number), path, death)
            if blame is not None:
                known[path] = blame
            waiting = [*batch[number + 1 :], *waiting]
            break
    return known


def inspect_heads(file: Path, target: Path, cancelled: Callable[[], bool] = lambda: False) -> Inspection | None:
    """Try the prediction heads in a file on their target, as `inspect_files` looks at models; None if unknown.

    Raises:
        CancelledByUser: `cancelled` said so.
    """
    return inspect_files([file], cancelled, heads_of=target).get(file)


@dataclass(frozen=True, slots=True)
class _Death:
    """How a process ended: `signal` has a name if it crashed, "" if it did not."""

    code: int
    signal: str
    words: str


def _ask(
    requests: Sequence[InspectFile], cancelled: Callable[[], bool], command: list[str]
) -> tuple[list[Message], _Death]:
    try:
        process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=child_environment(),
            creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
        )
    except OSError as error:
        return [], _Death(0, "", str(error))
    pending: bytes | None = b"".join(map(encode, requests))
    waited = 0.0
    with process:
        try:
            while True:
                try:
                    out, err = process.communicate(pending, timeout=_LOOK_S)
                    break
                except subprocess.TimeoutExpired:
                    pending, waited = None, waited + _LOOK_S
                if cancelled():
                    raise CancelledByUser
                if waited > _MOST_S:
                    process.kill()
        except BaseException:
            process.kill()
            raise
    return _events(out), _death(process.returncode, err)


def _events(out: bytes) -> list[Message]:
    events = []
    for line in out.splitlines():
        try:
            events.append(decode(line))
        except ProtocolError as error:
            _log.info("a garbled answer: %s", error)
    return events


def _outcome(events: Sequence[Message], request: str, path: Path) -> Inspection | None:
    """The complete answer about one file, None if there is none."""
    facts = _facts(events, request)
    for event in events:
        if isinstance(event, Rehearsed) and event.id == request:
            return Inspection(facts, None)
        if isinstance(event, Failed) and event.id == request:
            return Inspection(facts, UserError(event.code, event.sentence, event.hint, event.detail))
    return None


def _facts(events: Sequence[Message], request: str) -> FileFacts | None:
    found = next((event for event in events if isinstance(event, FileFacts) and event.id == request), None)
    return replace(found, id="") if found is not None else None


def _blame(events: Sequence[Message], request: str, path: Path, death: _Death) -> Inspection | None:
    if not death.signal:
        _log.info('"%s" is not inspected: the process ended with code %s: %s', path, death.code, death.words)
        return None
    return Inspection(
        _facts(events, request),
        UserError(
            ENGINE_DIED,
            f'The engine cannot read this file: "{path.name}" makes it crash ({death.signal}).',
            "Download it again, or choose another file.",
            death.words,
        ),
    )


def _death(code: int, err: bytes) -> _Death:
    words = err.decode("utf-8", "replace").strip()
    last = words.splitlines()[-1] if words else ""
    assertion = last[last.find("GGML_ASSERT") :] if "GGML_ASSERT" in last else ""
    if sys.platform == "win32":
        # abort() ends with 3, an access violation with its status.
        crashed = code == 3 or code & 0xC0000000 == 0xC0000000
        return _Death(code, (assertion or f"code {code & 0xFFFFFFFF:#x}") if crashed else "", words[-2000:])
    fatal = {-number: number for number in _FATAL}
    name = signal.strsignal(fatal[code]) if code in fatal else None
    return _Death(code, assertion or name or "" if code in fatal else "", words[-2000:])


_FATAL = (
    () if sys.platform == "win32" else (signal.SIGABRT, signal.SIGSEGV, signal.SIGBUS, signal.SIGFPE, signal.SIGILL)
)
