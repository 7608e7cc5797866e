"""The whole conversation area in a test."""

from dataclasses import replace

from PySide6.QtCore import QPoint
from pytestqt.qtbot import QtBot

from app.chat.conversation import Conversation, Message
from app.ui import theme
from app.ui.transcript import TranscriptView
from app.ui.transcript.message_view import MessageView

PARAGRAPH = "A paragraph of some length, so that it takes more than one line in a window of this width. " * 3


def conversation(count: int) -> Conversation:
    """Questions and answers in turn, numbered."""
    roles = ("user", "assistant")
    return Conversation(
        messages=tuple(Message(id=f"m{n}", role=roles[n % 2], text=f"{n}: {PARAGRAPH}") for n in range(count))  # type: ignore[arg-type]
    )


def new_view(qtbot: QtBot) -> TranscriptView:
    """An empty conversation area on the screen."""
    made = TranscriptView(theme.LIGHT)
    qtbot.addWidget(made)
    made.resize(800, 600)
    with qtbot.waitExposed(made):
        made.show()
    return made


def views(view: TranscriptView) -> list[MessageView]:
    return view._column.views


def shown(view: TranscriptView, message_id: str) -> MessageView:
    return next(each for each in views(view) if each.message.id == message_id)


def settle(view: TranscriptView, qtbot: QtBot) -> None:
    qtbot.waitUntil(lambda: view._slices.is_idle)


def open_and_settle(view: TranscriptView, qtbot: QtBot, count: int) -> None:
    view.reset(conversation(count))
    settle(view, qtbot)


def on_screen(view: TranscriptView, each: MessageView) -> int:
    """Where a message begins, seen from the top of the area, px."""
    return each.mapTo(view, QPoint(0, 0)).y()


def stream(view: TranscriptView, message: Message, text: str) -> Message:
    message = replace(message, text=text)
    view.update_message(message)
    return message
