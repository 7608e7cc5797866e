"""Flash attention on and off: other roundings, more memory, and the same law that drafting changes nothing."""

from pathlib import Path

import numpy as np
import pytest

from app.core.errors import EnvironmentFault
from app.core.gguf import describe, read_header
from app.engine.backends import loading
from app.engine.backends.llamacpp import Context, Weights
from app.engine.cancel import CancelFlag
from app.protocol.options import FLASH_ATTENTION, FlashAttention
from tests.helpers.engine import LocalEngine
from tests.helpers.engine_process import cli

TEXT = [5 + n % 900 for n in range(100)]


def test_it_is_used_unless_it_is_off(demo_target: Path) -> None:
    weights = Weights(demo_target, 0, lambda _: None, CancelFlag())
    contexts = {how: Context(weights, 256, 1, "F16", how) for how in FLASH_ATTENTION}
    rows = {}
    for how, context in contexts.items():
        context.decode(TEXT)
        rows[how] = context.logits(-1).copy()
        context.close()
    weights.close()
    assert (rows["auto"] == rows["on"]).all()
    # Other sums, but of the same numbers.
    assert (rows["off"] != rows["on"]).any()
    assert np.abs(rows["off"] - rows["on"]).max() < 0.1


@pytest.mark.parametrize("drafter", ["draft_model", "heads", "mixed"])
def test_drafting_changes_nothing_without_it(demo_target: Path, demo_draft: Path, drafter: str) -> None:
    with LocalEngine(demo_target, demo_draft) as engine:
        usual = engine.loaded
        without = engine.load(demo_target, demo_draft, context=1024, threads=1, flash_attention="off")
        assert without.target_loaded_at > usual.target_loaded_at
        plain = engine.ask("hello", "off", max_tokens=60, fixed_shape=8)
        drafted = engine.ask("hello", drafter, max_tokens=60, fixed_shape=8)
        assert drafted.tokens == plain.tokens
        assert drafted.drafted > 0
        again = engine.load(demo_target, demo_draft, context=1024, threads=1, flash_attention="off")
        assert again.target_loaded_at == without.target_loaded_at


@pytest.mark.parametrize("how", FLASH_ATTENTION)
def test_what_it_saves_is_counted(demo_target: Path, how: FlashAttention) -> None:
    facts = describe(read_header(demo_target))
    more = loading.need_bytes(facts, 8192, "F16", how) - loading.need_bytes(facts, 8192)
    # For every token of a batch and every one of the context a number in single precision, from every head.
    assert more == (512 * 8192 * facts.heads * 4 if how == "off" else 0)


def test_where_it_would_fit_with_it_that_is_the_advice(demo_target: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    facts = describe(read_header(demo_target))
    room = loading.need_bytes(facts, 8192)
    monkeypatch.setattr("app.core.machine.memory_available", lambda: room)
    loading.check_memory(facts, 8192, 0, 0)
    with pytest.raises(EnvironmentFault, match=r"Switch flash attention on, or choose a shorter context\."):
        loading.check_memory(facts, 8192, 0, 0, "F16", "off")
    monkeypatch.setattr("app.core.machine.memory_available", lambda: room - 1)
    with pytest.raises(EnvironmentFault, match=r"Close other programs"):
        loading.check_memory(facts, 8192, 0, 0, "F16", "off")


def test_the_command_line_knows_it(demo_target: Path) -> None:
    asked = ("generate", "--model", demo_target, "--prompt", "Hello", "--temperature", 0)
    off = cli(*asked, "--flash-attention", "off")
    assert (off.code, off.out.strip()) == (0, "Hello! How can I help you today?")
    refused = cli(*asked, "--flash-attention", "off", "--cache-type", "Q8_0")
    assert refused.code != 0
    assert "needs flash attention" in refused.err
