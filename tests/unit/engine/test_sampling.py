"""The choice rule against a slow, plain reading of llama.cpp's filters, and its noise."""

import collections
import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.core.errors import EngineFault
from app.engine.noise import gumbel, mix64
from app.engine.penalties import PenaltyWindow
from app.engine.sampling import Sampler
from app.protocol.options import SamplingOptions
from tests.helpers.noise import slow_noise

PLAIN = SamplingOptions(temperature=1.0, top_k=0, top_p=1.0, min_p=0.0)


# --- the reference ------------------------------------------------------------------------------------------------


def slow_penalties(logits: list[float], options: SamplingOptions, context: list[int]) -> list[float]:
    result = list(logits)
    window = context[-options.penalty_window :] if options.penalty_window else []
    for token, count in collections.Counter(window).items():
        if token < len(result):
            score = result[token]
            score = score * options.repeat_penalty if score <= 0 else score / options.repeat_penalty
            result[token] = score - count * options.frequency_penalty - options.presence_penalty
    return result


def slow_shape(
    logits: list[float], options: SamplingOptions, context: list[int], *, top_p_slack: float = 0.0
) -> dict[int, float]:
    """Log-probabilities of what the filters leave; `top_p_slack` moves the place where top-p cuts."""
    scores = slow_penalties(logits, options, context)
    order = sorted(range(len(scores)), key=lambda token: (-scores[token], token))
    if options.top_k:
        order = order[: options.top_k]
    best = scores[order[0]]
    if options.top_p < 1.0:
        weights = [math.exp(scores[token] - best) for token in order]
        enough, mass, kept = (options.top_p + top_p_slack) * math.fsum(weights), 0.0, 0
        for weight in weights:
            mass += weight
            kept += 1
            if mass >= enough:
                break
        order = order[:kept]
    if options.min_p > 0.0:
        order = [token for token in order if scores[token] >= best + math.log(options.min_p)]
    order = [token for token in order if scores[token] > -math.inf]
    tempered = {token: (scores[token] - best) / options.temperature for token in order}
    total = math.log(math.fsum(math.exp(score) for score in tempered.values()))
    return {token: score - total for token, score in tempered.items()}


def probabilities(sampler: Sampler, row: np.ndarray) -> dict[int, float]:
    ids, scores = sampler._shape(row, sampler._penalties.counts)
    weights = np.exp(scores)
    return dict(zip(ids.tolist(), (weights / weights.sum()).tolist(), strict=True))


# --- filters ------------------------------------------------------------------------------------------------------

# A coarse grid makes ties, a fine one does not.
_score = st.one_of(st.integers(-40, 40).map(lambda n: n / 4), st.floats(-30, 30, width=32), st.just(-math.inf))


@st.composite
def rows(draw: st.DrawFn) -> np.ndarray:
    values = draw(
        st.one_of(
            st.lists(_score, min_size=1, max_size=40),
            st.builds(
                lambda size, seed, spread: np.random.default_rng(seed).normal(0, spread, size).tolist(),
                st.sampled_from([1, 2, 100, 2047, 4096, 5003]),
                st.integers(0, 1000),
                st.sampled_from([0.1, 1.0, 5.0]),
            ),
            st.builds(
                lambda size, seed: np.random.default_rng(seed).integers(-3, 3, size).tolist(),
                st.sampled_from([100, 4096]),
                st.integers(0, 1000),
            ),
        )
    )
    row = np.array(values, dtype=np.float32)
    if not np.isfinite(row).any():
        row[draw(st.integers(0, len(row) - 1))] = 0.0
    return row


options = st.builds(
    SamplingOptions,
    temperature=st.sampled_from([0.1, 0.8, 1.0, 2.0]),
    top_k=st.sampled_from([0, 1, 2, 5, 40, 1000, 100_000]),
    top_p=st.sampled_from([1.0, 0.999, 0.95, 0.5, 0.01]),
    min_p=st.sampled_from([0.0, 0.001, 0.05, 0.5, 1.0]),
    repeat_penalty=st.sampled_from([1.0, 1.1, 2.0, 0.5]),
    presence_penalty=st.sampled_from([0.0, 0.5, -1.0]),
    frequency_penalty=st.sampled_from([0.0, 0.3, -0.2]),
    penalty_window=st.sampled_from([0, 1, 3, 64]),
)
seeds = st.integers(0, 2**32 - 1)


