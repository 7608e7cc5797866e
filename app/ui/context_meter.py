"""How full the context would be with what is about to be sent."""

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFontMetrics, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.bridge.token_counter import Fill
from app.ui import figures
from app.ui.theme import Theme

_BAR_HEIGHT, _GAP = 4, 3


class ContextMeter(QWidget):
    """A few words over a thin bar; hidden while nothing is known. Hovering tells what takes the room."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._fill: Fill | None = None
        self._compact = False
        self.setObjectName("context meter")
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        font = self.font()
        font.setPointSizeF(max(font.pointSizeF() * 0.88, 1.0))
        self.setFont(font)
        self.hide()

    @property
    def words(self) -> str:
        """What is written over the bar."""
        fill = self._fill
        if fill is None:
            return ""
        if fill.room <= 0:
            return self.tr("{0} tokens too many").format(figures.count(1 - fill.room))
        return self.tr("{0} tokens left").format(figures.count(fill.room))

    @property
    def _written(self) -> str:
        fill = self._fill
        if fill is None or not self._compact:
            return self.words
        return self.tr("{0} left").format(figures.count(max(fill.room, 0)))

    def set_compact(self, compact: bool) -> None:
        """Fewer words, where there is little room."""
        if compact != self._compact:
            self._compact = compact
            self.updateGeometry()
            self.update()

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self.update()

    def show_fill(self, fill: Fill | None, names: tuple[str, ...] = ()) -> None:
        """Show this, or nothing; `names` are those of the files in `fill.texts`."""
        self._fill = fill
        self.setVisible(fill is not None)
        if fill is None:
            return
        lines = [
            self.tr("{0} of {1} tokens of context").format(figures.count(fill.total), figures.count(fill.context)),
            self.tr("Chat so far: {0}").format(figures.count(fill.history)),
            self.tr("This message: {0}").format(figures.count(fill.question)),
            *(f"{name}: {figures.count(tokens)}" for name, tokens in zip(names, fill.texts, strict=False)),
            self.tr("Left for the answer: {0}").format(figures.count(max(fill.room, 0))),
            *([fill.problem] if fill.problem else []),
        ]
        self.setToolTip("\n".join(lines))
        self.setAccessibleName(self.words)
        self.setAccessibleDescription(", ".join(lines))
        self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:
        metrics = QFontMetrics(self.font())
        return QSize(metrics.horizontalAdvance(self._written) + 2, metrics.height() + _GAP + _BAR_HEIGHT + 2)

    def paintEvent(self, _event: QPaintEvent) -> None:
        fill, theme = self._fill, self._theme
        if fill is None:
            return
        full = fill.room <= 0
        scarce = not full and fill.room < fill.context / 10
        colour = QColor(theme.bad if full else theme.warn if scarce else theme.accent)
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QColor(theme.bad if full else theme.warn if scarce else theme.soft))
        words = QRectF(0, 0, self.width(), self.height() - _GAP - _BAR_HEIGHT)
        painter.drawText(words, int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter), self._written)
        bar = QRectF(0, self.height() - _BAR_HEIGHT - 1, self.width(), _BAR_HEIGHT)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(theme.line_strong))
        painter.drawRoundedRect(bar, 2, 2)
        share = min(fill.total / max(fill.context, 1), 1.0)
        bar.setWidth(max(bar.width() * share, 2.0))
        painter.setBrush(colour)
        painter.drawRoundedRect(bar, 2, 2)
        painter.end()
