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

    def tr(text: str) -> str:
        return QCoreApplication.translate("shortcuts", text)

    return (
        Shortcut("new_chat", tr("New chat"), ("Ctrl+N",)),
        Shortcut("search_chats", tr("Search chats"), ("Ctrl+Shift+F",)),
        Shortcut("next_chat", tr("Next chat in the list"), ("Ctrl+PgDown",)),
        Shortcut("previous_chat", tr("Previous chat in the list"), ("Ctrl+PgUp",)),
        Shortcut("toggle_chats", tr("List of chats"), ("Ctrl+B",)),
        Shortcut("escape", tr("Stop the answer or the load; close what is open"), ("Esc",)),
        Shortcut("focus_composer", tr("Write"), ("Ctrl+L",)),
        Shortcut("regenerate", tr("Answer the last question again"), ("Ctrl+R",)),
        Shortcut("edit_last", tr("Change the last question"), ("Ctrl+E",)),
        Shortcut("copy_last", tr("Copy the last answer"), ("Ctrl+Shift+C",)),
        Shortcut("toggle_speculation", tr("Speculation on or off"), ("Ctrl+D",)),
        Shortcut("lookahead_up", tr("Lookahead: one token more"), ("F7",)),
        Shortcut("lookahead_down", tr("Lookahead: one token less"), ("F6",)),
        Shortcut("toggle_ink", tr("Show where tokens came from"), ("Ctrl+I",)),
        Shortcut("toggle_panel", tr("Side panel"), ("F9",)),
        Shortcut("badge_details", tr("Speculation details"), ("F8",)),
        Shortcut("models", tr("Models"), ("Ctrl+M",)),
        Shortcut("open_model", tr("Open a GGUF file"), ("Ctrl+O",)),
        Shortcut("show_shortcuts", tr("This list"), ("F1", "?")),
        Shortcut("quit", tr("Quit"), ("Ctrl+Q",)),
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
