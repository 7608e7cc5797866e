"""Connects the list of chats to the history."""

from pathlib import Path

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtWidgets import QFileDialog

from app.bridge.chat_controller import ChatController
from app.bridge.history import History
from app.chat.conversation import Conversation, Message
from app.ui.composer import Composer
from app.ui.conversation_list.unsent import UnsentText
from app.ui.conversation_list.view import ConversationList


class ChatsPresenter(QObject):
    """Shows what the history says and tells it what the person does.

    Signals:
        chat_chosen: The person wants to go on with a chat.
    """

    chat_chosen = Signal()

    def __init__(
        self, chats: ConversationList, composer: Composer, controller: ChatController, history: History, parent: QObject
    ) -> None:
        super().__init__(parent)
        self._list = chats
        self._controller = controller
        self._was_open = False
        self._library = library = history.library
        self.unsent = UnsentText(composer, controller, self)
        library.chats_changed.connect(chats.show_chats)
        library.found.connect(chats.show_found)
        controller.conversation_reset.connect(self._on_conversation)
        controller.message_added.connect(self._on_message)
        chats.search_wanted.connect(library.search)
        chats.opened.connect(self._open)
        chats.renamed.connect(library.rename)
        chats.pin_wanted.connect(library.pin)
        chats.delete_wanted.connect(self._delete)
        chats.undo_wanted.connect(self._bring_back)
        chats.duplicate_wanted.connect(lambda chat_id: library.duplicate(chat_id, controller.open_chat))
        chats.export_wanted.connect(self._ask_where)
        chats.import_wanted.connect(self._ask_which)

    def pause_unsent(self, paused: bool) -> None:
        """The composer holds something else than the next message."""
        self.unsent.paused = paused

    def step(self, places: int) -> None:
        """Open the chat so many places further down the list."""
        chat_id = self._list.neighbour(self._controller.conversation.id, places)
        if chat_id:
            self._controller.open_chat(chat_id)

    def _on_conversation(self, conversation: Conversation) -> None:
        self._list.show_open(conversation.id if conversation.messages else "")

    def _on_message(self, _message: Message) -> None:
        self._list.show_open(self._controller.conversation.id)

    def _open(self, chat_id: str) -> None:
        self._controller.open_chat(chat_id)
        self.chat_chosen.emit()

    def _delete(self, chat_id: str) -> None:
        self._was_open = chat_id == self._controller.conversation.id
        self._list.show_deleted(chat_id)
        self._controller.throw_away(chat_id)

    def _bring_back(self, chat_id: str) -> None:
        self._library.bring_back(chat_id)
        if self._was_open:
            self._controller.open_chat(chat_id)

    def _ask_where(self, chat_id: str) -> None:
        dialog = QFileDialog(self._list.window(), self.tr("Export the chat"), str(Path.home() / "chat.md"))
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setNameFilters([self.tr("Markdown, for reading (*.md)"), self.tr("JSON, to import again (*.json)")])
        dialog.setDefaultSuffix("md")
        dialog.filterSelected.connect(lambda words: dialog.setDefaultSuffix("json" if "json" in words else "md"))
        dialog.fileSelected.connect(lambda path: self._library.export(chat_id, Path(path)))
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.open()

    def _ask_which(self) -> None:
        dialog = QFileDialog(self._list.window(), self.tr("Import a chat"), str(Path.home()))
        dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
        dialog.setNameFilters([self.tr("Chats exported by Outpace (*.json)"), self.tr("All files (*)")])
        dialog.fileSelected.connect(lambda path: self._library.import_file(Path(path), self._controller.open_chat))
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.open()
