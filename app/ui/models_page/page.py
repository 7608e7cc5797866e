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
from app.ui.widgets.drop_hint import DropHint
from app.ui.widgets.labels import label

Tab = Literal["library", "get", "downloads", "setup"]
_TABS: tuple[Tab, ...] = ("library", "get", "downloads", "setup")
_WIDTH = 1200
_ROOMY_FROM = 820


class ModelsPage(QWidget):
    """Header, tabs, and what the tabs show.

    Signals:
        back_wanted: Show the chat again.
        opened, left: The page is shown, or not any more.
        looked_at: The window became the active one while the page is shown.
        files_dropped, folders_dropped: Lists of `Path`s.
    """

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
        self._machine = label("", "soft", wrap=True)
        self.back = button(self.tr("Back to the chat"), self.back_wanted.emit)
        self.notes = BannerView(theme)
        self.imports = ImportStrip()
        self.library = LibraryTab(theme, controller)
        self.get = GetTab(theme, controller)
        self.downloads = DownloadsTab(controller.downloads, lambda download: controller.pair_of(download) is not None)
        self.setup = SetupTab(controller.access)
        self.tabs = QTabBar()
        self.tabs.setDrawBase(False)
        self.tabs.setExpanding(False)
        self.tabs.setUsesScrollButtons(True)
        self.tabs.setAccessibleName(self.tr("Parts of the page"))
        self._stack = QStackedWidget()
        for words_, tab in (
            (self.tr("Library"), self.library),
            (self.tr("Get models"), self.get),
            (self.tr("Downloads"), self.downloads),
            (self.tr("Folders and access"), self.setup),
        ):
            self.tabs.addTab(words_)
            self._stack.addWidget(tab)
        self.tabs.currentChanged.connect(self._stack.setCurrentIndex)
        self._layout = QVBoxLayout()
        self._build()
        self._drop_hint = DropHint(theme, self.tr("Drop to add to your models"), self)
        self.set_theme(theme)

    def _build(self) -> None:
        head = QHBoxLayout()
        head.setSpacing(GRID)
        head.addWidget(label(self.tr("Models"), "title"))
        head.addStretch(1)
        head.addWidget(self.back)
        column = self._layout
        column.setSpacing(GRID)
        column.addLayout(head)
        column.addWidget(self._machine)
        column.addWidget(self.tabs)
        column.addWidget(self.notes)
        column.addWidget(self.imports)
        column.addWidget(self._stack, 1)
        inner = QWidget()
        inner.setMaximumWidth(_WIDTH)
        inner.setLayout(column)
        across = QHBoxLayout(self)
        across.setContentsMargins(0, 0, 0, 0)
        across.addStretch(1)
        across.addWidget(inner, 1000)
        across.addStretch(1)

    def set_theme(self, theme: Theme) -> None:
        """Wear another theme."""
        self.setStyleSheet(stylesheet(theme))
        self.notes.set_theme(theme)
        self._drop_hint.set_theme(theme)
        self.library.set_theme(theme)
        self.get.set_theme(theme)

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
