"""A list of rows for reading, choosing and doing."""

from collections.abc import Callable
from typing import Any

from PySide6.QtCore import (
    QAbstractItemModel,
    QItemSelectionModel,
    QModelIndex,
    QPersistentModelIndex,
    QRect,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QAbstractItemView, QListView, QSizePolicy, QWidget

from app.bridge.item_models.rows import ROW, RowsModel
from app.ui.models_page.row_delegate import RowDelegate, RowLook
from app.ui.theme import Theme

_Index = QModelIndex | QPersistentModelIndex


class RowList(QListView):
    """Shows a list model as `RowLook`s. Headings are skipped by the keyboard.

    Signals:
        chosen: The row a person went to.
        used: The row a person pressed Enter on, or double-clicked.
        delete_wanted: The row a person pressed Delete on.
    """

    chosen = Signal(object)
    used = Signal(object)
    delete_wanted = Signal(object)

    def __init__(
        self,
        theme: Theme,
        name: str,
        rows: RowsModel[Any],
        look: Callable[[Any], RowLook],
        *,
        grows: bool = False,
        parent: QWidget | None = None,
    ) -> None:
        """`grows`: as high as its rows, for a column that scrolls; else it scrolls by itself."""
        super().__init__(parent)
        self._grows = grows
        self._quiet = False
        self._rows: QAbstractItemModel = rows
        self._delegate = RowDelegate(theme, self, look)
        self.setAccessibleName(name)
        self.setItemDelegate(self._delegate)
        self.setResizeMode(QListView.ResizeMode.Adjust)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setTabKeyNavigation(False)
        self.setMouseTracking(True)
        self.setModel(rows)
        self.activated.connect(lambda index: self.used.emit(index.data(ROW)))
        if grows:
            self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
            self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
            for changed in (rows.modelReset, rows.rowsInserted, rows.rowsRemoved, rows.dataChanged):
                changed.connect(self._fit)

    def set_theme(self, theme: Theme) -> None:
        self._delegate.theme = theme
        self.viewport().update()

    def go_to(self, number: int) -> None:
        """Make a row current without telling anybody; -1 for none."""
        self._quiet = True
        index = self._rows.index(number, 0) if number >= 0 else QModelIndex()
        self.selectionModel().setCurrentIndex(index, QItemSelectionModel.SelectionFlag.ClearAndSelect)
        self._quiet = False

    def current(self) -> Any:
        """The current row, None without one."""
        return self.currentIndex().data(ROW) if self.currentIndex().isValid() else None

    def currentChanged(self, current: _Index, previous: _Index) -> None:
        super().currentChanged(current, previous)
        if not self._quiet and current.isValid():
            self.chosen.emit(current.data(ROW))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Delete and self.current() is not None:
            self.delete_wanted.emit(self.current())
            return
        super().keyPressEvent(event)

    def moveCursor(self, action: QAbstractItemView.CursorAction, modifiers: Qt.KeyboardModifier) -> QModelIndex:
        """Go over headings, in the direction of the step."""
        step = QAbstractItemView.CursorAction
        here = self.currentIndex()
        index = super().moveCursor(action, modifiers)
        back = action in (step.MoveUp, step.MovePrevious, step.MovePageUp, step.MoveEnd)
        while index.isValid() and not index.flags() & Qt.ItemFlag.ItemIsSelectable:
            index = self._rows.index(index.row() + (-1 if back else 1), 0)
        return index if index.isValid() else here

    # --- as high as its rows ----------------------------------------------------------------------------------------

    def _fit(self) -> None:
        width = self.viewport().width()
        numbers = range(self._rows.rowCount())
        height = sum(self._delegate.height_of(self._rows.index(number, 0), width) for number in numbers)
        margins = self.contentsMargins()
        wanted = height + margins.top() + margins.bottom()
        if wanted != self.minimumHeight():
            self.setFixedHeight(wanted)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if self._grows and event.size().width() != event.oldSize().width():
            self._fit()

    def sizeHint(self) -> QSize:
        return QSize(200, self.minimumHeight() if self._grows else 200)

    def rect_of(self, number: int) -> QRect:
        """Where a row is, in the coordinates of the viewport."""
        return self.visualRect(self._rows.index(number, 0))
