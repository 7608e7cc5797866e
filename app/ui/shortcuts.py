"""Every keyboard shortcut of the window, in one list, and the sheet that shows it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from PySide6.QtCore import QCoreApplication, Qt
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QDialog, QGridLayout, QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from app.ui.theme import GRID
from app.ui.widgets.column import ScrollColumn
from app.ui.widgets.labels import label

_TWO_COLUMNS_FROM, _WIDE, _NARROW = 900, 860, 480


@dataclass(frozen=True, slots=True)
class Shortcut:
    """`command` names what it does in the program, `words` for a person."""

    command: str
    words: str
    keys: tuple[str, ...]


def shortcuts() -> tuple[Shortcut, ...]:
    """All of them, in the order of the sheet."""
    translate = QCoreApplication.translate
    return (
        Shortcut("new_chat", translate("shortcuts", "New chat"), ("Ctrl+N",)),
        Shortcut("find", translate("shortcuts", "Search in this chat"), ("Ctrl+F",)),
        Shortcut("search_chats", translate("shortcuts", "Search chats"), ("Ctrl+Shift+F",)),
        Shortcut("next_chat", translate("shortcuts", "Next chat in the list"), ("Ctrl+PgDown",)),
        Shortcut("previous_chat", translate("shortcuts", "Previous chat in the list"), ("Ctrl+PgUp",)),
        Shortcut("toggle_chats", translate("shortcuts", "List of chats"), ("Ctrl+B",)),
        Shortcut("escape", translate("shortcuts", "Stop the answer or the load; close what is open"), ("Esc",)),
        Shortcut("focus_composer", translate("shortcuts", "Write"), ("Ctrl+L",)),
        Shortcut("regenerate", translate("shortcuts", "Answer the last question again"), ("Ctrl+R",)),
        Shortcut("go_on", translate("shortcuts", "Let the last answer go on"), ("Ctrl+Shift+R",)),
        Shortcut("attach", translate("shortcuts", "Attach text files"), ("Ctrl+Shift+O",)),
        Shortcut("edit_last", translate("shortcuts", "Change the last question"), ("Ctrl+E",)),
        Shortcut("copy_last", translate("shortcuts", "Copy the last answer"), ("Ctrl+Shift+C",)),
        Shortcut("toggle_speculation", translate("shortcuts", "Speculation on or off"), ("Ctrl+D",)),
        Shortcut("lookahead_up", translate("shortcuts", "Lookahead: one token more"), ("F7",)),
        Shortcut("lookahead_down", translate("shortcuts", "Lookahead: one token less"), ("F6",)),
        Shortcut("toggle_ink", translate("shortcuts", "Show where tokens came from"), ("Ctrl+I",)),
        Shortcut("toggle_panel", translate("shortcuts", "Side panel"), ("F9",)),
        Shortcut("badge_details", translate("shortcuts", "Speculation details"), ("F8",)),
        Shortcut("models", translate("shortcuts", "Models"), ("Ctrl+M",)),
        Shortcut("compare", translate("shortcuts", "Compare with and without speculation"), ("Ctrl+Shift+S",)),
        Shortcut("open_model", translate("shortcuts", "Open a GGUF file"), ("Ctrl+O",)),
        Shortcut("text_larger", translate("shortcuts", "Larger text"), ("Ctrl++", "Ctrl+=")),
        Shortcut("text_smaller", translate("shortcuts", "Smaller text"), ("Ctrl+-",)),
        Shortcut("text_normal", translate("shortcuts", "Text in its normal size"), ("Ctrl+0",)),
        Shortcut("show_commands", translate("shortcuts", "All commands"), ("Ctrl+K", "Ctrl+Shift+P")),
        Shortcut("show_shortcuts", translate("shortcuts", "This list"), ("F1", "?")),
        Shortcut("quit", translate("shortcuts", "Quit"), ("Ctrl+Q",)),
    )


def install(window: QWidget, commands: Mapping[str, Callable[[], None]]) -> None:
    """Give the window an action for each shortcut.

    Raises:
        KeyError: a shortcut has no command.
    """
    for shortcut in shortcuts():
        action = QAction(shortcut.words, window)
        action.setObjectName(shortcut.command)
        action.setShortcuts([QKeySequence(keys) for keys in shortcut.keys])
        action.setAutoRepeat(shortcut.command.startswith("lookahead"))
        run = commands[shortcut.command]
        action.triggered.connect(lambda _checked=False, run=run: run())
        window.addAction(action)


class ShortcutSheet(QDialog):
    """The list of shortcuts, in two columns where there is room; it scrolls in a small window."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setWindowTitle(self.tr("Keyboard shortcuts"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        area = ScrollColumn()
        area.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        area.setAccessibleName(self.windowTitle())
        listed = self._listed()
        wide = parent.width() >= _TWO_COLUMNS_FROM
        half = (len(listed) + 1) // 2 if wide else len(listed)
        columns = QHBoxLayout()
        columns.setSpacing(6 * GRID)
        for part in (listed[:half], listed[half:]):
            if part:
                columns.addLayout(self._column(part), 1)
        area.column.setContentsMargins(0, 0, GRID, 0)
        area.column.addLayout(columns)
        area.column.addStretch()
        close = QPushButton(self.tr("Close"))
        close.setDefault(True)
        close.clicked.connect(self.reject)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(3 * GRID, 3 * GRID, 2 * GRID, 2 * GRID)
        layout.setSpacing(2 * GRID)
        layout.addWidget(area, 1)
        layout.addWidget(close, 0, Qt.AlignmentFlag.AlignRight)
        width = min(_WIDE if wide else _NARROW, parent.width() - 4 * GRID)
        height = area.wanted_height(width - 6 * GRID) + close.sizeHint().height() + 8 * GRID
        self.resize(width, min(height, parent.height() - 4 * GRID))
        close.setFocus()

    def _listed(self) -> list[tuple[str, tuple[str, ...]]]:
        native = QKeySequence.SequenceFormat.NativeText
        return [
            (self.tr("Send"), (self.tr("Enter"),)),
            (self.tr("New line"), (self.tr("Shift+Enter"),)),
            (self.tr("From message to message"), (self.tr("Alt+Up"), self.tr("Alt+Down"))),
            *((s.words, tuple(QKeySequence(keys).toString(native) for keys in s.keys)) for s in shortcuts()),
        ]

    def _column(self, listed: list[tuple[str, tuple[str, ...]]]) -> QGridLayout:
        rows = QGridLayout()
        rows.setHorizontalSpacing(2 * GRID)
        rows.setVerticalSpacing(GRID)
        rows.setColumnStretch(0, 1)
        for row, (words, keys) in enumerate(listed):
            rows.addWidget(label(words, wrap=True), row, 0)
            cell = QHBoxLayout()
            cell.setSpacing(GRID // 2)
            for key in keys:
                cell.addWidget(label(key, "key"))
            cell.addStretch()
            rows.addLayout(cell, row, 1, Qt.AlignmentFlag.AlignTop)
        rows.setRowStretch(len(listed), 1)
        return rows
