"""The conversation area with the keyboard, with selections and for screen readers."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAccessible, QTextCursor
from PySide6.QtWidgets import QApplication, QLineEdit, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from app.chat.conversation import Message
from app.ui import theme
from app.ui.transcript import TranscriptView
from tests.helpers.conversation_area import (
    PARAGRAPH,
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


def test_page_keys_home_and_end_scroll_from_within_a_message(view, qtbot):
    open_and_settle(view, qtbot, 30)
    bar = view.follower.bar
    body = views(view)[-1].body
    body.setFocus()
    qtbot.keyClick(body, Qt.Key.Key_PageUp)
    assert bar.value() == bar.maximum() - bar.pageStep()
    assert not view.follower.is_following
    qtbot.keyClick(body, Qt.Key.Key_PageDown)
    assert view.follower.is_following
    qtbot.keyClick(body, Qt.Key.Key_Home)
    assert bar.value() == 0
    qtbot.keyClick(body, Qt.Key.Key_End)
    assert bar.value() == bar.maximum()
    assert view.follower.is_following


def test_tab_visits_one_message_only_and_alt_with_arrows_the_others(qtbot):
    window = QWidget()
    layout = QVBoxLayout(window)
    view, line = TranscriptView(theme.LIGHT), QLineEdit()
    layout.addWidget(view)
    layout.addWidget(line)
    qtbot.addWidget(window)
    window.resize(700, 500)
    with qtbot.waitActive(window):
        window.show()
        window.activateWindow()
    open_and_settle(view, qtbot, 20)
    line.setFocus()
    qtbot.keyClick(line, Qt.Key.Key_Tab, Qt.KeyboardModifier.ShiftModifier)
    assert shown(view, "m19").has_keyboard()
    body = shown(view, "m19").body
    qtbot.keyClick(body, Qt.Key.Key_Up, Qt.KeyboardModifier.AltModifier)
    assert shown(view, "m18").body.hasFocus()
    for _ in range(30):
        focused = QApplication.focusWidget()
        assert focused is not None
        qtbot.keyClick(focused, Qt.Key.Key_Up, Qt.KeyboardModifier.AltModifier)
    assert shown(view, "m0").body.hasFocus()
    assert on_screen(view, shown(view, "m0")) >= 0
    qtbot.keyClick(shown(view, "m0").body, Qt.Key.Key_Tab)
    assert not shown(view, "m1").has_keyboard()
    assert [each.message.id for each in views(view) if each.body.focusPolicy() == Qt.FocusPolicy.StrongFocus] == ["m0"]


def test_the_text_cursor_is_kept_in_sight(view, qtbot):
    view.add_message(Message(id="a", role="assistant", text=(PARAGRAPH + "\n\n") * 30))
    settle(view, qtbot)
    body = shown(view, "a").body
    body.setFocus()
    body.moveCursor(QTextCursor.MoveOperation.End)
    body.moveCursor(QTextCursor.MoveOperation.Start)
    assert view.follower.bar.value() < 40
    assert not view.follower.is_following
    body.moveCursor(QTextCursor.MoveOperation.End)
    cursor_bottom = body.mapTo(view, body.cursorRect().bottomLeft()).y()
    assert 0 < cursor_bottom < view.height()


def test_only_one_message_has_a_selection(view, qtbot):
    open_and_settle(view, qtbot, 4)
    first, second = shown(view, "m0").body, shown(view, "m1").body
    first.selectAll()
    second.selectAll()
    assert not first.textCursor().hasSelection()
    assert second.textCursor().hasSelection()


def test_a_selection_survives_while_the_answer_grows(view, qtbot):
    message = Message(role="assistant", status="streaming")
    view.add_message(message)
    message = stream(view, message, "First paragraph.\n\nSecond")
    body = shown(view, message.id).body
    cursor = body.textCursor()
    cursor.setPosition(0)
    cursor.setPosition(5, QTextCursor.MoveMode.KeepAnchor)
    body.setTextCursor(cursor)
    message = stream(view, message, "First paragraph.\n\nSecond one **bold**\n\n- list")
    assert body.textCursor().selectedText() == "First"


def test_the_area_has_a_name(view):
    interface = QAccessible.queryAccessibleInterface(view)
    assert interface.text(QAccessible.Text.Name) == "Conversation"
    assert QAccessible.queryAccessibleInterface(view.jump).text(QAccessible.Text.Name) == "Jump to latest"
