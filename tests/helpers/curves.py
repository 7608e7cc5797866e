"""What passes cost on some machines, for replays."""

import random
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from app.engine.costs import PairCosts, calibration


@dataclass(frozen=True)
class Curve:
    """What things cost, in ms: `passes[n - 1]` a pass with n rows, `step` a draft step.

    `catch_up`: each token a draft has to process after it was not asked for a while (rounds that draft include one or
    two in their steps). `start`: what the first step after a pass takes more than the others. `step_slope`: how
    much of itself a step grows by with every token of the context.
    """

    name: str
    passes: tuple[float, ...]
    step: float
    catch_up: float = 0.0
    start: float = 0.0
    step_slope: float = 0.0

    @property
    def longest(self) -> int:
        return len(self.passes) - 1

    def cost(self, rows: int) -> float:
        """A pass with `rows` rows; beyond the known ones the curve goes on as it went on average."""
        if rows <= len(self.passes):
            return self.passes[rows - 1]
        return self.passes[-1] + (rows - len(self.passes)) * (self.passes[-1] - self.passes[0]) / self.longest

    def scaled(self, plain: float = 1.0, *, all_passes: float = 1.0) -> "Curve":
        """Another machine mood: the 1-row pass or everything becomes slower by a factor."""
        first, *rest = (cost * all_passes for cost in self.passes)
        return replace(
            self,
            name=f"{self.name} moved",
            passes=(first * plain, *rest),
            step=self.step * all_passes,
            catch_up=self.catch_up * all_passes,
            start=self.start * all_passes,
        )


_Q4 = (7.2, 12.4, 16.1, 20.7, 24.6, 29.5, 33, 41, 45, 49, 53, 57, 61, 65, 69, 73, 77)

CURVES = (
    # The five of the sketch (9 rows there, carried on here to 17) ...
    Curve("Q4_K on 2 cores, 16 M draft", _Q4, 0.9, 0.5),
    Curve("Q4_K on 2 cores, 0.6 M draft", _Q4, 0.15, 0.05),
    Curve(
        "F16 on 2 cores, 16 M draft",
        (20, 31.5, 32.7, 33.8, 35.3, 36.5, 47, 50, 52, 54, 57, 59, 62, 64, 66, 68, 71),
        0.7,
        0.3,
    ),
    Curve(
        "GPU-like",
        (10, 10.2, 10.4, 10.7, 11, 11.3, 11.6, 12, 12.4, 12.7, 13, 13.3, 13.6, 13.9, 14.2, 14.5, 15.2),
        1.0,
        0.02,
    ),
    Curve("stepped tiles", (10, 20, 21, 21, 36, 37, 37, 31, 48, 49, 49, 48, 62, 63, 63, 58, 75), 0.5, 0.2),
    # ... and two more: gemma-3-270m Q4_0 on 2 AVX-512 cores (design.md; rows between the measured ones interpolated),
    # and a draft of a fifth of the target's cost on a device where rows are nearly free.
    Curve("gemma Q4_0 on 2 cores", (16, 28, 33, 33, 52, 60, 56, 52, 72, 70, 68, 66, 67, 68, 68, 69, 92), 1.2, 0.7),
    Curve(
        "large draft on a GPU",
        (25, 25.4, 25.8, 26.2, 26.6, 27, 27.5, 28, 30, 30.5, 31, 31.5, 32, 32.5, 33, 33.5, 36),
        5.0,
        0.1,
    ),
)

HERE = Curve(
    "Q4_K_M on 2 cores, as measured",
    (7.2, 11.4, 14.3, 18.8, 22, 24.5, 26.3, 28.2, 30, 31, 31.5, 32, 33, 34, 34, 33, 42),
    step=0.6,
    step_slope=0.006,
    catch_up=0.09,
    start=0.55,
)
"""The 0.31 B target of the benchmarks with the draft of 1/20, with all that a draft costs."""

QUICK = Curve(
    "Q4_K_M on 2 cores, plain passes quick",
    (6.4, 11.6, 14.8, 20.2, 24, 27.4, 29, 30.8, 31.4, 33, 36, 36.5, 37, 36, 35.5, 35, 44),
    step=0.6,
    step_slope=0.006,
    catch_up=0.09,
    start=0.55,
)
"""The same at another hour. Three tokens a pass hardly pay; only long drafts do."""

WITH_TILES = (
    Curve(
        "Q4_K_M on 2 cores with AMX",
        (15.8, 25, 26.9, 28, 29.5, 31.4, 33.8, 35, 37.3, 38.8, 40.4, 42, 44.2, 45.3, 48.4, 49.1, 60.1),
        step=1.45,
        step_slope=0.002,
        catch_up=0.2,
        start=0.2,
    ),
    Curve(
        "F16 on 2 cores with AMX",
        (28.7, 31.6, 34.4, 36.5, 62.9, 63.9, 64.4, 71.7, 93.5, 95.7, 96, 99.8, 107.5, 109.6, 113, 111.7, 146.3),
        step=1.5,
        step_slope=0.002,
        catch_up=0.2,
        start=0.2,
    ),
)
"""The same target on a processor with AMX, which computes 16 rows of Q4_K_M at once (medians after 150 tokens)."""

CurveAt = Callable[[int], Curve]
"""The curve that holds at a position of a text."""


@dataclass
class Noise:
    """What a busy machine does to measured times: every time a few percent off, now and then one far off."""

    spread: float = 0.0
    outliers: float = 0.0
    seed: int = 0
    _random: random.Random = field(init=False)

    def __post_init__(self) -> None:
        self._random = random.Random(self.seed)

    def __call__(self, seconds: float) -> float:
        if not self.spread:
            return seconds
        if self._random.random() < self.outliers:
            return seconds * self._random.uniform(2.0, 10.0)
        return seconds * max(0.5, self._random.gauss(1.0, self.spread))


def calibrated(curve: Curve, noise: Noise | None = None) -> PairCosts:
    """Costs as the engine knows them after its calibration on a machine with this curve."""
    costs = PairCosts()
    shown = noise or Noise()
    plan = calibration(draft=True)
    seconds: float | None = None
    try:
        while True:
            step = plan.send(seconds)
            if step.kind == "pass":
                seconds = shown(curve.cost(step.rows) / 1e3)
                costs.passes.tell(step.rows, seconds)
            elif step.kind == "step":
                seconds, again = shown((curve.start + curve.step) / 1e3), shown(curve.step / 1e3)
                costs.tell_step(again)
                costs.tell_start(seconds - again)
                seconds += again
            else:
                seconds = shown((curve.start + step.rows * curve.catch_up) / 1e3)
                costs.tell_catch_up(max(seconds - costs.start_s(), 0.0) / step.rows)
    except StopIteration:
        return costs


def stored(curve: Curve, wrong: dict[int, float], step: float = 1.0) -> PairCosts:
    """Costs restored from an earlier run on a machine that was busy then, not measured again.

    Args:
        curve: The truth.
        wrong: By row count, how many times too dear a pass was then; 0 stands for all that are not named.
        step: The same for a draft step.
    """
    rows = {str(n): cost / 1e3 * wrong.get(n, wrong.get(0, 1.0)) for n, cost in enumerate(curve.passes, 1)}
    costs = PairCosts()
    costs.passes.restore({"depth": 0.0, "rows": rows})
    costs.restore({"step": curve.step / 1e3 * step, "catch_up": curve.catch_up / 1e3 * step})
    return costs
