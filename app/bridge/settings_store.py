"""Settings in memory, written to their file a moment after they change."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any, Generic, TypeVar

from PySide6.QtCore import QObject, Signal

from app.bridge.timers import single_shot
from app.core import log
from app.core.errors import EnvironmentFault
from app.core.settings import SettingsFile
from app.protocol.messages import Notice

T = TypeVar("T")
_SAVE_AFTER_MS = 400


class SettingsStore(QObject, Generic[T]):
    """A frozen dataclass that remembers itself. Files are written on another thread, in order.

    Signals:
        changed: The new value.
        failed: A `Notice`: the file cannot be written. Once until it works again.
    """

    changed = Signal(object)
    failed = Signal(object)
    _saved = Signal(object)

    def __init__(self, file: SettingsFile[T], value: T, parent: QObject | None = None) -> None:
        """`value` is what `file.load` gave."""
        super().__init__(parent)
        self.setObjectName(f"settings {file.path.name}")
        self._file = file
        self._value = value
        self._dirty = False
        self._failing = False
        self._worker: ThreadPoolExecutor | None = None
        self._timer = single_shot(self, "save", _SAVE_AFTER_MS, self._save)
        self._saved.connect(self._on_saved)

    @property
    def value(self) -> T:
        return self._value

    def update(self, **fields: Any) -> None:
        """Replace fields."""
        self.replace_value(replace(self._value, **fields))  # type: ignore[type-var]  # T is a dataclass, not sayable here

    def replace_value(self, value: T) -> None:
        """Take another value."""
        if value == self._value:
            return
        self._value, self._dirty = value, True
        self._timer.start()
        self.changed.emit(value)

    def flush(self) -> None:
        """Write what is not written yet and wait for it. For the end of the application."""
        self._timer.stop()
        if self._dirty:
            self._save()
        if self._worker is not None:
            self._worker.shutdown()
            self._worker = None

    def _save(self) -> None:
        self._dirty = False
        if self._worker is None:
            self._worker = ThreadPoolExecutor(max_workers=1, thread_name_prefix="settings")
        self._worker.submit(self._write, self._value)

    def _write(self, value: T) -> None:
        problem: EnvironmentFault | None = None
        try:
            self._file.save(value)
        except EnvironmentFault as fault:
            problem = fault
            log.get("settings").info("%s", fault.detail)
        self._saved.emit(problem)

    def _on_saved(self, problem: EnvironmentFault | None) -> None:
        if problem is not None and not self._failing:
            self.failed.emit(Notice(code=problem.code, text=str(problem)))
        self._failing = problem is not None
