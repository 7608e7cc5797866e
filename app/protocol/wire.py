"""A child process's end of the pipe: events to the window, and a private copy of stdout to write them on."""

import contextlib
import logging
import os
import sys
import threading
from typing import BinaryIO

from app.protocol.codec import encode
from app.protocol.messages import Event, Log


class Wire:
    """Events to the window; safe from any thread. A window that is gone is no error."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._lock = threading.Lock()

    def send(self, event: Event) -> None:
        """Write one line."""
        line = encode(event)
        with self._lock, contextlib.suppress(OSError, ValueError):
            self._stream.write(line)
            self._stream.flush()


class WireHandler(logging.Handler):
    """Sends warnings and errors of the log to the window."""

    def __init__(self, wire: Wire) -> None:
        super().__init__(logging.WARNING)
        self._wire = wire

    def emit(self, record: logging.LogRecord) -> None:
        serious = record.levelno >= logging.ERROR
        self._wire.send(Log(level="error" if serious else "warning", topic=record.name, text=record.getMessage()))


def private_stdout() -> BinaryIO:
    """A copy of file descriptor 1; the original then points at stderr, so that no print can corrupt the wire."""
    out = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    return out
