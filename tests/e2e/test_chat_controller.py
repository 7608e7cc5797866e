"""The controller, the real engine process and the demo pair."""

import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from app.bridge.engine_client import engine_command
from app.chat.settings import LoadOptions, Pair, Settings
from app.protocol.options import SamplingOptions, SpeculationOptions
from tests.conftest import ExpectedLogs
from tests.helpers.bridge_kit import alive
from tests.helpers.controller_kit import Desk

SHORT = "Write a JSON object with the keys name, size and tags."
OFF = SpeculationOptions(drafter="off")


@pytest.fixture
def demo(demo_target: Path, demo_draft: Path) -> Pair:
    return Pair(target=str(demo_target), draft=str(demo_draft))


@pytest.fixture
def desk(qtbot: QtBot, tmp_path: Path, demo: Pair) -> Iterator[Desk]:
    desk = Desk(qtbot, tmp_path, command=engine_command(), demo=demo)
    desk.controller.set_load_options(LoadOptions(context=1024, threads=1, gpu_layers=0))
    desk.controller.set_sampling(SamplingOptions(seed=1))
    desk.start()
    yield desk
    pid = desk.client.pid
    desk.controller.shut_down()
    assert not pid or not alive(pid)


def test_the_demo_pair_answers_and_speculation_changes_nothing(desk: Desk) -> None:
    controller = desk.controller
    assert controller.loaded is not None
    assert controller.loaded.draft is not None
    assert controller.is_demo
    controller.set_sampling(SamplingOptions(temperature=0.0, seed=1))
    # Left to itself, auto may rightly draft nothing: on a busy machine the tiny pair gains nothing by it.
    controller.set_speculation(SpeculationOptions(drafter="draft_model", lookahead=3))
    with_drafts = desk.ask(SHORT)
    assert with_drafts.status == "complete"
    assert with_drafts.stats is not None
    assert with_drafts.stats.accepted > 0
    assert with_drafts.drafted_tokens == with_drafts.stats.accepted
    assert with_drafts.stats.generated_tokens >= sum(count for _, count in with_drafts.token_counts)
    assert controller.badge.headline.endswith(" tok/s")
    assert controller.badge.state == "active"

    controller.new_chat()
    controller.set_speculation(OFF)
    plain = desk.ask(SHORT)
    assert plain.stats is not None
    assert plain.stats.proposed == 0
    # Rounding may flip a near-tie late in a text (law 5); the beginning is the same.
    assert plain.text[:60] == with_drafts.text[:60]
    assert controller.badge.headline == "Speculation off"


def test_the_second_turn_reads_only_what_is_new(desk: Desk) -> None:
    first = desk.ask("What is a dictionary?")
    assert first.reason == "end"
    second = desk.ask("And a list?")
    assert first.stats is not None
    assert second.stats is not None
    assert second.stats.cached_tokens >= first.stats.prompt_tokens


@pytest.mark.parametrize("drafter", ["off", "mixed"])
def test_stop_leaves_the_engine_idle_within_half_a_second(desk: Desk, drafter: str) -> None:
    desk.controller.set_load_options(LoadOptions(context=2048, threads=1, gpu_layers=0))
    desk.until_phase("idle")
    desk.controller.set_speculation(SpeculationOptions(drafter=drafter))  # type: ignore[arg-type]
    for question in (SHORT, "word " * 1500):
        assert desk.controller.send_text(question)
        if question == SHORT:
            desk.until_text()
        else:
            desk.qtbot.wait(30)
        if desk.controller.phase == "idle":
            continue  # faster than the test; nothing to stop
        desk.controller.stop()
        started = time.monotonic()
        desk.until_phase("idle")
        assert time.monotonic() - started < 2
        assert desk.last.status == "interrupted"


def test_killed_in_the_middle_and_retried_without_speculation(desk: Desk, expect_log: ExpectedLogs) -> None:
    expect_log("The engine crashed")
    assert desk.controller.send_text("Explain what a list comprehension is, with examples.")
    desk.until_text()
    desk.kill_engine()
    assert desk.last.status == "interrupted"
    assert desk.last.text
    assert desk.banner.sentence.startswith("The engine crashed (SIGKILL")
    desk.controller.run_banner_action("retry_plain")
    desk.qtbot.waitUntil(lambda: desk.last.status == "complete", timeout=60_000)
    assert desk.last.stats is not None
    assert desk.last.stats.proposed == 0


def test_another_draft_keeps_the_target(desk: Desk, demo: Pair) -> None:
    controller = desk.controller
    assert controller.loaded is not None
    loaded_at = controller.loaded.target_loaded_at
    controller.choose_draft("")
    desk.until_phase("idle")
    assert controller.loaded.draft is None
    assert controller.badge.parts == ("prediction heads + n-gram",)
    assert desk.ask(SHORT).speculation is not None
    controller.choose_draft(demo.target)
    desk.until_phase("idle")
    assert controller.loaded.draft is not None
    assert controller.loaded.target_loaded_at == loaded_at
    # Auto would see that a draft as large as the target cannot pay.
    controller.set_speculation(SpeculationOptions(drafter="draft_model", lookahead=3))
    answer = desk.ask(SHORT)
    assert answer.stats is not None
    assert answer.stats.acceptance_rate is not None
    assert answer.stats.acceptance_rate > 0.5, "the target guesses itself well"


def test_files_that_are_no_models(desk: Desk, tmp_path: Path) -> None:
    controller = desk.controller
    text = tmp_path / "notes ‘größe’.gguf"
    text.write_text("not a model")
    for path in (text, tmp_path / "gone.gguf", tmp_path):
        controller.open_model(str(path))
        desk.until_phase("idle")
        assert desk.banner is not None
        assert desk.banner.sentence
        assert desk.banner.hint
        assert path.name in desk.banner.sentence
        assert controller.is_demo
        controller.choose_draft(str(path))
        desk.until_phase("idle")
        assert desk.banner is not None
        assert controller.loaded is not None
        assert controller.loaded.draft is not None, "the draft of before is back"
    assert desk.ask(SHORT).status == "complete"


def test_a_remembered_model_that_is_gone(qtbot: QtBot, tmp_path: Path, demo: Pair) -> None:
    gone = Pair(target=str(tmp_path / "gone.gguf"))
    desk = Desk(qtbot, tmp_path, command=engine_command(), demo=demo, settings=Settings(last=gone))
    try:
        desk.start()
        assert desk.controller.is_demo
        (notice,) = desk.notes.of("notice")
        assert "gone.gguf" in notice.text
        assert "The demo pair is loaded instead." in notice.text
    finally:
        desk.controller.shut_down()


def test_a_text_that_does_not_fit(desk: Desk) -> None:
    answer = desk.ask("word " * 3000)
    assert answer.status == "failed"
    assert "tokens" in answer.error
    assert desk.banner.hint
    assert desk.ask(SHORT).status == "complete", "the long text does not come along"
