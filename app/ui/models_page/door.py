"""The way from the window to the Models page and back."""

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer

from app.bridge.chat_controller import ChatController
from app.bridge.models_controller import ModelsController
from app.chat.settings import Pair
from app.protocol.messages import Notice
from app.ui.appearance import Appearance
from app.ui.main_window import MainWindow

if TYPE_CHECKING:
    from app.ui.models_page.page import ModelsPage, Tab


class ModelsDoor(QObject):
    """Makes the page when somebody wants to see it for the first time: most starts only chat."""

    def __init__(
        self, window: MainWindow, chat: ChatController, models: ModelsController, appearance: Appearance
    ) -> None:
        super().__init__(window)
        self._window = window
        self._chat = chat
        self._models = models
        self._appearance = appearance
        self.page: ModelsPage | None = None
        models.adjusted.connect(self._tell_adjusted)
        window.top.models_wanted.connect(self._on_wanted)
        window.top.model.models_wanted.connect(self.open)
        window.welcome.models_wanted.connect(lambda: self.open("get"))

    def open(self, tab: "Tab | None" = None) -> "ModelsPage":
        """Show the page, at `tab` or where it was left; a new page in the next turn of the event loop."""
        if self.page is None:
            # Loaded when it is wanted: most starts only chat.
            from app.ui.models_page.page import ModelsPage
            from app.ui.models_page.presenter import ModelsPresenter

            page = self.page = ModelsPage(self._appearance.theme, self._models)
            ModelsPresenter(page, self._models, self._load)
            page.back_wanted.connect(self._window.leave_page)
            self._appearance.theme_changed.connect(page.set_theme)
            # Making and showing it at once would hold up the window.
            QTimer.singleShot(0, page, lambda: self._show(page, tab))
        else:
            self._show(self.page, tab)
        return self.page

    def _show(self, page: "ModelsPage", tab: "Tab | None") -> None:
        if tab is not None:
            page.show_tab(tab)
        self._window.show_page(page)
        page.tabs.setFocus()

    def _on_wanted(self, wanted: bool) -> None:
        if wanted:
            self.open()
        else:
            self._window.leave_page()

    def _tell_adjusted(self, sentences: str) -> None:
        self._chat.notice.emit(Notice(code="fitted", text=self.tr("To fit into memory: {0}").format(sentences)))

    def _load(self, pair: Pair) -> None:
        self._chat.open_pair(pair)
        self._window.leave_page()
