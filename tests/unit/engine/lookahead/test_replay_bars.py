"""The bars of the automatic lookahead: exact, on recorded texts whose prompts were held out of tuning."""

import math
import random
from dataclasses import replace
from functools import cache
from itertools import product
from statistics import median

import pytest

from app.engine.lookahead.auto import Auto
from app.engine.lookahead.history import PairHistory
from tests.helpers.curves import CURVES, HERE, QUICK, WITH_TILES, Curve, Noise, calibrated
from tests.helpers.replay import fixed_copies_ms, fixed_ms, ms, oracle_ms, plain_ms, replay
from tests.helpers.traces import FILES, Text, always_wrong, beginning, joined, load, rewrite

LENGTHS = range(1, 17)
ORDERS = 4
"""Sessions with the same texts, each in another order: in one, what a few answers happen to teach decides."""
JUDGED = ("held_out", "unseen")
MACHINES = (*CURVES, HERE, QUICK, *WITH_TILES)
Cell = tuple[str, float]


@cache
def texts(split: str, order: int = 3) -> tuple[Text, ...]:
    found = [text for file in FILES for text in load(file) if text.split == split]
    random.Random(order).shuffle(found)
    return tuple(found)


@cache
def of_kind(workload: str, temperature: float) -> tuple[Text, ...]:
    every = (text for file in FILES for text in load(file))
    return tuple(text for text in every if (text.workload, text.temperature) == (workload, temperature))


def auto(curve: Curve, drafter: str = "draft_model", noise: Noise | None = None) -> Auto:
    return Auto(drafter, 0.0, calibrated(curve, noise), PairHistory())


@cache
def speeds(curve: Curve, split: str) -> dict[Cell, tuple[float, float, float]]:
    """Per workload and temperature: speed of auto, of the best fixed length or plain, of the oracle, against plain."""
    spent: dict[Cell, dict[str, float]] = {}
    for text in texts(split):
        cell = spent.setdefault((text.workload, text.temperature), {})
        arms = {"plain": plain_ms(text, curve), "oracle": oracle_ms(text, curve)}
        arms |= {f"fixed {n}": fixed_ms(text, curve, n) for n in LENGTHS}
        for name, time in arms.items():
            cell[name] = cell.get(name, 0.0) + time
    for order in range(ORDERS):
        policy = auto(curve)
        for text in texts(split, order):
            cell = spent[text.workload, text.temperature]
            cell["auto"] = cell.get("auto", 0.0) + ms(replay(policy, text, curve)) / ORDERS
    result = {}
    for key, cell in spent.items():
        best = min(time for name, time in cell.items() if name == "plain" or name.startswith("fixed"))
        result[key] = (cell["plain"] / cell["auto"], cell["plain"] / best, cell["plain"] / cell["oracle"])
    return result


def mean(values: list[float]) -> float:
    return math.exp(sum(map(math.log, values)) / len(values))


def paying(split: str) -> list[tuple[float, float, float]]:
    return [cell for curve in CURVES for cell in speeds(curve, split).values() if cell[1] > 1.0]


@pytest.mark.parametrize("split", JUDGED)
@pytest.mark.parametrize("curve", MACHINES, ids=lambda curve: curve.name)
def test_never_slower_than_plain(curve: Curve, split: str) -> None:
    assert {key: speed for key, (speed, _, _) in speeds(curve, split).items() if speed < 0.99} == {}


@pytest.mark.parametrize("split", JUDGED)
@pytest.mark.parametrize("curve", CURVES, ids=lambda curve: curve.name)
def test_near_the_best_fixed_length_in_hindsight_on_every_workload(curve: Curve, split: str) -> None:
    found = speeds(curve, split)
    assert {key: speed / best for key, (speed, best, _) in found.items() if speed < 0.97 * best} == {}


@pytest.mark.parametrize("split", JUDGED)
def test_beats_the_best_fixed_length_where_anything_pays(split: str) -> None:
    assert len(paying(split)) > 40
    assert mean([speed / best for speed, best, _ in paying(split)]) >= 1.03


