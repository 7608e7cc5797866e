"""How a chat looks in the list."""

from typing import Any

from PySide6.QtCore import QEvent, QModelIndex, QObject, QPersistentModelIndex, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QKeyEvent, QPainter, QPen
from PySide6.QtWidgets import QAbstractItemView, QLineEdit, QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from app.ui import icons
from app.ui.conversation_list.groups import Entry, Heading
from app.ui.conversation_list.model import ROW
from app.ui.theme import GRID, Theme

_Index = QModelIndex | QPersistentModelIndex
_LINE = int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
_PAD, _DOTS = GRID + 2, 20


class ChatDelegate(QStyledItemDelegate):
    """Title, what was found below it, a pin, and three dots for the menu on the row under the pointer."""

    def __init__(self, theme: Theme, view: QAbstractItemView) -> None:
        super().__init__(view)
        self.theme = theme
        self.shown = ""
        self._view = view

    def _small(self) -> QFont:
        font = QFont(self._view.font())
        font.setPointSizeF(font.pointSizeF() * 0.86)
        return font

    def sizeHint(self, _option: QStyleOptionViewItem, index: _Index) -> QSize:
        row = index.data(ROW)
        line, small = QFontMetrics(self._view.font()).height(), QFontMetrics(self._small()).height()
        if isinstance(row, Heading):
            return QSize(0, small + 2 * GRID)
        return QSize(0, line + 2 * GRID + (small + 2 if row.excerpt else 0))

    def dots(self, row: QRect) -> QRect:
        """Where a click on a row opens its menu."""
        return QRect(row.right() - _DOTS - GRID // 2, row.top(), _DOTS + GRID // 2, row.height())

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: _Index) -> None:
        shown: Any = option  # the stubs hide the fields of style options
        row, area = index.data(ROW), QRect(shown.rect)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if isinstance(row, Heading):
            small = self._small()
            small.setWeight(QFont.Weight.DemiBold)
            painter.setFont(small)
            painter.setPen(QColor(self.theme.soft))
            painter.drawText(area.adjusted(_PAD, GRID, -_PAD, 0), _LINE, row.words)
        else:
            self._paint_chat(painter, area, row, shown.state)
        painter.restore()

    def _paint_chat(self, painter: QPainter, area: QRect, row: Entry, state: QStyle.StateFlag) -> None:
        theme, is_shown = self.theme, row.chat.id == self.shown
        hovered, focused = bool(state & QStyle.StateFlag.State_MouseOver), bool(state & QStyle.StateFlag.State_HasFocus)
        if is_shown or hovered or focused:
            painter.setBrush(QColor(theme.accent_soft if is_shown else theme.hover if hovered else theme.panel))
            painter.setPen(QPen(QColor(theme.accent), 1.5) if focused else Qt.PenStyle.NoPen)
            painter.drawRoundedRect(QRectF(area).adjusted(1, 1, -1, -1), 8, 8)
        font = QFont(self._view.font())
        font.setWeight(QFont.Weight.DemiBold if is_shown else QFont.Weight.Normal)
        metrics = QFontMetrics(font)
        words = area.adjusted(_PAD, GRID, -_PAD, 0)
        words.setHeight(metrics.height())
        if hovered or focused:
            dots = self.dots(area)
            icons.draw(painter, "more", theme.soft, QRectF(dots.center().x() - 8, words.center().y() - 8, 16, 16))
            words.setRight(dots.left() - 2)
        if row.chat.pinned:
            icons.draw(painter, "pin", theme.soft, QRectF(words.right() - 14, words.center().y() - 7, 14, 14))
            words.setRight(words.right() - 18)
        painter.setFont(font)
        painter.setPen(QColor(theme.accent if is_shown else theme.ink))
        painter.drawText(words, _LINE, metrics.elidedText(row.chat.title, Qt.TextElideMode.ElideRight, words.width()))
        if row.excerpt:
            small = self._small()
            painter.setFont(small)
            painter.setPen(QColor(theme.soft))
            below = QRect(words.left(), words.bottom() + 2, area.right() - _PAD - words.left(), area.height())
            below.setHeight(QFontMetrics(small).height())
            cut = QFontMetrics(small).elidedText(row.excerpt, Qt.TextElideMode.ElideRight, below.width())
            painter.drawText(below, _LINE, cut)

    # --- renaming ---------------------------------------------------------------------------------------------------

    def createEditor(self, parent: QWidget, _option: QStyleOptionViewItem, _index: _Index) -> QWidget:
        field = QLineEdit(parent)
        field.setMaxLength(200)
        field.setAccessibleName(self.tr("Name of the chat"))
        return field

    def updateEditorGeometry(self, editor: QWidget, option: QStyleOptionViewItem, _index: _Index) -> None:
        shown: Any = option
        editor.setGeometry(QRect(shown.rect).adjusted(1, 1, -1, -1))

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        # The base class opens the next editor with Tab; here Tab leaves the field.
        if isinstance(event, QKeyEvent) and event.key() in (Qt.Key.Key_Tab, Qt.Key.Key_Backtab):
            return False
        return super().eventFilter(watched, event)
