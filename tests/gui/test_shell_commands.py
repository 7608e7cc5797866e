"""The list of all commands."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QWidget

from app.ui.command_palette import CommandPalette


class Host(QWidget):
    def __init__(self) -> None:
        super().__init__()
        self.done: list[str] = []
        for words, keys in (("New chat", "Ctrl+N"), ("Search chats", "Ctrl+Shift+F"), ("Quit", "Ctrl+Q"), ("Dim", "")):
            action = QAction(words, self)
            action.setShortcut(keys)
            action.triggered.connect(lambda _checked=False, words=words: self.done.append(words))
            action.setEnabled(words != "Dim")
            self.addAction(action)
        self.resize(700, 500)


@pytest.fixture
def host(qtbot) -> Host:
    made = Host()
    qtbot.addWidget(made)
    made.show()
    return made


@pytest.fixture
def commands(host, qtbot) -> CommandPalette:
    made = CommandPalette(host.actions(), host)
    made.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose, on=False)
    made.open()
    return made


def test_all_that_can_be_done_now_is_listed_and_words_narrow_it(commands) -> None:
    assert commands.shown() == ["New chat", "Search chats", "Quit"]
    commands.edit.setText("chat SEAR")
    assert commands.shown() == ["Search chats"]
    commands.edit.setText("zzz")
    assert commands.shown() == []
    assert commands._none.isVisible()
    commands.reject()


def test_the_keyboard_chooses_and_does(host, commands, qtbot) -> None:
    qtbot.keyClick(commands.edit, Qt.Key.Key_Down)
    qtbot.keyClick(commands.edit, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: host.done == ["Search chats"])
    assert not commands.isVisible()


def test_enter_without_a_command_does_nothing(host, commands, qtbot) -> None:
    commands.edit.setText("zzz")
    qtbot.keyClick(commands.edit, Qt.Key.Key_Return)
    assert commands.isVisible()
    qtbot.keyClick(commands.edit, Qt.Key.Key_Escape)
    assert not commands.isVisible()
    assert host.done == []
