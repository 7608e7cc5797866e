"""The Models page: it arranges its tabs; `presenter` connects them."""

from pathlib import Path
from typing import Literal

from PySide6.QtCore import QEvent, QTimer, Signal
from PySide6.QtGui import QDragEnterEvent, QDragLeaveEvent, QDropEvent, QHideEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QHBoxLayout, QStackedWidget, QTabBar, QVBoxLayout, QWidget

from app.bridge.machine_facts import MachineFacts
from app.bridge.models_controller import ModelsController
from app.ui.banner import BannerView
from app.ui.models_page import words
from app.ui.models_page.buttons import button
from app.ui.models_page.downloads_tab import DownloadsTab
from app.ui.models_page.get_tab import GetTab
from app.ui.models_page.import_strip import ImportStrip
from app.ui.models_page.library_tab import LibraryTab
from app.ui.models_page.setup_tab import SetupTab
from app.ui.models_page.style import stylesheet
from app.ui.theme import GRID, Theme
from app.ui.widgets.column import centre
from app.ui.widgets.drop_hint import DropHint
from app.ui.widgets.labels import label

Tab = Literal["library", "get", "downloads", "setup"]
_TABS: tuple[Tab, ...] = ("library", "get", "downloads", "setup")
_WIDTH = 1200
_ROOMY_FROM = 820


