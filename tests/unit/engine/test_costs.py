import json
import random
from pathlib import Path
from typing import Any

import pytest

from app.engine.costs import CalibrationStep, CostStore, PairCosts, PassCosts, calibration, cost_key
from app.engine.ports import Proposal, RoundOutcome
from app.protocol.stats import CostCurve


def outcome(
    rows: int = 1, pass_s: float = 0.01, steps: int = 0, draft_s: float = 0.0, context: int = 0
) -> RoundOutcome:
    offered = tuple(Proposal(1, "draft_model", 1.0) for _ in range(steps))
    return RoundOutcome(offered, rows - 1, 0, 1, rows, draft_s, pass_s, context)


def test_nothing_is_known_at_first() -> None:
    assert PairCosts().pass_s(1) == 0.0
    assert PairCosts().draft_s() == 0.0
    assert PairCosts().curve() == CostCurve()


def test_outliers_do_not_move_an_estimate() -> None:
    draw = random.Random(1)
    costs = PassCosts()
    for number in range(200):
        costs.tell(1, 0.01 * (draw.uniform(3, 10) if number % 6 == 5 else draw.gauss(1, 0.02)))
    assert costs.seconds(1) == pytest.approx(0.01, rel=0.04)


@pytest.mark.parametrize("factor", [0.75, 1.5, 4.0])
def test_a_change_is_followed_within_some_passes(factor: float) -> None:
    costs = PassCosts()
    for seconds in [0.01] * 50 + [0.01 * factor] * 4:
        costs.tell(1, seconds)
    assert costs.seconds(1) == pytest.approx(0.01 * factor, rel=0.01)


def test_a_slow_drift_is_followed() -> None:
    costs = PassCosts()
    for number in range(100):
        costs.tell(1, 0.01 * 1.005**number)
    assert costs.seconds(1) == pytest.approx(0.01 * 1.005**99, rel=0.04)


def test_unmeasured_row_counts_lie_between_and_the_curve_need_not_rise() -> None:
    costs = PassCosts()
    for rows, seconds in ((1, 0.010), (4, 0.030), (6, 0.020)):
        costs.tell(rows, seconds)
    assert costs.seconds(5) == pytest.approx(0.025)
    assert costs.seconds(6) < costs.seconds(4)
    assert costs.seconds(9) > costs.seconds(6)


def test_stale_neighbours_move_along_but_a_plain_pass_does_not() -> None:
    costs = PassCosts()
    for rows in (1, 4, 5):
        costs.tell(rows, 0.03)
    for _ in range(20):
        costs.tell(4, 0.03)
    for _ in range(3):
        costs.tell(4, 0.015)
    assert costs.seconds(1) == pytest.approx(0.03)
    assert costs.seconds(5) < 0.02


def test_longer_contexts_make_all_passes_slower() -> None:
    costs = PassCosts()
    for _ in range(10):
        costs.tell(1, 0.010, context=100)
    costs.tell(4, 0.020, context=100)
    for _ in range(10):
        costs.tell(1, 0.015, context=2_000)
    assert costs.seconds(1) == pytest.approx(0.015, rel=0.1)
    assert costs.seconds(4) > 0.023


def test_draft_steps_and_catching_up_are_told_apart() -> None:
    costs = PairCosts()
    for _ in range(5):
        costs.observe(outcome(rows=4, steps=3, draft_s=0.003))
    for _ in range(5):
        costs.observe(outcome(rows=2, steps=1, draft_s=0.001 + 40 * 0.0002), behind=40)
    assert costs.draft_s() == pytest.approx(0.001)
    assert costs.catch_up_s() == pytest.approx(0.0002)


def test_the_first_step_after_a_pass_takes_longer_than_the_others() -> None:
    costs = PairCosts()
    for steps in (1, 4, 2, 1, 8, 1, 3, 1, 5, 1, 6, 1, 7) * 3:
        costs.observe(outcome(rows=steps + 1, steps=steps, draft_s=0.0006 + 0.001 * steps))
    assert costs.draft_s() == pytest.approx(0.001, rel=0.1)
    assert costs.start_s() == pytest.approx(0.0006, rel=0.2)
    kept = PairCosts()
    kept.restore(costs.to_dict())
    assert (kept.draft_s(), kept.start_s()) == (costs.draft_s(), costs.start_s())
    del (stored := costs.to_dict())["start"]  # as an earlier version wrote it
    kept.restore(stored)
    assert (kept.draft_s(), kept.start_s()) == (costs.draft_s(), 0.0)


def test_a_step_is_asked_for_at_the_context_it_will_have() -> None:
    """After a long answer the next one begins with a short context again, where a step costs half as much."""

    def step_s(context: int) -> float:
        return 0.0006 * (1 + 0.006 * context)

    costs = PairCosts()
    for _ in range(6):
        costs.tell_step(step_s(0))
    for context in range(20, 200, 6):
        costs.observe(outcome(rows=5, steps=4, draft_s=4 * step_s(context), context=context))
    assert costs.draft_s() == pytest.approx(step_s(194), rel=0.1)
    costs.at(30)
    assert costs.draft_s() == pytest.approx(step_s(30), rel=0.2)
    kept = PairCosts()
    kept.restore(costs.to_dict())
    kept.at(194)
    assert kept.draft_s() == pytest.approx(step_s(194), rel=0.1)


