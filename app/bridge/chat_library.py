"""All chats: listed, found, named, thrown away, copied, exported and imported."""

import time
from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QObject, Signal

from app.bridge.history_lane import HistoryLane
from app.chat.conversation import new_id
from app.chat.transfer import exported, imported, renewed
from app.core.errors import UserError
from app.protocol.messages import Notice
from app.store.history import HistoryRepository


class ChatLibrary(QObject):
    """What can be done with chats without opening them. Failures are notices of the lane.

    Signals:
        chats_changed: All chats (a tuple of `ChatRow`), pinned ones first, then by their last change.
        found: What the newest `search` found (a tuple of `Hit`).
    """

    chats_changed = Signal(object)
    found = Signal(object)

    def __init__(self, lane: HistoryLane, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("chat library")
        self._lane = lane
        lane.renewed.connect(self.refresh)

    def refresh(self) -> None:
        """Tell the list again."""
        self._lane.use(HistoryRepository.chats, self.chats_changed.emit, key="chats")

    def search(self, text: str) -> None:
        """Look for chats with these words; only the newest search is answered."""
        self._lane.use(lambda repository: repository.search(text), self.found.emit, key="search")

    def rename(self, chat_id: str, title: str) -> None:
        """Give a chat a name; a blank one changes nothing."""
        words = " ".join(title.split())[:200]
        if words:
            self._change(lambda repository: repository.rename(chat_id, words))

    def pin(self, chat_id: str, pinned: bool) -> None:  # noqa: FBT001 (for a slot)
        """Keep a chat at the top, or not."""
        self._change(lambda repository: repository.pin(chat_id, pinned=pinned))

    def throw_away(self, chat_id: str) -> None:
        """Take a chat off the list; `bring_back` undoes it until the next start."""
        self._change(lambda repository: repository.throw_away(chat_id, time.time()))

    def bring_back(self, chat_id: str) -> None:
        self._change(lambda repository: repository.throw_away(chat_id, None))

    def duplicate(self, chat_id: str, then: Callable[[str], object]) -> None:
        """Copy a chat; `then` gets the id of the copy."""

        def copy(repository: HistoryRepository) -> str:
            stored = repository.load(chat_id)
            if stored is None:
                raise UserError("no_such_chat", "This chat is not stored, so it cannot be copied.")
            made = renewed(stored, time.time(), new_id)
            repository.add(made)
            return made.chat.id

        self._add(copy, then)

    def export(self, chat_id: str, path: Path) -> None:
        """Write a chat into a file: JSON if its name ends so, else Markdown."""

        def write(repository: HistoryRepository) -> None:
            stored = repository.load(chat_id)
            if stored is None:
                raise UserError("no_such_chat", "This chat is not stored, so it cannot be exported.")
            exported(stored, path)

        done = Notice(code="exported", text=f"The chat is saved as {path.name}.")
        self._lane.use(write, lambda _done: self._lane.notice.emit(done))

    def import_file(self, path: Path, then: Callable[[str], object]) -> None:
        """Add the chat of one of our JSON files; `then` gets its id."""

        def read(repository: HistoryRepository) -> str:
            made = imported(path, time.time(), new_id)
            repository.add(made)
            return made.chat.id

        self._add(read, then)

    def _change(self, work: Callable[[HistoryRepository], None]) -> None:
        self._lane.use(work, lambda _done: self.refresh())

    def _add(self, work: Callable[[HistoryRepository], str], then: Callable[[str], object]) -> None:
        def added(chat_id: str) -> None:
            self.refresh()
            then(chat_id)

        self._lane.use(work, added)
