"""The memory plan knows what heads take, and states that are kept for going back."""

from pathlib import Path

import pytest

from app.core.gguf import checkpoint_bytes, describe, heads_beside, kv_bytes, read_header
from app.engine.backends.llamacpp import Context, Weights
from app.engine.backends.llamacpp.rollback import MOST_MARKS
from app.engine.cancel import CancelFlag
from app.hub.estimates import BATCH, ROWS, head_work_bytes, hidden_bytes, need, output_bytes, side_need, work_bytes
from tests.helpers import gguf_kit, llama_facts
from tests.helpers.head_kit import only_heads, without_heads
from tests.helpers.hybrid_kit import KEEPING_STATE

LOG_STEP = 0.006 * 2**20
"""llama.cpp tells sizes in MiB with two decimals."""


@pytest.mark.parametrize("context", [479, 4063])
@pytest.mark.parametrize("which", ["demo", "qwen35", "hy_v3"])
def test_heads_are_within_an_eighth_of_what_is_allocated(
    tiny: dict[str, Path], demo_target: Path, which: str, context: int
) -> None:
    path = demo_target if which == "demo" else tiny[which]
    facts = describe(read_header(path))
    real = llama_facts.memory(path, context + ROWS, "F16", "F16", batch=BATCH, rows=ROWS, heads=facts.nextn)
    mine = need(facts, context, with_heads=True)
    without = need(facts, context)
    assert mine.weights.ram == pytest.approx(real["weights"], rel=0.01, abs=LOG_STEP)
    assert mine.cache.ram - checkpoint_bytes(facts) == pytest.approx(real["cache"], rel=0.01, abs=4 * LOG_STEP)
    work = work_bytes(facts, context + ROWS) + head_work_bytes(facts, context + ROWS)
    assert mine.buffers.ram == work + output_bytes(facts) + hidden_bytes(facts, context)
    total = real["weights"] + real["cache"] + real["compute"]
    assert mine.weights.ram + mine.cache.ram - checkpoint_bytes(facts) + work == pytest.approx(total, rel=0.125)
    assert mine.total.ram > without.total.ram


@pytest.mark.parametrize("which", ["demo", "qwen35", "hy_v3"])
def test_so_are_those_in_a_file_of_their_own(
    tiny: dict[str, Path], demo_target: Path, tmp_path: Path, which: str
) -> None:
    whole = demo_target if which == "demo" else tiny[which]
    target = without_heads(gguf_kit.load(whole)).write(tmp_path / "target.gguf")
    heads = only_heads(gguf_kit.load(whole)).write(tmp_path / "mtp-target.gguf")
    facts, side = describe(read_header(target)), describe(read_header(heads))
    common = {"batch": BATCH, "rows": ROWS}
    alone = llama_facts.memory(target, 4096, "F16", "F16", **common)
    real = llama_facts.memory(target, 4096, "F16", "F16", **common, heads=side.nextn, side=heads)
    extra = sum(real[kind] - alone[kind] for kind in ("weights", "cache", "compute"))
    mine = side_need(facts, side, 4096 - ROWS).ram - hidden_bytes(facts, 4096 - ROWS)
    assert mine == pytest.approx(extra, rel=0.15)
    assert heads_beside(facts) == side


@pytest.mark.parametrize("name", sorted(KEEPING_STATE))
def test_states_are_those_the_library_keeps(tiny: dict[str, Path], name: str) -> None:
    facts = describe(read_header(tiny[name]))
    assert facts.state_bytes > 0
    real = llama_facts.memory(tiny[name], 1024, "F16", "F16", batch=BATCH, rows=ROWS)
    assert kv_bytes(facts, 1024) == pytest.approx(real["cache"], rel=0.01, abs=2 * LOG_STEP)


@pytest.mark.parametrize("name", sorted(KEEPING_STATE))
def test_checkpoints_are_those_the_engine_keeps(tiny: dict[str, Path], name: str) -> None:
    weights = Weights(tiny[name], 0, lambda _share: None, CancelFlag())
    context = Context(weights, 1024, 1)
    for _ in range(MOST_MARKS + 1):
        context.decode([5, 6, 7])
        context.mark()
    context.decode([8] * ROWS, every_row=True)
    facts = describe(read_header(tiny[name]))
    assert context._rollback is not None
    assert context._rollback.checkpoint_bytes == pytest.approx(checkpoint_bytes(facts), rel=0.05)
    context.close()
    weights.close()
