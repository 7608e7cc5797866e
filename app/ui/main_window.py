"""The main window. It arranges the parts; `presenter` connects them to the conversation."""

from PySide6.QtCore import Qt, QTimer, QUrl, Signal
from PySide6.QtGui import QCloseEvent, QDragEnterEvent, QDragLeaveEvent, QDropEvent, QResizeEvent
from PySide6.QtWidgets import QFileDialog, QHBoxLayout, QMainWindow, QStackedWidget, QVBoxLayout, QWidget

from app.chat.settings import WindowState
from app.ui import geometry
from app.ui.badge_details import BadgeDetails
from app.ui.banner import BannerView
from app.ui.body import Body
from app.ui.command_palette import CommandPalette
from app.ui.composer import Composer, local_files
from app.ui.conversation_list.view import ConversationList
from app.ui.find_bar import FindBar
from app.ui.shortcuts import ShortcutSheet
from app.ui.side_panel import SidePanel
from app.ui.theme import GRID, Theme
from app.ui.top_bar import TopBar
from app.ui.transcript import TranscriptView
from app.ui.welcome import Welcome
from app.ui.widgets.drop_hint import DropHint

_READING_WIDTH = 860


class MainWindow(QMainWindow):
    """Top bar, list of chats, chat, side panel.

    Signals:
        model_dropped: The path of a GGUF file that was dropped onto the window.
        files_dropped: Paths (a list of str) of other files that were.
        page_shown: Object name of the page that stands in the place of the chat, "" for none.
        closing: The window is about to close; carries its `WindowState`.
    """

    model_dropped = Signal(str)
    files_dropped = Signal(list)
    page_shown = Signal(str)
    closing = Signal(object)

    def __init__(self, theme: Theme, state: WindowState) -> None:
        super().__init__()
        self.setObjectName("main window")
        self.setAcceptDrops(True)
        self.setMinimumSize(480, 400)
        self._theme = theme
        self.top = TopBar(theme)
        self.welcome = Welcome()
        self.transcript = TranscriptView(theme)
        self.banner = BannerView(theme)
        self.notes = BannerView(theme)
        self.composer = Composer(theme)
        self.panel = SidePanel(theme)
        self.chats = ConversationList(theme)
        self.body = Body(
            self._build_chat(),
            self.panel,
            self.chats,
            open_when_wide=state.side_panel,
            list_when_wide=state.chat_list,
        )
        central = QWidget()
        column = QVBoxLayout(central)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        self._stage = QStackedWidget()
        self._stage.addWidget(self.body)
        column.addWidget(self.top)
        column.addWidget(self._stage, 1)
        self.setCentralWidget(central)
        self.details = BadgeDetails(central, self.top.badge, theme)
        self._drop_hint = DropHint(theme, self.tr("Drop to open this model"), central)
        self._attach_hint = DropHint(theme, self.tr("Drop to attach"), central)
        self.body.panel_shown.connect(self.top.show_panel_open)
        self.top.panel_wanted.connect(self.body.set_panel_open)
        self.body.list_shown.connect(self.top.show_list_open)
        self.top.chats_wanted.connect(self.set_list_open)
        self.find_bar = FindBar(theme, self.transcript)
        self.top.ink_wanted.connect(self.transcript.set_ink)
        self.top.set_ink(state.ink)
        geometry.restore(self, state.geometry)
        self.top.show_panel_open(self.body.panel_open)
        self.top.show_list_open(self.body.list_open)
        self.composer.setFocus()

    def _build_chat(self) -> QWidget:
        chat = QWidget()
        self._pages = QStackedWidget()
        self._pages.addWidget(self.welcome)
        self._pages.addWidget(self.transcript)
        below = QWidget()
        below.setMaximumWidth(_READING_WIDTH)
        stack = QVBoxLayout(below)
        stack.setContentsMargins(2 * GRID, GRID, 2 * GRID, 2 * GRID)
        stack.setSpacing(GRID)
        for widget in (self.notes, self.banner, self.composer):
            stack.addWidget(widget)
        centred = QHBoxLayout()
        centred.setContentsMargins(0, 0, 0, 0)
        centred.addStretch(1)
        centred.addWidget(below, 1000)
        centred.addStretch(1)
        column = QVBoxLayout(chat)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self._pages, 1)
        column.addLayout(centred)
        return chat

    def set_theme(self, theme: Theme) -> None:
        """Wear another theme."""
        self._theme = theme
        for part in (
            self.top,
            self.chats,
            self.transcript,
            self.banner,
            self.notes,
            self.composer,
            self.panel,
            self.details,
            self._drop_hint,
            self._attach_hint,
            self.find_bar,
        ):
            part.set_theme(theme)

    def show_chat(self, *, empty: bool) -> None:
        """Show the messages, or what an empty chat shows."""
        self._pages.setCurrentWidget(self.welcome if empty else self.transcript)

    def show_page(self, page: QWidget) -> None:
        """Show a page in the place of chat and side panel."""
        if self._stage.indexOf(page) < 0:
            self._stage.addWidget(page)
        self.details.hide()
        self._stage.setCurrentWidget(page)
        self.page_shown.emit(page.objectName())

    def leave_page(self) -> bool:
        """Show the chat again; False if it is shown already."""
        if self._stage.currentWidget() is self.body:
            return False
        self._stage.setCurrentWidget(self.body)
        self.page_shown.emit("")
        self.composer.setFocus()
        return True

    def toggle_panel(self) -> None:
        self.body.set_panel_open(not self.body.panel_open)

    def set_list_open(self, is_open: bool) -> None:
        """Show or hide the list of chats; shown over the chat it takes the keyboard."""
        self.leave_page()
        self.body.set_list_open(is_open)
        if is_open and not self.body.has_room_for_list:
            self.chats.rows.setFocus()
        elif not is_open:
            self.composer.setFocus()

    def search_chats(self) -> None:
        """Put the keyboard into the search of the list."""
        self.leave_page()
        self.body.set_list_open(True)
        self.chats.search.setFocus()
        self.chats.search.selectAll()

    def find_in_chat(self) -> None:
        """Look for words in the chat that is shown."""
        self.leave_page()
        self.body.close_what_covers()
        if self.transcript.isVisible():
            self.find_bar.open()

    def close_what_is_open(self) -> bool:
        """Close the search, the details, a page, or what covers the chat; False if none was open."""
        if self.find_bar.isVisible():
            self.find_bar.dismiss()
            self.composer.setFocus()
            return True
        if self.details.isVisible():
            self.details.hide()
            return True
        if self.leave_page():
            return True
        if self.body.close_what_covers():
            self.composer.setFocus()
            return True
        return False

    def show_commands(self) -> None:
        """Everything that can be done, to be found by its words."""
        own = [action for action in self.actions() if action.objectName() != "show_commands"]
        own.sort(key=lambda action: action.shortcut().isEmpty())
        CommandPalette([*own, *self.top.view.actions()], self).open()

    def show_shortcuts(self) -> None:
        ShortcutSheet(self).open()

    def ask_for_model(self, title: str, folder: str) -> QFileDialog:
        """A dialog for one GGUF file, shown already; its `fileSelected` brings the path."""
        dialog = QFileDialog(self, title, folder)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
        dialog.setNameFilters([self.tr("GGUF models (*.gguf)"), self.tr("All files (*)")])
        dialog.open()
        return dialog

    def state(self) -> WindowState:
        """How the window looks now."""
        return WindowState(
            geometry=geometry.save(self),
            side_panel=self.body.open_when_wide,
            chat_list=self.body.list_when_wide,
            ink=self.top.ink,
        )

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.details.hide()

    def closeEvent(self, event: QCloseEvent) -> None:
        self.closing.emit(self.state())
        super().closeEvent(event)

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if gguf_path(event.mimeData().urls()):
            event.acceptProposedAction()
            self._drop_hint.cover()
        elif local_files(event.mimeData().urls()) and self._stage.currentWidget() is self.body:
            event.acceptProposedAction()
            self._attach_hint.cover()

    def dragLeaveEvent(self, event: QDragLeaveEvent) -> None:
        self._drop_hint.hide()
        self._attach_hint.hide()
        super().dragLeaveEvent(event)

    def dropEvent(self, event: QDropEvent) -> None:
        self._drop_hint.hide()
        self._attach_hint.hide()
        path = gguf_path(event.mimeData().urls())
        files = local_files(event.mimeData().urls())
        if path:
            event.acceptProposedAction()
            # Later, so that the program the file came from is not kept waiting.
            QTimer.singleShot(0, self, lambda: self.model_dropped.emit(path))
        elif files:
            event.acceptProposedAction()
            QTimer.singleShot(0, self, lambda: self.files_dropped.emit(files))


def gguf_path(urls: list[QUrl]) -> str:
    """The first local GGUF file among what is dragged, or ""."""
    paths = (url.toLocalFile() for url in urls if url.isLocalFile())
    return next((path for path in paths if path.lower().endswith(".gguf")), "")
