"""Everything the window can do, found by typing a few letters of it."""

from collections.abc import Iterable

from PySide6.QtCore import QEvent, QObject, QPoint, Qt, QTimer
from PySide6.QtGui import QAction, QKeyEvent, QKeySequence
from PySide6.QtWidgets import QDialog, QHBoxLayout, QLineEdit, QListWidget, QListWidgetItem, QVBoxLayout, QWidget

from app.ui.theme import GRID
from app.ui.widgets.labels import label

_WIDTH, _LETTERS, _ROWS = 520, 78, 9
"""At least so many px and letters wide."""
_MOVES = {Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_PageUp, Qt.Key.Key_PageDown}
_ACTION = Qt.ItemDataRole.UserRole


class CommandPalette(QDialog):
    """A field and a list of commands with their keys; Enter does the chosen one."""

    def __init__(self, actions: Iterable[QAction], parent: QWidget) -> None:
        super().__init__(parent)
        self.setWindowTitle(self.tr("Commands"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._actions = [action for action in actions if action.isEnabled() and action.text()]
        self.edit = QLineEdit()
        self.edit.setObjectName("command words")
        self.edit.setAccessibleName(self.tr("Search commands"))
        self.edit.setPlaceholderText(self.tr("What do you want to do?"))
        self.edit.textChanged.connect(self._fill)
        self.edit.returnPressed.connect(self._run)
        self.edit.installEventFilter(self)
        self.rows = QListWidget()
        self.rows.setObjectName("commands")
        self.rows.setAccessibleName(self.tr("Commands"))
        self.rows.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.rows.itemActivated.connect(lambda _item: self._run())
        self.rows.itemClicked.connect(lambda _item: self._run())
        self._none = label(self.tr("No command has these words."), "soft")
        layout = QVBoxLayout(self)
        layout.setContentsMargins(2 * GRID, 2 * GRID, 2 * GRID, 2 * GRID)
        layout.setSpacing(GRID)
        layout.addWidget(self.edit)
        layout.addWidget(self._none)
        layout.addWidget(self.rows, 1)
        self._fill("")
        height = min(_ROWS * (self.fontMetrics().height() + 2 * GRID) + 9 * GRID, parent.height() - 4 * GRID)
        width = max(_WIDTH, _LETTERS * self.fontMetrics().averageCharWidth())
        self.resize(min(width, parent.width() - 4 * GRID), height)
        self.move(parent.mapToGlobal(QPoint((parent.width() - self.width()) // 2, 7 * GRID)))
        self.edit.setFocus()

    def shown(self) -> list[str]:
        """The commands in the list, top first."""
        return [self._action(row).text() for row in range(self.rows.count())]

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        pressed = event if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress else None
        if watched is self.edit and pressed is not None and Qt.Key(pressed.key()) in _MOVES:
            self.rows.keyPressEvent(pressed)
            return True
        return super().eventFilter(watched, event)

    def _action(self, row: int) -> QAction:
        action = self.rows.item(row).data(_ACTION)
        assert isinstance(action, QAction)
        return action

    def _fill(self, text: str) -> None:
        words = text.casefold().split()
        self.rows.clear()
        for action in self._actions:
            if all(word in action.text().casefold() for word in words):
                self._add(action)
        self.rows.setCurrentRow(0)
        self._none.setVisible(not self.rows.count())

    def _add(self, action: QAction) -> None:
        keys = action.shortcut().toString(QKeySequence.SequenceFormat.NativeText)
        item = QListWidgetItem(self.rows)
        item.setData(_ACTION, action)
        item.setData(Qt.ItemDataRole.AccessibleTextRole, ", ".join(filter(None, (action.text(), keys))))
        line = QWidget()
        row = QHBoxLayout(line)
        row.setContentsMargins(GRID, GRID // 2, GRID, GRID // 2)
        row.addWidget(label(action.text()), 1)
        if keys:
            row.addWidget(label(keys, "key"))
        item.setSizeHint(line.sizeHint())
        self.rows.setItemWidget(item, line)

    def _run(self) -> None:
        row = self.rows.currentRow()
        if row < 0:
            return
        action = self._action(row)
        self.accept()
        # After this window is gone: the command may open another one, or ask where the keyboard is.
        QTimer.singleShot(0, action, action.trigger)
