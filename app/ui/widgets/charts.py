"""Two small charts of an answer: where the time went, and what was kept at each place of a round."""

from dataclasses import dataclass

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFont, QPainter, QPainterPath, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.ui.theme import Theme

_BAR = 12
_MAX_PLACES = 16


@dataclass(frozen=True, slots=True)
class Share:
    """One part of a whole; `colour` names a colour of the theme."""

    label: str
    value: float
    colour: str


class SplitBar(QWidget):
    """Parts of a whole as one bar. The words belong beside it: colour alone says nothing."""

    def __init__(self, theme: Theme, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._shares: tuple[Share, ...] = ()
        self._name = name
        self.setAccessibleName(name)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self.update()

    def set_shares(self, shares: tuple[Share, ...]) -> None:
        self._shares = shares
        self.setAccessibleDescription(", ".join(f"{s.label} {percent(s, shares)}" for s in shares))
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(160, _BAR)

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        shape = QPainterPath()
        shape.addRoundedRect(QRectF(0, 0, self.width(), _BAR), _BAR / 2, _BAR / 2)
        painter.setClipPath(shape)
        painter.fillRect(self.rect(), QColor(self._theme.track))
        total = sum(share.value for share in self._shares)
        left = 0.0
        for share in self._shares:
            width = self.width() * share.value / total if total > 0 else 0.0
            # A gap, so that neighbours can be told apart without their colours.
            painter.fillRect(QRectF(left, 0, max(width - 1.5, 0), _BAR), QColor(getattr(self._theme, share.colour)))
            left += width
        painter.end()


class PositionBars(QWidget):
    """How often the token at each place of a round was kept, of those that were verified."""

    def __init__(self, theme: Theme, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._kept: tuple[int, ...] = ()
        self._tried: tuple[int, ...] = ()
        self.setAccessibleName(name)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self.update()

    def set_counts(self, kept: tuple[int, ...], tried: tuple[int, ...]) -> None:
        self._kept, self._tried = kept[:_MAX_PLACES], tried[:_MAX_PLACES]
        words = [f"{i}: {k} / {t}" for i, (k, t) in enumerate(zip(self._kept, self._tried, strict=False), 1)]
        self.setAccessibleDescription(", ".join(words))
        self.setToolTip("\n".join(words))
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(160, 68)

    def paintEvent(self, _event: QPaintEvent) -> None:
        places = len(self._tried)
        if not places:
            return
        theme = self._theme
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        font = QFont(self.font())
        font.setPointSizeF(self.font().pointSizeF() * 0.8)
        painter.setFont(font)
        floor = self.height() - painter.fontMetrics().height()
        step = min((self.width() + 6) / places, 56.0)
        colour, ground = QColor(theme.accent), QColor(theme.track)
        colour.setAlphaF(0.75)
        for i in range(places):
            share = self._kept[i] / self._tried[i] if i < len(self._kept) and self._tried[i] else 0.0
            column = QRectF(i * step, 0, max(step - 6, 2.0), floor - 2)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(ground)
            painter.drawRoundedRect(column, 3, 3)
            height = column.height() * share
            painter.setBrush(colour)
            painter.drawRoundedRect(QRectF(column.left(), column.bottom() - height, column.width(), height), 3, 3)
            painter.setPen(QColor(theme.soft))
            if step >= 14 or i % 2 == 0:
                painter.drawText(
                    QRectF(column.left() - 4, floor, column.width() + 8, self.height() - floor),
                    Qt.AlignmentFlag.AlignHCenter,
                    str(i + 1),
                )
        painter.end()


def percent(share: Share, shares: tuple[Share, ...]) -> str:
    """The share in whole per cent, "-" when the whole is nothing."""
    total = sum(s.value for s in shares)
    return f"{round(100 * share.value / total)} %" if total > 0 else "-"
