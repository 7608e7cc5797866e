"""The Compare page: it arranges its parts; `presenter` connects them."""

import string
from dataclasses import asdict

from PySide6.QtCore import QTimer, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from app.ui.banner import BannerView
from app.ui.compare_page.kept_list import KeptList
from app.ui.compare_page.race import Race
from app.ui.compare_page.setup import SetupCard
from app.ui.compare_page.verdict import VerdictCard
from app.ui.models_page.buttons import button
from app.ui.models_page.style import stylesheet
from app.ui.theme import GRID, Theme
from app.ui.widgets.column import ScrollColumn
from app.ui.widgets.labels import label

NAME = "compare page"
_SHEET = """
QPlainTextEdit {
  background: $card; border: 1px solid $line_strong; border-radius: 8px; padding: 4px 6px;
  selection-background-color: $accent; selection-color: $on_accent;
}
QPlainTextEdit:focus { border: 2px solid $accent; padding: 3px 5px; }
QPlainTextEdit[readOnly="true"] { background: $bg; border: none; }
QPlainTextEdit[readOnly="true"]:focus { border: 2px solid $accent; padding: 3px 5px; }
QListWidget:focus { border-color: $accent; }
QListWidget { background: $card; border: 1px solid $line; border-radius: 12px; padding: 4px; }
QListWidget::item { padding: 4px 6px; border-radius: 6px; }
QListWidget::item:selected { background: $accent_soft; color: $ink; }
"""
_WIDTH = 980
_ROOMY_FROM = 820


class ComparePage(QWidget):
    """Question, race, verdict, and what was found before.

    Signals:
        back_wanted: Show the chat again.
    """

    back_wanted = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName(NAME)
        self._theme = theme
        self.setup = SetupCard()
        self.status = label("", "soft", wrap=True)
        self.notes = BannerView(theme)
        self.race = Race()
        self.verdict = VerdictCard()
        self.kept = KeptList()
        self._kept_title = label(self.tr("Kept comparisons"), "heading")
        self.back = button(self.tr("Back to the chat"), self.back_wanted.emit)
        self._area = ScrollColumn()
        self._build()
        self.race.hide()
        self.verdict.hide()
        self.status.hide()
        self.set_theme(theme)

    def _build(self) -> None:
        words = self.tr(
            "The same question, the same seed, with speculation off and on: from clean caches, one answer after the"
            " other, in changing order."
        )
        head = QHBoxLayout()
        head.addWidget(label(self.tr("Compare"), "title"), 1)
        head.addWidget(self.back)
        column = self._area.column
        column.setSpacing(2 * GRID)
        column.addLayout(head)
        column.addWidget(label(words, "soft", wrap=True))
        parts = (self.setup, self.notes, self.status, self.race, self.verdict, self._kept_title, self.kept)
        for widget in parts:
            column.addWidget(widget)
        column.addStretch(1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self._area)

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self.setStyleSheet(stylesheet(theme) + string.Template(_SHEET).substitute(asdict(theme)))
        self.notes.set_theme(theme)

    def show_status(self, words: str) -> None:
        """What happens right now, "" for nothing."""
        self.status.setText(words)
        self.status.setVisible(bool(words))

    def reveal(self, part: QWidget) -> None:
        """Bring a part into sight, from its top."""
        # After the layout has placed what was hidden so far.
        QTimer.singleShot(0, part, lambda: self._area.verticalScrollBar().setValue(part.y() - GRID))

    def show_kept(self, any_kept: bool) -> None:
        self._kept_title.setVisible(any_kept)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        side = 4 * GRID if self.width() >= _ROOMY_FROM else 2 * GRID
        extra = max(self.width() - 2 * side - _WIDTH, 0) // 2
        self._area.column.setContentsMargins(side + extra, 2 * GRID, side + extra, 3 * GRID)