@st.composite
def cases(draw: st.DrawFn) -> tuple[np.ndarray, list[int]]:
    """A row and a context, in which the best tokens are repeated: penalties have to matter."""
    row = draw(rows())
    best = np.argsort(-row, kind="stable")[:8].tolist()
    token = st.one_of(st.sampled_from(best), st.integers(0, len(row) + 3))
    return row, draw(st.lists(token, max_size=20))


def near_top_p(chosen: SamplingOptions, row: np.ndarray, context: list[int]) -> tuple[set[int], set[int]]:
    """What is certainly kept, and what is kept at most: rounding decides about a token right on the edge of top-p."""
    fewest = slow_shape(row.tolist(), chosen, context, top_p_slack=-1e-6)
    most = slow_shape(row.tolist(), chosen, context, top_p_slack=1e-6)
    return set(fewest), set(most)


@given(case=cases(), chosen=options)
@settings(max_examples=150)
def test_filters_agree_with_the_slow_reading(case: tuple[np.ndarray, list[int]], chosen: SamplingOptions) -> None:
    row, context = case
    fast = probabilities(Sampler(chosen, 0, context), row)
    fewest, most = near_top_p(chosen, row, context)
    assert fewest <= fast.keys() <= most
    if fewest == most:
        slow = slow_shape(row.tolist(), chosen, context)
        for token, log_p in slow.items():
            assert fast[token] == pytest.approx(math.exp(log_p), rel=1e-6, abs=1e-12)
    assert sum(fast.values()) == pytest.approx(1.0)


@given(case=cases(), chosen=options, seed=seeds, position=st.integers(0, 100_000))
@settings(max_examples=150)
def test_the_token_is_the_best_of_the_noisy_scores(
    case: tuple[np.ndarray, list[int]], chosen: SamplingOptions, seed: int, position: int
) -> None:
    row, context = case
    fewest, most = near_top_p(chosen, row, context)
    choice = Sampler(chosen, seed, context).choose(row, position, confident=True)
    assert choice.token in most
    assert choice.margin >= 0.0
    if fewest != most:
        return
    slow = slow_shape(row.tolist(), chosen, context)
    noisy = {token: score + slow_noise(seed, position, token) for token, score in slow.items()}
    ranked = sorted(noisy.values(), reverse=True)
    assert noisy[choice.token] == pytest.approx(ranked[0], abs=1e-6)
    gap = ranked[0] - ranked[1] if len(ranked) > 1 else math.inf
    assert choice.margin == pytest.approx(gap, abs=1e-6)
    assert choice.confidence == pytest.approx(math.exp(slow[choice.token]), rel=0.05)


@given(case=cases(), chosen=options)
@settings(max_examples=150)
def test_at_temperature_zero_it_is_the_argmax(case: tuple[np.ndarray, list[int]], chosen: SamplingOptions) -> None:
    row, context = case
    chosen = replace(chosen, temperature=0.0)
    scores = slow_penalties(row.tolist(), chosen, context)
    ranked = sorted(range(len(scores)), key=lambda token: (-scores[token], token))
    choice = Sampler(chosen, 5, context).choose(row, 3, confident=True)
    assert choice.token == ranked[0]
    gap = scores[ranked[0]] - scores[ranked[1]] if len(ranked) > 1 else math.inf
    assert choice.margin == pytest.approx(gap, abs=1e-5)
    total = math.fsum(math.exp(score - scores[ranked[0]]) for score in scores)
    assert choice.confidence == pytest.approx(1 / total, rel=1e-5)
    assert Sampler(chosen, 5, context).choose(row, 3).confidence is None


