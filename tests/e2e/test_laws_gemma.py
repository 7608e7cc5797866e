"""Laws 4 and 5 on gemma-3-270m, a real model with a vocabulary of 262,144 and sliding windows.

A pass takes a hundred times longer than on the demo pair, so that every prompt sees one combination only, each
combination many prompts, and every pair of them the same cells: a Latin square.
"""

from collections.abc import Iterator
from pathlib import Path

import pytest

from app.protocol.options import SamplingOptions
from tests.helpers.engine import NEAR_TIE, LocalEngine, Probe
from tests.helpers.prompts import PROMPTS

SHAPE = 8
TOKENS = 12
CELLS = [(temperature, lookahead) for temperature in (0.0, 0.8) for lookahead in (1, 3, 7)]


@pytest.fixture(scope="module")
def engine(gemma: Path) -> Iterator[LocalEngine]:
    """gemma, with itself as the draft model."""
    with LocalEngine(gemma, gemma, context=640, threads=0) as loaded:
        yield loaded


@pytest.mark.slow
@pytest.mark.parametrize("cell", range(len(CELLS)))
def test_fixed_shape_runs_are_identical(engine: LocalEngine, cell: int) -> None:
    temperature, lookahead = CELLS[cell]
    proposed = 0
    for number, (name, text) in enumerate(PROMPTS.items()):
        if number % len(CELLS) != cell:
            continue
        sampling = SamplingOptions(temperature=temperature, seed=1 + number // len(CELLS) % 3)
        common = {"sampling": sampling, "max_tokens": TOKENS, "fixed_shape": SHAPE}
        plain = engine.ask(text, **common)
        answer = engine.ask(text, "ngram", lookahead, **common)
        assert answer.tokens == plain.tokens, name
        assert answer.text == plain.text, name
        proposed += answer.stats.verified
    assert proposed > 0


@pytest.mark.slow
@pytest.mark.parametrize("temperature", [0.0, 0.8])
def test_gemma_as_its_own_draft(engine: LocalEngine, gemma: Path, temperature: float) -> None:
    verified = accepted = 0
    rejections = []
    for name in ("weekdays", "class", "story", "emoji"):
        sampling = SamplingOptions(temperature=temperature, seed=7)
        common = {"sampling": sampling, "max_tokens": 17, "fixed_shape": SHAPE}
        plain = engine.ask(PROMPTS[name], **common)
        answer = engine.ask(PROMPTS[name], "draft_model", 7, **common)
        mixed = engine.ask(PROMPTS[name], "mixed", 3, **common)
        assert answer.tokens == mixed.tokens == plain.tokens, name
        assert answer.text == mixed.text == plain.text, name
        verified += answer.stats.verified
        accepted += answer.stats.accepted
        rejections += [(PROMPTS[name], answer, at) for at, of in enumerate(answer.sources) if of == "correction"]
    assert verified >= 40
    # Draft steps have one row and passes eight, so that near-ties flip; each costs what was proposed after it.
    assert accepted / verified >= 0.8
    if temperature == 0.0 and rejections:
        with Probe(gemma, context=640, threads=0) as probe:
            assert all(probe.near_tie(*rejection) < NEAR_TIE for rejection in rejections)
