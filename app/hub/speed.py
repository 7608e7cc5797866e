"""How fast a download is, and how long it still takes."""

import collections
import threading
import time
from collections.abc import Callable

WINDOW_S = 5.0


class Speedometer:
    """Bytes per second over the last seconds; safe from any thread. `clock`: seconds, monotonic."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._marks: collections.deque[tuple[float, int]] = collections.deque()

    def note(self, done: int) -> None:
        """`done` bytes are there now. Fewer than before: a file starts over, and so does this."""
        now = self._clock()
        with self._lock:
            if self._marks and done < self._marks[-1][1]:
                self._marks.clear()
            self._marks.append((now, done))
            while len(self._marks) > 2 and now - self._marks[1][0] > WINDOW_S:
                self._marks.popleft()

    def speed(self) -> float | None:
        """Bytes/s, None while it cannot be said."""
        with self._lock:
            if len(self._marks) < 2:
                return None
            (start, first), last = self._marks[0], self._marks[-1][1]
        elapsed = self._clock() - start
        return (last - first) / elapsed if elapsed >= 0.2 else None

    def seconds_left(self, missing: int) -> float | None:
        """Seconds for `missing` bytes at this speed, None while it cannot be said."""
        speed = self.speed()
        return missing / speed if speed else None
