"""Columns: one in the middle of a page, and one that scrolls up and down only."""

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLayout, QScrollArea, QVBoxLayout, QWidget


def centre(page: QWidget, content: QLayout, width: int) -> None:
    """Fill `page` with `content`, in the middle and at most `width` pixels wide."""
    inner = QWidget()
    inner.setMaximumWidth(width)
    inner.setLayout(content)
    across = QHBoxLayout(page)
    across.setContentsMargins(0, 0, 0, 0)
    across.addStretch(1)
    across.addWidget(inner, 1000)
    across.addStretch(1)


class ScrollColumn(QScrollArea):
    """Its content is exactly as wide as the room there is, so that long words never push controls out of sight.

    `column` is the layout to fill. The content is sized here and not by the scroll area, which takes the height at
    the smallest width for the least height at any.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._content = QWidget()
        self.column = QVBoxLayout(self._content)
        self._content.installEventFilter(self)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setWidget(self._content)
        # The ground is that of whatever lies behind.
        self.viewport().setAutoFillBackground(False)
        self._content.setAutoFillBackground(False)

    def wanted_height(self, width: int) -> int:
        """How high all of it is in a column of this width."""
        self.column.activate()
        return self.column.totalHeightForWidth(width)

    def _fit(self) -> None:
        room = self.viewport().size()
        self._content.resize(room.width(), max(self.wanted_height(room.width()), room.height()))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched is self._content and event.type() == QEvent.Type.LayoutRequest:
            self._fit()
        return super().eventFilter(watched, event)
