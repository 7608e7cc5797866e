"""Rows of the page's lists: a name with chips, a figure on the right, and lines of words below."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from PySide6.QtCore import QModelIndex, QObject, QPersistentModelIndex, QPointF, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter, QPen
from PySide6.QtWidgets import QAbstractItemView, QStyle, QStyledItemDelegate, QStyleOptionViewItem

from app.bridge.item_models.rows import ROW
from app.ui.theme import GRID, Theme

_Index = QModelIndex | QPersistentModelIndex
_PAD_X, _PAD_Y, _GAP, _RADIO = GRID + 4, GRID, GRID, 16
_WRAP = int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop) | int(Qt.TextFlag.TextWordWrap)
_ONE_LINE = int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
_LEAST_NAME = 90

Tone = Literal["good", "warn", "accent"]


@dataclass(frozen=True, slots=True, kw_only=True)
class RowLook:
    """What a row shows.

    `chips`: (words, tone) after the name. `right`: a figure at the end of the first line. `lines`: further words,
    wrapped. `muted`: of no use here. `indent`: belongs to the row above. `choice`: a radio mark, set or not.
    """

    name: str
    chips: tuple[tuple[str, Tone], ...] = ()
    right: str = ""
    lines: tuple[str, ...] = ()
    heading: bool = False
    muted: bool = False
    indent: int = 0
    choice: bool | None = None


class RowDelegate(QStyledItemDelegate):
    """Draws rows as `look` says; heights follow the width of the view."""

    def __init__(self, theme: Theme, view: QAbstractItemView, look: Callable[[Any], RowLook]) -> None:
        super().__init__(view)
        self.theme = theme
        self._view = view
        self._look = look

    def eventFilter(self, watched: QObject, event: Any) -> bool:
        # The base class takes Tab for itself, as if something were being edited.
        return False

    # --- measures ---------------------------------------------------------------------------------------------------

    def _fonts(self) -> tuple[QFont, QFont]:
        name, small = QFont(self._view.font()), QFont(self._view.font())
        name.setWeight(QFont.Weight.Medium)
        small.setPointSizeF(small.pointSizeF() * 0.9)
        return name, small

    def _left(self, look: RowLook) -> int:
        return _PAD_X + 2 * GRID * look.indent + (_RADIO + GRID if look.choice is not None else 0)

    def sizeHint(self, _option: QStyleOptionViewItem, index: _Index) -> QSize:
        width = self._view.viewport().width()
        return QSize(width, self.height_of(index, width))

    def height_of(self, index: _Index, width: int) -> int:
        """How high a row is in a view of this width."""
        look = self._look(index.data(ROW))
        name_font, small_font = self._fonts()
        if look.heading:
            return QFontMetrics(small_font).height() + 2 * GRID
        height = 2 * _PAD_Y + QFontMetrics(name_font).height()
        small = QFontMetrics(small_font)
        room = max(width - self._left(look) - _PAD_X, 40)
        for line in look.lines:
            height += 2 + small.boundingRect(QRect(0, 0, room, 10_000), _WRAP, line).height()
        return height

    # --- painting ---------------------------------------------------------------------------------------------------

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: _Index) -> None:
        shown: Any = option  # the stubs hide the fields of style options
        look = self._look(index.data(ROW))
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        area = QRect(shown.rect)
        if look.heading:
            self._paint_heading(painter, area, look)
        else:
            self._paint_ground(painter, area, shown.state)
            self._paint_row(painter, area, look, selected=bool(shown.state & QStyle.StateFlag.State_Selected))
        painter.restore()

    def _paint_heading(self, painter: QPainter, area: QRect, look: RowLook) -> None:
        _, small = self._fonts()
        small.setWeight(QFont.Weight.DemiBold)
        painter.setFont(small)
        painter.setPen(QColor(self.theme.soft))
        words = area.adjusted(_PAD_X, GRID, -_PAD_X, 0)
        painter.drawText(words, _ONE_LINE, look.name)

    def _paint_ground(self, painter: QPainter, area: QRect, state: QStyle.StateFlag) -> None:
        theme = self.theme
        selected = bool(state & QStyle.StateFlag.State_Selected)
        hovered = bool(state & QStyle.StateFlag.State_MouseOver)
        focused = bool(state & QStyle.StateFlag.State_HasFocus)
        if not selected and not hovered and not focused:
            return
        painter.setBrush(QColor(theme.accent_soft if selected else theme.hover if hovered else theme.card))
        painter.setPen(QPen(QColor(theme.accent), 1.5) if focused else Qt.PenStyle.NoPen)
        painter.drawRoundedRect(QRectF(area).adjusted(1, 1, -1, -1), 8, 8)

    def _paint_row(self, painter: QPainter, area: QRect, look: RowLook, *, selected: bool) -> None:
        theme = self.theme
        name_font, small_font = self._fonts()
        metrics, small = QFontMetrics(name_font), QFontMetrics(small_font)
        left, right = area.left() + self._left(look), area.right() - _PAD_X
        top, line = area.top() + _PAD_Y, metrics.height()
        if look.choice is not None:
            self._paint_choice(painter, QPointF(left - GRID - _RADIO / 2, top + line / 2), look)
        if look.right:
            width = small.horizontalAdvance(look.right)
            painter.setFont(small_font)
            painter.setPen(QColor(theme.pencil if look.muted else theme.soft))
            painter.drawText(QRect(right - width, top, width + 1, line), _ONE_LINE, look.right)
            right -= width + _GAP
        chips = sum(small.horizontalAdvance(words) + 14 + _GAP // 2 for words, _ in look.chips)
        room = max(right - left - chips, min(_LEAST_NAME, right - left))
        name = metrics.elidedText(look.name, Qt.TextElideMode.ElideMiddle, room)
        painter.setFont(name_font)
        painter.setPen(QColor(theme.soft if look.muted else theme.ink))
        painter.drawText(QRect(left, top, room, line), _ONE_LINE, name)
        at = left + metrics.horizontalAdvance(name) + _GAP
        painter.setFont(small_font)
        for words, tone in look.chips:
            width = small.horizontalAdvance(words) + 14
            if at + width <= right + _GAP:
                place = QRectF(at, top + (line - small.height() - 2) / 2, width, small.height() + 2)
                self._paint_chip(painter, place, words, tone, selected=selected)
            at += width + _GAP // 2
        self._paint_lines(painter, QRect(left, top + line, area.right() - _PAD_X - left, 10_000), look, small)

    def _paint_lines(self, painter: QPainter, room: QRect, look: RowLook, small: QFontMetrics) -> None:
        painter.setPen(QColor(self.theme.soft))
        for words in look.lines:
            room.translate(0, 2)
            painter.drawText(room, _WRAP, words)
            room.translate(0, small.boundingRect(QRect(0, 0, room.width(), 10_000), _WRAP, words).height())

    def _paint_chip(self, painter: QPainter, place: QRectF, words: str, tone: Tone, *, selected: bool) -> None:
        theme = self.theme
        ink, ground = {
            "good": (theme.good, theme.good_bg),
            "warn": (theme.warn, theme.warn_bg),
            "accent": (theme.accent, theme.card if selected else theme.accent_soft),
        }[tone]
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(ground))
        painter.drawRoundedRect(place, 6, 6)
        painter.setPen(QColor(ink))
        painter.drawText(place, int(Qt.AlignmentFlag.AlignCenter), words)

    def _paint_choice(self, painter: QPainter, middle: QPointF, look: RowLook) -> None:
        theme = self.theme
        colour = QColor(theme.line_strong if look.muted else theme.accent if look.choice else theme.pencil)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(colour, 1.5))
        painter.drawEllipse(middle, 7.0, 7.0)
        if look.choice:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(colour)
            painter.drawEllipse(middle, 3.5, 3.5)
