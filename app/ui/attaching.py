"""Files for the next message, and how full the context would be with all of it."""

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtWidgets import QFileDialog

from app.bridge.background import Background
from app.bridge.chat_controller import ChatController
from app.bridge.token_counter import Fill
from app.chat.attachments import Attachment
from app.chat.conversation import Message
from app.chat.text_files import read_attachment
from app.core.errors import AppError
from app.ui.branches import Branches
from app.ui.main_window import MainWindow

MOST_FILES = 20


class Attaching(QObject):
    """Reads files on another thread, counts what will be sent, and keeps the files of each chat apart.

    Signals:
        said: A sentence about a file that cannot be attached.
    """

    said = Signal(str)

    def __init__(self, window: MainWindow, controller: ChatController, branches: Branches) -> None:
        super().__init__(window)
        self._window = window
        self._composer = window.composer
        self._controller = controller
        self._branches = branches
        self._counter = controller.counter
        self._background = Background("attach files", self)
        self._files: tuple[Attachment, ...] = ()
        self._of_chats: dict[str, tuple[Attachment, ...]] = {}
        self._chat = self._key()
        self._put_aside: tuple[Attachment, ...] = ()
        self._editing = False
        composer = self._composer
        composer.attach.clicked.connect(lambda _checked=False: self.ask())
        composer.edit.files_given.connect(self.add)
        composer.edit.textChanged.connect(self._write)
        composer.chips.removed.connect(self._remove)
        window.files_dropped.connect(self.add)
        window.closing.connect(lambda _state: self._background.shut_down())
        branches.editing.connect(self._on_editing)
        controller.conversation_reset.connect(lambda _conversation: self._on_conversation())
        controller.message_changed.connect(self._on_message)
        controller.message_added.connect(self._on_message)
        controller.chat_options_changed.connect(lambda _options: self._look())
        self._counter.counted.connect(self._on_counted)
        self._look()

    @property
    def files(self) -> tuple[Attachment, ...]:
        """What goes with the next message."""
        return self._files

    def clear(self) -> None:
        """They are sent."""
        self._take(())

    def ask(self) -> None:
        """Ask for files."""
        dialog = QFileDialog(self._window, self.tr("Attach text files"), str(Path.home()))
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.setFileMode(QFileDialog.FileMode.ExistingFiles)
        dialog.filesSelected.connect(self.add)
        dialog.open()

    def add(self, paths: Iterable[str]) -> None:
        """Read these and attach them to the message that is being written."""
        chat = self._chat
        for path in paths:
            self._background.run(
                lambda _task, path=path: read_attachment(Path(path)),  # type: ignore[misc]  # mypy knows no default here
                lambda file: self._on_read(chat, file),
                self._on_failed,
            )

    # --- steps ------------------------------------------------------------------------------------------------------

    def _on_read(self, chat: str, file: Attachment) -> None:
        if chat != self._chat:
            self._of_chats[chat] = (*self._of_chats.get(chat, ()), file)
        elif len(self._files) >= MOST_FILES:
            self.said.emit(self.tr("{0} is left out: at most {1} files fit one message.").format(file.name, MOST_FILES))
        elif any((known.name, known.text) == (file.name, file.text) for known in self._files):
            self.said.emit(self.tr("{0} is attached already.").format(file.name))
        else:
            self._take((*self._files, file))

    def _on_failed(self, fault: AppError) -> None:
        self.said.emit(str(fault))

    def _remove(self, place: int) -> None:
        self._take((*self._files[:place], *self._files[place + 1 :]))
        if not self._files:
            self._composer.setFocus()

    def _take(self, files: tuple[Attachment, ...]) -> None:
        self._files = files
        self._composer.chips.show_files(files)
        self._write()

    def _key(self) -> str:
        conversation = self._controller.conversation
        return conversation.id if conversation.messages else ""

    def _on_conversation(self) -> None:
        chat = self._key()
        if chat != self._chat:
            self._of_chats[self._chat] = self._put_aside if self._branches.is_editing else self._files
            self._chat = chat
            self._take(self._of_chats.pop(chat, ()))
        self._look()

    def _on_message(self, message: Message) -> None:
        self._chat = self._key()
        if message.status != "streaming":
            self._look()

    def _on_editing(self, editing: bool) -> None:
        question = self._controller.conversation.find(self._branches.edited)
        if editing:
            if not self._editing:
                self._put_aside = self._files
            self._take(question.attachments if question is not None else ())
        else:
            files, self._put_aside = self._put_aside, ()
            self._take(files)
        self._editing = editing
        self._look()

    def _look(self) -> None:
        conversation = self._controller.conversation
        if self._branches.is_editing:
            conversation = conversation.before(self._branches.edited)
        self._counter.look_at(conversation, self._composer.edit.text(), [file.text for file in self._files])

    def _write(self) -> None:
        self._counter.write(self._composer.edit.text(), [file.text for file in self._files])

    def _on_counted(self, fill: Fill | None) -> None:
        if fill is not None and len(fill.texts) == len(self._files):
            self._files = tuple(
                replace(file, tokens=tokens) for file, tokens in zip(self._files, fill.texts, strict=True)
            )
            self._composer.chips.show_files(self._files)
        self._composer.meter.show_fill(fill, tuple(file.name for file in self._files))
