"""What to time after loading, in which order, within a time budget. Only a plan: the engine executes the passes."""

from collections.abc import Generator
from dataclasses import dataclass
from typing import Literal

BUDGET_S = 2.0

# The most telling first; what is timed three times can be trusted. Between them others have a turn, so that a short
# disturbance does not hit all timings of one row count.
_ORDER = (1, 2, 4, 8, 3, 6, 1, 5, 7, 2, 4, 16, 12, 8, 1, 3, 9, 6, 2, 10, 14, 5, 7, 4, 1, 3, 8, 6, 16, 12, 5, 7, 9, 10)
_DRAFT_AFTER = {0: "step", 1: "step", 3: "catch_up", 5: "step", 6: "step", 8: "catch_up", 11: "step", 14: "catch_up"}
CATCH_UP_ROWS = 32


@dataclass(frozen=True, slots=True)
class CalibrationStep:
    """Something to time: a target pass with `rows` rows, two draft steps, or a draft processing `rows` tokens at once.

    The cache is cut back after each.
    """

    kind: Literal["pass", "step", "catch_up"]
    rows: int = 1


def calibration(*, draft: bool, budget_s: float = BUDGET_S) -> Generator[CalibrationStep, float | None, None]:
    """The plan, as a generator: send it the seconds that each step took; it ends when the budget is spent.

    Steps that would take more than is left are left out, judged by those timed before; the very first is always tried.
    It can be closed at any point (a message is waiting): what is missing is interpolated, and refined in use.

    Args:
        draft: There is a draft to time.
        budget_s: Seconds for all steps together.
    """
    left = budget_s
    timed: dict[tuple[str, int], float] = {}
    for step in _steps(draft=draft):
        if timed and _expected(step, timed) > left:
            continue
        seconds = yield step
        if seconds is not None:
            timed[step.kind, step.rows] = seconds
            left -= seconds


def _steps(*, draft: bool) -> list[CalibrationStep]:
    steps = []
    for place, rows in enumerate(_ORDER):
        steps.append(CalibrationStep("pass", rows))
        kind = _DRAFT_AFTER.get(place) if draft else None
        if kind == "step":
            steps.append(CalibrationStep("step"))
        elif kind == "catch_up":
            steps.append(CalibrationStep("catch_up", CATCH_UP_ROWS))
    return steps


def _expected(step: CalibrationStep, timed: dict[tuple[str, int], float]) -> float:
    """A guess on the high side: as before, else in proportion to the rows of the nearest that was timed."""
    if step.kind == "step" and ("step", 1) not in timed:
        return timed["pass", 1]  # a draft that is slower than its target is none
    if step.kind == "catch_up" and ("catch_up", step.rows) not in timed:
        return timed.get(("step", 1), timed["pass", 1]) * step.rows
    like = {rows: seconds for (kind, rows), seconds in timed.items() if kind == step.kind}
    nearest = min(like, key=lambda rows: (abs(rows - step.rows), rows))
    return like[nearest] * max(1.0, step.rows / nearest)
