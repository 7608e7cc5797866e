"""The badge: how fast, and why. The only loud thing in the window."""

from PySide6.QtCore import QEvent, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QEnterEvent, QFont, QFontMetricsF, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QAbstractButton, QSizePolicy, QWidget

from app.chat.badge import BadgeView
from app.protocol.stats import BadgeState
from app.ui import icons
from app.ui.theme import Theme

_HEIGHT, _PADDING, _ICON, _GAP = 34, 14, 18, 10
_LEAST_PART = 110
_MOST = 460

COLOURS: dict[BadgeState, tuple[str, str]] = {
    "off": ("soft", "panel"),
    "active": ("good", "good_bg"),
    "idle": ("accent", "accent_soft"),
    "paused": ("warn", "warn_bg"),
    "unavailable": ("bad", "bad_bg"),
}
"""Text and ground of each state, as names of theme tokens. The icon has the state's name."""


class Badge(QAbstractButton):
    """A pill with an icon, a headline and parts; parts that find no room are left out, last first.

    Signals:
        hovered: True when the pointer comes, False when it goes.
    """

    hovered = Signal(bool)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._view = BadgeView("off", self.tr("Speculation off"))
        self.setObjectName("badge")
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self.show_view(self._view)

    @property
    def view(self) -> BadgeView:
        return self._view

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self.update()

    def show_view(self, view: BadgeView) -> None:
        """Show another state or other numbers."""
        resized = (view.headline, view.parts) != (self._view.headline, self._view.parts)
        self._view = view
        words = ", ".join((self.state_word(), view.headline, *view.parts))
        self.setAccessibleName(self.tr("Speculation: {0}").format(words))
        self.setAccessibleDescription(view.tooltip)
        if resized:
            self.updateGeometry()
        self.update()

    def state_word(self) -> str:
        """The state in the person's language."""
        return {
            "off": self.tr("off"),
            "active": self.tr("active"),
            "idle": self.tr("idle"),
            "paused": self.tr("paused"),
            "unavailable": self.tr("unavailable"),
        }[self._view.state]

    def shown_parts(self, width: float) -> tuple[str, ...]:
        """The parts that find room in a badge of this width; the first is cut short before it is left out."""
        parts = self._view.parts
        while parts and self._wanted(parts) > width:
            if len(parts) == 1 and width - self._wanted(()) > _LEAST_PART:
                break
            parts = parts[:-1]
        return parts

    def sizeHint(self) -> QSize:
        return QSize(min(int(self._wanted(self._view.parts)) + 1, _MOST), _HEIGHT)

    def minimumSizeHint(self) -> QSize:
        return QSize(min(int(self._wanted(())) + 1 + _LEAST_PART, self.sizeHint().width()), _HEIGHT)

    def _bold(self) -> QFont:
        font = QFont(self.font())
        font.setWeight(QFont.Weight.DemiBold)
        return font

    def _wanted(self, parts: tuple[str, ...]) -> float:
        bold, plain = QFontMetricsF(self._bold()), QFontMetricsF(self.font())
        texts = sum(plain.horizontalAdvance(part) + 2 * _GAP + 1 for part in parts)
        return 2 * _PADDING + _ICON + 8 + bold.horizontalAdvance(self._view.headline) + texts

    def enterEvent(self, event: QEnterEvent) -> None:
        super().enterEvent(event)
        self.hovered.emit(True)
        self.update()

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self.hovered.emit(False)
        self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        ink, ground = (getattr(self._theme, name) for name in COLOURS[self._view.state])
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        parts = self.shown_parts(self.width())
        used = min(self._wanted(parts), float(self.width()))
        start = self.width() - used  # what is left out leaves its room to the left
        shape = QRectF(start, 0, used, self.height()).adjusted(1, 1, -1, -1)
        if self.hasFocus():
            painter.setPen(QPen(QColor(ink), 2))
        elif self._view.state == "off" or self.underMouse():
            painter.setPen(QPen(QColor(self._theme.line_strong if self._view.state == "off" else ink), 1))
        else:
            painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(ground))
        painter.drawRoundedRect(shape, shape.height() / 2, shape.height() / 2)
        left = start + _PADDING
        icons.draw(painter, f"badge-{self._view.state}", ink, QRectF(left, (self.height() - _ICON) / 2, _ICON, _ICON))
        left += _ICON + 8
        painter.setPen(QColor(ink))
        left = self._write(painter, self._bold(), self._view.headline, left)
        for part in parts:
            line = QColor(ink)
            line.setAlphaF(0.4)
            painter.setPen(line)
            painter.drawLine(int(left + _GAP), 10, int(left + _GAP), self.height() - 10)
            painter.setPen(QColor(ink))
            left = self._write(painter, self.font(), part, left + 2 * _GAP + 1)
        painter.end()

    def _write(self, painter: QPainter, font: QFont, text: str, left: float) -> float:
        painter.setFont(font)
        metrics = QFontMetricsF(font)
        shown = metrics.elidedText(text, Qt.TextElideMode.ElideRight, max(self.width() - _PADDING - left + 1, 0))
        painter.drawText(QRectF(left, 0, self.width() - left, self.height()), int(Qt.AlignmentFlag.AlignVCenter), shown)
        return left + metrics.horizontalAdvance(shown)
