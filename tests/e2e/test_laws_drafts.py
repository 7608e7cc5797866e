"""The best and the worst of drafts: the target itself, and one that knows nothing of it."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from app.protocol.options import SamplingOptions
from tests.helpers import gguf_kit
from tests.helpers.engine import LocalEngine
from tests.helpers.prompts import PROMPTS

SHAPE = 8


@pytest.fixture(scope="module")
def bad_draft(demo_draft: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A draft model of the right shape with unrelated weights."""
    return gguf_kit.unrelated(gguf_kit.load(demo_draft)).write(tmp_path_factory.mktemp("bad") / "bad draft.gguf")


@pytest.fixture(scope="module")
def twins(demo_target: Path) -> Iterator[LocalEngine]:
    with LocalEngine(demo_target, demo_target) as engine:
        yield engine


@pytest.fixture(scope="module")
def strangers(demo_target: Path, bad_draft: Path) -> Iterator[LocalEngine]:
    with LocalEngine(demo_target, bad_draft) as engine:
        yield engine


@pytest.mark.parametrize("temperature", [0.0, 0.8])
def test_the_target_as_its_own_draft_is_accepted(twins: LocalEngine, temperature: float) -> None:
    verified = accepted = 0
    for text in PROMPTS.values():
        common = {
            "sampling": SamplingOptions(temperature=temperature, seed=4),
            "max_tokens": 41,
            "fixed_shape": SHAPE,
        }
        plain = twins.ask(text, **common)
        answer = twins.ask(text, "draft_model", 7, **common)
        assert answer.tokens == plain.tokens
        verified += answer.stats.verified
        accepted += answer.stats.accepted
    assert verified > 1000
    # Draft steps have one row and passes eight: near-ties may differ, and do at a temperature above 0.
    assert accepted / verified >= (0.99 if temperature == 0.0 else 0.98)


@pytest.mark.parametrize("temperature", [0.0, 0.8])
def test_a_draft_with_unrelated_weights_changes_nothing(strangers: LocalEngine, temperature: float) -> None:
    verified = accepted = 0
    for text in PROMPTS.values():
        common = {
            "sampling": SamplingOptions(temperature=temperature, seed=5),
            "max_tokens": 16,
            "fixed_shape": SHAPE,
        }
        plain = strangers.ask(text, **common)
        answer = strangers.ask(text, "draft_model", 7, **common)
        assert answer.tokens == plain.tokens
        assert answer.text == plain.text
        verified += answer.stats.verified
        accepted += answer.stats.accepted
    assert verified > 2000
    assert accepted / verified < 0.1
