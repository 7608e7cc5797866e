"""Comparisons with the real engine and the demo pair, as the window makes them."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QEvent
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.bridge.engine_client import engine_command
from app.chat.settings import Pair
from app.comparison.result import Comparison
from app.comparison.words import sentence
from tests.helpers.compare_kit import DRAFT, NGRAM, CompareRoom, plan

NEAR_TIE = 0.6
"""Logits; see tests/helpers/engine.py."""


@pytest.fixture
def room(qtbot: QtBot, tmp_path: Path, demo_target: Path, demo_draft: Path) -> Iterator[CompareRoom]:
    demo = Pair(target=str(demo_target), draft=str(demo_draft))
    made = CompareRoom(qtbot, tmp_path, command=engine_command(), demo=demo)
    made.desk.start()
    yield made
    made.close()
    QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)


def found(room: CompareRoom) -> Comparison:
    room.until_done()
    assert room.notes.of("failed") == []
    return room.notes.of("found")[-1]


def test_a_comparison_is_measured_proven_and_no_faster_when_repeated(room: CompareRoom) -> None:
    asked = plan("Give me a JSON array of 5 users.", DRAFT, NGRAM)
    assert room.compare.start(asked)
    first = found(room)
    draft, ngram = first.others
    assert first.plain.stats.verified == 0
    assert first.plain.stats.acceptance_rate is None
    assert 0.2 < (draft.stats.acceptance_rate or 0) <= 1
    assert (draft.stats.tokens_per_pass or 0) > 1.2
    for side in (draft, ngram):
        assert side.parts_at is None or (side.gap is not None and side.gap < NEAR_TIE)
        assert side.stats.cached_tokens == 0
        assert len(side.times_ms) == len(side.characters) > 0
        assert side.characters[-1] == len(side.text)
    spread = first.gain(draft)
    assert spread is not None
    assert 0 < spread.low <= spread.median <= spread.high
    assert sentence(first, draft).startswith("Speculation ")
    assert room.keeper.gains.with_drafter(first.target, first.draft, "draft_model") == round(spread.median, 3)

    assert room.compare.start(asked)
    again = found(room)
    assert again.id != first.id
    for old, new in zip(first.sides, again.sides, strict=True):
        if old.parts_at is None and new.parts_at is None:
            for counter in ("passes", "proposed", "verified", "accepted", "cached_tokens", "accepted_by_position"):
                assert getattr(old.stats, counter) == getattr(new.stats, counter), (new.drafter, counter)

    assert room.compare.prove(again)
    assert found(room).proof == (-1, -1)
    assert len(room.shelf.comparisons) == 2


def test_a_text_that_does_not_fit_gets_a_sentence_and_the_chat_goes_on(room: CompareRoom) -> None:
    assert room.compare.start(plan("word " * 3000))
    room.until_done()
    (sentence,) = room.notes.of("failed")
    assert "tokens" in sentence
    assert room.shelf.comparisons == ()
    assert room.compare.start(plan("hello", tokens=1900))
    room.until(lambda: any(one is not None and one.tokens > 5 for one in room.notes.of("standing")))
    room.compare.cancel()
    room.until_done()
    assert room.notes.of("failed")[-1] == "The comparison was stopped. Nothing was kept."
