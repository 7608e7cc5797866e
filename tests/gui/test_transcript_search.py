"""Words looked for in a chat."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from app.chat.conversation import Conversation, Message
from app.ui import theme
from app.ui.find_bar import FindBar
from app.ui.transcript import TranscriptView

PATIENCE_MS = 20_000


class Chat(QWidget):
    """A conversation with the search open."""

    def __init__(self, qtbot: QtBot, *texts: str) -> None:
        super().__init__()
        self.view = TranscriptView(theme.LIGHT)
        layout = QVBoxLayout(self)
        layout.addWidget(self.view)
        self.bar = FindBar(theme.LIGHT, self.view)
        self._qtbot = qtbot
        self.resize(700, 500)
        qtbot.addWidget(self)
        self.show()
        roles = ("user", "assistant")
        messages = tuple(Message(id=f"m{n}", role=roles[n % 2], text=text) for n, text in enumerate(texts))
        self.view.reset(Conversation(messages=messages))
        self.bar.open()

    def type(self, words: str) -> None:
        self.bar.edit.setText(words)
        self._qtbot.waitUntil(lambda: not self.bar._pause.isActive() and self.view._slices.is_idle, timeout=PATIENCE_MS)

    def press(self, key: Qt.Key, modifier: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> None:
        self._qtbot.keyClick(self.bar.edit, key, modifier)
        self._qtbot.waitUntil(lambda: self.view._slices.is_idle, timeout=PATIENCE_MS)

    def chosen(self) -> tuple[str, int]:
        """The message of the shown find and where the find is in it."""
        accent = theme.LIGHT.accent
        for view in self.view.views:
            for mark in view.body.extraSelections():
                if mark.format.background().color().name() == accent:
                    return view.message.id, mark.cursor.selectionStart()
        return "", -1


def test_finds_are_walked_through_and_round_the_ends(qtbot) -> None:
    chat = Chat(qtbot, "a cat", "no **c**at? A Cat, a cAT", "dog", "the cat")
    chat.type("CAT")
    assert chat.bar.status.text() == "message 1 of 3"
    seen = [chat.chosen()]
    for _ in range(5):
        chat.press(Qt.Key.Key_Return)
        seen.append(chat.chosen())
    assert [name for name, _ in seen] == ["m0", "m1", "m1", "m1", "m3", "m0"]
    chat.press(Qt.Key.Key_Return, Qt.KeyboardModifier.ShiftModifier)
    assert chat.chosen()[0] == "m3"


def test_a_find_far_above_is_loaded_and_brought_into_sight(qtbot) -> None:
    texts = ["the needle is here", *(f"line {n}\n" * 3 for n in range(259))]
    chat = Chat(qtbot, *texts)
    assert chat.view.view_of("m0") is None
    chat.type("needle")
    qtbot.waitUntil(lambda: chat.chosen()[0] == "m0", timeout=PATIENCE_MS)
    assert chat.view.view_of("m0") in chat.view.follower.visible()
    assert not chat.view.follower.is_following


def test_what_is_only_in_an_address_is_no_find(qtbot) -> None:
    chat = Chat(qtbot, "x", "[here](http://needle.example)")
    chat.type("needle")
    assert chat.bar.status.text() == "not found"
    chat.type("here")
    assert chat.bar.status.text() == "message 1 of 1"


def test_the_word_that_copies_code_is_no_find(qtbot) -> None:
    chat = Chat(qtbot, "x", "```python\nprint(1)\n```")
    chat.type("copy")
    assert chat.bar.status.text() == "not found"
    chat.type("print")
    assert chat.chosen()[0] == "m1"


@pytest.mark.parametrize("words", ["", "zzz", "*", "(", "\\", "😀"])
def test_strange_words_are_only_not_found(qtbot, words: str) -> None:
    chat = Chat(qtbot, "a", "b")
    chat.type(words)
    assert chat.bar.status.text() == ("not found" if words else "")
    chat.press(Qt.Key.Key_Return)
    assert chat.chosen() == ("", -1)


def test_closing_takes_the_marks_away_and_another_chat_has_none(qtbot) -> None:
    chat = Chat(qtbot, "a cat", "cat")
    chat.type("cat")
    assert chat.chosen()[0]
    chat.view.reset(Conversation(messages=(Message(id="new", role="user", text="cat"),)))
    chat.press(Qt.Key.Key_Return)
    chat.bar.dismiss()
    assert chat.chosen() == ("", -1)
    assert chat.bar.isHidden()


def test_an_answer_that_grows_is_searched_as_it_is_now(qtbot) -> None:
    chat = Chat(qtbot, "q", "a")
    chat.type("late")
    assert chat.bar.status.text() == "not found"
    chat.view.update_message(Message(id="m1", role="assistant", text="a late word"))
    chat.type("late ")
    assert chat.chosen()[0] == "m1"


def test_a_find_at_the_end_of_a_huge_message_is_reached_without_holding_up_the_window(qtbot) -> None:
    huge = "A paragraph of some length.\n\n" * 7000 + "the needle"
    chat = Chat(qtbot, "q", huge, "later", "end")
    chat.type("needle")
    qtbot.waitUntil(lambda: chat.chosen()[0] == "m1", timeout=60_000)
