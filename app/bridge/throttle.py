"""Merging bursts before they reach the window."""

from collections.abc import Callable

from PySide6.QtCore import QObject

from app.bridge.timers import single_shot

INTERVAL_MS = 33


class Throttle(QObject):
    """Calls a function at once, and then at most once per interval, until it is quiet for an interval."""

    def __init__(self, call: Callable[[], object], parent: QObject, interval_ms: int = INTERVAL_MS) -> None:
        super().__init__(parent)
        self._call = call
        self._pending = False
        self._timer = single_shot(self, "throttle", interval_ms, self._run_pending)

    def trigger(self) -> None:
        """Call now, or when the interval is over."""
        if self._timer.isActive():
            self._pending = True
        else:
            self._timer.start()
            self._call()

    def cancel(self) -> None:
        """Forget a call that is due."""
        self._pending = False
        self._timer.stop()

    def _run_pending(self) -> None:
        if self._pending:
            self._pending = False
            self._timer.start()
            self._call()
