"""The rows of the list of chats."""

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import QAbstractListModel, QModelIndex, QObject, QPersistentModelIndex, Qt, Signal

from app.ui.conversation_list.groups import Entry, Heading, Row

ROW = Qt.ItemDataRole.UserRole
_Index = QModelIndex | QPersistentModelIndex


class ChatsModel(QAbstractListModel):
    """Headings and chats; the title of a chat can be edited.

    Signals:
        renamed: Id of a chat and the title a person typed.
    """

    renamed = Signal(str, str)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._rows: tuple[Row, ...] = ()

    def show_rows(self, rows: Sequence[Row]) -> bool:
        """Take other rows; False if they are the same."""
        if tuple(rows) == self._rows:
            return False
        self.beginResetModel()
        self._rows = tuple(rows)
        self.endResetModel()
        return True

    def number_of(self, chat_id: str) -> int:
        """The row of a chat, -1 if it is not listed."""
        return next((n for n, row in enumerate(self._rows) if isinstance(row, Entry) and row.chat.id == chat_id), -1)

    def entries(self) -> list[Entry]:
        """The chats, without headings."""
        return [row for row in self._rows if isinstance(row, Entry)]

    def rowCount(self, parent: _Index | None = None) -> int:
        return 0 if parent is not None and parent.isValid() else len(self._rows)

    def data(self, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        row = self._rows[index.row()]
        if role == ROW:
            return row
        if isinstance(row, Heading):
            return row.words if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole) else None
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.EditRole):
            return row.chat.title
        if role == Qt.ItemDataRole.ToolTipRole:
            return row.chat.title
        if role == Qt.ItemDataRole.AccessibleTextRole:
            pinned = self.tr("pinned") if row.chat.pinned else ""
            return ", ".join(filter(None, (row.chat.title, pinned, row.excerpt)))
        return None

    def setData(self, index: _Index, value: Any, role: int = Qt.ItemDataRole.EditRole) -> bool:
        row = self._rows[index.row()] if index.isValid() else None
        if role != Qt.ItemDataRole.EditRole or not isinstance(row, Entry):
            return False
        words = " ".join(str(value).split())
        if words and words != row.chat.title:
            self.renamed.emit(row.chat.id, words)
        return True

    def flags(self, index: _Index) -> Qt.ItemFlag:
        if not index.isValid() or isinstance(self._rows[index.row()], Heading):
            return Qt.ItemFlag.NoItemFlags
        flag = Qt.ItemFlag
        return flag.ItemIsEnabled | flag.ItemIsSelectable | flag.ItemIsEditable | flag.ItemNeverHasChildren
