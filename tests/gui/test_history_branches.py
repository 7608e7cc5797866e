"""Changing questions, answering again and walking through the branches, in the whole window."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QPushButton

from app.core import paths
from app.ui.transcript.message_view import MessageView
from tests.helpers.window_kit import Room, rooms

CTRL = Qt.KeyboardModifier.ControlModifier


@pytest.fixture
def build(qapp, qtbot, tmp_path, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", str(paths.resources().parent))
    with rooms(qapp) as made:

        def new(*engine: object, size: tuple[int, int] = (1000, 700)) -> Room:
            made.append(Room(qtbot, tmp_path, *engine, size=size))
            return made[-1]

        yield new


def views(room: Room) -> list[MessageView]:
    return room.window.transcript._column.views


def questions(room: Room) -> list[str]:
    return [message.text for message in room.controller.conversation.messages if message.role == "user"]


def places(room: Room) -> list[str]:
    return [view.tools.place.text() for view in views(room) if view.tools.place and view.tools.place.isVisible()]


def click(room: Room, button) -> None:
    room.qtbot.mouseClick(button, Qt.MouseButton.LeftButton)


def key(room: Room, which: Qt.Key, modifier=Qt.KeyboardModifier.NoModifier) -> None:
    room.qtbot.keyClick(QApplication.focusWidget() or room.window, which, modifier)


def idle(room: Room) -> None:
    room.until(lambda: room.controller.phase == "idle")
    room.settle()


def ask_changed(room: Room, text: str) -> None:
    room.window.composer.put_text(text)
    key(room, Qt.Key.Key_Return)
    idle(room)


def test_a_changed_question_is_a_second_version(build) -> None:
    room = build()
    room.ask("one")
    room.ask("two")
    room.window.composer.put_text("my next thought")
    click(room, views(room)[0].tools.main)
    composer = room.window.composer
    assert composer.edit.text() == "one"
    assert "earlier message" in composer.status
    assert composer.button.text() == "Ask again"
    assert composer.edit.hasFocus()
    ask_changed(room, "eins")
    assert questions(room) == ["eins"]
    assert places(room) == ["2/2"]
    assert composer.edit.text() == "my next thought"
    assert composer.button.text() == "Send"
    previous, following = views(room)[0].tools.arrows
    assert previous.isEnabled()
    assert not following.isEnabled()
    click(room, previous)
    assert questions(room) == ["one", "two"]
    assert places(room) == ["1/2"]
    assert QApplication.focusWidget() is views(room)[0].tools.arrows[1], "the way back has the keyboard"
    key(room, Qt.Key.Key_Space)
    assert questions(room) == ["eins"]


def test_escape_and_cancel_leave_everything_as_it_was(build) -> None:
    room = build()
    room.ask("one")
    room.window.composer.put_text("draft")
    for leave in (lambda: key(room, Qt.Key.Key_Escape), lambda: click(room, room.window.composer.cancel)):
        key(room, Qt.Key.Key_E, CTRL)
        assert room.window.composer.edit.text() == "one"
        room.window.composer.put_text("something else")
        leave()
        assert room.window.composer.edit.text() == "draft"
        assert not room.window.composer.cancel.isVisible()
    assert questions(room) == ["one"]
    room.settle()
    room.history.keeper.flush_unsent()
    room.settle()
    assert room.history.lane is not None
    assert stored_unsent(room) == "draft"


def stored_unsent(room: Room) -> str:
    found: list[str] = []
    room.history.lane.use(lambda repository: repository.chats()[0].unsent, found.append)
    room.until(lambda: found)
    return found[0]


def test_another_chat_ends_the_changing(build) -> None:
    room = build()
    room.ask("one")
    room.window.composer.put_text("draft")
    key(room, Qt.Key.Key_E, CTRL)
    room.window.composer.put_text("half changed")
    first = room.controller.conversation.id
    key(room, Qt.Key.Key_N, CTRL)
    assert (room.window.composer.edit.text(), room.window.composer.cancel.isVisible()) == ("", False)
    room.controller.open_chat(first)
    room.until(lambda: room.controller.conversation.id == first)
    assert room.window.composer.edit.text() == "draft"


def test_answering_again_names_the_seed(build) -> None:
    room = build()
    room.ask("one")
    answer = views(room)[1]
    menu = answer.tools.menu()
    new, same = menu.actions()[:2]
    assert new.text() == "With a new seed"
    assert "42" in same.text()
    assert "same text" in same.text()
    same.trigger()
    menu.deleteLater()
    idle(room)
    assert places(room) == ["2/2"]
    first, second = room.controller.conversation.forks()[room.controller.conversation.last.id]
    texts = {m.id: m.text for m in room.controller.conversation.all}
    assert texts[first] == texts[second]
    key(room, Qt.Key.Key_R, CTRL)
    idle(room)
    assert places(room) == ["3/3"]
    click(room, views(room)[1].tools.main)
    popup = QApplication.activePopupWidget()
    assert popup is not None
    popup.close()


def test_branches_survive_a_restart_of_the_chat(build) -> None:
    room = build()
    room.ask("one")
    key(room, Qt.Key.Key_E, CTRL)
    ask_changed(room, "eins")
    chat = room.controller.conversation.id
    room.controller.new_chat()
    assert places(room) == []
    room.controller.open_chat(chat)
    room.until(lambda: room.controller.conversation.id == chat)
    assert places(room) == ["2/2"]
    assert questions(room) == ["eins"]


def test_nothing_can_be_changed_while_an_answer_is_under_way(build) -> None:
    room = build("--deltas", 400, "--delay", "0.01")
    room.window.composer.put_text("one")
    key(room, Qt.Key.Key_Return)
    room.until(lambda: room.controller.phase == "streaming")
    assert not views(room)[0].tools.main.isEnabled()
    key(room, Qt.Key.Key_E, CTRL)
    assert room.window.composer.edit.text() == ""
    key(room, Qt.Key.Key_Escape)
    idle(room)
    assert views(room)[0].tools.main.isEnabled()


def test_buttons_have_names_and_the_tab_key_reaches_them(build) -> None:
    room = build()
    room.ask("one")
    key(room, Qt.Key.Key_E, CTRL)
    ask_changed(room, "eins")
    question = views(room)[0]
    for button in (*question.tools.arrows, question.tools.main, views(room)[1].tools.main):
        assert button.accessibleName()
    assert question.tools.place.accessibleName() == "Version 2 of 2"
    question.take_keyboard()
    reached = []
    for _ in range(6):
        key(room, Qt.Key.Key_Tab)
        reached.append(QApplication.focusWidget())
    assert question.tools.main in reached
    assert question.tools.arrows[0] in reached


@pytest.mark.parametrize("size", [(1000, 700), (700, 500), (480, 400)])
def test_the_buttons_of_a_question_do_not_cover_it(build, size) -> None:
    room = build(size=size)
    room.ask("a rather long question that fills the line and goes on and on " * 4)
    key(room, Qt.Key.Key_E, CTRL)
    ask_changed(room, "another rather long question that fills the line and goes on and on " * 4)
    view = views(room)[0]
    assert not view.tools.geometry().intersects(view.body.geometry())
    assert view.tools.x() >= 0
    assert view.rect().contains(view.tools.geometry())


# --- a full context -------------------------------------------------------------------------------------------------


def test_a_full_context_offers_two_ways_and_says_what_is_left_out(build) -> None:
    room = build("--fail-after", 0, "--fail-code", "prompt_too_long", "--fail-plain-too")
    room.window.composer.put_text("far too long")
    key(room, Qt.Key.Key_Return)
    idle(room)
    assert room.window.banner.banner.actions == ("leave_out", "new_chat", "dismiss")
    button = room.window.findChild(QPushButton, "banner leave_out")
    assert button.text() == "Leave out the oldest messages"
    click(room, button)
    assert "alone is too long" in room.window.banner.banner.sentence
    click(room, room.window.findChild(QPushButton, "banner new_chat"))
    assert questions(room) == []
