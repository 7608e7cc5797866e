"""The thread that works with the file of the history."""

from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from PySide6.QtCore import QObject, Signal

from app.bridge.background import Background
from app.core import log
from app.core.errors import AppError, EngineFault
from app.protocol.messages import Notice
from app.store.faults import DamagedHistory
from app.store.history import HistoryRepository

T = TypeVar("T")
_log = log.get("history")


def _nothing(_result: object) -> None:
    pass


class HistoryLane(QObject):
    """Runs work on the history in order, never in the window's thread.

    Signals:
        renewed: The file was found to be damaged and another one took its place; what is in memory should be written
            again.
        notice: A `Notice`: how the file was opened, or that something failed; the same failure once until all is well.
    """

    renewed = Signal()
    notice = Signal(object)
    _opened = Signal(object)

    def __init__(self, path: Path, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("history lane")
        self._path = path
        self._background = Background("history", self)
        # Touched by the other thread only.
        self._repository: HistoryRepository | None = None
        self._failing = ""
        self._opened.connect(self._tell_notices)

    def start(self) -> None:
        """Open the file."""
        self._background.run(lambda _task: self._open(), _nothing, self.tell)

    def use(
        self,
        work: Callable[[HistoryRepository], T],
        then: Callable[[T], object] = _nothing,
        failed: Callable[[AppError], object] | None = None,
        *,
        key: str = "",
    ) -> None:
        """Do `work` there, then `then` or `failed` here (without `failed` a notice). See `Background.run` for `key`."""
        self._background.run(lambda _task: self._careful(work), then, failed or self.tell, key=key)

    def tell(self, fault: AppError) -> None:
        """Say what went wrong, unless it was said just before."""
        if isinstance(fault, DamagedHistory):
            return  # `recover` has words of its own
        _log.info("%s %s", fault, fault.detail)
        if fault.code != self._failing:
            self._failing = fault.code
            self.notice.emit(Notice(code=fault.code, text=str(fault)))

    def note_success(self) -> None:
        """Something was written: the next failure is news."""
        self._failing = ""

    def shut_down(self) -> None:
        """Do what was given, close the file and wait for it."""
        self._background.run(lambda _task: self._close(), _nothing)
        self._background.finish()

    # --- in the other thread ----------------------------------------------------------------------------------------

    def _open(self) -> None:
        self._repository = HistoryRepository(self._path)
        self._opened.emit(self._repository.notices)

    def _careful(self, work: Callable[[HistoryRepository], T]) -> T:
        if self._repository is None:
            raise EngineFault("history_closed", "The chat history could not be opened, so chats are not kept.")
        try:
            return work(self._repository)
        except DamagedHistory:
            self._opened.emit(self._repository.recover())
            self.renewed.emit()
            raise

    def _close(self) -> None:
        if self._repository is not None:
            self._repository.close()
            self._repository = None

    # --- in the window's thread -------------------------------------------------------------------------------------

    def _tell_notices(self, notices: tuple[Notice, ...]) -> None:
        for notice in notices:
            self.notice.emit(notice)
