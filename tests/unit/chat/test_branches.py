"""Edited questions, other answers, and what is left out of a full context."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.chat.banner import NOTHING_TO_LEAVE_OUT
from app.chat.changes import BannerChanged, ConversationLeft, ConversationReplaced, MessageAdded, NoticeGiven
from app.chat.conversation import Conversation, Message
from app.chat.overflow import without_oldest
from app.chat.session import ChatSession
from app.chat.settings import LoadOptions, Pair
from app.protocol.messages import Cancel, Generate, Notice, Request
from app.protocol.options import SamplingOptions
from app.protocol.stats import GenerationStats
from tests.helpers.wire_values import delta, failed, finished, loaded

DEMO = Pair(target="/demo/target.gguf")


class Engine:
    def __init__(self) -> None:
        self.requests: list[Request] = []

    def send(self, request: Request) -> None:
        self.requests.append(request)

    @property
    def asked(self) -> Generate:
        return next(r for r in reversed(self.requests) if isinstance(r, Generate))


@pytest.fixture
def engine() -> Engine:
    return Engine()


@pytest.fixture
def session(engine: Engine) -> ChatSession:
    made = ChatSession(engine, fallback=DEMO)
    made.load(DEMO, LoadOptions())
    made.apply(loaded(engine.requests[-1].id))
    return made


def answer(session: ChatSession, engine: Engine, text: str = "answer", reason: str = "end") -> None:
    session.apply(delta(engine.asked.id, (text, "target")))
    session.apply(finished(engine.asked.id, reason))


def talk(session: ChatSession, engine: Engine, *questions: str) -> None:
    for question in questions:
        session.say(question)
        answer(session, engine, f"answer to {question}")


def texts(conversation: Conversation) -> list[str]:
    return [message.text for message in conversation.messages]


def test_an_edited_question_is_another_branch(session, engine) -> None:
    talk(session, engine, "one", "two", "three")
    second = session.conversation.messages[2].id
    changes = session.edit(second, "zwei")
    assert isinstance(changes[0], ConversationReplaced)
    assert texts(changes[0].conversation) == ["one", "answer to one"]
    assert [turn.content for turn in engine.asked.turns] == ["one", "answer to one", "zwei"]
    answer(session, engine, "Antwort")
    assert texts(session.conversation) == ["one", "answer to one", "zwei", "Antwort"]
    new = session.conversation.messages[2].id
    assert session.conversation.forks() == {new: (second, new)}
    session.show_branch(second)
    assert texts(session.conversation)[2:] == ["two", "answer to two", "three", "answer to three"]
    assert session.conversation.forks() == {second: (second, new)}
    session.show_branch(new)
    assert texts(session.conversation) == ["one", "answer to one", "zwei", "Antwort"]


def test_another_answer_is_another_branch_and_has_its_seed(session, engine) -> None:
    session.sampling = SamplingOptions(seed=5)
    talk(session, engine, "one")
    old = session.conversation.messages[1]
    session.regenerate(old.id, old.seed)
    assert engine.asked.sampling == SamplingOptions(seed=old.seed)
    answer(session, engine, "same")
    session.regenerate(session.conversation.messages[1].id, None)
    assert engine.asked.sampling == SamplingOptions(seed=None)
    answer(session, engine, "third")
    (alternatives,) = session.conversation.forks().values()
    assert len(alternatives) == 3
    assert alternatives[0] == old.id
    assert texts(session.conversation) == ["one", "third"]
    talk(session, engine, "two")
    assert [turn.content for turn in engine.asked.turns] == ["one", "third", "two"]


def test_an_answer_in_the_middle_is_answered_anew(session, engine) -> None:
    talk(session, engine, "one", "two")
    session.regenerate(session.conversation.messages[1].id, None)
    answer(session, engine, "else")
    assert texts(session.conversation) == ["one", "else"]
    assert len(session.conversation.all) == 5


def test_a_failed_answer_without_text_is_no_branch(session, engine) -> None:
    session.say("one")
    session.apply(failed(engine.asked.id))
    session.retry(plain=False)
    answer(session, engine)
    assert session.conversation.forks() == {}
    assert len(session.conversation.all) == 2


def test_what_makes_no_sense_changes_nothing(session, engine) -> None:
    talk(session, engine, "one")
    question, reply = session.conversation.messages
    assert session.edit("nobody", "x") == []
    assert session.edit(reply.id, "x") == []
    assert session.edit(question.id, "  \n") == []
    assert session.regenerate(question.id, None) == []
    assert session.show_branch("nobody") == []
    session.say("two")
    assert session.edit(question.id, "x") == []
    assert session.regenerate(reply.id, None) == []
    assert session.show_branch(question.id) == []


def test_opening_another_chat_keeps_what_was_said_so_far(session, engine) -> None:
    session.say("one")
    session.apply(delta(engine.asked.id, ("half an ans", "target")))
    request, old = engine.asked.id, session.conversation.id
    other = Conversation(messages=(Message(role="user", text="hello"),))
    changes = session.open(other)
    (left,) = [change.conversation for change in changes if isinstance(change, ConversationLeft)]
    assert (left.id, left.messages[1].text, left.messages[1].status) == (old, "half an ans", "interrupted")
    assert Cancel(id=request) in engine.requests
    assert session.conversation is other
    session.apply(delta(request, ("wer", "target")))
    session.apply(finished(request, "cancelled"))
    assert session.conversation is other
    assert session.phase == "idle"


# --- a tree of any shape --------------------------------------------------------------------------------------------


@given(st.lists(st.tuples(st.integers(0, 30), st.booleans()), max_size=30), st.integers(0, 30))
def test_every_message_stays_on_some_branch(steps: list[tuple[int, bool]], last: int) -> None:
    conversation = Conversation()
    made: list[Message] = []
    for number, (place, cut) in enumerate(steps):
        if cut and made:
            conversation = conversation.on_branch(made[place % len(made)].id)
            conversation = conversation.before(made[place % len(made)].id)
        message = Message(role="user", text=str(number), parent=conversation.tip, created=float(number))
        made.append(message)
        conversation = conversation.with_message(message)
    assert {m.id for m in conversation.all} == {m.id for m in made}
    seen: set[str] = set()
    for message in conversation.all:
        assert not message.parent or message.parent in seen, "parents come first"
        seen.add(message.id)
    if made:
        wanted = made[last % len(made)]
        shown = conversation.on_branch(wanted.id)
        assert wanted in shown.messages
        assert {m.id for m in shown.all} == {m.id for m in made}
        assert shown.messages[0].parent == ""
        assert all(b.parent == a.id for a, b in zip(shown.messages, shown.messages[1:], strict=False))
        for message_id, group in shown.forks().items():
            assert message_id in group
            assert len(group) > 1


# --- a full context -------------------------------------------------------------------------------------------------


def long_chat(exchanges: int, letters: int = 300) -> Conversation:
    conversation = Conversation()
    for number in range(exchanges):
        for role in ("user", "assistant"):
            message = Message(role=role, text=f"{number}" * letters, parent=conversation.tip)
            conversation = conversation.with_message(message)
    return conversation.up_to_question()


def test_the_oldest_are_left_out_until_half_is_free() -> None:
    shorter, count = without_oldest(long_chat(9), 1000)
    kept = shorter.kept()
    assert count == 17 - len(kept) > 0
    assert kept[0].role == "user"
    assert sum(len(m.text) for m in kept) <= 500 * 3
    assert len(shorter.messages) == 17, "nothing is removed"
    assert len(shorter.turns()) == len(kept)


def test_each_time_at_least_one_exchange_more_and_never_the_last_question() -> None:
    conversation, counts = long_chat(5), []
    while True:
        conversation, count = without_oldest(conversation, 10_000_000)
        if not count:
            break
        counts.append(count)
    assert counts == [2, 4, 6, 8]
    assert len(conversation.turns()) == 1


def test_the_system_prompt_stays() -> None:
    system = Message(role="system", text="Be kind.")
    conversation = long_chat(4)
    conversation = replace(conversation, messages=(system, *conversation.messages))
    shorter, count = without_oldest(conversation, 100)
    assert count == 6
    assert [turn.role for turn in shorter.turns()] == ["system", "user"]


def test_tokens_are_counted_as_this_chat_has_shown() -> None:
    stats = GenerationStats(generated_tokens=300)
    conversation = long_chat(9)
    dense = replace(conversation, messages=tuple(replace(m, stats=stats) for m in conversation.messages))
    assert without_oldest(dense, 1000)[1] > without_oldest(conversation, 1000)[1]


def test_a_question_that_does_not_fit_is_asked_again_without_the_oldest(session, engine) -> None:
    talk(session, engine, "one", "two")
    session.say("three")
    changes = session.apply(failed(engine.asked.id, "prompt_too_long", "Too long."))
    (banner,) = [change.banner for change in changes if isinstance(change, BannerChanged)]
    assert banner.actions == ("leave_out", "new_chat", "dismiss")
    changes = session.leave_out_oldest()
    assert [turn.content for turn in engine.asked.turns] == ["two", "answer to two", "three"]
    (added,) = [change.message for change in changes if isinstance(change, MessageAdded)]
    assert [notice.code for notice in added.notices] == ["left_out"]
    assert "2 oldest" in added.notices[0].text
    answer(session, engine, "fits")
    assert [notice.code for notice in session.last.notices] == ["left_out"]
    assert texts(session.conversation)[0] == "one", "it stays in the chat"
    talk(session, engine, "four")
    assert engine.asked.turns[0].content == "two"
    assert session.last.notices == ()


def test_after_a_full_context_the_next_question_goes_without_the_oldest(session, engine) -> None:
    talk(session, engine, "one", "two")
    session.say("three")
    answer(session, engine, "half an ans", "context_limit")
    changes = session.leave_out_oldest()
    assert [change.notice.code for change in changes if isinstance(change, NoticeGiven)] == ["left_out"]
    assert session.banner is None
    assert len(engine.asked.turns) == 5, "nothing was asked yet"
    session.say("go on")
    assert engine.asked.turns[0].content == "two"
    assert session.last.notices == (Notice(code="left_out", text=changes[0].notice.text),)


def test_one_message_that_is_too_long_alone(session, engine) -> None:
    session.say("one")
    session.apply(failed(engine.asked.id, "prompt_too_long", "Too long."))
    changes = session.leave_out_oldest()
    assert changes == [BannerChanged(NOTHING_TO_LEAVE_OUT)]


def test_one_answer_that_fills_the_context_can_be_left_out(session, engine) -> None:
    session.say("one")
    answer(session, engine, "a very long ans", "context_limit")
    changes = session.leave_out_oldest()
    assert "2 oldest" in changes[0].notice.text
    session.say("two")
    assert [turn.content for turn in engine.asked.turns] == ["two"]
    answer(session, engine)
    session.say("three")
    assert [turn.content for turn in engine.asked.turns] == ["two", "answer", "three"]
