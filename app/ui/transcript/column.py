"""Messages one below the other."""

import bisect

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from app.ui.transcript.message_view import MessageView

SPACE, SPACE_BEFORE_ANSWER, MARGIN_X, MARGIN_Y = 22, 16, 32, 20
MAX_WIDTH = 860
"""Text wider than this is hard to read, px."""


class Column(QWidget):
    """Places message views; only those below a change are moved.

    Signals:
        about_to_move: Views will get other places.
        moved: They have them now.
    """

    about_to_move = Signal()
    moved = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.views: list[MessageView] = []
        self._left = MARGIN_X
        self._bottoms: list[int] = []
        self.text_width = 200

    def insert(self, index: int, view: MessageView) -> None:
        """Add a view; it gets its place."""
        self.about_to_move.emit()
        self.views.insert(index, view)
        view.arrange(self.text_width)
        view.height_changed.connect(lambda: self._place(self.views.index(view)))
        view.show()
        self._move_from(index)

    def clear(self) -> None:
        """Remove all views."""
        self.about_to_move.emit()
        for view in self.views:
            view.forget()
            view.hide()
            view.deleteLater()
        self.views.clear()
        self._move_from(0)

    def set_width(self, width: int) -> None:
        """Take the width of the window's part, px; views keep their width until they are arranged."""
        margin = MARGIN_X if width > 520 else 16
        self.text_width = max(min(width - 2 * margin, MAX_WIDTH), 120)
        self._left = max((width - self.text_width) // 2, 0)
        self.resize(width, self.height())
        self._place(0)

    def between(self, top: int, bottom: int) -> list[MessageView]:
        """Views that are partly between these heights."""
        first = bisect.bisect_left(self._bottoms, top)
        last = first
        while last < len(self.views) and self.views[last].y() <= bottom:
            last += 1
        return self.views[first:last]

    def _place(self, index: int) -> None:
        self.about_to_move.emit()
        self._move_from(index)

    def _move_from(self, index: int) -> None:
        before = self.views[index - 1] if index else None
        y = before.y() + before.height() if before else MARGIN_Y
        del self._bottoms[index:]
        for number, view in enumerate(self.views[index:], index):
            y += self._space_above(number)
            view.move(self._left, y)
            y += view.height()
            self._bottoms.append(y)
        self.resize(self.width(), y + MARGIN_Y if self.views else 0)
        self.moved.emit()

    def _space_above(self, index: int) -> int:
        if not index:
            return 0
        return SPACE_BEFORE_ANSWER if self.views[index - 1].message.role == "user" else SPACE
