"""Keeps the reader where they are: at the end while they are there, else at the line they are reading."""

from PySide6.QtCore import QObject, QRect, Signal
from PySide6.QtWidgets import QScrollArea, QScrollBar

from app.ui.transcript.column import Column
from app.ui.transcript.message_view import MessageView

_AT_BOTTOM = 4
_SCROLL_STEP = 48


class Follower(QObject):
    """Decides what is in sight when messages come, grow or change their height.

    Signals:
        changed: The reader moved, or began or ceased to follow.
    """

    changed = Signal()

    def __init__(self, area: QScrollArea, column: Column) -> None:
        super().__init__(area)
        self.is_following = True
        self._area = area
        self._column = column
        self._place: tuple[MessageView, int] | None = None
        self.bar.setSingleStep(_SCROLL_STEP)
        self.bar.actionTriggered.connect(self._reader_scrolls)
        self.bar.valueChanged.connect(self.changed)
        self.bar.rangeChanged.connect(self._keep_end)
        column.about_to_move.connect(self._remember)
        column.moved.connect(self._restore)

    @property
    def bar(self) -> QScrollBar:
        return self._area.verticalScrollBar()

    @property
    def is_at_end(self) -> bool:
        return self.bar.value() >= self.bar.maximum() - _AT_BOTTOM

    def follow(self) -> None:
        """Go to the end and stay there."""
        self.is_following = True
        self.bar.setValue(self.bar.maximum())
        self.changed.emit()

    def reveal(self, rect: QRect) -> None:
        """Scroll as little as needed to show this part of the column, as the reader asked for."""
        top, height = self.bar.value(), self._area.viewport().height()
        if rect.top() < top:
            self.bar.setValue(rect.top() - _SCROLL_STEP // 2)
        elif rect.bottom() > top + height:
            self.bar.setValue(rect.bottom() - height + _SCROLL_STEP // 2)
        else:
            return
        self.is_following = self.is_at_end
        self.changed.emit()

    def visible(self, *, around: int = 0) -> list[MessageView]:
        """Messages in sight, or less than `around` px out of it."""
        top = self.bar.value()
        return self._column.between(top - around, top + self._area.viewport().height() + around)

    def _reader_scrolls(self) -> None:
        # The value changes after this signal; the slider has its new place already.
        self.is_following = self.bar.sliderPosition() >= self.bar.maximum() - _AT_BOTTOM
        self.changed.emit()

    def _keep_end(self) -> None:
        if self.is_following:
            self.bar.setValue(self.bar.maximum())
        self.changed.emit()

    def _remember(self) -> None:
        top = self.bar.value()
        first = [] if self.is_following else self._column.between(top + 1, top + self._area.viewport().height())
        self._place = (first[0], first[0].y() - top) if first else None

    def _restore(self) -> None:
        if self.is_following:
            self.bar.setValue(self.bar.maximum())
        elif self._place is not None:
            view, below_top = self._place
            self.bar.setValue(view.y() - below_top)
