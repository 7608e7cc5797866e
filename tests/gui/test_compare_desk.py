"""Comparisons on a real engine process that plays a part: order, sentences, what is kept."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QEvent
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.bridge.comparison_shelf import ComparisonShelf
from app.comparison.words import line
from tests.conftest import ExpectedLogs
from tests.helpers.compare_kit import DRAFT, NGRAM, CompareRoom, plan

SLOW = ("--deltas", 100_000, "--delay", 0.01)


@pytest.fixture
def room(qtbot: QtBot, tmp_path: Path) -> Iterator[Callable[..., CompareRoom]]:
    made: list[CompareRoom] = []

    def build(*engine: object, load: bool = True) -> CompareRoom:
        made.append(CompareRoom(qtbot, tmp_path, *engine))
        if load:
            made[-1].desk.start()
        return made[-1]

    yield build
    for one in made:
        one.close()
    QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)


def begun(room: CompareRoom, deltas: int = 1) -> None:
    """Wait until the first answer has some tokens."""
    room.until(lambda: any(s is not None and s.tokens >= deltas for s in room.notes.of("standing")))


def test_arms_run_one_after_the_other_in_changing_order(room) -> None:
    here = room()
    assert here.compare.start(plan("Wörter?", DRAFT, NGRAM))
    here.until_done()
    asked = here.desk.requests("generate")
    drafters = [request["speculation"]["drafter"] for request in asked]
    assert drafters == ["off", "draft_model", "ngram", "draft_model", "ngram", "off"]
    assert all(request["isolated"] and not request["reuse_cache"] for request in asked)
    assert {request["sampling"]["seed"] for request in asked} == {5}
    (found,) = here.notes.of("found")
    assert [side.drafter for side in found.sides] == ["off", "draft_model", "ngram"]
    assert found.best.parts_at is None
    assert here.notes.of("standing")[-1] is None
    assert here.desk.controller.conversation.messages == ()


def test_the_result_is_kept_and_its_gain_is_known_where_the_pair_is_offered(room, tmp_path: Path, qtbot) -> None:
    here = room()
    assert here.compare.start(plan())
    here.until_done()
    (found,) = here.notes.of("found")
    gain = found.gain(found.best)
    assert gain is not None
    assert here.keeper.gains.of(found.target) == {found.draft: round(gain.median, 3)}
    here.until(lambda: not here.shelf._background.busy)
    again = ComparisonShelf(tmp_path / "comparisons.jsonl")
    again.start()
    qtbot.waitUntil(lambda: len(again.comparisons) == 1, timeout=20_000)
    assert again.comparisons == (found,)
    again.shut_down()
    again.deleteLater()


def test_one_is_exported_as_a_line_and_removed_for_good(room, tmp_path: Path) -> None:
    here = room()
    assert here.compare.start(plan())
    here.until_done()
    (found,) = here.notes.of("found")
    file = tmp_path / "größe.jsonl"
    here.shelf.export(found, file)
    here.until(lambda: here.notes.of("notice"))
    assert here.notes.of("notice")[-1].text == "The comparison is saved as größe.jsonl."
    assert file.read_text("utf-8") == f"{line(found)}\n"
    assert json.loads(file.read_text("utf-8"))["verdicts"][0]["gain"] > 0
    here.shelf.export(found, tmp_path)
    here.until(lambda: len(here.notes.of("notice")) == 2)
    assert "could not be written" in here.notes.of("notice")[-1].text
    here.shelf.remove(found.id)
    here.until(lambda: not here.shelf._background.busy)
    assert here.shelf.comparisons == ()
    assert (tmp_path / "comparisons.jsonl").read_bytes() == b""


def test_a_proof_asks_the_same_in_one_shape(room) -> None:
    here = room()
    assert here.compare.start(plan())
    here.until_done()
    (found,) = here.notes.of("found")
    assert here.compare.prove(found)
    here.until_done()
    proven = here.notes.of("found")[-1]
    assert (proven.id, proven.proof) == (found.id, (-1,))
    assert [request["limits"]["fixed_shape"] for request in here.desk.requests("generate")[-2:]] == [4, 4]
    assert here.shelf.comparisons == (proven,)


def test_stopped_in_the_middle(room) -> None:
    here = room(*SLOW)
    assert here.compare.start(plan())
    begun(here)
    here.compare.cancel()
    assert here.notes.of("standing")[-1].stage == "stopping"
    here.until_done()
    assert here.notes.of("failed") == ["The comparison was stopped. Nothing was kept."]
    assert here.shelf.comparisons == ()


def test_an_engine_that_does_not_stop_keeps_nobody_waiting(room) -> None:
    here = room(*SLOW, "--deaf")
    here.compare._patience.setInterval(50)
    assert here.compare.start(plan())
    begun(here)
    here.compare.cancel()
    here.until_done()
    (sentence,) = here.notes.of("failed")
    assert sentence.startswith("The engine does not react to Stop.")


def test_the_engine_crashes_in_the_middle(room, expect_log: ExpectedLogs) -> None:
    expect_log("The engine crashed")
    here = room(*SLOW)
    assert here.compare.start(plan())
    begun(here)
    here.desk.kill_engine()
    here.until_done()
    (sentence,) = here.notes.of("failed")
    assert sentence.startswith("The engine crashed (SIGKILL")
    assert not here.compare.start(plan())
    assert here.notes.of("failed")[-1] == "The engine is not running. Restart it first."


def test_a_refused_question_gets_the_engines_sentence(room) -> None:
    here = room("--fail-after", 0, "--fail-plain-too", "--fail-code", "prompt_too_long")
    assert here.compare.start(plan())
    here.until_done()
    assert here.notes.of("failed") == ["The model could not be evaluated. Try a shorter context."]


def test_the_chat_goes_first(room) -> None:
    here = room("--deltas", 50, "--delay", 0.01)
    assert here.compare.start(plan(repeats=20))
    begun(here)
    assert here.desk.controller.send_text("hi")
    assert here.notes.of("failed") == ["The comparison was stopped, because a message was sent."]
    assert not here.compare.start(plan())
    assert here.notes.of("failed")[-1] == ("An answer is being written. Compare when it is finished, or stop it.")
    here.desk.until_phase("idle")
    assert here.desk.last.status == "complete"
    assert here.compare.start(plan(repeats=20))
    begun(here)
    here.desk.controller.choose_draft("")
    assert here.notes.of("failed")[-1] == "The comparison was stopped, because a model is being loaded."
    here.desk.until_phase("idle")


@pytest.mark.parametrize(
    ("wish", "sentence"),
    [
        (plan(" \n"), "There is no question to compare answers to. Write a prompt."),
        (plan(repeats=0), "0 repeats are not possible. It must be from 1 to 1000."),
    ],
)
def test_silly_wishes_get_a_sentence(room, wish, sentence: str) -> None:
    here = room()
    assert not here.compare.start(wish)
    assert here.notes.of("failed") == [sentence]


def test_what_cannot_be_compared_gets_a_sentence(room) -> None:
    here = room(load=False)
    assert not here.compare.start(plan())
    assert here.notes.of("failed") == ["No model is loaded. Open one first."]
    here.desk.start()
    here.desk.controller.choose_draft("")
    here.desk.until_phase("idle")
    assert not here.compare.start(plan())
    assert here.notes.of("failed")[-1] == "No draft model is loaded."
    here.desk.controller.choose_draft("/demo/draft.gguf")
    here.desk.until_phase("idle")
    assert here.compare.start(plan())
    assert not here.compare.start(plan())
    assert here.notes.of("failed")[-1] == "A comparison is under way."
    here.until_done()


def test_only_with_its_own_models_a_comparison_is_proven(room) -> None:
    here = room()
    assert here.compare.start(plan())
    here.until_done()
    (found,) = here.notes.of("found")
    here.desk.controller.choose_draft("")
    here.desk.until_phase("idle")
    assert not here.compare.prove(found)
    assert here.notes.of("failed") == ["This was measured with target.gguf + draft.gguf. Load these models first."]


def test_the_badge_shows_the_measured_gain_instead_of_an_estimate(room) -> None:
    here = room()
    controller = here.desk.controller
    here.keeper.note("/demo/target.gguf", "/demo/draft.gguf", "mixed", 1.84)
    assert controller.badge.parts == ("draft model + n-gram", "1.8× measured")
    here.desk.ask()
    assert controller.badge.parts[1] == "1.8× measured"
    assert "Measured by a comparison with these models: 1.84×" in controller.badge.tooltip
    controller.set_speculation(NGRAM)
    assert controller.badge.parts == ("n-gram",)