class ModelsPage(QWidget):
    """Header, tabs, and what the tabs show.

    The library is there from the start. The other tabs are made one by one as soon as there is time, or when somebody
    asks for them: all at once would hold up the window.

    Signals:
        tab_made: The name of a tab that is there now; to be connected.
        back_wanted: Show the chat again.
        opened, left: The page is shown, or not any more.
        looked_at: The window became the active one while the page is shown.
        files_dropped, folders_dropped: Lists of `Path`s.
    """

    tab_made = Signal(str)
    back_wanted = Signal()
    opened = Signal()
    left = Signal()
    looked_at = Signal()
    files_dropped = Signal(object)
    folders_dropped = Signal(object)

    def __init__(self, theme: Theme, controller: ModelsController, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("models page")
        self.setAcceptDrops(True)
        self.setStyleSheet(stylesheet(theme))
        self._theme = theme
        self._controller = controller
        self._machine = label("", "soft", wrap=True)
        self.back = button(self.tr("Back to the chat"), self.back_wanted.emit)
        self.notes = BannerView(theme)
        self.imports = ImportStrip()
        self.library = LibraryTab(theme, controller)
        self._get: GetTab | None = None
        self._downloads: DownloadsTab | None = None
        self._setup: SetupTab | None = None
        self.tabs = QTabBar()
        self.tabs.setDrawBase(False)
        self.tabs.setExpanding(False)
        self.tabs.setUsesScrollButtons(True)
        self.tabs.setAccessibleName(self.tr("Parts of the page"))
        self._stack = QStackedWidget()
        for title in (self.tr("Library"), self.tr("Get models"), self.tr("Downloads"), self.tr("Folders and access")):
            self.tabs.addTab(title)
            self._stack.addWidget(QWidget() if self._stack.count() else self.library)
        self.tabs.currentChanged.connect(self._on_tab)
        self._layout = QVBoxLayout()
        self._build()
        self._drop_hint = DropHint(theme, self.tr("Drop to add to your models"), self)

    def _build(self) -> None:
        head = QHBoxLayout()
        head.setSpacing(2 * GRID)
        head.addWidget(label(self.tr("Models"), "title"))
        head.addWidget(self._machine, 1)
        head.addWidget(self.back)
        column = self._layout
        column.setSpacing(GRID)
        column.addLayout(head)
        column.addWidget(self.tabs)
        column.addWidget(self.notes)
        column.addWidget(self.imports)
        column.addWidget(self._stack, 1)
        centre(self, column, _WIDTH)

    def set_theme(self, theme: Theme) -> None:
        """Wear another theme."""
        self._theme = theme
        self.setStyleSheet(stylesheet(theme))
        self.notes.set_theme(theme)
        self._drop_hint.set_theme(theme)
        self.library.set_theme(theme)
        if self._get is not None:
            self._get.set_theme(theme)
        if self._setup is not None:
            self._setup.set_theme(theme)

    # --- tabs -------------------------------------------------------------------------------------------------------

    @property
    def get(self) -> GetTab:
        if self._get is None:
            self._get = GetTab(self._theme, self._controller)
            self._put("get", self._get)
        return self._get

    @property
    def downloads(self) -> DownloadsTab:
        if self._downloads is None:
            pair_of = self._controller.pair_of
            self._downloads = DownloadsTab(self._controller.downloads, lambda download: pair_of(download) is not None)
            self._put("downloads", self._downloads)
        return self._downloads

    @property
    def setup(self) -> SetupTab:
        if self._setup is None:
            self._setup = SetupTab(self._theme, self._controller.access)
            self._put("setup", self._setup)
        return self._setup

    def make_tabs(self) -> None:
        """Make the next tab that is missing, and the others after it."""
        missing = [
            tab for tab, made in zip(_TABS[1:], (self._get, self._downloads, self._setup), strict=True) if not made
        ]
        if missing:
            getattr(self, missing[0])
            QTimer.singleShot(0, self, self.make_tabs)

    def _put(self, tab: Tab, widget: QWidget) -> None:
        number = _TABS.index(tab)
        placeholder = self._stack.widget(number)
        self._stack.insertWidget(number, widget)
        if placeholder is not None:
            self._stack.removeWidget(placeholder)
            placeholder.deleteLater()
        self._stack.setCurrentIndex(self.tabs.currentIndex())
        self.tab_made.emit(tab)

    def _on_tab(self, number: int) -> None:
        getattr(self, _TABS[number])
        self._stack.setCurrentIndex(number)

    @property
    def tab(self) -> Tab:
        return _TABS[self.tabs.currentIndex()]

    def show_tab(self, tab: Tab) -> None:
        """Go to a part of the page."""
        self.tabs.setCurrentIndex(_TABS.index(tab))

    def show_machine(self, facts: MachineFacts) -> None:
        self._machine.setText(words.machine(facts))

    def show_active_downloads(self, count: int) -> None:
        """How many are under way."""
        title = self.tr("Downloads")
        self.tabs.setTabText(_TABS.index("downloads"), f"{title} ({count})" if count else title)

    # --- what Qt says -----------------------------------------------------------------------------------------------

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if not event.spontaneous():
            self.opened.emit()
            QTimer.singleShot(0, self, self.make_tabs)

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        if not event.spontaneous():
            self.left.emit()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.ActivationChange and self.isVisible() and self.isActiveWindow():
            self.looked_at.emit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        side = 4 * GRID if self.width() >= _ROOMY_FROM else 2 * GRID
        self._layout.setContentsMargins(side, 2 * GRID, side, 2 * GRID)

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if any(_dropped(event)):
            event.acceptProposedAction()
            self._drop_hint.cover()

    def dragLeaveEvent(self, event: QDragLeaveEvent) -> None:
        self._drop_hint.hide()
        super().dragLeaveEvent(event)

    def dropEvent(self, event: QDropEvent) -> None:
        self._drop_hint.hide()
        files, folders = _dropped(event)
        if files or folders:
            event.acceptProposedAction()
            # Later, so that the program the files come from is not kept waiting.
            QTimer.singleShot(0, self, lambda: self._tell_dropped(files, folders))

    def _tell_dropped(self, files: list[Path], folders: list[Path]) -> None:
        if folders:
            self.folders_dropped.emit(folders)
        if files:
            self.files_dropped.emit(files)


def _dropped(event: QDropEvent) -> tuple[list[Path], list[Path]]:
    """GGUF files and folders among what is dragged."""
    paths = [Path(url.toLocalFile()) for url in event.mimeData().urls() if url.isLocalFile() and url.toLocalFile()]
    files = [path for path in paths if path.suffix.lower() == ".gguf"]
    # Asks the disk, but only about what somebody has just dragged here from it.
    return files, [path for path in paths if path not in files and path.is_dir()]
