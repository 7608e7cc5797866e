"""Law 4 beyond the first row: whole sequences follow the target, whatever was drafted."""

import collections
import itertools
import math

import numpy as np
import pytest

from app.engine.backends.fake import FakeModel
from app.engine.ports import Logits
from app.protocol.options import SamplingOptions
from tests.helpers.engine import UNFILTERED
from tests.helpers.fakes import Steady, World
from tests.helpers.statistics import chi_square_p

LETTERS, LENGTH, SAMPLES = 4, 3, 5000
PROMPT = [0, 1]


def softmax(row: Logits) -> list[float]:
    weights = np.exp(row.astype(np.float64) - float(row.max()))
    return (weights / weights.sum()).tolist()


@pytest.mark.parametrize("unlike", [0.3, 5.0])
def test_sequences_follow_the_targets_distribution(unlike: float) -> None:
    target = FakeModel(LETTERS, 32, seed=3)
    world = World(target, FakeModel(LETTERS, 32, seed=3, unlike=unlike))
    sampling = SamplingOptions(temperature=4.0, **UNFILTERED)
    counts: collections.Counter[int] = collections.Counter()
    accepted = 0
    for seed in range(SAMPLES):
        answer = world.ask(PROMPT, "draft_model", Steady(7), sampling=sampling, seed=seed, max_tokens=LENGTH)
        counts[name(answer.tokens)] += 1
        accepted += answer.stats.accepted
    expected = {}
    for text in itertools.product(range(LETTERS), repeat=LENGTH):
        rows = (softmax(target.scores([*PROMPT, *text[:at]]) / 4.0)[token] for at, token in enumerate(text))
        expected[name(text)] = math.prod(rows)
    assert sum(expected.values()) == pytest.approx(1.0)
    assert accepted > SAMPLES / 10
    assert chi_square_p(counts, expected) > 0.01


def name(text: tuple[int, ...]) -> int:
    """A sequence as one number."""
    return sum(token * LETTERS**at for at, token in enumerate(text))
