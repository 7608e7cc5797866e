"""Real child processes for tests of the bridge, and a notebook for signals."""

import os
import sys
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, SignalInstance

FAKE_ENGINE = Path(__file__).with_name("fake_engine.py")


def fake_command(*arguments: object) -> tuple[str, ...]:
    """Program and arguments of a fake engine."""
    return (sys.executable, str(FAKE_ENGINE), *map(str, arguments))


def python(code: str) -> tuple[str, list[str]]:
    """Program and arguments of a child that runs `code`."""
    return sys.executable, ["-c", code]


def alive(pid: int) -> bool:
    """Does a process with this id run? A zombie does not."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    stat = Path(f"/proc/{pid}/stat")
    return not (stat.exists() and stat.read_text().rpartition(")")[2].split()[0] == "Z")


class Notebook(QObject):
    """Everything some signals said, in order: `lines` holds (name, value)."""

    def __init__(self, **signals: SignalInstance) -> None:
        super().__init__()
        self.lines: list[tuple[str, Any]] = []
        for name, instance in signals.items():
            instance.connect(self._writer(name))

    def _writer(self, name: str) -> Any:
        def write(*values: Any) -> None:
            self.lines.append((name, values[0] if values else None))

        return write

    def of(self, name: str) -> list[Any]:
        """What one signal said."""
        return [value for known, value in self.lines if known == name]

    def kinds(self, name: str) -> list[str]:
        """The class names of what one signal said."""
        return [type(value).__name__ for value in self.of(name)]
