"""Law 4 and 5 on the demo pair: with one shape of pass, no drafter changes a token."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from app.protocol.messages import Turn
from app.protocol.options import DrafterName, SamplingOptions
from tests.helpers.engine import LocalEngine
from tests.helpers.prompts import PROMPTS

SHAPE = 8
TOKENS = 24
DRAFTERS: tuple[DrafterName, ...] = ("draft_model", "ngram", "heads", "mixed")
LOOKAHEADS = (1, 3, 7)
SEEDS = (1, 2, 3)


@pytest.fixture(scope="module")
def engine(demo_target: Path, demo_draft: Path) -> Iterator[LocalEngine]:
    with LocalEngine(demo_target, demo_draft) as loaded:
        yield loaded


def prompt(number: int, text: str) -> str | Sequence[Turn]:
    """Every other one as a chat."""
    return text if number % 2 else [Turn(role="user", content=text)]


def test_there_are_enough_prompts() -> None:
    assert len(PROMPTS) >= 40
    assert len(set(PROMPTS.values())) == len(PROMPTS)


@pytest.mark.slow
@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("temperature", [0.0, 0.8])
def test_fixed_shape_runs_are_identical(engine: LocalEngine, temperature: float, seed: int) -> None:
    sampling = SamplingOptions(temperature=temperature, seed=seed)
    verified = accepted = 0
    for number, (name, text) in enumerate(PROMPTS.items()):
        asked = prompt(number, text)
        common = {"sampling": sampling, "max_tokens": TOKENS, "fixed_shape": SHAPE}
        plain = engine.ask(asked, **common)
        for drafter in DRAFTERS:
            for lookahead in LOOKAHEADS:
                answer = engine.ask(asked, drafter, lookahead, **common)
                case = f"{name}, {drafter}, lookahead {lookahead}"
                assert answer.tokens == plain.tokens, case
                assert answer.text == plain.text, case
                assert answer.reason == plain.reason, case
                verified += answer.stats.verified
                accepted += answer.stats.accepted
        # Plain again, after all the drafters, is plain still.
        assert engine.ask(asked, "off", LOOKAHEADS[number % 3], **common).tokens == plain.tokens, name
    # The matrix would be worth nothing if little had been drafted, or all of it kept or none.
    assert verified > 5000
    assert 0.1 < accepted / verified < 0.9


@pytest.mark.slow
def test_auto_changes_nothing_either(engine: LocalEngine) -> None:
    """What `auto` does depends on the clock; what is said does not."""
    sampling = SamplingOptions(temperature=0.8, seed=4)
    for number, (name, text) in enumerate(PROMPTS.items()):
        asked = prompt(number, text)
        common = {"sampling": sampling, "max_tokens": TOKENS, "fixed_shape": SHAPE}
        plain = engine.ask(asked, **common)
        for drafter in DRAFTERS:
            answer = engine.ask(asked, drafter, "auto", **common)
            assert answer.tokens == plain.tokens, f"{name}, {drafter}"
            assert answer.text == plain.text, f"{name}, {drafter}"
