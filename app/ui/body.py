"""The room below the top bar: the chat, with the list of chats and the side panel beside it or, in a narrow window,
over it.
"""

from PySide6.QtCore import QRect, Qt, Signal
from PySide6.QtGui import QColor, QMouseEvent, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QWidget

from app.ui.conversation_list.view import WIDTH as LIST_WIDTH
from app.ui.side_panel import WIDTH

WIDE_FROM = 880
"""From this width on, the panel stands beside the chat."""
LIST_FROM = 980
"""From this width on, the list of chats does, too."""


class _Scrim(QWidget):
    """Darkens the chat behind something open; a click closes that."""

    pressed = Signal()

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.fillRect(self.rect(), QColor(0, 0, 0, 70))
        painter.end()

    def mousePressEvent(self, _event: QMouseEvent) -> None:
        self.pressed.emit()


class Body(QWidget):
    """Places the list, the chat and the panel.

    Signals:
        panel_shown: Whether the panel is visible now.
        list_shown: Whether the list is visible now.
    """

    panel_shown = Signal(bool)
    list_shown = Signal(bool)

    def __init__(
        self,
        chat: QWidget,
        panel: QWidget,
        chats: QWidget,
        *,
        open_when_wide: bool,
        list_when_wide: bool,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._chat, self._panel, self._list = chat, panel, chats
        chat.setParent(self)
        self._scrim = _Scrim(self)
        self._scrim.setCursor(Qt.CursorShape.ArrowCursor)
        self._scrim.pressed.connect(self.close_what_covers)
        panel.setParent(self)
        chats.setParent(self)
        # Tab goes through them from left to right.
        chats.stackUnder(chat)
        self.open_when_wide = open_when_wide
        self.list_when_wide = list_when_wide
        self._open_when_narrow = self._list_when_narrow = False
        self._arrange()

    @property
    def is_wide(self) -> bool:
        return self.width() >= WIDE_FROM

    @property
    def has_room_for_list(self) -> bool:
        return self.width() >= LIST_FROM

    @property
    def panel_open(self) -> bool:
        return self.open_when_wide if self.is_wide else self._open_when_narrow

    @property
    def list_open(self) -> bool:
        return self.list_when_wide if self.has_room_for_list else self._list_when_narrow

    def set_panel_open(self, is_open: bool) -> None:
        """Open or close the panel, for this kind of width."""
        if self.is_wide:
            self.open_when_wide = is_open
        else:
            self._open_when_narrow = is_open
            self._list_when_narrow = self._list_when_narrow and not is_open
        self._arrange()
        if is_open and not self.is_wide:
            self._panel.setFocus()

    def set_list_open(self, is_open: bool) -> None:
        """Open or close the list of chats, for this kind of width."""
        if self.has_room_for_list:
            self.list_when_wide = is_open
        else:
            self._list_when_narrow = is_open
            self._open_when_narrow = self._open_when_narrow and not is_open
        self._arrange()

    def close_what_covers(self) -> bool:
        """Close what lies over the chat; False if nothing does."""
        covered = not self._scrim.isHidden()
        self._open_when_narrow = self._open_when_narrow and self.is_wide
        self._list_when_narrow = self._list_when_narrow and self.has_room_for_list
        self._arrange()
        return covered

    def _arrange(self) -> None:
        size = self.size()
        width, list_width = min(WIDTH, size.width()), min(LIST_WIDTH, size.width())
        panel, chats = self.panel_open, self.list_open
        panel_beside, list_beside = panel and self.is_wide, chats and self.has_room_for_list
        left = list_width if list_beside else 0
        right = width if panel_beside else 0
        self._chat.setGeometry(QRect(left, 0, size.width() - left - right, size.height()))
        self._panel.setGeometry(QRect(size.width() - width, 0, width, size.height()))
        self._list.setGeometry(QRect(0, 0, list_width, size.height()))
        self._panel.setVisible(panel)
        self._list.setVisible(chats)
        self._scrim.setGeometry(self.rect())
        covering = [self._panel] if panel and not panel_beside else []
        covering += [self._list] if chats and not list_beside else []
        self._scrim.setVisible(bool(covering))
        if covering:
            self._scrim.raise_()
            covering[-1].raise_()
        self.panel_shown.emit(panel)
        self.list_shown.emit(chats)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if not self.is_wide and event.oldSize().width() >= WIDE_FROM:
            self._open_when_narrow = False
        if not self.has_room_for_list and event.oldSize().width() >= LIST_FROM:
            self._list_when_narrow = False
        self._arrange()
