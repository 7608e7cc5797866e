"""Stores conversations while they grow."""

import time
from collections.abc import Callable
from dataclasses import dataclass

from PySide6.QtCore import QObject, Signal

from app.bridge.history_lane import HistoryLane
from app.bridge.timers import single_shot
from app.chat.archive import Archive, Batch, conversation_of
from app.chat.conversation import Conversation
from app.core.errors import AppError
from app.store.history import HistoryRepository
from app.store.rows import ChatRow, Stored

_UNSENT_AFTER_MS = 400
_OPEN, _UNSENT = "open", "unsent"


@dataclass(frozen=True, slots=True)
class Opened:
    """A chat that was read. `unsent`: what was written in it and not sent. `chat`: its row, None for an empty chat."""

    conversation: Conversation
    unsent: str = ""
    chat: ChatRow | None = None


class HistoryKeeper(QObject):
    """What cannot be written stays in memory, and is tried again with the next change.

    Signals:
        stored: A conversation was written; carries whether anything but a growing answer changed.
    """

    stored = Signal(bool)

    def __init__(self, lane: HistoryLane, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("history keeper")
        self._lane = lane
        self._archives: dict[str, Archive] = {}
        self._latest: dict[str, Conversation] = {}
        self._current = ""
        self._unsent: tuple[str, str] | None = None
        self._unsent_timer = single_shot(self, "unsent text", _UNSENT_AFTER_MS, self.flush_unsent)
        lane.renewed.connect(self._write_all_again)

    def start(self, then: Callable[[Opened], object]) -> None:
        """Mend what the end of the program broke off, and give the chat that was open then (or an empty one)."""

        def first(repository: HistoryRepository) -> Opened:
            repository.purge()
            repository.mend()
            stored = repository.load(repository.recall(_OPEN))
            return Opened(Conversation(), repository.recall(_UNSENT)) if stored is None else _read(stored)

        self._lane.use(first, lambda opened: then(self._take(opened)))

    def keep(self, conversation: Conversation, then: Callable[[], object] = lambda: None) -> None:
        """Store what is new in a conversation; `then` is called when it is stored, or cannot be."""
        archive = self._archives.setdefault(conversation.id, Archive())
        self._latest[conversation.id] = conversation
        batch = archive.pending(conversation, time.time())
        if batch is None:
            then()
            return

        def written(_nothing: None) -> None:
            archive.note(batch)
            self._lane.note_success()
            self.stored.emit(not _only_grows(batch))
            self._forget_finished()
            then()

        def failed(fault: AppError) -> None:
            self._lane.tell(fault)
            then()

        self._lane.use(lambda repository: repository.write(batch.chat, batch.rows(), batch.removed), written, failed)

    def open(self, chat_id: str, then: Callable[[Opened], object]) -> None:
        """Read a chat; nothing is called if it is not there."""

        def read(repository: HistoryRepository) -> Opened | None:
            stored = repository.load(chat_id)
            return None if stored is None else _read(stored)

        def found(opened: Opened | None) -> None:
            waiting = self._latest.get(chat_id)
            if waiting is not None:
                # It could not be written, so it is newer than the file.
                then(Opened(waiting, opened.unsent if opened is not None else ""))
            elif opened is not None:
                then(self._take(opened))

        self._lane.use(read, found, key="open")

    def note_open(self, conversation: Conversation) -> None:
        """This chat is to be shown at the next start."""
        self._current = conversation.id
        chat_id = conversation.id if conversation.messages else ""
        self._lane.use(lambda repository: repository.remember(_OPEN, chat_id), key="note open")
        self._forget_finished()

    def note_unsent(self, conversation: Conversation, text: str) -> None:
        """Remember, in a moment, what is written in this chat and not sent."""
        chat_id = conversation.id if conversation.messages else ""
        if self._unsent is not None and self._unsent[0] != chat_id:
            self.flush_unsent()
        self._unsent = (chat_id, text)
        self._unsent_timer.start()

    def flush_unsent(self) -> None:
        """Remember it now."""
        self._unsent_timer.stop()
        if self._unsent is None:
            return
        (chat_id, text), self._unsent = self._unsent, None
        if chat_id:
            self._lane.use(lambda repository: repository.keep_unsent(chat_id, text))
        else:
            self._lane.use(lambda repository: repository.remember(_UNSENT, text))

    def flush(self) -> None:
        """Give everything to the other thread that is not written yet."""
        self.flush_unsent()
        for conversation in list(self._latest.values()):
            self.keep(conversation)

    def _take(self, opened: Opened) -> Opened:
        conversation = opened.conversation
        self._archives[conversation.id] = Archive(opened.chat, conversation.all if opened.chat is not None else ())
        self._latest[conversation.id] = conversation
        return opened

    def _forget_finished(self) -> None:
        """Chats that are stored and not shown need no memory; those that failed get another try."""
        now = time.time()
        for chat_id in [known for known in self._latest if known != self._current]:
            if self._archives[chat_id].pending(self._latest[chat_id], now) is None:
                del self._archives[chat_id], self._latest[chat_id]

    def _write_all_again(self) -> None:
        for chat_id, conversation in list(self._latest.items()):
            self._archives[chat_id].forget()
            self.keep(conversation)


def _only_grows(batch: Batch) -> bool:
    return not batch.removed and all(message.status == "streaming" for message in batch.messages)


def _read(stored: Stored) -> Opened:
    return Opened(conversation_of(stored), stored.chat.unsent, stored.chat)
