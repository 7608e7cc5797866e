"""Telling somebody who does something else that an answer is there."""

from dataclasses import replace

import pytest
from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from app.chat.conversation import Message
from app.ui.notifications import LONG_S, Notifier

STREAMING = Message(id="a", role="assistant", status="streaming")


class Talk(QObject):
    message_added = Signal(object)
    message_changed = Signal(object)


class Desk:
    """A window, answers, and a clock that only this test moves."""

    def __init__(self, qtbot) -> None:
        self.now = 0.0
        self.window = QWidget()
        qtbot.addWidget(self.window)
        self.talk = Talk(self.window)
        self.notifier = Notifier(self.window, self.talk, clock=lambda: self.now)

    def answer(self, seconds: float, **end: object) -> list[str]:
        self.talk.message_added.emit(STREAMING)
        self.now += seconds
        self.talk.message_changed.emit(replace(STREAMING, text="so far"))
        self.talk.message_changed.emit(replace(STREAMING, **{"status": "complete", "text": "The end.", **end}))
        return self.notifier.told


@pytest.fixture
def desk(qtbot) -> Desk:
    return Desk(qtbot)


def test_a_long_answer_in_the_background_is_told_once(desk) -> None:
    assert desk.answer(LONG_S) == ["The answer is complete"]
    desk.talk.message_changed.emit(replace(STREAMING, status="complete"))
    assert len(desk.notifier.told) == 1


def test_a_short_one_is_not(desk) -> None:
    assert desk.answer(LONG_S - 1) == []


def test_one_that_failed_says_so(desk) -> None:
    assert desk.answer(LONG_S, status="failed", error="Out of memory.") == ["The answer failed"]


def test_nobody_is_told_who_looks_at_it(desk, qtbot) -> None:
    desk.window.show()
    with qtbot.waitActive(desk.window):
        desk.window.activateWindow()
    assert desk.answer(LONG_S) == []
