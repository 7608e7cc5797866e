"""The chats of one profile."""

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QObject

from app.bridge.chat_library import ChatLibrary
from app.bridge.history_keeper import HistoryKeeper, Opened
from app.bridge.history_lane import HistoryLane


class History(QObject):
    """Keeps conversations (`keeper`), knows all of them (`library`) and tells what goes wrong (`lane.notice`)."""

    def __init__(self, path: Path, parent: QObject | None = None) -> None:
        """`path`: the file; nothing is opened before `start`."""
        super().__init__(parent)
        self.setObjectName("history")
        self.lane = HistoryLane(path, self)
        self.keeper = HistoryKeeper(self.lane, self)
        self.library = ChatLibrary(self.lane, self)
        self.keeper.stored.connect(self._on_stored)

    def start(self, then: Callable[[Opened], object]) -> None:
        """Open the file; `then` gets the chat that was open last."""
        self.lane.start()
        self.keeper.start(then)
        self.library.refresh()

    def shut_down(self) -> None:
        """Write what is not written yet and close the file; blocks until that is done."""
        self.keeper.flush()
        self.lane.shut_down()

    def _on_stored(self, list_changed: bool) -> None:  # noqa: FBT001 (a slot)
        if list_changed:
            self.library.refresh()
