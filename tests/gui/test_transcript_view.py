"""The conversation area: following, keeping the place, loading what is needed."""

import itertools
from dataclasses import replace

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from app.chat.conversation import Conversation, Message
from app.protocol.messages import Piece
from app.ui import theme
from app.ui.transcript import TranscriptView
from app.ui.transcript.view import LOADED_AT_ONCE, LOADED_MORE
from tests.helpers.conversation_area import (
    PARAGRAPH,
    conversation,
    new_view,
    on_screen,
    open_and_settle,
    settle,
    shown,
    stream,
    views,
)


@pytest.fixture
def view(qtbot: QtBot) -> TranscriptView:
    return new_view(qtbot)


def wheel(view: TranscriptView, notches: int) -> None:
    """Turn the wheel over the newest message; Qt does not pass events of a test on to the parents."""
    for target in (views(view)[-1].body.viewport(), view._area.viewport()):
        event = _wheel_event(target, notches)
        QApplication.sendEvent(target, event)
        if event.isAccepted():
            assert target is view._area.viewport()


def _wheel_event(target: QWidget, notches: int) -> QWheelEvent:
    place = QPointF(target.rect().center())
    return QWheelEvent(
        place,
        target.mapToGlobal(place),
        QPoint(0, 0),
        QPoint(0, 120 * notches),
        Qt.MouseButton.NoButton,
        Qt.KeyboardModifier.NoModifier,
        Qt.ScrollPhase.NoScrollPhase,
        False,
    )


# --- following


def test_a_conversation_opens_at_its_end(view, qtbot):
    open_and_settle(view, qtbot, 30)
    bar = view.follower.bar
    assert bar.maximum() > 2000
    assert bar.value() == bar.maximum()
    assert not view.jump.isVisible()


def test_the_end_is_followed_while_an_answer_grows(view, qtbot):
    open_and_settle(view, qtbot, 10)
    message = Message(role="assistant", status="streaming")
    view.add_message(message)
    for lines in range(1, 60):
        message = stream(view, message, "a line\n\n" * lines)
        assert view.follower.bar.value() == view.follower.bar.maximum()
    view.update_message(replace(message, status="complete", reason="end"))
    settle(view, qtbot)
    assert view.follower.bar.value() == view.follower.bar.maximum()


def test_who_scrolls_up_is_left_alone_and_can_jump_back(view, qtbot):
    open_and_settle(view, qtbot, 10)
    message = Message(role="assistant", status="streaming")
    view.add_message(message)
    message = stream(view, message, PARAGRAPH)
    wheel(view, 3)
    value = view.follower.bar.value()
    assert value < view.follower.bar.maximum()
    assert view.jump.isVisible()
    message = stream(view, message, (PARAGRAPH + "\n\n") * 5)
    assert view.follower.bar.value() == value
    qtbot.mouseClick(view.jump, Qt.MouseButton.LeftButton)
    assert view.follower.bar.value() == view.follower.bar.maximum()
    assert not view.jump.isVisible()
    message = stream(view, message, (PARAGRAPH + "\n\n") * 10)
    assert view.follower.bar.value() == view.follower.bar.maximum()


def test_scrolling_back_to_the_end_follows_again(view, qtbot):
    open_and_settle(view, qtbot, 10)
    wheel(view, 2)
    assert not view.follower.is_following
    wheel(view, -20)
    assert view.follower.is_following


def test_who_sends_something_sees_it(view, qtbot):
    open_and_settle(view, qtbot, 10)
    view.follower.bar.triggerAction(view.follower.bar.SliderAction.SliderToMinimum)
    view.add_message(Message(role="user", text="and now?"))
    assert view.follower.bar.value() == view.follower.bar.maximum()


