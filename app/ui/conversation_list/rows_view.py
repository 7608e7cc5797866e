"""The list of chats itself."""

from PySide6.QtCore import QItemSelectionModel, QModelIndex, QPoint, Qt, Signal
from PySide6.QtGui import QContextMenuEvent, QKeyEvent, QMouseEvent
from PySide6.QtWidgets import QAbstractItemView, QListView, QWidget

from app.ui.conversation_list.delegate import ChatDelegate
from app.ui.conversation_list.groups import Entry
from app.ui.conversation_list.model import ROW, ChatsModel
from app.ui.theme import Theme


class ChatRows(QListView):
    """Enter or a click opens, F2 renames, Delete deletes, the menu key or a right click shows everything else.

    Signals:
        opened: Id of a chat.
        delete_wanted: Id of a chat.
        menu_wanted: A chat (`ChatRow`) and the place of its menu on the screen.
    """

    opened = Signal(str)
    delete_wanted = Signal(str)
    menu_wanted = Signal(object, QPoint)

    def __init__(self, theme: Theme, model: ChatsModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._chats = model
        self.delegate = ChatDelegate(theme, self)
        self.setModel(model)
        self.setItemDelegate(self.delegate)
        self.setAccessibleName(self.tr("Chats"))
        self.setFrameShape(QListView.Shape.NoFrame)
        self.viewport().setAutoFillBackground(False)
        self.setLayoutMode(QListView.LayoutMode.Batched)
        self.setResizeMode(QListView.ResizeMode.Adjust)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setEditTriggers(QAbstractItemView.EditTrigger.EditKeyPressed)
        self.setTabKeyNavigation(False)
        self.setMouseTracking(True)

    def current(self) -> Entry | None:
        """The chat the keyboard is at."""
        row = self.currentIndex().data(ROW) if self.currentIndex().isValid() else None
        return row if isinstance(row, Entry) else None

    def go_to(self, chat_id: str) -> None:
        """Put the keyboard at a chat, or at none."""
        number = self._chats.number_of(chat_id)
        index = self._chats.index(number, 0) if number >= 0 else QModelIndex()
        self.selectionModel().setCurrentIndex(index, QItemSelectionModel.SelectionFlag.ClearAndSelect)

    def rename(self, chat_id: str) -> None:
        """Let the person type another title."""
        self.go_to(chat_id)
        self.edit(self.currentIndex())

    def moveCursor(self, action: QAbstractItemView.CursorAction, modifiers: Qt.KeyboardModifier) -> QModelIndex:
        """Go over headings, in the direction of the step."""
        step = QAbstractItemView.CursorAction
        index = super().moveCursor(action, modifiers)
        back = action in (step.MoveUp, step.MovePrevious, step.MovePageUp, step.MoveEnd)
        while index.isValid() and not index.flags() & Qt.ItemFlag.ItemIsEnabled:
            index = self._chats.index(index.row() + (-1 if back else 1), 0)
        return index if index.isValid() else self.currentIndex()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        # Enter in the field for the name comes here as well.
        entry = None if self.state() == QAbstractItemView.State.EditingState else self.current()
        if entry is not None and event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.opened.emit(entry.chat.id)
        elif entry is not None and event.key() == Qt.Key.Key_Delete:
            self.delete_wanted.emit(entry.chat.id)
        else:
            super().keyPressEvent(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        super().mouseReleaseEvent(event)
        place = event.position().toPoint()
        index = self.indexAt(place)
        row = index.data(ROW) if index.isValid() else None
        if event.button() != Qt.MouseButton.LeftButton or not isinstance(row, Entry):
            return
        if self.delegate.dots(self.visualRect(index)).contains(place):
            self.menu_wanted.emit(row.chat, self.viewport().mapToGlobal(place))
        else:
            self.opened.emit(row.chat.id)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        by_key = event.reason() == QContextMenuEvent.Reason.Keyboard
        index = self.currentIndex() if by_key else self.indexAt(event.pos())
        row = index.data(ROW) if index.isValid() else None
        if isinstance(row, Entry):
            place = self.visualRect(index).bottomLeft() if by_key else event.pos()
            self.menu_wanted.emit(row.chat, self.viewport().mapToGlobal(place))
