"""What a window shows while a file hovers over it that it would take."""

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QFont, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QWidget

from app.ui import icons
from app.ui.theme import GRID, Theme

_ICON = 40


class DropHint(QWidget):
    """Covers its parent with a few words."""

    def __init__(self, theme: Theme, words: str, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme
        self._words = words
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.hide()

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self.update()

    def cover(self) -> None:
        """Show over all of the parent."""
        parent = self.parentWidget()
        if parent is not None:
            self.setGeometry(parent.rect())
        self.raise_()
        self.show()

    def paintEvent(self, _event: QPaintEvent) -> None:
        theme = self._theme
        ground = QColor(theme.accent_soft)
        ground.setAlphaF(0.94)
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        area = QRectF(self.rect()).adjusted(GRID, GRID, -GRID, -GRID)
        painter.setPen(QPen(QColor(theme.accent), 2, Qt.PenStyle.DashLine))
        painter.setBrush(ground)
        painter.drawRoundedRect(area, 12, 12)
        middle = area.center()
        icons.draw(
            painter, "drop", theme.accent, QRectF(middle.x() - _ICON / 2, middle.y() - _ICON - GRID, _ICON, _ICON)
        )
        font = QFont(self.font())
        font.setWeight(QFont.Weight.DemiBold)
        painter.setFont(font)
        painter.setPen(QColor(theme.accent))
        below = QRectF(area.left(), middle.y(), area.width(), area.height() / 2)
        painter.drawText(below, int(Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignTop), self._words)
        painter.end()
