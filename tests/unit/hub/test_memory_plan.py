"""The estimates against what llama.cpp really allocates, and every rung of the ladder with a pretended budget."""

import dataclasses
from pathlib import Path

import pytest

from app.core.gguf import GgufFacts, describe, kv_bytes, read_header
from app.hub.estimates import BATCH, ROWS, Amount, need, output_bytes, work_bytes
from app.hub.memory_plan import PROGRAM, Budget, Plan, make_plan
from tests.helpers import llama_facts

GB = 10**9
LOG_STEP = 0.006 * 2**20
"""llama.cpp tells sizes in MiB with two decimals."""


# --- against llama.cpp ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("context", "kv_type"), [(479, "F16"), (4063, "F16"), (32_000, "F16"), (4063, "Q8_0"), (8000, "Q4_0")]
)
@pytest.mark.parametrize("which", ["demo_target", "demo_draft", "gemma"])
def test_the_estimate_is_within_ten_percent_of_what_is_allocated(
    request: pytest.FixtureRequest, which: str, context: int, kv_type: str
) -> None:
    path: Path = request.getfixturevalue(which)
    facts = describe(read_header(path))
    real = llama_facts.memory(path, context + ROWS, kv_type, kv_type, batch=BATCH, rows=ROWS)
    mine = need(facts, context, kv_type=kv_type)
    assert mine.weights.ram == pytest.approx(real["weights"], rel=0.01, abs=LOG_STEP)
    assert mine.cache.ram == pytest.approx(real["cache"], rel=0.01, abs=LOG_STEP)
    work = work_bytes(facts, context + ROWS)
    total = real["weights"] + real["cache"] + real["compute"]
    assert mine.weights.ram + mine.cache.ram + work == pytest.approx(total, rel=0.10)
    assert mine.total.ram == mine.weights.ram + mine.cache.ram + work + output_bytes(facts)


