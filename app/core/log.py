"""Loggers by topic, a rotating file, a ring buffer for reports, and a place for native crashes."""

import collections
import faulthandler
import logging
import logging.handlers
import sys
from pathlib import Path
from typing import TextIO

ROOT = "outpace"
_FORMAT = "%(asctime)s %(levelname).1s %(name)s: %(message)s"


def get(topic: str) -> logging.Logger:
    """The logger of a topic, for example "engine" or "wire"."""
    return logging.getLogger(f"{ROOT}.{topic}")


class RingBuffer(logging.Handler):
    """Keeps the newest lines in memory, for a report a person can read before sending it anywhere."""

    def __init__(self, size: int = 500) -> None:
        super().__init__()
        self.lines: collections.deque[str] = collections.deque(maxlen=size)

    def emit(self, record: logging.LogRecord) -> None:
        self.lines.append(self.format(record))


class _LogFile(logging.handlers.RotatingFileHandler):
    """A file that cannot be written to (any more) costs its lines; the standard handler prints tracebacks."""

    def handleError(self, record: logging.LogRecord) -> None:
        pass


def configure(folder: Path | None, name: str, *, stream: TextIO | None = sys.stderr) -> RingBuffer:
    """Set up logging for this process.

    Args:
        folder: Where `<name>.log` and `<name>-crash.log` go; None for no files. A folder that cannot be written to is
            reported to `stream` and otherwise ignored: a full disk must not stop the program.
        name: Of the process: "window", "engine", "download", "cli".
        stream: Warnings and worse also go here; None in windowed builds, which have no stderr.

    Returns:
        The ring buffer with the newest lines.
    """
    root = logging.getLogger(ROOT)
    root.setLevel(logging.INFO)
    root.propagate = False
    for old in list(root.handlers):
        root.removeHandler(old)
        old.close()
    formatter = logging.Formatter(_FORMAT)
    ring = RingBuffer()
    handlers: list[logging.Handler] = [ring]
    if stream is not None:
        console = logging.StreamHandler(stream)
        console.setLevel(logging.WARNING)
        handlers.append(console)
    problem = ""
    if folder is not None:
        try:
            folder.mkdir(parents=True, exist_ok=True)
            handlers.append(
                _LogFile(folder / f"{name}.log", maxBytes=1_000_000, backupCount=2, encoding="utf-8", delay=True)
            )
            faulthandler.enable(_crash_file(folder / f"{name}-crash.log"), all_threads=True)
        except OSError as error:
            problem = f"no log file: {error}"
    for handler in handlers:
        handler.setFormatter(formatter)
        root.addHandler(handler)
    if problem:
        root.warning(problem)
    return ring


def _crash_file(path: Path) -> TextIO:
    # faulthandler keeps only the descriptor, so the file object has to live as long as the process.
    file = path.open("a", encoding="utf-8")
    _keep_alive.append(file)
    return file


_keep_alive: list[TextIO] = []
