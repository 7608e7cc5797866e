import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.chat.answer import Answer
from app.chat.conversation import Conversation, Message, Role, Status
from app.protocol.messages import Delta, Piece, Turn
from app.protocol.options import TokenSource
from app.protocol.stats import GenerationStats
from tests.helpers.wire_values import ACTIVE, NUMBERS, delta, finished, stats


def talk(*messages: tuple[Role, str] | tuple[Role, str, Status]) -> Conversation:
    conversation = Conversation()
    for role, text, *status in messages:
        conversation = conversation.with_message(Message(role=role, text=text, status=(*status, "complete")[0]))
    return conversation


def turns(conversation: Conversation) -> list[tuple[str, str]]:
    return [(turn.role, turn.content) for turn in conversation.turns()]


def test_changes_make_new_values() -> None:
    one = talk(("user", "hi"))
    two = one.with_message(Message(role="assistant", text="hello"))
    three = two.with_last(Message(role="assistant", text="bye"))
    assert [len(c.messages) for c in (one, two, three)] == [1, 2, 2]
    assert two.last is not None
    assert two.last.text == "hello"
    assert two.find(two.last.id) is two.last
    assert two.find("nobody") is None
    assert one.id == two.id == three.id
    assert Conversation().last is None


def test_up_to_question() -> None:
    assert turns(talk(("user", "a"), ("assistant", "b")).up_to_question()) == [("user", "a")]
    assert turns(talk(("user", "a")).up_to_question()) == [("user", "a")]
    assert talk(("assistant", "b")).up_to_question().messages == ()


def test_an_interrupted_answer_is_shown_to_the_model() -> None:
    talked = talk(("user", "a"), ("assistant", "b", "interrupted"), ("user", "c"))
    assert talked.turns() == (
        Turn(role="user", content="a"),
        Turn(role="assistant", content="b"),
        Turn(role="user", content="c"),
    )


def test_a_question_stopped_before_its_answer_joins_the_next_one() -> None:
    talked = talk(("user", "a"), ("assistant", "", "interrupted"), ("user", "c"), ("assistant", "", "streaming"))
    assert turns(talked) == [("user", "a\n\nc")]


def test_a_refused_question_is_left_out() -> None:
    talked = talk(("user", "far too long"), ("assistant", "", "failed"), ("user", "c"))
    assert turns(talked) == [("user", "c")]


@given(
    st.lists(
        st.tuples(st.text(max_size=3), st.text(max_size=3), st.sampled_from(["complete", "interrupted", "failed"]))
    )
)
def test_turns_alternate(said: list[tuple[str, str, Status]]) -> None:
    conversation = Conversation()
    for question, answer, status in said:
        conversation = conversation.with_message(Message(role="user", text=question))
        text = "" if status == "failed" else answer
        conversation = conversation.with_message(Message(role="assistant", text=text, status=status))
    roles = [turn.role for turn in conversation.with_message(Message(role="user", text="end")).turns()]
    assert roles[-1] == "user"
    assert all(one != two for one, two in itertools.pairwise(roles))


def test_totals_are_over_all_answers() -> None:
    conversation = talk(("user", "a"))
    for _ in range(2):
        conversation = conversation.with_message(Message(role="assistant", text="b", stats=NUMBERS))
    totals = conversation.totals()
    assert (totals.generated_tokens, totals.accepted, totals.verified_by_position) == (202, 144, (100, 100))
    assert Conversation().totals() == GenerationStats()


def new_answer() -> Answer:
    return Answer(Message(role="assistant", status="streaming"))


def test_an_answer_merges_pieces_of_one_source() -> None:
    answer = new_answer()
    answer.add(delta("x", ("Hel", "draft_model"), ("lo", "draft_model"), (",", "target")))
    first = answer.message()
    answer.add(delta("x", (" wor", "target"), ("ld", "ngram")))
    second = answer.message()
    assert (first.text, second.text) == ("Hello,", "Hello, world")
    assert [(p.text, p.source) for p in second.pieces] == [
        ("Hello", "draft_model"),
        (", wor", "target"),
        ("ld", "ngram"),
    ]
    assert second.token_counts == (("draft_model", 2), ("ngram", 1), ("target", 2))
    assert second.drafted_tokens == 3
    assert [(p.text, p.source) for p in first.pieces] == [("Hello", "draft_model"), (",", "target")], "values stay"


def test_tokens_without_text_count() -> None:
    answer = new_answer()
    answer.add(Delta(id="x", pieces=(), tokens=(1, 2), sources=("draft_model", "target")))
    answer.add(Delta(id="x", pieces=(Piece(text="", source="ngram"),), tokens=(3,), sources=("ngram",)))
    message = answer.message()
    assert (message.text, message.pieces) == ("", ())
    assert message.token_counts == (("draft_model", 1), ("ngram", 1), ("target", 1))


sources: st.SearchStrategy[TokenSource] = st.sampled_from(["target", "correction", "draft_model", "ngram", "heads"])


@given(st.lists(st.lists(st.tuples(st.text(max_size=4), sources), max_size=4)), st.sets(st.integers(0, 20)))
def test_pieces_join_to_the_text_wherever_it_is_looked_at(
    rounds: list[list[tuple[str, TokenSource]]], looks: set[int]
) -> None:
    answer = new_answer()
    for number, pieces in enumerate(rounds):
        answer.add(delta("x", *pieces))
        if number in looks:
            answer.message()
    message = answer.message()
    assert message.text == "".join(text for pieces in rounds for text, _ in pieces)
    assert "".join(piece.text for piece in message.pieces) == message.text
    assert all(one.source != two.source for one, two in zip(message.pieces, message.pieces[1:], strict=False))
    assert sum(count for _, count in message.token_counts) == sum(map(len, rounds))


def test_an_end_brings_the_numbers() -> None:
    answer = new_answer()
    answer.add(delta("x", ("a", "target")))
    answer.note(stats("x"))
    assert answer.message().stats is NUMBERS
    assert answer.message().status == "streaming"
    answer.finish(finished("x", "stop_string"))
    message = answer.message()
    assert (message.status, message.reason, message.seed) == ("complete", "stop_string", 7)
    assert (message.stats, message.speculation) == (NUMBERS, ACTIVE)


@pytest.mark.parametrize(("text", "refused", "status"), [("a", True, "interrupted"), ("", True, "failed")])
def test_a_broken_answer_keeps_its_text(text: str, refused: bool, status: str) -> None:
    answer = new_answer()
    answer.add(delta("x", (text, "target")))
    answer.break_off("No.", refused=refused)
    message = answer.message()
    assert (message.text, message.status, message.error) == (text, status, "No.")


def test_many_tokens_stay_cheap() -> None:
    # Not a stopwatch: joining the whole text for each of these would touch 100 GB.
    answer = new_answer()
    for _ in range(200_000):
        answer.add(delta("x", ("some ", "draft_model")))
    message = answer.message()
    assert len(message.text) == 1_000_000
    assert len(message.pieces) == 1