def test_the_line_being_read_stays_when_the_width_changes(view, qtbot):
    open_and_settle(view, qtbot, 40)
    view.follower.bar.setValue(view.follower.bar.maximum() // 2)
    view.follower.bar.triggerAction(view.follower.bar.SliderAction.SliderSingleStepSub)
    first = view.follower.visible()[0]
    before = on_screen(view, first)
    view.resize(620, 600)
    settle(view, qtbot)
    assert first in view.follower.visible()
    assert abs(on_screen(view, first) - before) <= 2
    assert {each.width() for each in views(view)} == {view._column.text_width}


# --- loading


def test_only_the_newest_messages_get_a_view_and_older_ones_come_on_the_way_up(view, qtbot):
    count = LOADED_AT_ONCE + LOADED_MORE + 30
    view.reset(conversation(count))
    assert len(views(view)) < 40
    settle(view, qtbot)
    assert len(views(view)) == LOADED_AT_ONCE
    bar = view.follower.bar
    bar.triggerAction(bar.SliderAction.SliderToMinimum)
    oldest = shown(view, f"m{count - LOADED_AT_ONCE}")
    before = on_screen(view, oldest)
    settle(view, qtbot)
    assert len(views(view)) == LOADED_AT_ONCE + LOADED_MORE
    assert on_screen(view, oldest) == before
    bar.triggerAction(bar.SliderAction.SliderToMinimum)
    settle(view, qtbot)
    assert len(views(view)) == count
    assert not view._first_loaded


def test_a_message_that_is_not_loaded_can_change(view, qtbot):
    open_and_settle(view, qtbot, LOADED_AT_ONCE + 10)
    view.update_message(Message(id="m3", role="assistant", text="changed"))
    bar = view.follower.bar
    bar.triggerAction(bar.SliderAction.SliderToMinimum)
    settle(view, qtbot)
    assert shown(view, "m3").body.toPlainText() == "changed"


def test_messages_stand_in_order_and_never_over_each_other(view, qtbot):
    open_and_settle(view, qtbot, 30)
    view.add_message(Message(id="new", role="user", text="x"))
    column = view._column.views
    assert [each.message.id for each in column] == [*(f"m{n}" for n in range(30)), "new"]
    for above, below in itertools.pairwise(column):
        assert above.geometry().bottom() < below.geometry().top()


def test_resetting_while_streaming_leaves_nothing_of_the_old(view, qtbot):
    open_and_settle(view, qtbot, 10)
    message = Message(role="assistant", status="streaming")
    view.add_message(message)
    message = stream(view, message, "```python\n" + "x = 1\n" * 3000)
    view.reset(Conversation())
    qtbot.wait(20)
    assert views(view) == []
    assert view.follower.bar.maximum() == 0
    view.reset(conversation(2))
    settle(view, qtbot)
    assert [each.message.id for each in views(view)] == ["m0", "m1"]


def test_system_messages_are_not_shown_and_unknown_ones_are_added(view, qtbot):
    view.reset(Conversation(messages=(Message(role="system", text="Be brief."), Message(role="user", text="a"))))
    view.add_message(Message(role="system", text="Be kind."))
    view.update_message(Message(role="assistant", text="b"))
    settle(view, qtbot)
    assert [each.body.toPlainText() for each in views(view)] == ["a", "b"]


def test_a_message_added_twice_is_shown_once(view, qtbot):
    message = Message(role="user", text="a")
    view.add_message(message)
    view.add_message(replace(message, text="b"))
    assert [each.body.toPlainText() for each in views(view)] == ["b"]


# --- looks


def test_the_theme_can_change_while_an_answer_grows(view, qtbot):
    open_and_settle(view, qtbot, 60)
    message = Message(role="assistant", status="streaming")
    view.add_message(message)
    text = "A [link](https://x.y), `code`\n\n```python\nx = 1\n```\n\n" * 3
    message = stream(view, message, text[:70])
    view.set_theme(theme.DARK)
    message = stream(view, message, text)
    view.update_message(replace(message, status="complete", reason="end"))
    settle(view, qtbot)
    fresh = TranscriptView(theme.DARK)
    qtbot.addWidget(fresh)
    fresh.resize(view.size())
    fresh.show()
    fresh.reset(Conversation(messages=(replace(message, status="complete", reason="end"),)))
    settle(fresh, qtbot)
    assert shown(view, message.id).body.toHtml() == shown(fresh, message.id).body.toHtml()
    assert {each.body.palette().text().color().name() for each in views(view)} == {theme.DARK.ink}


def test_ink_reaches_every_message_also_those_that_come_later(view, qtbot):
    open_and_settle(view, qtbot, 30)
    view.set_ink(True)
    settle(view, qtbot)
    answers = [each for each in views(view) if each.message.role == "assistant"]
    assert all(each.legend.isVisible() for each in answers)
    view.add_message(Message(id="new", role="assistant", text="*x*", pieces=(Piece(text="*x*", source="ngram"),)))
    assert shown(view, "new").body.toPlainText() == "*x*"
    view.set_ink(False)
    settle(view, qtbot)
    assert shown(view, "new").body.toPlainText() == "x"


def test_another_font_size_reaches_the_text(view, qtbot):
    view.add_message(Message(id="a", role="assistant", text="# Title\n\ntext"))
    before = shown(view, "a").height()
    font = view.font()
    font.setPointSizeF(font.pointSizeF() * 2)
    view.setFont(font)
    settle(view, qtbot)
    assert shown(view, "a").height() > before * 1.6


def test_a_link_reaches_the_window(view, qtbot):
    view.add_message(Message(id="a", role="assistant", text="[docs](https://x.y/z)"))
    body = shown(view, "a").body
    body.setFocus()
    with qtbot.waitSignal(view.link_activated) as told:
        qtbot.keyClick(body, Qt.Key.Key_Tab)
        qtbot.keyClick(body, Qt.Key.Key_Return)
    assert told.args == ["https://x.y/z"]
