"""The files that will go with the next message."""

from collections.abc import Sequence

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QToolButton, QVBoxLayout, QWidget

from app.chat.attachments import Attachment
from app.ui import figures, icons
from app.ui.theme import GRID, Theme
from app.ui.widgets.flow import FlowLayout
from app.ui.widgets.labels import label

_LONGEST = 40


class AttachmentChips(QWidget):
    """A row of names with their sizes; each can be taken away.

    Signals:
        removed: The place of the file that is not wanted.
        shown: There are other buttons now.
    """

    removed = Signal(int)
    shown = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._files: tuple[Attachment, ...] = ()
        self._row = FlowLayout()
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, GRID // 2)
        outer.addLayout(self._row)
        self.labels: list[QLabel] = []
        self.buttons: list[QToolButton] = []
        self.hide()

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        for button in self.buttons:
            button.setIcon(icons.icon("cross", theme.soft))

    def show_files(self, files: Sequence[Attachment]) -> None:
        """Show these; a size of 0 tokens is not known yet."""
        if tuple(files) == self._files:
            return
        had_keyboard = any(button.hasFocus() for button in self.buttons)
        self._files = tuple(files)
        while (item := self._row.takeAt(0)) is not None:
            if (old := item.widget()) is not None:
                old.hide()
                old.deleteLater()
        self.labels, self.buttons = [], []
        for place, file in enumerate(files):
            chip = self._chip(place, file)
            self._row.addWidget(chip)
            chip.show()
        self.setVisible(bool(files))
        if had_keyboard and self.buttons:
            self.buttons[0].setFocus(Qt.FocusReason.OtherFocusReason)
        self.updateGeometry()
        self.shown.emit()

    def _chip(self, place: int, file: Attachment) -> QWidget:
        name = (
            file.name if len(file.name) <= _LONGEST else f"{file.name[: _LONGEST // 2]}…{file.name[-_LONGEST // 2 :]}"
        )
        many = self.tr("{0} tokens") if file.tokens != 1 else self.tr("{0} token")
        size = many.format(figures.count(file.tokens)) if file.tokens else self.tr("counting…")
        chip = QWidget(self)
        words = label(f"{name} · {size}", "small")
        words.setToolTip(file.name)
        button = QToolButton()
        button.setProperty("kind", "quiet")
        button.setProperty("shape", "small")
        button.setIconSize(QSize(12, 12))
        button.setIcon(icons.icon("cross", self._theme.soft))
        button.setToolTip(self.tr("Do not attach"))
        button.setAccessibleName(self.tr("Do not attach {0}").format(file.name))
        button.clicked.connect(lambda _checked=False: self.removed.emit(place))
        row = QHBoxLayout(chip)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(2)
        row.addWidget(words)
        row.addWidget(button)
        self.labels.append(words)
        self.buttons.append(button)
        return chip
