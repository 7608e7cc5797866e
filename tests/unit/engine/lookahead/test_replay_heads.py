"""`auto` with prediction heads, exact, on recorded texts: what it gains against fixed lengths and against plain.

The costs are those of the demo target inflated to 0.3 B with its head (2 AVX-512 cores), and of a device where rows are
nearly free. A head step costs a small part of a pass, so that nearly all is in the rows of the pass.
"""

import math
import random
from functools import cache

import pytest

from app.engine.costs import PairCosts
from app.engine.lookahead.auto import Auto
from app.engine.lookahead.history import PairHistory
from tests.helpers.curves import Curve, calibrated
from tests.helpers.replay import fixed_ms, ms, plain_ms, replay
from tests.helpers.traces import Text, load_heads

LENGTHS = range(1, 9)
CURVES = (
    Curve("inflated demo", (12, 23, 30, 31, 34.5, 38, 41, 44, 47.5), 0.5, 0.1),
    Curve("rows nearly free", (10, 10.2, 10.4, 10.7, 11, 11.3, 11.6, 12, 12.4), 0.4, 0.02),
)
Cell = tuple[str, float]


@cache
def texts() -> tuple[Text, ...]:
    found = load_heads()
    random.Random(3).shuffle(found)
    return tuple(found)


@cache
def speeds(curve: Curve) -> dict[Cell, tuple[float, float]]:
    """Workload and temperature -> speed of auto, and of the best fixed length in hindsight, against plain."""
    spent: dict[Cell, dict[str, float]] = {}
    policy = Auto("heads", 0.0, calibrated(curve), PairHistory())
    for text in texts():
        cell = spent.setdefault((text.workload, text.temperature), {})
        arms = {"plain": plain_ms(text, curve), "auto": ms(replay(policy, text, curve))}
        arms |= {f"fixed {n}": fixed_ms(text, curve, n) for n in LENGTHS}
        for name, time in arms.items():
            cell[name] = cell.get(name, 0.0) + time
    return {
        key: (cell["plain"] / cell["auto"], cell["plain"] / min(t for arm, t in cell.items() if arm != "auto"))
        for key, cell in spent.items()
    }


def mean(values: list[float]) -> float:
    return math.exp(sum(map(math.log, values)) / len(values))


def test_the_recording_is_of_heads() -> None:
    assert len(texts()) >= 240
    assert {text.split for text in texts()} == {"held_out", "unseen"}
    assert {proposal.source for text in texts() for proposal in text.proposals if proposal} == {"heads"}
    assert 0.3 < sum(map(sum, (text.right for text in texts()))) / sum(map(len, texts())) < 0.95


@pytest.mark.parametrize("curve", CURVES, ids=lambda curve: curve.name)
def test_near_the_best_fixed_length_in_hindsight(curve: Curve) -> None:
    found = speeds(curve)
    assert {key: speed / best for key, (speed, best) in found.items() if speed < 0.97 * best} == {}
    assert mean([speed / best for speed, best in found.values()]) >= 1.02


@pytest.mark.parametrize("curve", CURVES, ids=lambda curve: curve.name)
def test_never_slower_than_plain(curve: Curve) -> None:
    assert {key: speed for key, (speed, _) in speeds(curve).items() if speed < 0.98} == {}


def test_prose_pauses_where_no_length_pays() -> None:
    """Rows cost most of a pass: what is drafted of prose is seldom worth them."""
    dear = Curve("every row a pass", tuple(12.0 * rows for rows in range(1, 10)), 0.5, 0.1)
    policy = Auto("heads", 0.0, calibrated(dear), PairHistory())
    prose = [text for text in texts() if text.workload == "prose"]
    rounds = [r for text in prose for r in replay(policy, text, dear)]
    assert sum(r.verified == 0 for r in rounds) / len(rounds) > 0.95
    assert policy.pause_reason


def worst(curve: Curve) -> float:
    """Speed against plain of the worst workload, on a model that computes once more what it kept after a rejection.

    The texts are gone through in several orders, each in a session of its own: in one, a few answers decide.
    """
    spent: dict[Cell, list[float]] = {}
    ordered = list(texts())
    for order in range(4):
        random.Random(order).shuffle(ordered)
        policy = Auto("heads", 0.0, calibrated(curve), PairHistory())
        for text in ordered:
            cell = spent.setdefault((text.workload, text.temperature), [0.0, 0.0])
            cell[0] += plain_ms(text, curve)
            cell[1] += ms(replay(policy, text, curve, forgets=False))
    return min(plain / time for plain, time in spent.values())


def test_a_rejection_is_counted_where_the_model_cannot_forget(monkeypatch: pytest.MonkeyPatch) -> None:
    counted = [worst(curve) for curve in CURVES]
    monkeypatch.setattr(PairCosts, "rejection_s", lambda _self: 0.0)
    assert min(counted) >= 0.99
    assert worst(CURVES[0]) < 0.98, "it would do as well without: what is this for?"
