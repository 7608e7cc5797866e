"""Costs of an earlier run on a busy machine, without an idle moment to measure them again."""

import random

import pytest

from app.engine.lookahead.auto import Auto
from app.engine.lookahead.history import PairHistory
from tests.helpers.curves import CURVES, Curve, calibrated, stored
from tests.helpers.replay import ms, plain_ms, replay
from tests.helpers.traces import load

TEXTS = [text for text in load() if text.split == "held_out"]
random.Random(5).shuffle(TEXTS)
TEXTS = TEXTS[:16]

WRONG = {
    "right": ({}, 1.0),
    "all twice as dear": ({0: 2.0}, 2.0),
    "all five times as dear": ({0: 5.0}, 5.0),
    "all half as dear": ({0: 0.5}, 0.5),
    "V(2) three times as dear": ({2: 3.0}, 1.0),
    "V(1) twice as dear": ({1: 2.0}, 1.0),
    "V(1) half as dear": ({1: 0.5}, 1.0),
}


def spent(policy: Auto, curve: Curve) -> float:
    return sum(ms(replay(policy, text, curve)) for text in TEXTS)


@pytest.mark.parametrize("wrong", WRONG.values(), ids=WRONG)
@pytest.mark.parametrize("curve", CURVES, ids=lambda curve: curve.name)
def test_wrong_costs_of_an_earlier_run_neither_pause_for_long_nor_lose(
    curve: Curve, wrong: tuple[dict[int, float], float]
) -> None:
    with_stored = spent(Auto("draft_model", 0.0, stored(curve, *wrong), PairHistory()), curve)
    with_measured = spent(Auto("draft_model", 0.0, calibrated(curve), PairHistory()), curve)
    assert with_measured / with_stored >= 0.93
    assert sum(plain_ms(text, curve) for text in TEXTS) / with_stored >= 0.99
