"""One message of the conversation area in a window of its own."""

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QFont, QTextCursor
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from app.chat.conversation import Message
from app.protocol.stats import GenerationStats, SpeculationState
from app.ui import theme
from app.ui.transcript.message_view import MessageView
from app.ui.transcript.slices import Slices
from app.ui.transcript.style import Style

WIDTH = 700
STATS = GenerationStats(
    generated_tokens=10, passes=4, verified=9, accepted=6, proposed=9, decode_ms=900, prefill_ms=240
)
ACTIVE = SpeculationState(state="active", gain=2.1, gain_kind="measured")


def answer(text: str, **more: object) -> Message:
    return Message(role="assistant", text=text, stats=STATS, speculation=ACTIVE, reason="end", **more)  # type: ignore[arg-type]


class Shown(QWidget):
    """A message in a window."""

    def __init__(self, message: Message, *, ink: bool = False) -> None:
        super().__init__()
        self.slices = Slices(self)
        self.view = MessageView(message, Style(theme.LIGHT, QFont()), self.slices, self, ink=ink)
        self.view.arrange(WIDTH)
        self.resize(WIDTH, 600)

    @property
    def text(self) -> str:
        return self.view.body.toPlainText()

    def settle(self, qtbot: QtBot) -> None:
        qtbot.waitUntil(lambda: self.slices.is_idle)

    def click(self, qtbot: QtBot, anchor: str) -> None:
        """Click on the link that leads to `anchor`."""
        body, cursor = self.view.body, QTextCursor(self.view.body.document())
        while cursor.movePosition(QTextCursor.MoveOperation.NextCharacter):
            if cursor.charFormat().anchorHref() == anchor:
                place = body.cursorRect(cursor).center() - QPoint(3, 0)
                qtbot.mouseClick(body.viewport(), Qt.MouseButton.LeftButton, pos=place)
                return
        pytest.fail(f"no link to {anchor}")


class Stage:
    """Shows messages, and keeps their windows until the test is over."""

    def __init__(self, qtbot: QtBot) -> None:
        self._qtbot = qtbot
        self._alive: list[Shown] = []

    def show(self, message: Message, *, ink: bool = False) -> Shown:
        shown = Shown(message, ink=ink)
        self._alive.append(shown)
        self._qtbot.addWidget(shown)
        with self._qtbot.waitExposed(shown):
            shown.show()
        shown.settle(self._qtbot)
        return shown
