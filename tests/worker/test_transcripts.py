"""The recorded transcripts are what the engine says today."""

import itertools
import json
from pathlib import Path

import pytest

from app.protocol.codec import decode, encode
from app.protocol.messages import Delta, Event, Failed, Finished, Loaded
from tests.transcripts import record

RECORDED = Path(record.__file__).parent
ANSWERS = [name for name in record.RUNS if name.startswith("answer_")]


def recorded(name: str) -> list[Event]:
    return [decode(line) for line in (RECORDED / f"{name}.jsonl").read_bytes().splitlines()]  # type: ignore[misc]


def shape(events: list[Event]) -> list[tuple[str, str]]:
    """Kinds and requests in order; how often one is repeated depends on the machine and its speed."""
    kinds = [(type(event).__name__, getattr(event, "id", "")) for event in events]
    return [kind for kind, _ in itertools.groupby(kind for kind in kinds if kind[0] != "Stats")]


def fields(event: Event) -> object:
    """All names of fields of records in records; lists may be empty."""

    def names(value: object) -> object:
        return {key: names(item) for key, item in value.items()} if isinstance(value, dict) else None

    return names(json.loads(encode(event)))


def test_there_is_a_transcript_of_every_run_and_no_other() -> None:
    assert {path.stem for path in RECORDED.glob("*.jsonl")} == set(record.RUNS)
    assert {
        "answer_plain",
        "answer_draft_model",
        "answer_ngram",
        "answer_heads",
        "answer_mixed",
        "answer_stopped",
    } == set(ANSWERS)


@pytest.mark.parametrize("name", record.RUNS)
def test_no_machine_is_in_a_transcript(name: str) -> None:
    data = (RECORDED / f"{name}.jsonl").read_bytes()
    assert len(data) < 100_000
    assert str(record.ROOT).encode() not in data
    assert b"/home/" not in data


@pytest.mark.parametrize("name", record.RUNS)
def test_the_engine_still_says_the_same(name: str) -> None:
    before, now = recorded(name), [record.clean(event) for event in record.record(record.RUNS[name])]
    assert shape(now) == shape(before)
    for old, new in zip(
        (e for e in before if isinstance(e, Loaded)), (e for e in now if isinstance(e, Loaded)), strict=True
    ):
        assert fields(new) == fields(old)
        assert new.why_not == old.why_not
    old, new = before[-1], now[-1]
    if isinstance(old, Failed):
        assert new == old
    elif isinstance(old, Finished) and isinstance(new, Finished):
        assert (new.reason, new.seed) == (old.reason, old.seed)
        # Where a stopped answer was when it was stopped is another place every time.
        assert new.speculation.state == old.speculation.state or old.reason == "cancelled"
        assert fields(new) == fields(old)


@pytest.mark.parametrize("name", [name for name in ANSWERS if name != "answer_stopped"])
def test_every_drafter_said_the_same_text(name: str) -> None:
    texts = [
        "".join(piece.text for event in recorded(each) if isinstance(event, Delta) for piece in event.pieces)
        for each in (name, "answer_plain")
    ]
    assert len(texts[0]) > 200
    assert texts[0] == texts[1]