@pytest.mark.parametrize("top_k", [1, 2, 5, 40])
@pytest.mark.parametrize("size", [60, 4096, 5003])
def test_tokens_move_up_where_penalised_ones_fall_behind(top_k: int, size: int) -> None:
    row = np.random.default_rng(size).normal(0, 2, size).astype(np.float32)
    best = np.argsort(-row, kind="stable").tolist()
    for penalised in (1, 3, 20):
        for changes in ({"presence_penalty": 50.0}, {"repeat_penalty": 1.5}, {"frequency_penalty": -3.0}):
            chosen = replace(PLAIN, top_k=top_k, **changes)
            context = [*best[:penalised], *best[50:52], best[0]]
            fast = probabilities(Sampler(chosen, 0, context), row)
            assert fast.keys() == slow_shape(row.tolist(), chosen, context).keys()


@pytest.mark.parametrize("size", [1, 30, 100, 4096, 5003, 10_001, 70_000])
@pytest.mark.parametrize(("top_k", "top_p", "min_p"), [(40, 0.95, 0.05), (5, 1.0, 0.05), (3, 0.5, 0.2), (90, 0.9, 0.9)])
def test_the_short_way_chooses_what_the_long_one_does(size: int, top_k: int, top_p: float, min_p: float) -> None:
    random = np.random.default_rng(size)
    chosen = SamplingOptions(temperature=0.8, top_k=top_k, top_p=top_p, min_p=min_p)
    sampler = Sampler(chosen, 7, [])
    for position in range(60):
        row = random.normal(0, random.uniform(0.2, 6.0), size).astype(np.float32)
        if position % 3 == 0:
            row = np.round(row)  # ties
        if position % 5 == 0:
            row[random.random(size) < 0.7] = -np.inf
            row[-1] = 2.0
        short = sampler.choose(row, position, confident=True)
        weights = probabilities(sampler, row)
        noisy = {token: math.log(weight) + noise_of(7, position, token) for token, weight in weights.items()}
        best, second = (*sorted(noisy.values(), reverse=True), -math.inf)[:2]
        assert noisy[short.token] == best
        assert short.margin == pytest.approx(best - second, rel=1e-6, abs=1e-6)
        assert short.confidence == pytest.approx(weights[short.token], rel=0.05)
        assert sampler.choose(row, position) == (short.token, short.margin, None)


@pytest.mark.parametrize("size", [4096, 10_001])
@pytest.mark.parametrize(("deep", "left"), [(38, 2), (0, 1)])
def test_what_lies_deep_below_min_p_counts_for_top_p(size: int, deep: int, left: int) -> None:
    """38 tokens of 1/1000 each, together with the second best, are more than top-p leaves out."""
    row = np.full(size, -30.0, np.float32)
    row[5], row[9], row[100 : 100 + deep] = 0.0, -2.9, -7.01
    sampler = Sampler(SamplingOptions(temperature=0.8, top_k=40, top_p=0.935, min_p=0.05), 7, [])
    assert len(probabilities(sampler, row)) == left
    margins = [sampler.choose(row, position).margin for position in range(20)]
    assert all(map(math.isinf, margins)) == (left == 1)


def noise_of(seed: int, position: int, token: int) -> float:
    return float(gumbel(mix64(seed ^ 0x5851F42D4C957F2D), position, np.array([token]))[0])


BIG = 262_144


@pytest.mark.parametrize(
    ("top_k", "top_p", "min_p", "repeat_penalty"),
    [
        (0, 1.0, 0.0, 1.0),
        (0, 1.0, 0.0, 1.3),
        (0, 0.9, 0.0, 1.0),
        (0, 0.95, 0.05, 1.3),
        (0, 1.0, 0.1, 1.0),
        (1, 0.9, 0.0, 1.3),
        (40, 0.95, 0.05, 1.0),
        (3000, 0.9, 0.0, 1.3),
    ],
)
def test_a_vocabulary_of_256k(top_k: int, top_p: float, min_p: float, repeat_penalty: float) -> None:
    row = np.random.default_rng(top_k).normal(0, 4, BIG).astype(np.float32)
    row[100] = row[BIG - 1] = 30.0  # a tie, one of them in the very last place
    context = [100, 7, BIG - 1, 7]
    chosen = replace(PLAIN, top_k=top_k, top_p=top_p, min_p=min_p, repeat_penalty=repeat_penalty)
    fast = probabilities(Sampler(chosen, 1, context), row)
    slow = slow_shape(row.tolist(), chosen, context)
    assert fast.keys() == slow.keys()
    worst = max(abs(fast[token] - math.exp(score)) for token, score in slow.items())
    assert worst < 1e-6


