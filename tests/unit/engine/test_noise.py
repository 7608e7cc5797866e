"""The shared noise: what it is, and what it makes of choices."""

import collections
import math

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from app.engine.noise import gumbel, gumbel_of, gumbel_of_some, mix64, start_of
from app.engine.sampling import Sampler
from app.protocol.options import MAX_SEED, SamplingOptions
from tests.helpers.engine import UNFILTERED
from tests.helpers.noise import slow_noise
from tests.helpers.statistics import chi_square_p

PLAIN = SamplingOptions(temperature=1.0, **UNFILTERED)
MASK = (1 << 64) - 1

seeds = st.integers(0, MAX_SEED)


@given(seed=seeds, position=st.integers(0, 2**31), tokens=st.lists(st.integers(0, 300_000), min_size=1, max_size=20))
def test_noise_is_the_function_it_says(seed: int, position: int, tokens: list[int]) -> None:
    key = mix64(seed ^ 0x5851F42D4C957F2D)
    fast = gumbel(key, position, np.array(tokens))
    assert fast.tolist() == pytest.approx([slow_noise(seed, position, token) for token in tokens], rel=1e-9, abs=1e-9)


@example(key=0, position=0)
@given(key=st.integers(0, MASK), position=st.integers(0, 2**40))
@settings(max_examples=20)
def test_noise_is_finite_and_standard_gumbel(key: int, position: int) -> None:
    noise = gumbel(key, position, np.arange(100_000))
    assert np.isfinite(noise).all()
    assert noise.mean() == pytest.approx(0.57722, abs=0.03)
    assert noise.var() == pytest.approx(math.pi**2 / 6, abs=0.08)
    uniform = np.sort(np.exp(-np.exp(-noise)))
    assert np.abs(uniform - np.linspace(0, 1, len(uniform))).max() < 0.0075  # Kolmogorov and Smirnov, p around 2e-5


@given(key=st.integers(0, MASK), position=st.integers(0, 2**40))
@settings(max_examples=50)
def test_noise_of_some_tokens_is_that_of_each_to_the_last_bit(key: int, position: int) -> None:
    """Which of them a token is looked at with depends on how many there are, and on what a draft looked at before."""
    start, tokens = start_of(key, position), [*range(40), 262_143]
    assert gumbel_of_some(start, tokens) == [gumbel_of(start, token) for token in tokens]
    assert gumbel_of_some(start, tokens) == pytest.approx(gumbel(key, position, np.array(tokens)).tolist(), rel=1e-9)


@pytest.mark.parametrize("near", [3, 12, 30, 60])
def test_a_choice_does_not_depend_on_what_was_looked_at_before(near: int) -> None:
    options = SamplingOptions(temperature=0.8)
    random = np.random.default_rng(near)
    rows = [np.full(4096, -20.0, np.float32) for _ in range(2)]
    for row in rows:
        row[random.permutation(80)[:near]] = random.normal(0.0, 0.5, near)
    for seed in range(10):
        used = Sampler(options, seed, [])
        for position in range(100):  # more positions than are kept
            used.choose(rows[1], position)
            assert used.choose(rows[0], position) == Sampler(options, seed, []).choose(rows[0], position)


def test_the_highest_uniform_does_not_round_up_to_one() -> None:
    assert ((2**52 - 1) + 0.5) * 2.0**-52 < 1.0
    assert math.isfinite(-math.log(-math.log(((2**52 - 1) + 0.5) * 2.0**-52)))


def test_neighbouring_seeds_positions_and_tokens_are_unrelated() -> None:
    ids = np.arange(50_000)
    base = gumbel(mix64(1), 10, ids)
    for other in (gumbel(mix64(2), 10, ids), gumbel(mix64(1), 11, ids), gumbel(mix64(1), 10, ids + 1)):
        assert abs(np.corrcoef(base, other)[0, 1]) < 0.025


def test_choices_follow_the_distribution() -> None:
    row = np.log(np.array([0.4, 0.25, 0.2, 0.1, 0.04, 0.01], dtype=np.float32))
    expected = dict(enumerate([0.4, 0.25, 0.2, 0.1, 0.04, 0.01]))
    over_seeds = collections.Counter(Sampler(PLAIN, seed, []).choose(row, 7).token for seed in range(20_000))
    assert chi_square_p(over_seeds, expected) > 0.001
    sampler = Sampler(PLAIN, 3, [])
    over_positions = collections.Counter(sampler.choose(row, position).token for position in range(20_000))
    assert chi_square_p(over_positions, expected) > 0.001


@given(seed=st.integers(0, 10_000), size=st.integers(2, 30), spread=st.sampled_from([0.3, 1.0, 3.0]))
@settings(max_examples=25)
def test_shared_noise_agrees_as_often_as_promised(seed: int, size: int, spread: float) -> None:
    """Daliri, Musco, Suresh 2024: at least (1 - d) / (1 + d); never more than a maximal coupling, 1 - d."""
    rng = np.random.default_rng(seed)
    p_row, q_row = (rng.normal(0, spread, size).astype(np.float32) for _ in range(2))
    p, q = (np.exp(row) / np.exp(row).sum() for row in (p_row, q_row))
    distance = float(np.abs(p - q).sum()) / 2
    trials = 2000
    sampler = Sampler(PLAIN, seed, [])
    agreed = sum(sampler.choose(p_row, at).token == sampler.choose(q_row, at).token for at in range(trials)) / trials
    noise = 4.5 * math.sqrt(0.25 / trials)
    assert (1 - distance) / (1 + distance) - noise <= agreed <= 1 - distance + noise
