"""`--fit` and the options of a plan, with pretended budgets."""

from pathlib import Path

import pytest

from app.cli.fitting import fitted
from app.core.errors import EnvironmentFault
from app.core.gguf import describe, read_header
from app.protocol.messages import Load
from tests.helpers.budgets import RUNGS, plan_with
from tests.helpers.engine_process import cli


@pytest.mark.parametrize("rung", RUNGS)
def test_each_rung(
    rung: str, demo_target: Path, demo_draft: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    plan = plan_with(rung, *(describe(read_header(path)) for path in (demo_target, demo_draft)), 16_384)
    monkeypatch.setattr("app.core.machine.memory_available", lambda: plan.budget.ram)
    asked = Load(id="load", target=str(demo_target), draft=str(demo_draft), draft_required=True, context=16_384)
    request = fitted(asked, plan.budget.vram)
    taken, placement = {step.code for step in plan.steps}, plan.placement
    assert rung in taken
    assert (request.draft == "") == ("draft_off" in taken)
    assert request.draft_required == bool(request.draft)
    assert request.cache_type == placement.kv_type
    assert request.draft_context == (placement.draft_context if "draft_context" in taken else 0)
    assert request.draft_gpu_layers == (0 if "draft_on_cpu" in taken else "auto")
    assert request.gpu_layers == (placement.gpu_layers if "fewer_layers" in taken else "auto")
    assert capsys.readouterr().err.splitlines() == [step.sentence for step in plan.steps]


def test_smaller_caches_bring_flash_attention_back(
    demo_target: Path, demo_draft: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    files = str(demo_target), str(demo_draft)
    plan = plan_with("quantised_cache", *(describe(read_header(Path(path))) for path in files), 16_384)
    monkeypatch.setattr("app.core.machine.memory_available", lambda: plan.budget.ram)
    asked = Load(id="load", target=files[0], draft=files[1], context=16_384, flash_attention="off")
    request = fitted(asked, plan.budget.vram)
    assert (request.cache_type, request.flash_attention) == ("Q8_0", "auto")
    assert capsys.readouterr().err.splitlines()[-1] == "Flash attention stays on: smaller caches need it."
    monkeypatch.setattr("app.core.machine.memory_available", lambda: None)
    assert fitted(asked, 0).flash_attention == "off"


def test_enough_memory_changes_nothing_and_too_little_is_refused(
    demo_target: Path, demo_draft: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = Load(id="load", target=str(demo_target), draft=str(demo_draft), draft_required=True)
    monkeypatch.setattr("app.core.machine.memory_available", lambda: None)
    assert fitted(asked, 0) == asked
    monkeypatch.setattr("app.core.machine.memory_available", lambda: 1_000_000)
    with pytest.raises(EnvironmentFault, match="1 MB of memory are free"):
        fitted(asked, 0)


def test_the_options_of_a_plan_are_those_of_generate(demo_target: Path, demo_draft: Path) -> None:
    plan = plan_with("quantised_cache", *(describe(read_header(path)) for path in (demo_target, demo_draft)), 16_384)
    pair = (demo_target.stem, "--draft", demo_draft.stem)
    said = cli("models", "plan", *pair, "--ctx", 16_384, "--ram", plan.budget.ram / 1e9, "--vram", 0)
    assert said.code == 0
    options = said.out.splitlines()[-1].removeprefix("It fits like this: ").split()
    assert options == ["--ctx", "16384", "--cache-type", "Q8_0", "--draft-ctx", str(plan.placement.draft_context)]
    run = cli(
        "generate", "--model", demo_target, "--draft", demo_draft, *options, "--prompt", "Hello", "--temperature", 0
    )
    assert (run.code, run.out.strip()) == (0, "Hello! How can I help you today?")
