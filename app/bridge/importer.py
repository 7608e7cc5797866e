"""Models from elsewhere on the disk, made part of the models folder."""

from collections import deque
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from PySide6.QtCore import QObject, Signal

from app.bridge.background import Background, Task
from app.core.errors import AppError
from app.hub.control import Control, Stopped

How = Literal["copy", "link"]
_REPORT_BYTES = 16 << 20


@dataclass(frozen=True, slots=True)
class ImportProgress:
    """A copy under way: bytes `done` of `total`, 0 while that is not known. `waiting`: files after this one."""

    name: str
    done: int
    total: int
    waiting: int


class Importer(QObject):
    """Copies or links one file after the other.

    Signals:
        progress: An `ImportProgress`, or None when nothing is under way.
        added: The new path of a model.
        failed: An `AppError` about one file; the others go on.
    """

    progress = Signal(object)
    added = Signal(str)
    failed = Signal(object)

    def __init__(self, background: Background, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._background = background
        self._waiting: deque[tuple[Path, Path, How]] = deque()
        self._control: Control | None = None

    def start(self, paths: list[Path], models: Path, how: How) -> None:
        """Add `paths` (any part of a split set stands for all of it) to the folder `models`."""
        self._waiting.extend((path, models, how) for path in paths)
        if self._control is None:
            self._next()

    def cancel(self) -> None:
        """Stop, and leave nothing of what is not complete."""
        self._waiting.clear()
        if self._control is not None:
            self._control.stop()

    def _next(self) -> None:
        self._control = None
        if not self._waiting:
            self.progress.emit(None)
            return
        path, models, how = self._waiting.popleft()
        control = self._control = Control()
        waiting = len(self._waiting)
        self.progress.emit(ImportProgress(path.name, 0, 0, waiting))

        def work(_task: Task) -> Path | None:
            # Here: it takes a tenth of a second to import, and most starts never need it.
            from app.hub import keeping

            told = 0

            def report(done: int, total: int) -> None:
                nonlocal told
                if done - told >= _REPORT_BYTES or done == total:
                    told = done
                    self.progress.emit(ImportProgress(path.name, done, total, waiting))

            try:
                return keeping.add(path, models, how, control, report)
            except Stopped:
                return None

        self._background.run(work, self._on_added, self._on_failed)

    def _on_added(self, place: Path | None) -> None:
        if place is not None:
            self.added.emit(str(place))
        self._next()

    def _on_failed(self, fault: AppError) -> None:
        self.failed.emit(fault)
        self._next()

    def shut_down(self) -> None:
        """Stop for good; for the end of the application."""
        self.cancel()
        self._background.shut_down()
