"""Answers that go on, chats with options of their own, and thinking."""

import itertools
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.chat.answer import Answer, resumed
from app.chat.archive import Archive, conversation_of, options_of, options_text
from app.chat.attachments import Attachment, with_attachments
from app.chat.changes import BannerChanged, NoticeGiven, OptionsChanged
from app.chat.conversation import Conversation, Message, Status
from app.chat.options import ChatOptions
from app.chat.overflow import without_oldest
from app.chat.session import ChatSession
from app.chat.settings import LoadOptions, Pair
from app.chat.thought import Thought
from app.protocol.messages import Generate, Piece, Request, Thinking, Turn
from app.protocol.options import SamplingOptions, SpeculationOptions
from app.store.rows import Stored
from tests.helpers.wire_values import NUMBERS, delta, failed, finished, loaded

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


def answer(session: ChatSession, engine: Engine, *texts: str, reason: str = "end") -> None:
    for text in texts:
        session.apply(delta(engine.asked.id, (text, "draft_model")))
    session.apply(finished(engine.asked.id, reason))


# --- going on -------------------------------------------------------------------------------------------------------


def test_a_stopped_answer_goes_on_in_the_same_message(session: ChatSession, engine: Engine) -> None:
    session.say("hi")
    answer(session, engine, "Once ", "upon ", reason="cancelled")
    stopped = session.last
    assert stopped.tokens == (0, 0)
    assert session.conversation.can_go_on
    session.go_on()
    request = engine.asked
    assert request.turns[-1] == Turn(role="assistant", content="Once upon ")
    assert request.answer_tokens == (0, 0)
    assert request.sampling.seed == 7, "the seed of the answer"
    assert session.last.id == stopped.id
    assert session.last.status == "streaming"
    answer(session, engine, "a time")
    last = session.last
    assert (last.text, last.status, last.reason, last.tokens) == ("Once upon a time", "complete", "end", ())
    assert "".join(piece.text for piece in last.pieces) == last.text
    assert last.token_counts == (("draft_model", 3),)
    assert last.stats.generated_tokens == 2 * NUMBERS.generated_tokens
    assert last.stats.prompt_tokens == NUMBERS.prompt_tokens, "it is one answer to one prompt"
    assert last.stats.ttft_ms == NUMBERS.ttft_ms
    assert not session.go_on(), "it has ended"


def test_half_a_character_at_the_end_is_written_again() -> None:
    pieces = (Piece(text="ab", source="target"), Piece(text="\ufffd", source="ngram"))
    message = Message(role="assistant", text="ab\ufffd", pieces=pieces, status="interrupted", error="Gone.")
    again = resumed(message, ())
    assert (again.text, again.pieces, again.status, again.error) == ("ab", pieces[:1], "streaming", "")


def test_an_answer_that_goes_on_and_fails_keeps_its_text(session: ChatSession, engine: Engine) -> None:
    session.say("hi")
    answer(session, engine, "Once ", reason="cancelled")
    session.go_on()
    session.apply(failed(engine.asked.id, "decode_failed", "It broke."))
    assert (session.last.text, session.last.status, session.last.error) == ("Once ", "interrupted", "It broke.")
    assert session.conversation.can_go_on
    session.go_on()
    session.engine_stopped("The engine crashed.", "", "")
    assert session.last.text == "Once "


@pytest.mark.parametrize("reason", ["token_limit", "context_limit", "cancelled"])
def test_answers_that_were_cut_off_can_go_on(session: ChatSession, engine: Engine, reason: str) -> None:
    session.say("hi")
    answer(session, engine, "Once", reason=reason)
    assert session.conversation.can_go_on


def test_what_cannot_go_on(session: ChatSession, engine: Engine) -> None:
    assert not session.go_on()
    session.say("hi")
    assert not session.go_on(), "it streams"
    answer(session, engine, reason="cancelled")
    assert not session.go_on(), "nothing was said yet"
    alone = Conversation(messages=(Message(role="assistant", text="x", status="interrupted"),))
    assert not alone.can_go_on


statuses = st.sampled_from(["complete", "interrupted", "failed"])


