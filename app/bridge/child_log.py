"""What a child process prints on stderr, as lines of our log."""

import collections
import time

from app.core import log

TAIL_LINES = 20
MAX_CHARS = 2000
MAX_LINES_A_SECOND = 200

_log = log.get("child")


class ChildLog:
    """Logs lines, long ones shortened and a flood of them thinned out; keeps the last ones for a report."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._rest = b""
        self._tail: collections.deque[str] = collections.deque(maxlen=TAIL_LINES)
        self._second = 0
        self._logged = 0
        self._left_out = 0

    @property
    def tail(self) -> tuple[str, ...]:
        """The last lines."""
        return tuple(self._tail)

    def feed(self, data: bytes) -> None:
        """Take what was printed; a line may come in several parts."""
        *lines, self._rest = (self._rest + data).split(b"\n")
        for line in lines:
            self._take(line)
        if len(self._rest) > 4 * MAX_CHARS:
            self.finish()

    def finish(self) -> None:
        """No more comes: a line without its end is a line."""
        if self._rest:
            self._take(self._rest)
            self._rest = b""
        self._tell_left_out()

    def _take(self, line: bytes) -> None:
        text = line[: 4 * MAX_CHARS].decode("utf-8", "replace").rstrip()[:MAX_CHARS]
        if not text:
            return
        self._tail.append(text)
        second = int(time.monotonic())
        if second != self._second:
            self._second, self._logged = second, 0
            self._tell_left_out()
        if self._logged < MAX_LINES_A_SECOND:
            self._logged += 1
            _log.info("%s: %s", self._name, text)
        else:
            self._left_out += 1

    def _tell_left_out(self) -> None:
        if self._left_out:
            _log.info("%s: %d lines are left out", self._name, self._left_out)
            self._left_out = 0
