"""Answers that go on, thinking that is folded, and the seed of another answer, in the whole window."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication, QPushButton

from app.chat.conversation import Message
from app.chat.thought import Thought
from app.core import paths
from app.ui.transcript.message_view import MessageView
from tests.helpers.conversation_area import new_view, settle, shown
from tests.helpers.window_kit import Room, rooms


@pytest.fixture
def build(qapp, qtbot, tmp_path, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", str(paths.resources().parent))
    with rooms(qapp) as made:

        def new(*engine: object, size: tuple[int, int] = (1000, 700)) -> Room:
            made.append(Room(qtbot, tmp_path, *engine, size=size))
            return made[-1]

        yield new


def answer(room: Room) -> MessageView:
    return room.window.transcript._column.views[-1]


def click(room: Room, button) -> None:
    room.qtbot.mouseClick(button, Qt.MouseButton.LeftButton)


def idle(room: Room) -> None:
    room.until(lambda: room.controller.phase == "idle")
    room.settle()


# --- going on -------------------------------------------------------------------------------------------------------


def stopped(room: Room) -> str:
    room.window.composer.put_text("one")
    room.qtbot.keyClick(room.window.composer.edit, Qt.Key.Key_Return)
    room.until(lambda: len(room.controller.conversation.messages) == 2 and room.controller.conversation.last.text)
    room.qtbot.keyClick(room.window.composer.edit, Qt.Key.Key_Escape)
    idle(room)
    return room.controller.conversation.last.text


def test_a_stopped_answer_goes_on(build) -> None:
    room = build("--deltas", 3000, "--delay", "0.01")
    text = stopped(room)
    on = answer(room).tools.on
    assert on is not None
    assert on.isVisible()
    click(room, on)
    room.until(lambda: room.controller.phase == "streaming")
    assert not on.isVisible()
    room.until(lambda: len(room.controller.conversation.last.text) > len(text))
    assert len(room.window.transcript._column.views) == 2, "the same message grows"
    click(room, room.window.composer.button)
    idle(room)
    last = room.controller.conversation.last
    assert last.text.startswith(text)
    assert "".join(piece.text for piece in last.pieces) == last.text
    assert answer(room).body.toPlainText().split() == last.text.split()
    assert on.isVisible()


def test_it_can_go_on_after_another_chat_was_open(build) -> None:
    room = build("--deltas", 3000, "--delay", "0.01")
    text = stopped(room)
    chat = room.controller.conversation
    room.controller.new_chat()
    room.controller.open_chat(chat.id)
    room.until(lambda: room.controller.conversation.id == chat.id)
    assert room.controller.conversation.last.tokens == chat.last.tokens
    click(room, answer(room).tools.on)
    room.until(lambda: len(room.controller.conversation.last.text) > len(text))
    room.controller.stop()
    idle(room)


def test_a_complete_answer_has_nothing_to_go_on_with(build) -> None:
    room = build("--reason", "end")
    room.ask("one")
    tools = answer(room).tools
    assert tools.on is None or not tools.on.isVisible()
    assert not room.controller.go_on()


# --- a template that refuses ----------------------------------------------------------------------------------------


def test_a_refusing_template_can_be_replaced_by_the_plain_one(build) -> None:
    room = build("--template-fails", "Only after dinner.")
    room.window.composer.put_text("one")
    room.qtbot.keyClick(room.window.composer.edit, Qt.Key.Key_Return)
    room.until(lambda: room.window.banner.banner is not None)
    assert "Only after dinner." in room.window.banner.banner.sentence
    click(room, room.window.findChild(QPushButton, "banner plain_template"))
    room.until(lambda: room.controller.conversation.last.status == "complete")
    assert room.window.banner.banner is None
    room.ask("two")
    assert room.controller.conversation.last.status == "complete", "the chat stays with it"


# --- thinking -------------------------------------------------------------------------------------------------------

THOUGHT = "<think>|let me |see|</think>\n\n|**because**"


def test_thinking_is_folded_and_the_copy_is_everything(build) -> None:
    room = build("--say", THOUGHT, "--reason", "end")
    room.ask("why?")
    view = answer(room)
    assert view.thinking is not None
    assert view.thinking.isVisible()
    assert not view.thinking.is_open
    assert view.thinking.header.text().startswith("Thought for ")
    assert "4 tokens" in view.thinking.header.text()
    assert view.body.toPlainText() == "because"
    click(room, view.footer.copy)
    assert QGuiApplication.clipboard().text() == "<think>let me see</think>\n\n**because**"
    before = view.height()
    click(room, view.thinking.header)
    room.until(lambda: view.thinking.body.toPlainText() == "let me see")
    assert view.height() > before
    assert view.body.y() >= view.thinking.y() + view.thinking.height()
    room.qtbot.keyClick(view.thinking.header, Qt.Key.Key_Space)
    assert view.height() == before
    # Where tokens came from is shown for all of them.
    room.window.top.set_ink(True)
    settle(room.window.transcript, room.qtbot)
    assert not view.thinking.isVisible()
    assert "let me see" in view.body.toPlainText()
    room.window.top.set_ink(False)
    settle(room.window.transcript, room.qtbot)
    assert view.body.toPlainText() == "because"
    room.ask("and?")
    assert "let me see" not in room.controller.conversation.turns()[1].content


def test_thinking_is_folded_while_it_streams(build) -> None:
    room = build("--thinks", "--say", "so ", "--deltas", 3000, "--delay", "0.01")
    room.window.composer.put_text("why?")
    room.qtbot.keyClick(room.window.composer.edit, Qt.Key.Key_Return)
    room.until(lambda: room.controller.phase == "streaming")
    room.until(lambda: answer(room).thinking is not None)
    view = answer(room)
    assert view.thinking.header.text().startswith("Thinking")
    assert view.body.toPlainText() == ""
    click(room, view.thinking.header)
    room.until(lambda: len(view.thinking.body.toPlainText()) > 10)
    room.controller.stop()
    idle(room)
    assert "ended while it was still thinking" in view.note.text()
    assert view.tools.on.isVisible()


def test_an_answer_that_only_thought_says_that_its_limit_is_used_up(build) -> None:
    room = build("--thinks", "--reason", "token_limit")
    room.ask("why?")
    assert "used up its token limit while it was still thinking" in answer(room).note.text()


FORMS = [
    ("<think>why</think>so", False),
    ("[THINK]why[/THINK]so", False),
    ("<|channel|>analysis<|message|>why<|end|><|start|>assistant<|channel|>final<|message|>so", False),
    ("why</think>so", True),
    ("why\n</think>\nso", False),
    ("<think>why<think>more</think>", False),
    ("<think>why", False),
]


@pytest.mark.parametrize(("text", "opened"), FORMS)
def test_every_form_grows_letter_by_letter(qtbot, text: str, opened: bool) -> None:
    area = new_view(qtbot)
    message = Message(id="a", role="assistant", status="streaming", thought=Thought(opened=True) if opened else None)
    area.add_message(message)
    for end in range(1, len(text) + 1):
        area.update_message(
            Message(id="a", role="assistant", text=text[:end], status="streaming", thought=message.thought)
        )
    area.update_message(Message(id="a", role="assistant", text=text, thought=message.thought))
    settle(area, qtbot)
    view = shown(area, "a")
    assert view.thinking is not None
    assert view.thinking.isVisible()
    assert view.body.toPlainText() == ("so" if "so" in text else "")
    view.thinking.header.click()
    settle(area, qtbot)
    assert view.thinking.body.toPlainText().startswith("why")


def test_the_header_can_be_reached_by_tab(build) -> None:
    room = build("--say", THOUGHT)
    room.ask("why?")
    view = answer(room)
    view.take_keyboard()
    reached = []
    for _ in range(12):
        room.qtbot.keyClick(QApplication.focusWidget() or room.window, Qt.Key.Key_Tab)
        reached.append(QApplication.focusWidget())
    assert view.thinking.header in reached
    assert view.thinking.header.accessibleName()
