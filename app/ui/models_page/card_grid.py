"""Cards side by side where there is room, in rows of equal height."""

from PySide6.QtCore import QPoint, QRect, QSize, Qt
from PySide6.QtWidgets import QLayoutItem, QWidget

from app.ui.theme import GRID
from app.ui.widgets.wrapping import WrappingLayout

_LEAST = 300


class CardGrid(WrappingLayout):
    """As many columns as fit with a decent width each."""

    def __init__(self) -> None:
        super().__init__(2 * GRID)

    def clear(self) -> None:
        """Remove and delete all cards."""
        while self._items:
            widget = self._items.pop().widget()
            if isinstance(widget, QWidget):
                widget.hide()
                widget.deleteLater()

    def expandingDirections(self) -> Qt.Orientation:
        return Qt.Orientation.Horizontal

    def sizeHint(self) -> QSize:
        return QSize(_LEAST, self.heightForWidth(_LEAST))

    def arrange(self, area: QRect, *, move: bool) -> int:
        gap = self.spacing()
        columns = max(1, min((area.width() + gap) // (_LEAST + gap), 3))
        width = max((area.width() - (columns - 1) * gap) // columns, 1)
        top = area.top()
        for start in range(0, len(self._items), columns):
            row = self._items[start : start + columns]
            height = max(_height(item, width) for item in row)
            if move:
                for number, item in enumerate(row):
                    item.setGeometry(QRect(QPoint(area.left() + number * (width + gap), top), QSize(width, height)))
            top += height + gap
        return max(top - gap - area.top(), 0)


def _height(item: QLayoutItem, width: int) -> int:
    height = item.heightForWidth(width) if item.hasHeightForWidth() else item.sizeHint().height()
    return max(height, item.minimumSize().height() if not item.hasHeightForWidth() else 0)