@given(
    said=st.lists(
        st.tuples(st.sampled_from(["user", "assistant"]), st.sampled_from(["", "text", "<think>x"]), statuses)
    ),
    system=st.sampled_from(["", "Be brief."]),
    left_out=st.integers(0, 12),
    overflow=st.sampled_from(["ask", "keep_ends"]),
)
def test_roles_stay_strict_whatever_was_stopped_edited_or_left_out(
    said: list[tuple[str, str, Status]], system: str, left_out: int, overflow: str
) -> None:
    messages = tuple(Message(role=r, text=t, status=s) for r, t, s in said)  # type: ignore[arg-type]
    last = (Message(role="user", text="q"), Message(role="assistant", text="half", status="interrupted"))
    conversation = Conversation(
        messages=(*messages, *last),
        left_out=messages[left_out % len(messages)].id if messages and left_out else "",
        options=ChatOptions(system=system, overflow=overflow),  # type: ignore[arg-type]
    )
    assert conversation.can_go_on
    for turns in (conversation.turns(), conversation.turns(going_on=True)):
        roles = [turn.role for turn in turns]
        assert roles[:1] == (["system"] if system else roles[:1])
        spoken = [role for role in roles if role != "system"]
        assert all(one != two for one, two in itertools.pairwise(spoken))
        assert all(turn.content for turn in turns)
    assert turns[-1] == Turn(role="assistant", content="half")
    assert turns[-2].role == "user"


# --- thinking -------------------------------------------------------------------------------------------------------


def test_thinking_is_measured_and_left_out_of_the_next_turn(session: ChatSession, engine: Engine) -> None:
    session.say("hi")
    session.apply(delta(engine.asked.id, ("<think>", "target"), ("why", "target")))
    assert session.last.thought.tokens == 2
    answer(session, engine, "</think>\n\n", "because")
    thought = session.last.thought
    assert (thought.tokens, thought.opened) == (3, False)
    assert session.last.text == "<think>why</think>\n\nbecause", "byte for byte"
    session.say("and?")
    assert [turn.content for turn in engine.asked.turns] == ["hi", "because", "and?"]


def test_thinking_the_template_has_opened(session: ChatSession, engine: Engine) -> None:
    session.say("hi")
    session.apply(Thinking(id=engine.asked.id))
    answer(session, engine, "why", "</think>", "because", reason="cancelled")
    assert session.last.thought == Thought(opened=True, tokens=2, seconds=session.last.thought.seconds)
    session.go_on()
    assert engine.asked.turns[-1].content == "why</think>because", "an answer that goes on is shown as it stands"
    answer(session, engine, " of it")
    assert session.last.thought.tokens == 2
    session.say("and?")
    assert engine.asked.turns[1].content == "because of it"


def test_an_answer_that_only_thought_is_no_turn(session: ChatSession, engine: Engine) -> None:
    session.say("hi")
    session.apply(Thinking(id=engine.asked.id))
    answer(session, engine, "still thinking", reason="token_limit")
    assert session.last.thought.tokens == 1
    session.say("and?")
    assert [turn.content for turn in engine.asked.turns] == ["hi\n\nand?"]


def test_no_thinking_no_thought() -> None:
    message = Message(role="assistant", status="streaming")
    writing = Answer(message)
    writing.add(delta("x", ("Hello", "target")))
    assert writing.message().thought is None


# --- attachments ----------------------------------------------------------------------------------------------------


def test_files_go_with_the_question_and_its_changed_version(session: ChatSession, engine: Engine) -> None:
    notes = Attachment(name="notes.md", text="a\n````\nb\n````\n", tokens=9)
    session.say("What is this?", [notes])
    assert engine.asked.turns[0].content == "notes.md:\n`````\na\n````\nb\n````\n`````\n\nWhat is this?"
    assert session.conversation.messages[0].text == "What is this?"
    answer(session, engine, "Notes")
    question = session.conversation.messages[0]
    session.edit(question.id, "And this?", question.attachments)
    assert session.conversation.messages[0].attachments == (notes,)


def test_a_file_without_an_end_of_line() -> None:
    assert with_attachments("q", [Attachment(name="a", text="x")]) == "a:\n```\nx\n```\n\nq"


# --- options --------------------------------------------------------------------------------------------------------


def test_the_system_prompt_comes_first(session: ChatSession, engine: Engine) -> None:
    changes = session.set_options(ChatOptions(system="Be brief."))
    assert changes == [OptionsChanged(ChatOptions(system="Be brief."))]
    assert session.set_options(ChatOptions(system="Be brief.")) == []
    session.say("hi")
    assert engine.asked.turns[0] == Turn(role="system", content="Be brief.")


