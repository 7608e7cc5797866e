"""Stops a transfer from another thread, at once, also while it waits for the network."""

import contextlib
import threading
from collections.abc import Callable, Iterator


class Stopped(Exception):  # noqa: N818 (an outcome, not an error)
    """Somebody asked to stop."""


class Control:
    """Shared between who works and who stops it."""

    def __init__(self) -> None:
        self._stop = threading.Event()
        self._lock = threading.Lock()
        self._interrupt: Callable[[], None] | None = None

    @property
    def stopped(self) -> bool:
        return self._stop.is_set()

    def stop(self) -> None:
        """Ask for the end. Safe from any thread, and twice."""
        self._stop.set()
        with self._lock:
            if self._interrupt is not None:
                self._interrupt()

    def check(self) -> None:
        """Raise `Stopped` if asked to stop."""
        if self._stop.is_set():
            raise Stopped

    def wait(self, seconds: float) -> None:
        """Sleep, but not longer than until asked to stop.

        Raises:
            Stopped: asked to stop.
        """
        if self._stop.wait(seconds):
            raise Stopped

    @contextlib.contextmanager
    def interrupting(self, interrupt: Callable[[], None]) -> Iterator[None]:
        """Call `interrupt` when asked to stop while the block runs."""
        with self._lock:
            self._interrupt = interrupt
        try:
            self.check()
            yield
        finally:
            with self._lock:
                self._interrupt = None