@pytest.mark.parametrize("stored", [False, True])
def test_a_step_that_was_thought_too_dear_is_found_out_by_single_steps(stored: bool) -> None:
    costs = PairCosts()
    if stored:
        costs.restore({"step": 0.005, "catch_up": 0.0001})
    else:
        costs.tell_step(0.005)
    for _ in range(12):
        costs.observe(outcome(rows=2, steps=1, draft_s=0.001))
    assert costs.draft_s() + costs.start_s() < 0.0012


def test_n_grams_are_no_draft_steps() -> None:
    costs = PairCosts()
    costs.observe(RoundOutcome((Proposal(1, "ngram", match=3),), 1, 1, 2, 2, 0.5, 0.01, 0))
    assert costs.draft_s() == 0.0


def run(plan: Any, seconds: Any) -> list[CalibrationStep]:
    steps = []
    try:
        step = next(plan)
        while True:
            steps.append(step)
            step = plan.send(seconds(step))
    except StopIteration:
        return steps


@pytest.mark.parametrize("plain", [0.001, 0.02, 0.3, 5.0])
def test_calibration_keeps_its_budget(plain: float) -> None:
    def seconds(step: CalibrationStep) -> float:
        return plain * (step.rows if step.kind == "pass" else 0.1 * step.rows)

    steps = run(calibration(draft=True, budget_s=2.0), seconds)
    assert steps[0] == CalibrationStep("pass", 1)
    assert sum(map(seconds, steps)) <= max(2.0, plain)


def test_a_small_model_is_calibrated_whole() -> None:
    steps = run(calibration(draft=True), lambda step: 0.002)
    assert set(range(1, 9)) <= {step.rows for step in steps if step.kind == "pass"}
    assert {step.kind for step in steps} == {"pass", "step", "catch_up"}
    assert {step.kind for step in run(calibration(draft=False), lambda step: 0.002)} == {"pass"}


def test_costs_survive_a_restart(tmp_path: Path) -> None:
    costs = PairCosts()
    for rows in (1, 2, 4):
        costs.observe(outcome(rows, 0.01 * rows, steps=rows - 1, draft_s=0.001 * (rows - 1)))
    CostStore(tmp_path / "deep" / "costs.json").save("key", {"p": costs.passes.to_dict(), "d": costs.to_dict()})
    stored = CostStore(tmp_path / "deep" / "costs.json").load("key")
    assert stored is not None
    again = PairCosts()
    again.passes.restore(stored["p"])
    again.restore(stored["d"])
    assert again.curve() == costs.curve()
    assert CostStore(tmp_path / "deep" / "costs.json").load("another") is None


@pytest.mark.parametrize(
    "content", ["", "{", "[]", '{"version": 99, "costs": {"key": {}}}', '{"version": 1}', "[" * 9999]
)
def test_a_damaged_or_foreign_store_is_ignored_and_replaced(tmp_path: Path, content: str) -> None:
    path = tmp_path / "costs.json"
    path.write_text(content)
    store = CostStore(path)
    assert store.load("key") is None
    store.save("key", {"a": 1})
    assert json.loads(path.read_text())["costs"] == {"key": {"a": 1}}


def test_a_store_that_cannot_be_written_still_remembers(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    store = CostStore(tmp_path / "file" / "costs.json")
    store.save("key", {"a": 1})
    assert store.load("key") == {"a": 1}


@pytest.mark.parametrize(
    "stored", [{}, {"depth": 0, "rows": {"0": 1}}, {"depth": 0, "rows": {"1": -1}}, {"depth": "x", "rows": {}}]
)
def test_a_stored_curve_that_is_none_is_refused(stored: dict[str, Any]) -> None:
    with pytest.raises((ValueError, KeyError, TypeError)):
        PassCosts().restore(stored)


def test_the_key_changes_with_everything_costs_depend_on(tmp_path: Path) -> None:
    model = tmp_path / "m.gguf"
    model.write_bytes(b"a")
    key = cost_key([model], ["CPU"], 2, "build")
    assert key == cost_key([model], ["CPU"], 2, "build")
    others = {
        cost_key([model], ["GPU"], 2, "build"),
        cost_key([model], ["CPU"], 3, "build"),
        cost_key([model], ["CPU"], 2, "b"),
    }
    model.write_bytes(b"ab")
    assert len({key, *others, cost_key([model], ["CPU"], 2, "build")}) == 5


def test_what_drafts_took_does_not_pile_up_where_nobody_asks() -> None:
    costs = PairCosts()
    proposals = tuple(Proposal(1, "draft_model", 2.0) for _ in range(3))
    for at in range(2000):
        costs.observe(RoundOutcome(proposals, 3, 3, 4, 4, 0.003, 0.02, at))
    assert len(costs._drafts) < 300
    assert costs.draft_s() == pytest.approx(0.001, rel=0.05)
