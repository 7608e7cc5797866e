"""A report about a crash or another problem, for a person to read before sending it anywhere.

It never leaves by itself. It has versions, the system, where native code crashed, and the newest lines of the logs.
Chats and settings are not in it; the name of the person's folder is replaced.
"""

import contextlib
import os
import platform
import re
import sys
from pathlib import Path

from app import __version__
from app.core import machine, paths
from app.core.launch import is_bundle
from app.core.parts import version_of

_CRASH, _KEPT = "-crash.log", "-crash-last.log"
_CRASH_BYTES, _LOG_BYTES = 40_000, 20_000
_PROCESSES = ("window", "engine", "download", "cli")


def keep_crashes(folder: Path) -> tuple[str, ...]:
    """Put what native crashes wrote since the last time aside, so that each is told once.

    To be called before the logs are opened.

    Returns:
        Names of the processes that crashed.
    """
    crashed = []
    for name in _PROCESSES:
        file = folder / f"{name}{_CRASH}"
        # A log that cannot be moved is told again: better than never.
        with contextlib.suppress(OSError):
            if file.stat().st_size > 0:
                crashed.append(name)
                file.replace(folder / f"{name}{_KEPT}")
    return tuple(crashed)


def compose(folders: paths.Paths, detail: str = "") -> str:
    """The report. `detail`: what is known about this problem, such as a traceback."""
    memory = machine.memory_total()
    lines = [
        f"Outpace {__version__} ({'package' if is_bundle() else 'from source'})",
        f"System: {platform.platform()}, {platform.machine()}",
        f"Python {platform.python_version()}, PySide6 {version_of('PySide6-Essentials') or '?'}, "
        f"llama-cpp-python {version_of('llama-cpp-python') or '?'}",
        f"Processor: {machine.physical_cores()} cores"
        + (f", {memory / 1024**3:.0f} GiB of memory" if memory is not None else ""),
        f"Screen: {os.environ.get('XDG_SESSION_TYPE') or sys.platform}",
    ]
    sections = [("", "\n".join(lines)), ("What is known", detail.strip())]
    for name in _PROCESSES:
        crashes = _tail(folders.logs / f"{name}{_KEPT}", _CRASH_BYTES) + _tail(
            folders.logs / f"{name}{_CRASH}", _CRASH_BYTES
        )
        sections.append((f"Crash of the {name}", crashes.strip()))
    sections += [(f"Log of the {name}", _tail(folders.logs / f"{name}.log", _LOG_BYTES).strip()) for name in _PROCESSES]
    text = "\n\n".join(f"--- {title} ---\n{body}" if title else body for title, body in sections if body)
    return without_names(text) + "\n"


def without_names(text: str) -> str:
    """`text` with the person's folder and name replaced."""
    home = str(Path.home())
    if len(home) > 1:
        text = text.replace(home, "~").replace(home.replace("\\", "\\\\"), "~")
    # Of other people too, or as written by another system.
    return re.sub(r"((?:/home|/Users|\\Users)[/\\]+)[^/\\\s\"']+", r"\1someone", text)


def _tail(file: Path, size: int) -> str:
    """The last lines of a file, `size` bytes at most; "" where there is none."""
    try:
        with file.open("rb") as source:
            source.seek(0, os.SEEK_END)
            start = max(source.tell() - size, 0)
            source.seek(start)
            text = source.read().decode("utf-8", "replace")
    except OSError:
        return ""
    return text.partition("\n")[2] if start else text
