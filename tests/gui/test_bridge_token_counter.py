"""When the engine is asked to count, and what comes of its answers."""

from typing import Any

import pytest
from PySide6.QtCore import QObject, Signal
from pytestqt.qtbot import QtBot

from app.bridge.token_counter import Fill, TokenCounter
from app.chat.conversation import Conversation, Message
from app.protocol.messages import Cancel, Count, Counted, Failed, Request


class Client(QObject):
    """An engine client that writes down what it is asked."""

    received = Signal(object)
    stopped = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self.requests: list[Request] = []

    def send(self, request: Request) -> None:
        self.requests.append(request)

    @property
    def counts(self) -> list[Count]:
        return [request for request in self.requests if isinstance(request, Count)]

    def answer(self, history: int = 10) -> None:
        request = self.counts[-1]
        texts = tuple(len(text.split()) for text in request.texts)
        self.received.emit(Counted(id=request.id, history=history, texts=texts, context=100))


@pytest.fixture
def client(qapp) -> Client:
    return Client()


@pytest.fixture
def told() -> list[Fill | None]:
    return []


@pytest.fixture
def counter(client: Client, told: list[Fill | None]) -> TokenCounter:
    made = TokenCounter(client)  # type: ignore[arg-type]
    made.counted.connect(told.append)
    return made


def asked(qtbot: QtBot, client: Client, count: int) -> Any:
    qtbot.waitUntil(lambda: len(client.counts) >= count, timeout=20_000)
    return client.counts[-1]


CHAT = Conversation(messages=(Message(role="user", text="hello"), Message(role="assistant", text="hi")))


def test_the_history_is_asked_for_once(qtbot: QtBot, client: Client, counter: TokenCounter, told) -> None:
    counter.look_at(CHAT, "one two", ["a b c"])
    counter.allow(now=True)
    request = asked(qtbot, client, 1)
    assert len(request.turns) == 2
    assert request.texts == ("one two", "a b c")
    client.answer()
    assert told[-1] == Fill(10, 2, (3,), 100)
    assert (told[-1].total, told[-1].room) == (15, 85)
    counter.write("one two three", ["a b c"])
    request = asked(qtbot, client, 2)
    assert (request.turns, request.texts) == ((), ("one two three",))
    client.answer(history=0)
    assert told[-1] == Fill(10, 3, (3,), 100)
    counter.look_at(Conversation(), "one two three", [])
    assert asked(qtbot, client, 3).texts == ()
    client.answer(history=4)
    assert told[-1] == Fill(4, 3, (), 100)
    counter.allow(now=False)


def test_nobody_waits_for_a_count(qtbot: QtBot, client: Client, counter: TokenCounter, told) -> None:
    counter.look_at(CHAT, "one", [])
    assert client.requests == [], "not before it is allowed"
    counter.allow(now=True)
    request = asked(qtbot, client, 1)
    counter.allow(now=False)
    assert client.requests[-1] == Cancel(id=request.id)
    client.received.emit(Failed(id=request.id, code="cancelled", sentence="Cancelled."))
    assert told == []
    counter.allow(now=True)
    asked(qtbot, client, 2)
    client.answer()
    assert told == [Fill(10, 1, (), 100)]


def test_a_text_that_changed_while_it_was_counted_is_counted_again(
    qtbot: QtBot, client: Client, counter: TokenCounter, told
) -> None:
    counter.look_at(CHAT, "one", [])
    counter.allow(now=True)
    asked(qtbot, client, 1)
    counter.write("one two", [])
    client.answer()
    assert asked(qtbot, client, 2).texts == ("one two",)
    client.answer(history=0)
    assert told[-1] == Fill(10, 2, (), 100)
    counter.allow(now=False)


def test_a_dead_engine_and_other_models(qtbot: QtBot, client: Client, counter: TokenCounter, told) -> None:
    counter.look_at(CHAT, "one", [])
    counter.allow(now=True)
    old = asked(qtbot, client, 1)
    client.stopped.emit(None)
    assert told == [None]
    again = asked(qtbot, client, 2)
    assert len(again.turns) == 2
    client.received.emit(Counted(id=old.id, history=99, texts=(1,), context=1))
    assert told == [None], "an answer of the old engine"
    client.answer()
    client.received.emit(Counted(id=again.id, history=99, texts=(1,), context=1))
    assert told[-1] == Fill(10, 1, (), 100), "an answer that came twice"
    counter.forget()
    assert told[-1] is None
    request = asked(qtbot, client, 3)
    client.received.emit(Failed(id=request.id, code="no_model", sentence="No model."))
    assert told[-1] is None
    counter.allow(now=False)