@pytest.mark.parametrize("split", JUDGED)
def test_near_the_oracle_where_anything_pays(split: str) -> None:
    assert mean([speed / oracle for speed, _, oracle in paying(split)]) >= 0.85


@pytest.mark.parametrize("curve", MACHINES, ids=lambda curve: curve.name)
def test_a_draft_that_is_always_wrong_costs_a_percent(curve: Curve) -> None:
    policy = auto(curve)
    wrong = [always_wrong(160), always_wrong(160)]
    spent = sum(ms(replay(policy, text, curve)) for text in wrong)
    assert sum(plain_ms(text, curve) for text in wrong) / spent >= 0.99


@pytest.mark.parametrize("length", [48, 64, 96])
@pytest.mark.parametrize("curve", [CURVES[0], CURVES[5]], ids=lambda curve: curve.name)
def test_short_answers_lose_little_where_hardly_anything_pays(curve: Curve, length: int) -> None:
    """What finding out costs weighs more in them. Per workload and temperature, over the answers of one session."""
    policy = auto(curve)
    spent: dict[Cell, list[float]] = {}
    for text in [beginning(text, length) for text in texts("held_out")]:
        cell = spent.setdefault((text.workload, text.temperature), [0.0, 0.0])
        cell[0] += plain_ms(text, curve)
        cell[1] += ms(replay(policy, text, curve))
    assert {key: plain / time for key, (plain, time) in spent.items() if plain / time < 0.985} == {}


WORKLOADS = ("json", "counting", "table", "code", "prose", "docstring")
SHORTEST = 35
"""Tokens of a docstring: what many of the benchmark's have, whose answers are the shortest."""


@pytest.mark.parametrize("curve", MACHINES, ids=lambda curve: curve.name)
def test_the_first_answer_of_a_kind_loses_little_after_kinds_that_gained(curve: Curve) -> None:
    """As in the benchmark of speed: one answer of each kind, those that gain most first, prompts to catch up with."""
    found: dict[Cell, list[float]] = {}
    for temperature, seed in product((0.0, 0.8), range(40)):
        chance, policy = random.Random(seed), auto(curve)
        for kind in WORKLOADS:
            text = beginning(chance.choice(of_kind(kind, temperature)), SHORTEST if kind == "docstring" else 100)
            spent = ms(replay(policy, text, curve, behind=len(text.prompt)))
            found.setdefault((kind, temperature), []).append(plain_ms(text, curve) / spent)
    assert {cell: median(speeds) for cell, speeds in found.items() if median(speeds) < 0.97} == {}


# changes in mid-text

CHANGE_AT = 60
RECOVERY = 64
RECOVERED = 0.95
"""Of the best fixed length in hindsight: what counts as recovered."""


def after_change(before: Curve, after: Curve) -> tuple[float, float]:
    """Speed of auto from 64 tokens after a change of the curve on, against plain and against the best of all arms."""
    spent = plain = 0.0
    fixed = dict.fromkeys(LENGTHS, 0.0)
    long = [t for t in texts("held_out") if len(t) >= 190 and t.workload in ("json", "code", "prose")]
    for text in long[:16]:
        policy = auto(before)
        for earlier in texts("tuning")[:4]:
            replay(policy, earlier, before)
        rounds = replay(policy, text, lambda place: before if place < CHANGE_AT else after)
        late = [r for r in rounds if r.position >= CHANGE_AT + RECOVERY]
        spent += ms(late)
        plain += (len(text) - late[0].position) * after.passes[0]
        for n in LENGTHS:
            fixed[n] += fixed_ms(text, after, n, start=late[0].position)
    return plain / spent, min(plain, *fixed.values()) / spent


@pytest.mark.parametrize("curve", CURVES, ids=lambda curve: curve.name)
def test_follows_a_plain_pass_that_became_a_quarter_faster(curve: Curve) -> None:
    against_plain, against_best = after_change(curve, curve.scaled(0.75))
    assert against_plain >= 0.99
    assert against_best >= RECOVERED


@pytest.mark.parametrize(("before", "after"), [(0, 3), (3, 0), (2, 4), (4, 2), (3, 5), (1, 6)])
def test_follows_another_curve(before: int, after: int) -> None:
    against_plain, against_best = after_change(CURVES[before], CURVES[after])
    assert against_plain >= 0.99
    assert against_best >= RECOVERED


