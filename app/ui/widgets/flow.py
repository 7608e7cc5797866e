"""A row of widgets that wraps like words."""

from PySide6.QtCore import QPoint, QRect, QSize, Qt
from PySide6.QtWidgets import QLayoutItem

from app.ui.theme import GRID
from app.ui.widgets.wrapping import WrappingLayout


class FlowLayout(WrappingLayout):
    """Puts items side by side and starts a new row where the width ends; an item wider than a row is made narrower."""

    def __init__(self) -> None:
        super().__init__(GRID)

    def expandingDirections(self) -> Qt.Orientation:
        return Qt.Orientation(0)

    def sizeHint(self) -> QSize:
        widths = [item.sizeHint().width() for item in self._items if not item.isEmpty()]
        width = sum(widths) + self.spacing() * max(len(widths) - 1, 0)
        return QSize(width, self.heightForWidth(width))

    def minimumSize(self) -> QSize:
        return QSize(0, max((item.minimumSize().height() for item in self._items), default=0))

    def arrange(self, area: QRect, *, move: bool) -> int:
        top = area.top()
        for row in self._rows(area.width()):
            height = max(size.height() for _, size in row)
            left = area.left()
            for item, size in row:
                if move:
                    item.setGeometry(QRect(QPoint(left, top + (height - size.height()) // 2), size))
                left += size.width() + self.spacing()
            top += height + self.spacing()
        return max(top - self.spacing() - area.top(), 0)

    def _rows(self, width: int) -> list[list[tuple[QLayoutItem, QSize]]]:
        rows: list[list[tuple[QLayoutItem, QSize]]] = []
        left = 0
        for item in self._items:
            if item.isEmpty():
                continue
            size = item.sizeHint().boundedTo(QSize(max(width, 1), 10_000))
            if not rows or left + size.width() > width:
                rows.append([])
                left = 0
            rows[-1].append((item, size))
            left += size.width() + self.spacing()
        return rows
