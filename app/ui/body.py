"""The room below the top bar: the chat, and the side panel beside it or, in a narrow window, over it."""

from PySide6.QtCore import QRect, Qt, Signal
from PySide6.QtGui import QColor, QMouseEvent, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QWidget

from app.ui.side_panel import WIDTH

WIDE_FROM = 880
"""From this width on, the panel stands beside the chat."""


class _Scrim(QWidget):
    """Darkens the chat behind an open panel; a click closes the panel."""

    pressed = Signal()

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.fillRect(self.rect(), QColor(0, 0, 0, 70))
        painter.end()

    def mousePressEvent(self, _event: QMouseEvent) -> None:
        self.pressed.emit()


class Body(QWidget):
    """Places the chat and the panel.

    Signals:
        panel_shown: Whether the panel is visible now.
    """

    panel_shown = Signal(bool)

    def __init__(self, chat: QWidget, panel: QWidget, *, open_when_wide: bool, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._chat, self._panel = chat, panel
        chat.setParent(self)
        self._scrim = _Scrim(self)
        self._scrim.setCursor(Qt.CursorShape.ArrowCursor)
        self._scrim.pressed.connect(lambda: self.set_panel_open(False))
        panel.setParent(self)
        self.open_when_wide = open_when_wide
        self._open_when_narrow = False
        self._arrange()

    @property
    def is_wide(self) -> bool:
        return self.width() >= WIDE_FROM

    @property
    def panel_open(self) -> bool:
        return self.open_when_wide if self.is_wide else self._open_when_narrow

    def set_panel_open(self, is_open: bool) -> None:
        """Open or close the panel, for this kind of width."""
        if self.is_wide:
            self.open_when_wide = is_open
        else:
            self._open_when_narrow = is_open
        self._arrange()
        if is_open and not self.is_wide:
            self._panel.setFocus()

    def _arrange(self) -> None:
        size = self.size()
        width = min(WIDTH, size.width())
        shown = self.panel_open
        beside = shown and self.is_wide
        self._chat.setGeometry(QRect(0, 0, size.width() - (width if beside else 0), size.height()))
        self._panel.setGeometry(QRect(size.width() - width, 0, width, size.height()))
        self._panel.setVisible(shown)
        self._scrim.setGeometry(self.rect())
        self._scrim.setVisible(shown and not beside)
        if shown and not beside:
            self._scrim.raise_()
            self._panel.raise_()
        self.panel_shown.emit(shown)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if not self.is_wide and event.oldSize().width() >= WIDE_FROM:
            self._open_when_narrow = False
        self._arrange()
