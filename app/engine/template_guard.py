"""Keeps a chat template from holding up the engine.

A template is a program that comes with a model file, and nothing says that it ends. Reading and running it is Python
code, so a trace function sees what happens; native code never runs here.
"""

import sys
import time
from collections.abc import Callable
from types import FrameType
from typing import Any, TypeVar

from app.core.errors import CancelledByUser
from app.engine.cancel import CancelFlag

LIMIT_S = 5.0
"""Real templates take milliseconds."""

T = TypeVar("T")


def guarded(action: Callable[[], T], cancel: CancelFlag, *, every_line: bool) -> T:
    """The result of `action`, which is ended when the flag is set, and after `LIMIT_S` at the latest.

    Args:
        action: Runs in this thread.
        cancel: The flag.
        every_line: Look at the clock at every line, not only at every call. Loops without calls need it; it costs more.

    Raises:
        CancelledByUser: the flag was set.
        TimeoutError: `action` did not come to an end.
        Exception: whatever `action` says.
    """
    deadline = time.perf_counter() + LIMIT_S

    def trace(_frame: FrameType, _event: str, _argument: object) -> Any:
        if cancel.is_set():
            raise CancelledByUser
        if time.perf_counter() > deadline:
            raise TimeoutError(f"it does not come to an end within {LIMIT_S:g} seconds")
        return trace if every_line else None

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        return action()
    finally:
        sys.settrace(before)


class GuardedFormatter:
    """A formatter for messages that comes to an end, see `guarded`."""

    def __init__(self, formatter: Callable[[list[Any]], str]) -> None:
        self._formatter = formatter
        self._cancel = CancelFlag()

    def watch(self, cancel: CancelFlag) -> None:
        """End when this flag is set, from now on."""
        self._cancel = cancel

    def __call__(self, messages: list[Any]) -> str:
        return guarded(lambda: self._formatter(messages), self._cancel, every_line=True)
