"""A switch."""

from PySide6.QtCore import QEasingCurve, QRectF, QSize, Qt, QVariantAnimation
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QAbstractButton, QSizePolicy, QStyle, QWidget

from app.ui.theme import Theme

_WIDTH, _HEIGHT, _MARGIN = 38, 22, 3


class Toggle(QAbstractButton):
    """An on/off switch; `toggled` and the keyboard work as with a check box."""

    def __init__(self, theme: Theme, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._place = 0.0
        self.setCheckable(True)
        self.setAccessibleName(name)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self._slide = QVariantAnimation(self)
        self._slide.setObjectName("toggle slide")
        self._slide.setEasingCurve(QEasingCurve.Type.OutCubic)
        self._slide.valueChanged.connect(self._move)
        self.toggled.connect(self._start)

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(_WIDTH + 4, _HEIGHT + 4)

    def _start(self, checked: bool) -> None:
        end = 1.0 if checked else 0.0
        wanted = self.style().styleHint(QStyle.StyleHint.SH_Widget_Animation_Duration, None, self)
        self._slide.stop()
        if not self.isVisible() or wanted <= 0:
            self._move(end)
            return
        self._slide.setDuration(min(wanted, 120))
        self._slide.setStartValue(self._place)
        self._slide.setEndValue(end)
        self._slide.start()

    def _move(self, place: float) -> None:
        self._place = place
        self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        theme = self._theme
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        track = QRectF(2, 2, _WIDTH, _HEIGHT)
        if self.hasFocus():
            painter.setPen(QPen(QColor(theme.ink), 1.5))
            painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.75, 0.75, -0.75, -0.75), 12, 12)
        painter.setPen(Qt.PenStyle.NoPen)
        on, off = QColor(theme.accent), QColor(theme.pencil)
        if not self.isEnabled():
            on = off = QColor(theme.line_strong)
        painter.setBrush(on if self._place > 0.5 else off)
        painter.drawRoundedRect(track, _HEIGHT / 2, _HEIGHT / 2)
        side = _HEIGHT - 2 * _MARGIN
        left = track.left() + _MARGIN + self._place * (_WIDTH - _HEIGHT)
        painter.setBrush(QColor(theme.card if not theme.is_dark or self._place < 0.5 else theme.on_accent))
        painter.drawEllipse(QRectF(left, track.top() + _MARGIN, side, side))
        painter.end()
