"""A choice that shows what cannot be chosen, and why."""

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter, QStandardItem, QStandardItemModel, QWheelEvent
from PySide6.QtWidgets import QComboBox, QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from app.ui.theme import Theme

_Index = QModelIndex | QPersistentModelIndex
_KEY, _REASON = Qt.ItemDataRole.UserRole, Qt.ItemDataRole.UserRole + 1
_WRAP = int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop) | int(Qt.TextFlag.TextWordWrap)
_PAD = 6


class ReasonCombo(QComboBox):
    """Items with a key; an item with a reason is disabled and shows the reason below its name.

    Signals:
        chosen: The key of the item a person picked.
    """

    chosen = Signal(str)

    def __init__(self, theme: Theme, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(name)
        self.view().setAccessibleName(name)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.setMinimumContentsLength(8)
        self._items = QStandardItemModel(self)
        self.setModel(self._items)
        self._delegate = _Delegate(theme, self)
        self.setItemDelegate(self._delegate)
        self.activated.connect(lambda index: self.chosen.emit(self.itemData(index, _KEY)))

    def set_theme(self, theme: Theme) -> None:
        self._delegate.theme = theme

    def set_items(self, items: Sequence[tuple[str, str, str]]) -> None:
        """Replace the items: (key, words, why it cannot be chosen or ""). The chosen key stays."""
        key = self.key()
        self._items.clear()
        for item_key, words, reason in items:
            item = QStandardItem(words)
            item.setData(item_key, _KEY)
            item.setData(reason, _REASON)
            item.setData(f"{words}. {reason}" if reason else words, Qt.ItemDataRole.AccessibleTextRole)
            item.setToolTip(reason)
            item.setEnabled(not reason)
            self._items.appendRow(item)
        self.set_key(key)

    def key(self) -> str:
        """The key of the current item, "" for none."""
        return self.currentData(_KEY) or ""

    def set_key(self, key: str) -> None:
        """Make an item current, also a disabled one: what is set and what is possible may differ."""
        self.setCurrentIndex(self.findData(key, _KEY))

    def reason(self) -> str:
        """Why the current item cannot be used, "" if it can."""
        return self.currentData(_REASON) or ""

    def wheelEvent(self, event: QWheelEvent) -> None:
        if self.hasFocus():
            super().wheelEvent(event)
        else:
            event.ignore()


class _Delegate(QStyledItemDelegate):
    def __init__(self, theme: Theme, combo: ReasonCombo) -> None:
        super().__init__(combo)
        self.theme = theme
        self._combo = combo

    def _small(self) -> QFont:
        font = QFont(self._combo.font())
        font.setPointSizeF(font.pointSizeF() * 0.88)
        return font

    def _heights(self, index: _Index, width: int) -> tuple[int, int]:
        name = QFontMetrics(self._combo.font()).height()
        reason: str = index.data(_REASON) or ""
        if not reason:
            return name, 0
        area = QRect(0, 0, width - 2 * _PAD, 10_000)
        return name, QFontMetrics(self._small()).boundingRect(area, _WRAP, reason).height()

    def sizeHint(self, option: QStyleOptionViewItem, index: _Index) -> QSize:
        width = self._combo.width() - 24
        return QSize(width, sum(self._heights(index, width)) + 2 * _PAD)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: _Index) -> None:
        shown: Any = option  # the stubs hide the fields of style options
        painter.save()
        if shown.state & QStyle.StateFlag.State_Selected:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(self.theme.accent_soft))
            painter.drawRoundedRect(shown.rect, 6, 6)
        area = shown.rect.adjusted(_PAD, _PAD, -_PAD, -_PAD)
        name, _ = self._heights(index, shown.rect.width())
        reason: str = index.data(_REASON) or ""
        painter.setFont(self._combo.font())
        painter.setPen(QColor(self.theme.soft if reason else self.theme.ink))
        painter.drawText(QRect(area.left(), area.top(), area.width(), name), _WRAP, index.data())
        if reason:
            painter.setFont(self._small())
            painter.setPen(QColor(self.theme.warn))
            painter.drawText(area.adjusted(0, name, 0, 0), _WRAP, reason)
        painter.restore()
