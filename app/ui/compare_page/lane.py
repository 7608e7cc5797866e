"""One side of the race: a name, a clock, the text, and the numbers at its end."""

from PySide6.QtCore import Qt
from PySide6.QtGui import QFont, QTextCursor
from PySide6.QtWidgets import QFrame, QPlainTextEdit, QVBoxLayout, QWidget

from app.ui.models_page.style import restyle
from app.ui.theme import GRID
from app.ui.widgets.labels import ElidedLabel, label

_TEXT_HEIGHT = 150


class Lane(QFrame):
    """Shows what it is told."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("ground", "card")
        self.name = ElidedLabel("strong")
        self.clock = label("", "title")
        figures = QFont(self.clock.font())
        figures.setFeature(QFont.Tag("tnum"), 1)
        self.clock.setFont(figures)
        self.text = QPlainTextEdit()
        self.text.setReadOnly(True)
        self.text.setFixedHeight(_TEXT_HEIGHT)
        self.text.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self.text.setTabChangesFocus(True)
        self.numbers = label("", "soft", wrap=True)
        self._shown = ""
        column = QVBoxLayout(self)
        column.setContentsMargins(2 * GRID, GRID + 4, 2 * GRID, GRID + 4)
        column.setSpacing(GRID // 2)
        for widget in (self.name, self.clock, self.text, self.numbers):
            column.addWidget(widget)

    def show_name(self, name: str) -> None:
        self.name.setText(name)
        self.text.setAccessibleName(self.tr("Answer: {0}").format(name))

    def show_clock(self, seconds: float | None) -> None:
        """Seconds, None for a clock that does not run yet."""
        words = "\N{EN DASH}" if seconds is None else self.tr("{0} s").format(f"{seconds:.1f}")
        if words != self.clock.text():
            self.clock.setText(words)

    def show_text(self, text: str) -> None:
        """What there is of the answer; cheap when it only grew. Its end is in sight."""
        if text == self._shown:
            return
        if self._shown and text.startswith(self._shown):
            cursor = QTextCursor(self.text.document())
            cursor.movePosition(QTextCursor.MoveOperation.End)
            cursor.insertText(text[len(self._shown) :])
        else:
            self.text.setPlainText(text)
        self._shown = text
        bar = self.text.verticalScrollBar()
        bar.setValue(bar.maximum())

    def show_numbers(self, words: str) -> None:
        self.numbers.setText(words)

    def show_first(self, is_first: bool) -> None:
        """It came in first: in colour and, for those who do not see it, in words by the page."""
        restyle(self, "lively", "true" if is_first else "false")
