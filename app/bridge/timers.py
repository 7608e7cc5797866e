"""Timers with an owner and a name."""

from collections.abc import Callable

from PySide6.QtCore import QObject, QTimer


def single_shot(owner: QObject, name: str, interval_ms: int, call: Callable[[], object]) -> QTimer:
    """A stopped timer of `owner` that runs `call` once per start."""
    timer = QTimer(owner)
    timer.setObjectName(name)
    timer.setSingleShot(True)
    timer.setInterval(interval_ms)
    timer.timeout.connect(call)
    return timer
