"""The controller with fake engines: real processes, scripted behaviour."""

import itertools
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QTimer
from pytestqt.qtbot import QtBot

from app.chat.banner import STOP_IS_OVERDUE
from app.chat.settings import LoadOptions, Settings
from app.core.settings import SettingsFile
from app.protocol.messages import Notice
from app.protocol.options import SamplingOptions, SpeculationOptions
from tests.conftest import ExpectedLogs
from tests.helpers.bridge_kit import alive
from tests.helpers.controller_kit import BIG, DEMO, Desk

Make = Callable[..., Desk]
TEXT = "".join(f"wort ä😀 {number} " for number in range(5))


@pytest.fixture
def make(qtbot: QtBot, tmp_path: Path) -> Iterator[Make]:
    desks: list[Desk] = []

    def new(*arguments: object, **options: object) -> Desk:
        desk = Desk(qtbot, tmp_path, *arguments, **options)
        desks.append(desk)
        return desk

    yield new
    for desk in desks:
        pid = desk.client.pid
        desk.controller.shut_down()
        assert not pid or not alive(pid)


# --- starting and loading -------------------------------------------------------------------------------------------


def test_the_first_start_loads_the_demo_pair(make: Make) -> None:
    notice = Notice(code="settings_damaged", text="The settings are damaged.")
    desk = make(notices=(notice,))
    assert desk.controller.phase == "no_model"
    desk.start()
    assert desk.controller.loaded is not None
    assert desk.controller.loaded.target.path == DEMO.target
    assert desk.controller.is_demo
    assert desk.notes.of("phase") == ["loading", "idle"]
    assert desk.notes.of("loaded") == [desk.controller.loaded]
    assert desk.notes.of("notice") == [notice]
    (load,) = desk.requests("load")
    assert (load["draft"], load["draft_required"]) == (DEMO.draft, False)
    assert desk.controller.settings.last is None
    assert desk.controller.badge.headline == "Ready"


def test_later_starts_load_the_last_pair(make: Make, tmp_path: Path) -> None:
    first = make()
    first.start()
    first.controller.open_model(BIG.target)
    first.until_phase("idle")
    first.controller.choose_draft(BIG.draft)
    first.until_phase("idle")
    first.controller.shut_down()
    settings, problems = SettingsFile(first.settings_file, Settings).load()
    assert problems == ()
    assert settings.last == BIG
    assert settings.recent == (BIG,)

    first.requests_file.unlink()
    second = make(settings=settings)
    second.start()
    (load,) = second.requests("load")
    assert (load["target"], load["draft"], load["draft_required"]) == (BIG.target, BIG.draft, False)
    assert not second.controller.is_demo


def test_a_last_pair_that_is_gone_gives_the_demo_pair_and_a_notice(make: Make) -> None:
    desk = make("--load-fails", "big", settings=Settings(last=BIG, load=LoadOptions(context=512)))
    desk.start()
    assert desk.controller.is_demo
    (notice,) = desk.notes.of("notice")
    assert notice.code == "last_model_failed"
    assert "big.gguf is damaged." in notice.text
    assert desk.banner is None
    assert desk.controller.settings.last == BIG, "it may be there again next time"
    assert desk.controller.load_options == LoadOptions(context=512)


def test_open_model_uses_the_draft_it_had(make: Make) -> None:
    desk = make(settings=Settings(recent=(BIG,)))
    desk.start()
    desk.controller.open_model(BIG.target)
    desk.until_phase("idle")
    load = desk.requests("load")[-1]
    assert (load["target"], load["draft"], load["draft_required"]) == (BIG.target, BIG.draft, False)
    desk.controller.open_demo()
    desk.until_phase("idle")
    assert desk.requests("load")[-1]["draft"] == DEMO.draft
    assert desk.controller.settings.last is None
    assert desk.controller.settings.recent == (BIG,)