def test_layers_on_the_accelerator_move_their_share(demo_target: Path) -> None:
    # The demo target has an output matrix of its own, which moves instead of being copied.
    facts = dataclasses.replace(describe(read_header(demo_target)), output_bytes=1_000_000)
    trunk = facts.layer_bytes[: facts.layers]
    cpu = need(facts, 1000)
    assert cpu.total.vram == 0
    layers = sum(trunk)
    rest = facts.weight_bytes - sum(facts.layer_bytes)
    whole = need(facts, 1000, gpu_layers=7)
    assert whole.weights == Amount(rest - 1_000_000, layers + 1_000_000)
    assert whole.cache == Amount(0, cpu.cache.ram)
    half = need(facts, 1000, gpu_layers=4)
    assert half.weights.vram == sum(trunk[3:]) + 1_000_000
    assert half.cache == Amount(cpu.cache.ram // 2, cpu.cache.ram // 2)
    output_only = need(facts, 1000, gpu_layers=1)
    assert output_only.weights.vram == 1_000_000
    assert output_only.cache.vram == 0


def test_a_tied_output_matrix_is_copied_to_the_accelerator(gemma: Path) -> None:
    facts = describe(read_header(gemma))
    assert facts.output_bytes == 0
    moved = need(facts, 1000, gpu_layers=19)
    assert moved.weights.vram == sum(facts.layer_bytes) + facts.input_bytes
    assert moved.weights.ram == facts.weight_bytes - sum(facts.layer_bytes)


# --- the ladder -----------------------------------------------------------------------------------------------------


def imagined(base: GgufFacts, name: str, *, layers: int, width: int, wide: int, layer: int, ends: int) -> GgufFacts:
    return dataclasses.replace(
        base,
        name=name,
        layers=layers,
        embedding_length=width,
        feed_forward_length=wide,
        kv_heads=(8,) * layers,
        key_length=128,
        value_length=128,
        swa_blocks=(False,) * layers,
        layer_bytes=(layer,) * layers,
        input_bytes=ends,
        output_bytes=ends,
        weight_bytes=layer * layers + 2 * ends,
        vocabulary_size=151_936,
    )


@pytest.fixture
def big(demo_target: Path) -> GgufFacts:
    """About the size of an 8 B model in Q4_K_M."""
    base = describe(read_header(demo_target))
    return imagined(base, "Big 8B", layers=36, width=4096, wide=12_288, layer=115_000_000, ends=430_000_000)


@pytest.fixture
def small(demo_target: Path) -> GgufFacts:
    """About the size of a 0.6 B model in Q8_0."""
    base = describe(read_header(demo_target))
    return imagined(base, "Small 0.6B", layers=28, width=1024, wide=3072, layer=16_000_000, ends=165_000_000)


def codes(plan: Plan) -> list[str]:
    for step in plan.steps:
        assert step.sentence.endswith(".")
    return [step.code for step in plan.steps]


def budget(ram: float, vram: float = 0.0) -> Budget:
    return Budget(int(ram * GB), int(vram * GB))


def test_enough_of_everything(big: GgufFacts, small: GgufFacts) -> None:
    plan = make_plan(big, small, 32_768, budget(24))
    assert (codes(plan), plan.problem) == ([], None)
    assert [segment.kind for segment in plan.segments] == [
        "program",
        "target",
        "target_cache",
        "heads",
        "draft",
        "draft_cache",
        "buffers",
    ]
    assert plan.total.ram == sum(segment.amount.ram for segment in plan.segments) <= 24 * GB
    assert plan.segments[0].amount == Amount(PROGRAM, 0)
    on_gpu = make_plan(big, small, 32_768, budget(16, 24))
    assert on_gpu.placement.gpu_layers == 37
    assert on_gpu.placement.draft_on_gpu
    assert on_gpu.total.vram <= 24 * GB


def test_first_the_draft_context_shrinks(big: GgufFacts, small: GgufFacts) -> None:
    plan = make_plan(big, small, 32_768, budget(12))
    assert codes(plan) == ["draft_context"]
    assert 2048 <= plan.placement.draft_context < 32_768
    assert f"{plan.placement.draft_context:,} tokens" in plan.steps[0].sentence
    assert plan.placement.kv_type == "F16"


def test_then_the_draft_goes_to_the_cpu(big: GgufFacts, small: GgufFacts) -> None:
    plan = make_plan(big, small, 4096, budget(16, 6.3))
    assert codes(plan) == ["draft_on_cpu"]
    assert not plan.placement.draft_on_gpu
    assert plan.placement.draft_context == 4096
    assert plan.placement.gpu_layers == 37


def test_then_the_cache_is_quantised(big: GgufFacts, small: GgufFacts) -> None:
    plan = make_plan(big, None, 32_768, budget(9))
    assert codes(plan) == ["quantised_cache"]
    assert plan.placement.kv_type == "Q8_0"
    with_draft = make_plan(big, small, 32_768, budget(16, 8.3))
    assert "quantised_cache" in codes(with_draft)
    assert "fewer_layers" not in codes(with_draft)


def test_then_layers_leave_the_accelerator(big: GgufFacts, small: GgufFacts) -> None:
    plan = make_plan(big, small, 32_768, budget(16, 5))
    assert codes(plan)[-1] == "fewer_layers"
    assert 0 < plan.placement.gpu_layers < 37
    assert f"{plan.placement.gpu_layers} of 37 layers" in plan.steps[-1].sentence
    layer = big.layer_bytes[0] + kv_bytes(big, 32_768, "Q8_0") // 36
    assert plan.total.vram + layer > 5 * GB


def test_an_accelerator_that_holds_nothing_is_not_used(big: GgufFacts) -> None:
    plan = make_plan(big, None, 4096, budget(16, 0.35))
    assert plan.placement.gpu_layers == 0
    assert plan.problem is None
    assert plan.total.vram == 0
    assert "runs on the CPU" in plan.steps[-1].sentence


def test_then_the_draft_is_left_out(big: GgufFacts, small: GgufFacts) -> None:
    plan = make_plan(big, small, 32_768, budget(8.6))
    assert codes(plan)[0] == "draft_off"
    assert not plan.placement.with_draft
    assert "without its draft model" in plan.steps[0].sentence
    assert [segment.kind for segment in plan.segments] == ["program", "target", "target_cache", "heads", "buffers"]
    assert plan.problem is None


def heads_file(target: GgufFacts) -> GgufFacts:
    """About the size of a file of heads for it."""
    base = dataclasses.replace(target, nextn=1, nextn_declared=1)
    blocks = (*(0,) * target.layers, 150_000_000)
    kv_heads, windows = (8,) * (target.layers + 1), (False,) * (target.layers + 1)
    weights = blocks[-1] + 2 * 430_000_000
    return dataclasses.replace(
        base, layer_bytes=blocks, kv_heads=kv_heads, swa_blocks=windows, weight_bytes=weights, name="Heads"
    )


@pytest.fixture
def headless(big: GgufFacts) -> GgufFacts:
    return dataclasses.replace(big, nextn=0, nextn_declared=0)


def test_heads_in_a_file_of_their_own_are_counted(headless: GgufFacts) -> None:
    without = make_plan(headless, None, 4096, budget(24))
    assert "heads" not in [segment.kind for segment in without.segments]
    side = heads_file(headless)
    plan = make_plan(headless, None, 4096, budget(24), side=side)
    (heads,) = (segment.amount for segment in plan.segments if segment.kind == "heads")
    assert side.weight_bytes < heads.ram < side.weight_bytes + GB
    assert plan.total.ram == without.total.ram + heads.ram
    assert make_plan(headless, None, 4096, budget(24), side=side, with_heads=False) == without
    on_gpu = make_plan(headless, None, 4096, budget(24, 24), side=side)
    (heads,) = (segment.amount for segment in on_gpu.segments if segment.kind == "heads")
    assert heads.vram > 150_000_000 + 430_000_000
    assert 430_000_000 <= heads.ram < 700_000_000


def test_heads_in_a_file_of_their_own_are_left_out_where_there_is_no_room(
    headless: GgufFacts, small: GgufFacts
) -> None:
    side = heads_file(headless)
    room = Budget(make_plan(headless, None, 4096, budget(24)).total.ram + 10_000_000)
    plan = make_plan(headless, None, 4096, room, side=side)
    assert (codes(plan), plan.problem) == (["heads_off"], None)
    assert "heads" not in [segment.kind for segment in plan.segments]
    both = make_plan(headless, small, 4096, room, side=side)
    assert codes(both)[:2] == ["heads_off", "draft_off"]
    assert make_plan(headless, None, 4096, budget(2), side=side).problem is not None


def test_heads_that_are_not_asked_for_take_nothing(big: GgufFacts) -> None:
    plan = make_plan(big, None, 4096, budget(24), with_heads=False)
    assert "heads" not in [segment.kind for segment in plan.segments]


def test_at_last_it_is_refused_with_numbers_and_a_way_out(big: GgufFacts, small: GgufFacts) -> None:
    plan = make_plan(big, small, 32_768, budget(6.2))
    assert plan.problem is not None
    assert plan.problem.code == "does_not_fit"
    assert '"Big 8B" needs' in plan.problem.sentence
    assert "6.2 GB of memory are free" in plan.problem.sentence
    assert "would fit" in plan.problem.hint
    assert plan.steps == ()
    hopeless = make_plan(big, small, 32_768, budget(1, 1)).problem
    assert hopeless is not None
    assert "on the accelerator" in hopeless.sentence
    assert "smaller model" in hopeless.hint


def test_what_a_later_step_made_unnecessary_is_undone(big: GgufFacts, small: GgufFacts) -> None:
    plan = make_plan(big, small, 32_768, budget(16, 9.5))
    assert plan.placement.kv_type == "Q8_0"
    assert plan.placement.draft_on_gpu
    assert "draft_on_cpu" not in codes(plan)


@pytest.mark.parametrize("vram", [0, 1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 16])
@pytest.mark.parametrize("ram", [1, 2, 4, 6, 8, 10, 16])
def test_a_plan_without_a_problem_always_fits(big: GgufFacts, small: GgufFacts, ram: int, vram: int) -> None:
    plan = make_plan(big, small, 16_384, budget(ram, vram))
    fits = plan.total.ram <= ram * GB and plan.total.vram <= vram * GB
    assert fits == (plan.problem is None)
    more = make_plan(big, small, 16_384, budget(ram + 1, vram))
    assert not (plan.problem is None and more.problem is not None)


@pytest.mark.parametrize("vram", [0, 2, 5, 6.3, 7, 9.5])
@pytest.mark.parametrize("ram", [3, 6.2, 8.6, 12])
def test_a_target_that_stays_is_never_touched(big: GgufFacts, small: GgufFacts, ram: float, vram: float) -> None:
    layers = 37 if vram else 0
    plan = make_plan(big, small, 32_768, budget(ram, vram), gpu_layers=layers, kv_type="Q8_0", target_stays=True)
    assert plan.problem is None
    assert set(codes(plan)) <= {"draft_context", "draft_on_cpu", "draft_off"}
    assert (plan.placement.kv_type, plan.placement.gpu_layers, plan.placement.context) == ("Q8_0", layers, 32_768)
    fits = plan.total.ram <= ram * GB and plan.total.vram <= vram * GB
    assert fits or not plan.placement.with_draft


def test_a_cache_that_cannot_be_quantised_is_not(big: GgufFacts) -> None:
    odd = dataclasses.replace(big, key_length=120)
    plan = make_plan(odd, None, 32_768, budget(9))
    assert "quantised_cache" not in codes(plan)
    assert plan.problem is not None


def test_the_demo_pair_fits_anywhere(demo_target: Path, demo_draft: Path) -> None:
    facts = [describe(read_header(path)) for path in (demo_target, demo_draft)]
    assert make_plan(facts[0], facts[1], 2048, budget(0.3)).steps == ()


def test_the_engine_really_uses_these_batches() -> None:
    from app.engine.backends.llamacpp import BATCH as ENGINE_BATCH
    from app.engine.backends.llamacpp import ROWS as ENGINE_ROWS

    assert (BATCH, ROWS) == (ENGINE_BATCH, ENGINE_ROWS)
