"""What a person chose about looks: put on the window, and remembered."""

from PySide6.QtCore import QObject, Signal

from app.bridge.chat_controller import ChatController
from app.ui.appearance import Appearance, next_size
from app.ui.view_menu import ViewMenu


class Looks(QObject):
    """Theme and text size at once, the language at the next start.

    Signals:
        said: A sentence about what was done.
    """

    said = Signal(str)

    def __init__(self, menu: ViewMenu, appearance: Appearance, controller: ChatController, parent: QObject) -> None:
        super().__init__(parent)
        self._menu = menu
        self._appearance = appearance
        self._controller = controller
        menu.theme_chosen.connect(self._choose_theme)
        menu.text_size_chosen.connect(self._choose_text_size)
        menu.language_chosen.connect(self._choose_language)
        menu.show_theme(appearance.choice)
        menu.show_text_size(appearance.text_size)
        menu.show_language(controller.settings.language)

    def change_text_size(self, steps: int) -> None:
        """So many steps larger, or smaller; 0 for the normal size."""
        self._choose_text_size(next_size(self._appearance.text_size, steps) if steps else 100)

    def _choose_theme(self, choice: str) -> None:
        self._appearance.choose(choice)
        self._controller.set_theme(choice)

    def _choose_text_size(self, percent: int) -> None:
        self._appearance.set_text_size(percent)
        self._menu.show_text_size(self._appearance.text_size)
        self._controller.set_text_size(self._appearance.text_size)

    def _choose_language(self, choice: str) -> None:
        if choice != self._controller.settings.language:
            self._controller.set_language(choice)
            self.said.emit(self.tr("Outpace speaks this language from the next start."))
