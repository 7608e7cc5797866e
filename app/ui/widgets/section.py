"""A part of the side panel that folds away."""

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import (
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QSizePolicy,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from app.ui import icons
from app.ui.theme import GRID, Theme
from app.ui.widgets.labels import label


class Section(QWidget):
    """A heading that opens and closes, and a body; `body` is the layout to fill."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._header = QToolButton()
        self._header.setProperty("kind", "section")
        self._header.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self._header.setIconSize(QSize(14, 14))
        self._header.setCheckable(True)
        self._header.setChecked(True)
        self._header.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self._header.toggled.connect(self._fold)
        self.heading = QHBoxLayout()
        self.heading.setContentsMargins(0, 0, 0, 0)
        self.heading.addWidget(self._header, 1)
        self._box = QWidget()
        self.body = QVBoxLayout(self._box)
        self.body.setContentsMargins(0, 0, 0, 0)
        self.body.setSpacing(GRID)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(GRID)
        layout.addLayout(self.heading)
        layout.addWidget(self._box)
        self._fold(is_open=True)

    def set_title(self, title: str) -> None:
        self._header.setText(title)

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self._fold(self._header.isChecked())

    def _fold(self, is_open: bool) -> None:
        self._box.setVisible(is_open)
        name = "chevron-down" if is_open else "chevron-right"
        self._header.setIcon(icons.icon(name, self._theme.soft))


def wide_button(words: str) -> QPushButton:
    """A button as wide as its section, whatever its words need: a section never grows wider than the panel."""
    button = QPushButton(words)
    button.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
    button.setToolTip(words)
    return button


class Rows(QGridLayout):
    """Words on the left, a control on the right."""

    def __init__(self) -> None:
        super().__init__()
        self.setContentsMargins(0, 0, 0, 0)
        self.setHorizontalSpacing(GRID)
        self.setVerticalSpacing(GRID - 2)
        self.setColumnStretch(0, 1)

    def add(self, words: str, control: QWidget, tip: str = "") -> QLabel:
        """Add a row; `tip` explains it on hover and to screen readers."""
        row = self.rowCount()
        caption = label(words, "", wrap=True)
        caption.setBuddy(control)
        caption.setToolTip(tip)
        control.setToolTip(tip)
        control.setAccessibleDescription(tip)
        self.addWidget(caption, row, 0)
        self.addWidget(control, row, 1, Qt.AlignmentFlag.AlignRight)
        return caption