def test_options_are_stored_with_the_chat() -> None:
    options = ChatOptions(
        pair=Pair(target="/a", draft="/b"),
        system="Sei knapp.",
        sampling=SamplingOptions(temperature=0.1, seed=5),
        speculation=SpeculationOptions(drafter="ngram", lookahead=3),
        overflow="keep_ends",
        plain_template=True,
    )
    message = Message(
        role="user",
        text="hi",
        attachments=(Attachment(name="ä.txt", text="x", tokens=1),),
        thought=Thought(opened=True, tokens=3, seconds=0.5),
        tokens=(1, 2),
    )
    conversation = Conversation(messages=(message,), options=options)
    batch = Archive().pending(conversation, 1.0)
    again = conversation_of(Stored(chat=batch.chat, messages=batch.rows()))
    assert again.options == options
    assert replace(again.messages[0], created=message.created) == message
    archive = Archive(batch.chat, again.all)
    assert archive.pending(again, 2.0) is None
    assert archive.pending(replace(again, options=ChatOptions()), 2.0).chat.options == ""


@pytest.mark.parametrize(
    "text", ["nonsense", "[]", '{"overflow":"sometimes"}', '{"sampling":{"temperature":-1.0}}', '{"pair":3}']
)
def test_options_nobody_understands_are_those_of_a_new_chat(text: str) -> None:
    assert options_of(text) == ChatOptions()
    assert options_text(ChatOptions()) == ""


# --- overflow -------------------------------------------------------------------------------------------------------


def talked(overflow: str, count: int = 6) -> Conversation:
    said = []
    for number in range(count):
        said.append(Message(id=f"q{number}", role="user", text=f"question {number} " * 20))
        said.append(Message(id=f"a{number}", role="assistant", text=f"answer {number} " * 20))
    asked = Message(id="q", role="user", text="and now?")
    return Conversation(messages=(*said, asked), options=ChatOptions(overflow=overflow))  # type: ignore[arg-type]


def test_first_and_last_are_kept() -> None:
    shorter, count = without_oldest(talked("keep_ends"), context=1000)
    kept = [message.id for message in shorter.kept()]
    assert kept[:2] == ["q0", "a0"]
    assert kept[-1] == "q"
    assert count == len(shorter.messages) - len(kept)
    again, more = without_oldest(shorter, context=1000)
    assert more > count
    assert [message.id for message in again.kept()][:2] == ["q0", "a0"]
    roles = [turn.role for turn in shorter.turns()]
    assert all(one != two for one, two in itertools.pairwise(roles))


def test_nothing_between_first_and_last() -> None:
    conversation = replace(talked("keep_ends", 1))
    assert without_oldest(conversation, context=10)[1] == 0


@pytest.mark.parametrize("overflow", ["drop_oldest", "keep_ends"])
def test_a_chat_may_leave_out_by_itself_and_says_so(session: ChatSession, engine: Engine, overflow: str) -> None:
    session.open(talked(overflow))
    session.set_options(ChatOptions(overflow=overflow))  # type: ignore[arg-type]
    session.retry(plain=False)
    asked = len(engine.requests)
    changes = session.apply(failed(engine.asked.id, "prompt_too_long", "Too long."))
    assert len(engine.requests) == asked + 1, "asked again at once"
    assert not any(isinstance(change, BannerChanged) and change.banner for change in changes)
    answer(session, engine, "Now.")
    assert [notice.code for notice in session.last.notices] == ["left_out"]
    for _ in range(10):
        if session.banner is not None:
            break
        session.retry(plain=False)
        session.apply(failed(engine.asked.id, "prompt_too_long", "Too long."))
        session.apply(failed(engine.asked.id, "prompt_too_long", "Too long."))
    assert "alone is too long" in session.banner.sentence, "at last there is nothing left to leave out"


def test_an_answer_that_goes_on_leaves_out_what_it_must(session: ChatSession, engine: Engine) -> None:
    session.open(talked("drop_oldest"))
    session.retry(plain=False)
    answer(session, engine, "half", reason="cancelled")
    session.go_on()
    asked = len(engine.requests)
    session.apply(failed(engine.asked.id, "prompt_too_long", "Too long."))
    assert len(engine.requests) == asked + 1
    assert engine.asked.turns[-1] == Turn(role="assistant", content="half")
    answer(session, engine, " and half")
    assert (session.last.text, session.last.error) == ("half and half", "")
    assert [notice.code for notice in session.last.notices] == ["left_out"]


def test_an_answer_that_fills_the_context_makes_room_for_the_next(session: ChatSession, engine: Engine) -> None:
    session.open(talked("drop_oldest"))
    session.retry(plain=False)
    session.apply(delta(engine.asked.id, ("half", "target")))
    changes = session.apply(finished(engine.asked.id, "context_limit"))
    assert [change.notice.code for change in changes if isinstance(change, NoticeGiven)] == ["left_out"]
    assert session.banner is None
    session.say("more")
    assert len(engine.asked.turns) < 13
    assert [notice.code for notice in session.last.notices] == ["left_out"]