def test_paths_are_made_absolute(make: Make, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    desk = make()
    desk.start()
    monkeypatch.chdir(tmp_path)
    desk.controller.open_model("mödel 'x'.gguf")
    desk.until_phase("idle")
    assert desk.requests("load")[-1]["target"] == str(tmp_path / "mödel 'x'.gguf")
    desk.controller.open_model("")
    assert len(desk.requests("load")) == 2


def test_a_model_that_cannot_be_loaded_leaves_the_old_one(make: Make) -> None:
    desk = make("--load-fails", "big")
    desk.start()
    desk.controller.open_model(BIG.target)
    desk.until_phase("idle")
    assert (desk.banner.sentence, desk.banner.hint) == ("big.gguf is damaged.", "Download it again.")
    assert desk.controller.is_demo
    assert desk.controller.settings.last is None
    assert desk.ask().text == TEXT


def test_a_draft_that_does_not_fit_leaves_the_old_one(make: Make) -> None:
    desk = make("--draft-fails", "small")
    desk.start()
    desk.controller.choose_draft(BIG.draft)
    desk.until_phase("idle")
    assert desk.banner.sentence == "small.gguf cannot draft for target.gguf."
    assert [load["draft_required"] for load in desk.requests("load")] == [False, True, False]
    assert desk.controller.loaded is not None
    assert desk.controller.loaded.draft is not None
    assert desk.controller.loaded.draft.path == DEMO.draft


def test_no_draft_model(make: Make) -> None:
    desk = make()
    desk.start()
    desk.controller.set_speculation(SpeculationOptions(drafter="draft_model"))
    assert desk.controller.speculation.explicit
    desk.controller.choose_draft("")
    desk.until_phase("idle")
    assert not desk.controller.speculation.explicit, "it would refuse every message"
    assert desk.controller.badge.parts == ("No draft model is loaded.",)
    assert desk.controller.badge.state == "unavailable"


def test_load_options(make: Make) -> None:
    desk = make()
    desk.start()
    options = LoadOptions(context=512, threads=3, gpu_layers=4, flash_attention=False)
    desk.controller.set_load_options(options)
    desk.until_phase("idle")
    load = desk.requests("load")[-1]
    assert (load["context"], load["threads"], load["gpu_layers"]) == (512, 3, 4)
    assert load["flash_attention"] == "off"
    assert (load["target"], load["draft"]) == (DEMO.target, DEMO.draft)
    assert desk.controller.load_options == options
    desk.controller.set_load_options(options)
    assert len(desk.requests("load")) == 2, "nothing is different"


def test_silly_load_options_are_refused_with_a_sentence(make: Make) -> None:
    desk = make()
    desk.start()
    before = len(desk.notes.of("options"))
    desk.controller.set_load_options(LoadOptions(context=-5, threads=0, gpu_layers="auto"))
    (notice,) = desk.notes.of("notice")
    assert notice.text == "The context length cannot be -5. It must be from 0 to 100000000."
    assert len(desk.notes.of("options")) == before + 1, "so that the panel can go back"
    assert desk.controller.load_options == LoadOptions()
    assert len(desk.requests("load")) == 1


def test_stopping_a_load(make: Make) -> None:
    desk = make("--load-s", 0.4)
    desk.start()
    desk.controller.open_model(BIG.target)
    desk.qtbot.waitUntil(lambda: len(desk.notes.of("progress")) > 25, timeout=20_000)
    desk.controller.stop()
    desk.until_phase("idle")
    assert desk.controller.is_demo
    assert desk.banner is None


def test_an_engine_that_cannot_be_started(make: Make, expect_log: ExpectedLogs) -> None:
    expect_log("could not be started")
    desk = make(command=("/nowhere/outpace-engine",))
    desk.controller.start()
    desk.until_phase("engine_down")
    assert desk.banner.sentence == "The engine could not be started because /nowhere/outpace-engine does not exist."
    assert desk.banner.actions == ("restart", "dismiss")
    assert not desk.controller.send_text("hi")
    expect_log("could not be started")
    desk.controller.run_banner_action("restart")
    assert desk.controller.phase == "loading"
    desk.until_phase("engine_down")


# --- asking ---------------------------------------------------------------------------------------------------------


def test_an_answer_arrives(make: Make) -> None:
    desk = make("--delay", 0.01)
    desk.start()
    answer = desk.ask("Grüße 😀\n\u2028?")
    assert (answer.text, answer.status, answer.reason, answer.seed) == (TEXT, "complete", "token_limit", 42)
    assert "".join(piece.text for piece in answer.pieces) == TEXT
    assert answer.stats is not None
    assert answer.drafted_tokens == answer.stats.accepted == 3
    question, started = desk.notes.of("added")
    assert (question.text, started.status) == ("Grüße 😀\n\u2028?", "streaming")
    assert desk.notes.of("changed")[-1] == answer
    assert desk.controller.conversation.messages == (question, answer)
    assert [p for p in desk.notes.of("phase") if p != "loading"] == ["idle", "prefill", "streaming", "idle"]
    assert desk.requests("generate")[0]["turns"] == [{"role": "user", "content": "Grüße 😀\n\u2028?"}]
    assert (desk.controller.badge.state, desk.controller.badge.parts) == ("active", ("50 % accepted", "2.1× estimated"))


def test_the_second_message_brings_the_first_along(make: Make) -> None:
    desk = make()
    desk.start()
    desk.ask("one")
    desk.ask("two")
    one, two = desk.requests("generate")
    assert [turn["content"] for turn in two["turns"]] == ["one", TEXT, "two"]
    assert one["chat"] == two["chat"] == desk.controller.conversation.id
    assert desk.controller.conversation.totals().generated_tokens == 10
    desk.controller.new_chat()
    desk.ask("three")
    assert desk.requests("generate")[-1]["chat"] != one["chat"]
    assert desk.notes.of("reset")[-1].messages == ()


def test_deltas_are_merged_and_the_last_one_always_comes(make: Make) -> None:
    desk = make("--deltas", 4000, "--delay", 0.0002)
    desk.start()
    started = time.monotonic()
    answer = desk.ask()
    took = time.monotonic() - started
    changes = desk.notes.of("changed")
    assert len(changes) <= took / 0.033 + 3
    assert changes[-1] == answer
    assert answer.text.endswith("3999 ")
    assert sum(count for _, count in answer.token_counts) == 4000
    assert all(two.text.startswith(one.text) for one, two in itertools.pairwise(changes))


def test_a_fast_answer_leaves_room_for_the_window(make: Make) -> None:
    # 8,000 tokens as fast as they come, far more than the 200 a second that are promised.
    desk = make("--deltas", 8000)
    desk.start()
    ticks: list[float] = []
    timer = QTimer(desk.controller, interval=1)
    timer.timeout.connect(lambda: ticks.append(time.monotonic()))
    timer.start()
    answer = desk.ask()
    timer.stop()
    assert sum(count for _, count in answer.token_counts) == 8000
    gaps = sorted(two - one for one, two in itertools.pairwise(ticks))
    assert gaps[len(gaps) // 2] < 0.2


def test_blank_text_and_impatience(make: Make) -> None:
    desk = make("--delay", 0.05)
    desk.start()
    assert not desk.controller.send_text(" \n ")
    assert desk.controller.send_text("hi")
    assert not desk.controller.send_text("again")
    desk.until_phase("idle")
    assert len(desk.controller.conversation.messages) == 2


# --- stopping -------------------------------------------------------------------------------------------------------


def test_stop_while_streaming(make: Make) -> None:
    desk = make("--deltas", 10_000, "--delay", 0.01)
    desk.start()
    assert desk.controller.send_text("hi")
    desk.until_text()
    desk.controller.stop()
    assert desk.controller.phase == "stopping", "at once"
    started = time.monotonic()
    desk.until_phase("idle")
    assert time.monotonic() - started < 2
    assert (desk.last.status, desk.last.reason, desk.last.error) == ("interrupted", "cancelled", "")
    assert desk.last.text.startswith("wort ä😀 0 ")
    assert desk.notes.of("changed")[-1] == desk.last
    assert desk.banner is None


def test_stop_in_prefill(make: Make) -> None:
    desk = make("--prefill", 60)
    desk.start()
    assert desk.controller.send_text("a long text")
    desk.qtbot.waitUntil(lambda: any(p.stage == "prefill" for p in desk.notes.of("progress")), timeout=20_000)
    assert desk.controller.phase == "prefill"
    desk.controller.stop()
    started = time.monotonic()
    desk.until_phase("idle")
    assert time.monotonic() - started < 2
    assert (desk.last.text, desk.last.status) == ("", "interrupted")
    assert desk.controller.send_text("shorter")
    (_, request) = desk.until_asked("generate", 2)
    assert request["turns"] == [{"role": "user", "content": "a long text\n\nshorter"}]


def test_an_engine_that_does_not_stop_can_be_restarted(make: Make) -> None:
    desk = make("--deaf", "--deltas", 10_000, "--delay", 0.02)
    desk.start()
    assert desk.controller.send_text("hi")
    desk.until_text()
    desk.controller.stop()
    started = time.monotonic()
    desk.qtbot.waitUntil(lambda: desk.banner is not None, timeout=20_000)
    assert 1.8 < time.monotonic() - started < 15
    assert desk.banner == STOP_IS_OVERDUE
    assert desk.controller.phase == "stopping"
    old = desk.client.pid
    text = desk.last.text
    desk.controller.run_banner_action("restart")
    assert desk.last.status == "interrupted"
    assert desk.last.text.startswith(text)
    assert desk.banner is None
    desk.until_phase("idle")
    assert not alive(old)


def test_new_chat_while_streaming(make: Make) -> None:
    desk = make("--deltas", 10_000, "--delay", 0.01)
    desk.start()
    assert desk.controller.send_text("hi")
    desk.until_text()
    desk.controller.new_chat()
    desk.notes.lines.clear()
    desk.until_phase("idle")
    desk.qtbot.wait(100)
    assert desk.notes.of("changed") == [], "nothing of the old answer comes late"
    assert desk.controller.conversation.messages == ()


# --- failing --------------------------------------------------------------------------------------------------------


def test_the_engine_is_killed_in_the_middle_of_an_answer(make: Make, expect_log: ExpectedLogs) -> None:
    expect_log("The engine crashed")
    desk = make("--deltas", 40, "--delay", 0.05)
    desk.start()
    desk.controller.set_speculation(SpeculationOptions(drafter="mixed", lookahead=4))
    assert desk.controller.send_text("why?")
    desk.until_text()
    desk.kill_engine()
    partial = desk.last
    assert partial.status == "interrupted"
    assert partial.text.startswith("wort ä😀 0 ")
    assert desk.notes.of("changed")[-1] == partial
    assert desk.banner.sentence.startswith("The engine crashed (SIGKILL")
    assert desk.banner.sentence in partial.error
    assert desk.banner.actions == ("restart", "retry", "retry_plain", "dismiss")
    assert desk.controller.loaded is None
    assert not desk.controller.send_text("are you there?")

    desk.controller.run_banner_action("retry_plain")
    assert desk.banner is None
    desk.qtbot.waitUntil(lambda: desk.last.status == "complete", timeout=30_000)
    assert len(desk.controller.conversation.messages) == 2
    assert desk.requests("load")[-1]["target"] == DEMO.target
    assert [r["speculation"]["drafter"] for r in desk.requests("generate")] == ["mixed", "off"]
    assert desk.requests("generate")[-1]["turns"] == [{"role": "user", "content": "why?"}]
    assert desk.ask("next").status == "complete"
    assert desk.requests("generate")[-1]["speculation"]["drafter"] == "mixed", "plain was for once"


def test_restart_keeps_the_partial_text(make: Make, expect_log: ExpectedLogs) -> None:
    expect_log("The engine exited with code 7")
    desk = make("--exit-after", 3)
    desk.start()
    partial = desk.ask()
    assert desk.controller.phase == "engine_down"
    assert partial.text == "wort ä😀 0 wort ä😀 1 wort ä😀 2 "
    assert desk.banner.sentence == "The engine exited with code 7."
    desk.controller.run_banner_action("restart")
    desk.until_phase("idle")
    assert desk.last == partial
    assert len(desk.requests("generate")) == 1, "a message is never sent again by itself"


def test_killed_again_and_again(make: Make, expect_log: ExpectedLogs) -> None:
    expect_log("The engine crashed")
    desk = make("--crash-after", 1)
    desk.start()
    desk.ask()
    for _ in range(2):
        desk.notes.lines.clear()
        desk.controller.run_banner_action("retry")
        desk.qtbot.waitUntil(lambda: "engine_down" in desk.notes.of("phase"), timeout=20_000)
        assert desk.last.text == "wort ä😀 0 "
        assert len(desk.controller.conversation.messages) == 2


def test_killed_while_idle(make: Make, expect_log: ExpectedLogs) -> None:
    expect_log("The engine crashed")
    desk = make()
    desk.start()
    answer = desk.ask()
    desk.kill_engine()
    assert desk.last == answer
    assert desk.banner.actions == ("restart", "dismiss")
    desk.controller.open_model(BIG.target)
    desk.until_phase("idle")
    assert desk.banner is None
    assert desk.controller.loaded is not None
    assert desk.controller.loaded.target.path == BIG.target


def test_a_model_that_kills_the_engine(make: Make, expect_log: ExpectedLogs) -> None:
    expect_log("The engine crashed")
    desk = make("--load-crashes", "big")
    desk.start()
    desk.controller.open_model(BIG.target)
    desk.until_phase("engine_down")
    assert desk.banner.hint.startswith("It was loading big.gguf.")
    desk.controller.run_banner_action("restart")
    desk.until_phase("idle")
    assert desk.controller.is_demo
    assert desk.controller.settings.last is None


def test_a_request_that_fails_on_the_way(make: Make) -> None:
    desk = make("--fail-after", 2)
    desk.start()
    answer = desk.ask()
    assert (answer.text, answer.status) == ("wort ä😀 0 wort ä😀 1 ", "interrupted")
    assert answer.error == "The model could not be evaluated."
    assert (desk.banner.hint, desk.banner.detail) == ("Try a shorter context.", "ret = -3")
    assert desk.banner.actions == ("retry", "retry_plain", "dismiss")
    desk.controller.run_banner_action("dismiss")
    assert desk.banner is None
    desk.controller.retry(plain=True)
    desk.until_phase("idle")
    assert (desk.last.text, desk.last.status) == (TEXT, "complete")
    assert desk.notes.of("reset")[-1].messages == desk.controller.conversation.messages[:1]


def test_a_chosen_drafter_that_is_refused(make: Make) -> None:
    desk = make("--fail-after", 0, "--fail-code", "drafter_unavailable")
    desk.start()
    answer = desk.ask()
    assert (answer.text, answer.status) == ("", "failed")
    assert desk.controller.badge.state == "unavailable"
    assert desk.notes.of("badge")[-1] == desk.controller.badge


def test_garbage_on_the_wire(make: Make, expect_log: ExpectedLogs) -> None:
    expect_log("sent no message")
    desk = make("--garbage", 2, "--noise", 5)
    desk.start()
    assert desk.ask().text == TEXT


def test_a_cut_line(make: Make, expect_log: ExpectedLogs) -> None:
    expect_log("a line without its end")
    expect_log("exited with code 3")
    desk = make("--cut-after", 1)
    desk.start()
    assert desk.ask().text == "wort ä😀 0 "
    assert desk.banner.sentence == "The engine exited with code 3."


# --- options --------------------------------------------------------------------------------------------------------


def test_options_reach_the_engine_with_the_next_message(make: Make) -> None:
    desk = make()
    desk.start()
    desk.controller.set_sampling(SamplingOptions(temperature=0.0, seed=9))
    desk.controller.set_speculation(SpeculationOptions(drafter="ngram", lookahead=7, min_confidence=0.25))
    assert desk.ask().seed == 9
    request = desk.requests("generate")[-1]
    assert (request["sampling"]["temperature"], request["sampling"]["seed"]) == (0.0, 9)
    assert request["speculation"] == {"drafter": "ngram", "lookahead": 7, "min_confidence": 0.25, "explicit": True}
    assert len(desk.requests("load")) == 1, "nothing is loaded again"


def test_the_usual_drafter_is_not_an_explicit_choice(make: Make) -> None:
    desk = make()
    desk.start()
    desk.controller.set_speculation(replace(desk.controller.speculation, lookahead=3))
    desk.ask()
    assert desk.requests("generate")[-1]["speculation"] == {
        "drafter": "mixed",
        "lookahead": 3,
        "min_confidence": 0.0,
        "explicit": False,
    }


def test_switching_off_and_on_keeps_the_drafter(make: Make) -> None:
    desk = make()
    desk.start()
    desk.controller.set_speculation(SpeculationOptions(drafter="ngram", lookahead=5))
    desk.controller.set_speculation(replace(desk.controller.speculation, drafter="off"))
    assert desk.controller.speculation.drafter == "off"
    assert desk.controller.badge.headline == "Speculation off"
    assert desk.controller.settings.speculation.drafter == "ngram"
    desk.ask()
    assert desk.requests("generate")[-1]["speculation"]["drafter"] == "off"
    desk.controller.switch_speculation(True)
    assert (desk.controller.speculation.drafter, desk.controller.speculation.lookahead) == ("ngram", 5)


def test_a_choice_is_for_the_models_it_was_made_with(make: Make) -> None:
    desk = make()
    desk.start()
    desk.controller.set_speculation(SpeculationOptions(drafter="draft_model"))
    assert desk.controller.speculation.explicit
    desk.controller.open_model(BIG.target)
    desk.until_phase("idle")
    assert not desk.controller.speculation.explicit
    desk.ask()
    assert desk.requests("generate")[-1]["speculation"]["explicit"] is False


def test_opening_the_same_model_again_ends_an_explicit_choice(make: Make) -> None:
    desk = make()
    desk.start()
    desk.controller.set_speculation(SpeculationOptions(drafter="ngram"))
    desk.controller.open_demo()
    desk.until_phase("idle")
    desk.ask()
    assert desk.requests("generate")[-1]["speculation"]["explicit"] is False


def test_options_survive_a_restart_of_the_program(make: Make) -> None:
    desk = make()
    desk.controller.set_sampling(SamplingOptions(temperature=1.5))
    desk.controller.set_speculation(SpeculationOptions(drafter="ngram", lookahead=2, min_confidence=0.5))
    desk.controller.switch_speculation(False)
    desk.controller.set_theme("dark")
    desk.controller.set_theme("purple")
    desk.controller.shut_down()
    settings, problems = SettingsFile(desk.settings_file, Settings).load()
    assert problems == ()
    assert settings.theme == "dark"
    assert settings.sampling == SamplingOptions(temperature=1.5)
    assert settings.speculation == SpeculationOptions(drafter="ngram", lookahead=2, min_confidence=0.5)
    assert settings.speculation_on is False


@pytest.mark.parametrize(
    ("options", "text"),
    [
        (SamplingOptions(temperature=float("nan")), "The temperature cannot be nan."),
        (SamplingOptions(top_p=0.0), "The top p cannot be 0.0."),
        (SpeculationOptions(drafter="mixed", lookahead=33), "The lookahead cannot be 33."),
    ],
)
def test_silly_options_are_refused_with_a_sentence(
    make: Make, options: SamplingOptions | SpeculationOptions, text: str
) -> None:
    desk = make()
    before = desk.controller.settings
    if isinstance(options, SamplingOptions):
        desk.controller.set_sampling(options)
    else:
        desk.controller.set_speculation(options)
    (notice,) = desk.notes.of("notice")
    assert notice.text.startswith(text)
    assert desk.controller.settings == before
    assert desk.notes.of("options"), "so that the panel can go back"


def test_settings_that_say_off_twice(make: Make) -> None:
    desk = make(settings=Settings(speculation=SpeculationOptions(drafter="off")))
    assert desk.controller.speculation.drafter == "off"
    desk.controller.switch_speculation(True)
    assert desk.controller.speculation.drafter == "mixed"


def test_shut_down_in_the_middle_of_everything(make: Make) -> None:
    desk = make("--deltas", 10_000, "--delay", 0.01)
    desk.start()
    assert desk.controller.send_text("hi")
    desk.until_text()
    pid = desk.client.pid
    desk.controller.set_theme("dark")
    desk.controller.shut_down()
    assert not alive(pid)
    desk.controller.shut_down()
    assert SettingsFile(desk.settings_file, Settings).load()[0].theme == "dark"


def test_shut_down_of_an_engine_that_ends_only_when_killed(make: Make) -> None:
    desk = make("--stubborn")
    desk.start()
    pid = desk.client.pid
    desk.controller.shut_down()
    assert not alive(pid)