@pytest.mark.parametrize("curve", CURVES, ids=lambda curve: curve.name)
def test_follows_code_after_prose(curve: Curve) -> None:
    # In the mean of several pasts: what few texts before taught moves a single one by two percent either way.
    prose = [t for t in texts("held_out") if t.workload == "prose" and len(t) > 150]
    code = [t for t in texts("held_out") if t.workload == "code" and len(t) > 150]
    spent = plain = 0.0
    fixed = dict.fromkeys(LENGTHS, 0.0)
    for past in range(4):
        taught = texts("tuning")[4 * past : 4 * past + 4]
        for number, first in enumerate(prose[:10]):
            same = [t for t in code if t.temperature == first.temperature]
            text = joined(first, same[(number + past) % len(same)])
            policy = auto(curve)
            for earlier in taught:
                replay(policy, earlier, curve)
            late = [r for r in replay(policy, text, curve) if r.position >= len(first.tokens) + RECOVERY]
            spent += ms(late)
            plain += (len(text) - late[0].position) * curve.passes[0]
            for n in LENGTHS:
                fixed[n] += fixed_ms(text, curve, n, start=late[0].position)
    assert plain / spent >= 0.99
    assert min(plain, *fixed.values()) / spent >= RECOVERED


# n-grams, both, noise: what was reached, so that it does not get lost


@pytest.mark.parametrize("curve", CURVES, ids=lambda curve: curve.name)
@pytest.mark.parametrize("drafter", ["ngram", "mixed"])
def test_copies_are_used_where_text_repeats_itself(curve: Curve, drafter: str) -> None:
    repeating = [rewrite(t) for t in texts("held_out") if t.workload in ("prose", "code") and len(t) > 150][:8]
    policy = auto(curve, drafter)
    spent = sum(ms(replay(policy, text, curve, drafting=drafter)) for text in repeating)
    best = min(sum(fixed_copies_ms(text, curve, n) for text in repeating) for n in (1, 3, 7, 10, 15))
    plain = sum(plain_ms(text, curve) for text in repeating)
    assert plain / spent >= 1.0
    assert best / spent >= 0.9


def asked_again(text: Text) -> Text:
    """The same question once more, and the same answer."""
    return replace(text, prompt=text.prompt + text.tokens + text.prompt)


@pytest.mark.parametrize("drafter", ["ngram", "mixed"])
def test_after_copies_that_went_well_the_next_answer_begins_with_a_long_one(drafter: str) -> None:
    repeating = [asked_again(beginning(t, 90)) for t in texts("held_out") if len(t) >= 90][:4]
    policy = auto(HERE, drafter)
    first = [replay(policy, text, HERE, drafting=drafter)[0].verified for text in repeating]
    assert first[0] < 4
    assert first[-1] >= 8


def test_one_wrong_copy_does_not_end_the_copying_of_an_answer_that_has_gained_by_it() -> None:
    text = asked_again(beginning(next(t for t in texts("held_out") if len(t) >= 160), 160))
    changed = tuple(5_000 if i == 81 else token for i, token in enumerate(text.tokens))
    rounds = replay(auto(QUICK, "ngram"), replace(text, tokens=changed), QUICK, drafting="ngram")
    wrong = next(r for r in rounds if r.kept < r.verified + 1)
    again = next(r for r in rounds if r.position > wrong.position and r.verified > 1)
    assert again.position < wrong.position + wrong.kept + 12


@pytest.mark.parametrize("curve", CURVES, ids=lambda curve: curve.name)
def test_a_busy_machine_does_not_mislead(curve: Curve) -> None:
    noise = Noise(spread=0.05, outliers=0.01, seed=1)
    policy = auto(curve, noise=noise)
    spent = sum(ms(replay(policy, text, curve, noise=noise)) for text in texts("held_out"))
    exact = sum(ms(replay(policy, text, curve)) for policy in [auto(curve)] for text in texts("held_out"))
    assert exact / spent >= 0.95
    assert sum(plain_ms(text, curve) for text in texts("held_out")) / spent >= 0.98