def test_a_row_is_not_written_to() -> None:
    row = np.random.default_rng(0).normal(0, 1, 5000).astype(np.float32)
    row.flags.writeable = False
    for chosen in (PLAIN, SamplingOptions(), SamplingOptions(temperature=0.0), SamplingOptions(repeat_penalty=1.5)):
        Sampler(chosen, 0, [1, 2, 3]).choose(row, 9, confident=True)


def test_one_candidate_is_certain() -> None:
    for size in (1, 4096):
        row = np.full(size, -np.inf, dtype=np.float32)
        row[size // 2] = 3.0
        for temperature in (0.0, 0.8):
            choice = Sampler(SamplingOptions(temperature=temperature), 0, []).choose(row, 0, confident=True)
            assert (choice.token, choice.margin, choice.confidence) == (size // 2, math.inf, 1.0)


@pytest.mark.parametrize("temperature", [1e-308, 1e-30, 100.0])
def test_extreme_temperatures_are_only_extreme(temperature: float) -> None:
    row = np.linspace(-20, 20, 4096, dtype=np.float32)
    choice = Sampler(replace(PLAIN, temperature=temperature), 1, []).choose(row, 0, confident=True)
    assert temperature > 1 or (choice.token, choice.confidence) == (4095, 1.0)


def test_a_context_may_know_tokens_that_a_draft_does_not() -> None:
    row = np.linspace(0, 1, 100, dtype=np.float32)
    chosen = replace(PLAIN, repeat_penalty=2.0, temperature=0.0)
    assert Sampler(chosen, 0, [99, 100, 4000]).choose(row, 0).token == 98


# --- what is no row -----------------------------------------------------------------------------------------------

EVERY_WAY: list[dict[str, Any]] = [
    {"temperature": 0.0},
    {"temperature": 0.0, "repeat_penalty": 1.1},
    {},
    {"top_k": 0},
    {"top_k": 0, "top_p": 1.0},
    {"top_k": 0, "top_p": 1.0, "min_p": 0.0},
    {"top_k": 1000},
    {"top_k": 0, "frequency_penalty": 0.5},
]


@pytest.mark.parametrize("changes", EVERY_WAY)
@pytest.mark.parametrize("bad", ["one nan", "nan at the end", "all nan", "all impossible", "infinite"])
@pytest.mark.parametrize("confident", [True, False])
def test_a_row_with_something_that_is_no_number_is_refused(
    changes: dict[str, Any], bad: str, *, confident: bool
) -> None:
    for size in (1, 40, 5003, 262_144):
        row = np.random.default_rng(0).normal(0, 1, size).astype(np.float32)
        spoil(row, bad)
        sampler = Sampler(SamplingOptions(**changes), 0, [0, 1, 0])
        with pytest.raises(EngineFault) as caught:
            sampler.choose(row, 0, confident=confident)
        assert caught.value.code == "bad_logits"
        assert "not a number" in caught.value.sentence


def spoil(row: np.ndarray, bad: str) -> None:
    match bad:
        case "one nan":
            row[len(row) // 3] = np.nan
        case "nan at the end":
            row[-1] = np.nan
        case "all nan":
            row[:] = np.nan
        case "all impossible":
            row[:] = -np.inf
        case _:
            row[len(row) // 2] = np.inf


# --- penalties ----------------------------------------------------------------------------------------------------


@given(
    size=st.integers(0, 6),
    context=st.lists(st.integers(0, 4), max_size=12),
    steps=st.lists(st.one_of(st.integers(0, 4), st.none()), max_size=40),
)
def test_the_window_counts_what_a_slice_counts(size: int, context: list[int], steps: list[int | None]) -> None:
    window, text = PenaltyWindow(size, context), list(context)
    pushed = 0
    for step in steps:
        if step is not None:
            window.push(step)
            text.append(step)
            pushed += 1
        elif pushed:
            window.pop()
            text.pop()
            pushed -= 1
        expected = collections.Counter(text[-size:] if size else [])
        assert window.counts == expected
    assert text[: len(context)] == context
