"""Every keyboard shortcut of the window, in one list, and the sheet that shows it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from PySide6.QtCore import QCoreApplication, Qt
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QDialog, QGridLayout, QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from app.ui.theme import GRID
from app.ui.widgets.labels import label


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
    """The list of shortcuts."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setWindowTitle(self.tr("Keyboard shortcuts"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        rows = QGridLayout()
        rows.setHorizontalSpacing(3 * GRID)
        rows.setVerticalSpacing(GRID)
        extra = (
            (self.tr("Send"), (self.tr("Enter"),)),
            (self.tr("New line"), (self.tr("Shift+Enter"),)),
        )
        listed = [(words, keys) for words, keys in extra] + [
            (s.words, tuple(QKeySequence(k).toString(QKeySequence.SequenceFormat.NativeText) for k in s.keys))
            for s in shortcuts()
        ]
        for row, (words, keys) in enumerate(listed):
            rows.addWidget(label(words), row, 0)
            cell = QHBoxLayout()
            cell.setSpacing(GRID)
            for key in keys:
                cell.addWidget(label(key, "key"))
            cell.addStretch()
            rows.addLayout(cell, row, 1)
        close = QPushButton(self.tr("Close"))
        close.clicked.connect(self.reject)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(3 * GRID, 3 * GRID, 3 * GRID, 2 * GRID)
        layout.setSpacing(2 * GRID)
        layout.addLayout(rows)
        layout.addWidget(close, 0, Qt.AlignmentFlag.AlignRight)
