"""The panel at the left: new chat, search, all chats."""

import datetime
from collections.abc import Callable, Sequence

from PySide6.QtCore import QPoint, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent, QAction, QKeySequence
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLineEdit, QMenu, QPushButton, QStackedWidget, QVBoxLayout, QWidget

from app.store.rows import ChatRow, Hit
from app.ui import icons
from app.ui.conversation_list.groups import Row, found, grouped
from app.ui.conversation_list.model import ChatsModel
from app.ui.conversation_list.rows_view import ChatRows
from app.ui.theme import GRID, Theme
from app.ui.widgets.labels import label

WIDTH = 224
_SEARCH_AFTER_MS = 150


class ConversationList(QFrame):
    """Shows chats and says what a person wants to do with them.

    Signals:
        new_wanted, import_wanted: A button.
        search_wanted: Words to look for, "" for all chats.
        opened, delete_wanted, undo_wanted, duplicate_wanted, export_wanted: Id of a chat.
        renamed: Id of a chat and its new title.
        pin_wanted: Id of a chat, and whether to pin it.
    """

    new_wanted = Signal()
    import_wanted = Signal()
    search_wanted = Signal(str)
    opened = Signal(str)
    renamed = Signal(str, str)
    pin_wanted = Signal(str, bool)
    delete_wanted = Signal(str)
    undo_wanted = Signal(str)
    duplicate_wanted = Signal(str)
    export_wanted = Signal(str)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("ground", "panel")
        self.setProperty("hairline", "right")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.setAccessibleName(self.tr("Chats"))
        self._chats: tuple[ChatRow, ...] = ()
        self._deleted = ""
        self.new = QPushButton(self.tr("New chat"))
        self.new.setIconSize(QSize(18, 18))
        self.new.clicked.connect(lambda _checked=False: self.new_wanted.emit())
        self.search = QLineEdit()
        self.search.setPlaceholderText(self.tr("Search chats"))
        self.search.setAccessibleName(self.tr("Search chats"))
        self.search.setClearButtonEnabled(True)
        self._glass = self.search.addAction(icons.icon("search", theme.soft), QLineEdit.ActionPosition.LeadingPosition)
        self._search_timer = QTimer(self)
        self._search_timer.setObjectName("search chats")
        self._search_timer.setSingleShot(True)
        self._search_timer.setInterval(_SEARCH_AFTER_MS)
        self._search_timer.timeout.connect(lambda: self.search_wanted.emit(self.words))
        self.search.textChanged.connect(self._on_search)
        self.search.returnPressed.connect(self._enter_list)
        self._model = ChatsModel(self)
        self._model.renamed.connect(self.renamed)
        self.rows = ChatRows(theme, self._model)
        self.rows.opened.connect(self._on_opened)
        self.rows.delete_wanted.connect(self.delete_wanted)
        self.rows.menu_wanted.connect(self._show_menu)
        self._nothing = label("", "soft", wrap=True)
        self._nothing.setAlignment(Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft)
        self._nothing.setContentsMargins(GRID, GRID, GRID, GRID)
        self._stack = QStackedWidget()
        self._stack.addWidget(self.rows)
        self._stack.addWidget(self._nothing)
        self._importer = QPushButton(self.tr("Import a chat…"))
        self._importer.setProperty("kind", "quiet")
        self._importer.clicked.connect(lambda _checked=False: self.import_wanted.emit())
        self._arrange()
        self.set_theme(theme)
        self._refresh(())

    def _arrange(self) -> None:
        self._undo_words = label(self.tr("Chat deleted."), "small")
        self.undo = QPushButton(self.tr("Undo"))
        self.undo.clicked.connect(lambda _checked=False: self._undo())
        self._undo_strip = QFrame()
        self._undo_strip.setProperty("ground", "card")
        strip = QHBoxLayout(self._undo_strip)
        strip.setContentsMargins(GRID, GRID // 2, GRID // 2, GRID // 2)
        strip.addWidget(self._undo_words, 1)
        strip.addWidget(self.undo)
        self._undo_strip.hide()
        action = QAction(self.tr("Undo"), self)
        action.setShortcut(QKeySequence.StandardKey.Undo)
        action.setShortcutContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
        action.triggered.connect(lambda _checked=False: self._undo())
        self.rows.addAction(action)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(GRID + 4, GRID + 4, GRID + 4, GRID)
        layout.setSpacing(GRID)
        for widget in (self.new, self.search):
            layout.addWidget(widget)
        layout.addWidget(self._stack, 1)
        layout.addWidget(self._undo_strip)
        layout.addWidget(self._importer, 0, Qt.AlignmentFlag.AlignLeft)

    # --- what is shown ----------------------------------------------------------------------------------------------

    @property
    def words(self) -> str:
        """What is searched for."""
        return self.search.text().strip()

    def set_theme(self, theme: Theme) -> None:
        self.rows.delegate.theme = theme
        self.new.setIcon(icons.icon("new-chat", theme.ink))
        self._glass.setIcon(icons.icon("search", theme.soft))
        self.rows.viewport().update()

    def show_chats(self, chats: Sequence[ChatRow]) -> None:
        """All chats, pinned ones first, each part newest first."""
        self._chats = tuple(chats)
        if not self.words:
            self._refresh(grouped(self._chats, datetime.datetime.now().astimezone().date()))

    def show_found(self, hits: Sequence[Hit]) -> None:
        """What was searched for; ignored when the search was given up meanwhile."""
        if self.words:
            self._refresh(found(hits))

    def show_open(self, chat_id: str) -> None:
        """Mark the chat that is on the screen, "" for none."""
        self.rows.delegate.shown = chat_id
        if not self.rows.hasFocus():
            self.rows.go_to(chat_id)
        self.rows.viewport().update()

    def show_deleted(self, chat_id: str) -> None:
        """Offer to bring a chat back."""
        title = next((chat.title for chat in self._chats if chat.id == chat_id), "")
        self._deleted = chat_id
        words = self.tr("Deleted: {0}").format(title)
        self._undo_words.setToolTip(words)
        self._undo_words.setAccessibleName(words)
        self._undo_strip.show()
        if QAccessible.isActive():
            QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(self, words))

    def forget_deleted(self) -> None:
        """Nothing can be brought back any more."""
        self._deleted = ""
        self._undo_strip.hide()

    def neighbour(self, chat_id: str, step: int) -> str:
        """The chat so many places below one in the list, "" where the list ends."""
        ids = [entry.chat.id for entry in self._model.entries()]
        number = ids.index(chat_id) + step if chat_id in ids else 0
        return ids[number] if 0 <= number < len(ids) else ""

    # --- steps ------------------------------------------------------------------------------------------------------

    def _refresh(self, rows: Sequence[Row]) -> None:
        here = self.rows.current()
        at = self.rows.currentIndex().row()
        place = self.rows.verticalScrollBar().value()
        if self._model.show_rows(rows):
            if here is not None and self._model.number_of(here.chat.id) < 0:
                # It was deleted: the keyboard goes on at its neighbour.
                entries = self._model.entries()
                near = [e.chat.id for e in entries if self._model.number_of(e.chat.id) >= at] or [
                    e.chat.id for e in entries[-1:]
                ]
                self.rows.go_to(near[0] if near and self.rows.hasFocus() else self.rows.delegate.shown)
            else:
                self.rows.go_to(here.chat.id if here is not None else self.rows.delegate.shown)
            self.rows.verticalScrollBar().setValue(place)
        nothing = self.tr("No chat has these words.") if self.words else self.tr("Your chats will be listed here.")
        self._nothing.setText("" if rows else nothing)
        self._stack.setCurrentWidget(self.rows if rows else self._nothing)

    def _on_search(self) -> None:
        if self.words:
            self._search_timer.start()
        else:
            self._search_timer.stop()
            self.show_chats(self._chats)

    def _enter_list(self) -> None:
        entries = self._model.entries()
        if entries:
            self.rows.setFocus()
            self.rows.go_to(entries[0].chat.id)

    def _on_opened(self, chat_id: str) -> None:
        self.forget_deleted()
        self.opened.emit(chat_id)

    def _undo(self) -> None:
        if self._deleted:
            chat_id = self._deleted
            self.forget_deleted()
            self.undo_wanted.emit(chat_id)
            self.rows.setFocus()

    def _show_menu(self, chat: ChatRow, place: QPoint) -> None:
        self.menu_for(chat).popup(place)

    def menu_for(self, chat: ChatRow) -> QMenu:
        """Everything that can be done with a chat."""
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        pin = self.tr("Unpin") if chat.pinned else self.tr("Pin")
        choices: tuple[tuple[str, Callable[[], object]], ...] = (
            (self.tr("Open"), lambda: self._on_opened(chat.id)),
            (self.tr("Rename"), lambda: self.rows.rename(chat.id)),
            (pin, lambda: self.pin_wanted.emit(chat.id, not chat.pinned)),
            (self.tr("Duplicate"), lambda: self.duplicate_wanted.emit(chat.id)),
            (self.tr("Export…"), lambda: self.export_wanted.emit(chat.id)),
            (self.tr("Delete"), lambda: self.delete_wanted.emit(chat.id)),
        )
        for words, call in choices:
            if call is choices[-1][1]:
                menu.addSeparator()
            menu.addAction(words).triggered.connect(lambda _checked=False, call=call: call())
        return menu
