"""The way from the window to the Connections page and back, and servers in the list of models."""

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from app.bridge.chat_controller import ChatController
from app.bridge.connections import ConnectionsDesk
from app.ui.appearance import Appearance
from app.ui.main_window import MainWindow

if TYPE_CHECKING:
    from app.ui.connections_page.page import ConnectionsPage


class ConnectionsDoor(QObject):
    """Makes the page when somebody wants to see it for the first time."""

    def __init__(self, window: MainWindow, chat: ChatController, desk: ConnectionsDesk, appearance: Appearance) -> None:
        super().__init__(window)
        self._window = window
        self._chat = chat
        self._desk = desk
        self._appearance = appearance
        self.page: ConnectionsPage | None = None
        window.top.model.connections_wanted.connect(self.open)
        window.top.model.set_connections(desk.connections)
        desk.changed.connect(window.top.model.set_connections)
        desk.notice.connect(chat.notice)

    def open(self) -> "ConnectionsPage":
        """Show the page."""
        if self.page is None:
            # Loaded when it is wanted: most starts only chat.
            from app.ui.connections_page.page import ConnectionsPage

            self.page = ConnectionsPage(self._appearance.theme, self._desk)
            self.page.back_wanted.connect(self._window.leave_page)
            self.page.model_chosen.connect(self._use)
            self._appearance.theme_changed.connect(self.page.set_theme)
        self._window.show_page(self.page)
        # The page of models is another one.
        self._window.top.models.setChecked(False)
        self.page.servers.setFocus()
        return self.page

    def _use(self, target: str) -> None:
        self._chat.open_model(target)
        self._window.leave_page()
