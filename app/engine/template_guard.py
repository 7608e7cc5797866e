"""Keeps a chat template from holding up the engine.

A template is a program that comes with a model file, and nothing says that it ends. Its loops run as Python code, so a
trace function sees every step; native code never runs here.
"""

import sys
import time
from collections.abc import Callable
from types import FrameType
from typing import Any

from app.core.errors import CancelledByUser
from app.engine.cancel import CancelFlag

LIMIT_S = 5.0
"""Real templates take milliseconds."""


class GuardedFormatter:
    """A formatter that ends when the request is cancelled, and after `LIMIT_S` at the latest.

    Args:
        formatter: Renders messages.
    """

    def __init__(self, formatter: Callable[[list[Any]], str]) -> None:
        self._formatter = formatter
        self._cancel = CancelFlag()

    def watch(self, cancel: CancelFlag) -> None:
        """End when this flag is set, from now on."""
        self._cancel = cancel

    def __call__(self, messages: list[Any]) -> str:
        """Render `messages`.

        Raises:
            CancelledByUser: the flag was set.
            TimeoutError: the template does not come to an end.
            Exception: whatever the template says.
        """
        cancel, deadline = self._cancel, time.perf_counter() + LIMIT_S

        def trace(_frame: FrameType, _event: str, _argument: object) -> Any:
            if cancel.is_set():
                raise CancelledByUser
            if time.perf_counter() > deadline:
                raise TimeoutError(f"it did not come to an end within {LIMIT_S:g} seconds")
            return trace

        before = sys.gettrace()
        sys.settrace(trace)
        try:
            return self._formatter(messages)
        finally:
            sys.settrace(before)
