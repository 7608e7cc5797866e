"""What is written and not sent, from the composer to the history and back."""

from PySide6.QtCore import QObject

from app.bridge.chat_controller import ChatController
from app.ui.composer import Composer


class UnsentText(QObject):
    """Every chat has text of its own in the composer.

    Attributes:
        paused: The composer holds something else at the moment.
    """

    def __init__(self, composer: Composer, controller: ChatController, parent: QObject) -> None:
        super().__init__(parent)
        self._composer = composer
        self._controller = controller
        self._is_first = True
        self.paused = False
        composer.edit.textChanged.connect(self._on_text)
        controller.unsent_restored.connect(self._on_restored)

    def _on_text(self) -> None:
        if not self.paused:
            self._controller.note_unsent(self._composer.edit.text())

    def _on_restored(self, text: str) -> None:
        is_first, self._is_first = self._is_first, False
        # Who was faster than the disk at the start goes on writing.
        if not is_first or not self._composer.edit.text():
            self.paused = True
            self._composer.put_text(text)
            self.paused = False
        else:
            self._on_text()
