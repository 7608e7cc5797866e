"""Long work in short slices on the window's thread."""

import time
from collections.abc import Iterator

from PySide6.QtCore import QObject, QTimer

TURN_S = 0.008


class Slices(QObject):
    """Runs iterators a few milliseconds at a time, the newest urgent one first, so that the event loop stays free."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._jobs: dict[object, Iterator[None]] = {}
        self._running: list[object] = []
        self._timer = QTimer(self)
        self._timer.setObjectName("slices")
        self._timer.setInterval(0)
        self._timer.timeout.connect(self._turn)

    @property
    def is_idle(self) -> bool:
        return not self._jobs

    def run(self, key: object, steps: Iterator[None], *, urgent: bool = False) -> None:
        """Take the steps when there is time; work with the same key is dropped.

        Args:
            key: Names the work.
            steps: Each step takes a few milliseconds at most.
            urgent: Before all other work.
        """
        self._jobs.pop(key, None)
        self._jobs = {key: steps, **self._jobs} if urgent else {**self._jobs, key: steps}
        self._timer.start()

    def has(self, key: object) -> bool:
        """Is this work waiting or half done?"""
        return key in self._jobs or key in self._running

    def drop(self, key: object) -> None:
        """Forget this work."""
        self._jobs.pop(key, None)

    def hurry(self, key: object, seconds: float) -> None:
        """Work on this one right now, at most for so long, and go on with it first."""
        if key in self._jobs:
            self._work(key, time.perf_counter() + seconds)

    def clear(self) -> None:
        """Forget all work."""
        self._jobs.clear()
        self._timer.stop()

    def _turn(self) -> None:
        deadline = time.perf_counter() + TURN_S
        while self._jobs and time.perf_counter() < deadline:
            self._work(next(iter(self._jobs)), deadline)
        if not self._jobs:
            self._timer.stop()

    def _work(self, key: object, deadline: float) -> None:
        # Taken out meanwhile: a step may lead back here, and one that fails must not come again.
        steps = self._jobs.pop(key)
        self._running.append(key)
        try:
            for _ in steps:
                if key in self._jobs:
                    return
                if time.perf_counter() >= deadline:
                    self._jobs = {key: steps, **self._jobs}
                    return
        finally:
            self._running.pop()
