"""What the real engine said once (tests/transcripts/record.py), replayed to a session."""

from dataclasses import replace
from pathlib import Path

import pytest

from app.chat.changes import Change, MessageEnded, NoticeGiven
from app.chat.conversation import Message
from app.chat.session import ChatSession
from app.chat.settings import LoadOptions, Pair
from app.protocol.codec import decode, encode
from app.protocol.messages import Cancel, Delta, Event, Finished, Generate, Hello, Load, Request
from app.protocol.options import SpeculationOptions

FOLDER = Path(__file__).parents[2] / "transcripts"
NAMES = sorted(path.stem for path in FOLDER.glob("*.jsonl"))
DEMO = Pair(target="/demo/target.gguf", draft="/demo/draft.gguf")


def events(name: str) -> list[Event]:
    return [decode(line) for line in (FOLDER / f"{name}.jsonl").read_bytes().splitlines()]


class Recorded:
    """Answers the first load and the first question with a transcript."""

    def __init__(self, name: str) -> None:
        self.said = [event for event in events(name) if not isinstance(event, Hello)]
        self.requests: list[Request] = []

    def send(self, request: Request) -> None:
        self.requests.append(request)

    def answers(self, request: Load | Generate) -> list[Event]:
        name = "load" if isinstance(request, Load) else "ask"
        return [replace(event, id=request.id) for event in self.said if event.id == name]


def replay(name: str, *, stop_after: int = -1) -> tuple[ChatSession, list[Change], Recorded]:
    engine = Recorded(name)
    session = ChatSession(engine, fallback=DEMO)
    session.speculation = SpeculationOptions(drafter="mixed")
    changes = session.load(Pair(target="/models/target.gguf", draft="/models/draft.gguf"), LoadOptions())
    for event in engine.answers(engine.requests[0]):
        changes += session.apply(event)
    if session.phase == "idle":
        changes += session.say("Write a JSON object.")
        for number, event in enumerate(engine.answers(engine.requests[-1])):
            if number == stop_after:
                changes += session.stop()
            changes += session.apply(event)
    return session, changes, engine


def final(changes: list[Change]) -> Message:
    (message,) = [change.message for change in changes if isinstance(change, MessageEnded)]
    return message


def test_there_are_recordings() -> None:
    assert len(NAMES) >= 8


@pytest.mark.parametrize("name", NAMES)
def test_every_line_is_understood_in_full(name: str) -> None:
    lines = (FOLDER / f"{name}.jsonl").read_bytes().splitlines(keepends=True)
    assert [encode(decode(line)) for line in lines] == lines


@pytest.mark.parametrize("name", ["answer_mixed", "answer_heads", "answer_plain"])
def test_an_answer(name: str) -> None:
    session, changes, engine = replay(name)
    message = final(changes)
    said = [event for event in engine.said if isinstance(event, Delta)]
    assert message.text == "".join(piece.text for delta in said for piece in delta.pieces)
    assert message.status == "complete"
    assert message.stats is not None
    stats = message.stats
    assert stats.generated_tokens == sum(count for _, count in message.token_counts)
    assert message.drafted_tokens == stats.accepted
    assert stats.accepted <= stats.verified <= stats.proposed
    assert sum(stats.accepted_by_position) == stats.accepted
    assert stats.draft_ms + stats.verify_ms + stats.sample_ms + stats.other_ms == pytest.approx(stats.decode_ms)
    assert session.phase == "idle"
    if name != "answer_plain":
        assert stats.accepted > 0
        assert session.badge.state == "active"
        assert "accepted" in session.badge.parts[0]
    else:
        assert stats.proposed == 0
        assert session.badge.headline == "Speculation off"


def test_both_answers_say_the_same() -> None:
    assert final(replay("answer_mixed")[1]).text == final(replay("answer_plain")[1]).text
    assert final(replay("answer_heads")[1]).text == final(replay("answer_plain")[1]).text


def test_a_stopped_answer() -> None:
    session, changes, engine = replay("answer_stopped", stop_after=1)
    assert isinstance(engine.requests[-1], Cancel)
    message = final(changes)
    assert (message.status, message.reason) == ("interrupted", "cancelled")
    assert message.text
    assert session.banner is None


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("drafter_refused", "The drafter you chose (draft model) cannot be used: No draft model is loaded."),
        ("prompt_too_long", "The text has 4,008 tokens, but the context holds 512."),
    ],
)
def test_a_refused_question(name: str, sentence: str) -> None:
    session, changes, _ = replay(name)
    assert (final(changes).status, final(changes).error) == ("failed", sentence)
    assert session.banner is not None
    assert session.banner.sentence == sentence
    assert session.banner.hint
    assert session.phase == "idle"
    assert (session.badge.state == "unavailable") is (name == "drafter_refused")


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("load_missing_file", 'There is no file "/models/gone.gguf".'),
        ("load_no_gguf", '"record.py" is not a GGUF model, but a text file.'),
        ("load_draft_missing", 'There is no file "/models/gone.gguf".'),
    ],
)
def test_a_failed_load_falls_back(name: str, sentence: str) -> None:
    session, changes, engine = replay(name)
    assert session.banner is not None
    assert (session.banner.sentence, session.phase) == (sentence, "loading")
    assert isinstance(engine.requests[-1], Load)
    assert engine.requests[-1].target == DEMO.target
    assert not [change for change in changes if isinstance(change, NoticeGiven)]


def test_the_recordings_end_as_they_should() -> None:
    reasons = {name: events(name)[-1] for name in NAMES if name.startswith("answer")}
    assert {name: event.reason for name, event in reasons.items() if isinstance(event, Finished)} == {
        "answer_draft_model": "token_limit",
        "answer_heads": "token_limit",
        "answer_mixed": "token_limit",
        "answer_ngram": "token_limit",
        "answer_plain": "token_limit",
        "answer_stopped": "cancelled",
    }
