"""What the lists of this package have in common."""

from collections.abc import Sequence
from typing import Any, Generic, TypeVar

from PySide6.QtCore import QAbstractListModel, QModelIndex, QObject, QPersistentModelIndex, Qt

Index = QModelIndex | QPersistentModelIndex
ROW = Qt.ItemDataRole.UserRole
"""The value of a row."""
_ROOT = QModelIndex()
R = TypeVar("R")


class RowsModel(QAbstractListModel, Generic[R]):
    """A flat list of values. Subclasses say what their rows are in words."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._rows: list[R] = []

    @property
    def rows(self) -> Sequence[R]:
        return self._rows

    def row(self, index: Index) -> R | None:
        """The value at an index, None for an invalid one."""
        return self._rows[index.row()] if index.isValid() and 0 <= index.row() < len(self._rows) else None

    def words(self, row: R) -> str:
        """The short text of a row."""
        raise NotImplementedError

    def sentence(self, row: R) -> str:
        """Everything about a row, for screen readers."""
        return self.words(row)

    def tip(self, _row: R) -> str:
        """What hovering shows."""
        return ""

    def is_heading(self, _row: R) -> bool:
        """A row that names those after it and cannot be chosen."""
        return False

    def rowCount(self, parent: Index = _ROOT) -> int:
        return 0 if parent.isValid() else len(self._rows)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        row = self.row(index)
        if row is None:
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return self.words(row)
        if role in (Qt.ItemDataRole.AccessibleTextRole, Qt.ItemDataRole.AccessibleDescriptionRole):
            return self.sentence(row)
        if role == Qt.ItemDataRole.ToolTipRole:
            return self.tip(row) or None
        return row if role == ROW else None

    def flags(self, index: Index) -> Qt.ItemFlag:
        row = self.row(index)
        if row is None:
            return Qt.ItemFlag.NoItemFlags
        if self.is_heading(row):
            return Qt.ItemFlag.ItemIsEnabled
        return Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable | Qt.ItemFlag.ItemNeverHasChildren

    def replace(self, rows: Sequence[R]) -> None:
        """Show these rows; nothing happens if they are the same, and a list of the same length is changed in place."""
        fresh = list(rows)
        if fresh == self._rows:
            return
        if len(fresh) != len(self._rows) or any(
            self.key(a) != self.key(b) for a, b in zip(fresh, self._rows, strict=True)
        ):
            self.beginResetModel()
            self._rows = fresh
            self.endResetModel()
            return
        for number, (new, old) in enumerate(zip(fresh, self._rows, strict=True)):
            if new != old:
                self._rows[number] = new
                self.dataChanged.emit(self.index(number), self.index(number))

    def key(self, row: R) -> object:
        """What makes a row the same row when its contents change."""
        return row
