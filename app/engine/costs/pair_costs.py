"""What passes and draft steps cost here: measured, followed as the machine changes, kept between runs.

Every number is the median of its last few observations: outliers (the machine was busy for a moment) do not move it.
Three observations in a row that agree with each other but not with the estimate are a change, and are believed.

V(1), a plain pass, is on its own: it drifts while passes with several rows stand still, and the other way round. When
passes of 2 rows or more change, those that were not seen lately are taken to have changed likewise, the nearer in rows
the more, since they run the same kernels. Longer contexts make every pass slower; that is learnt as one slope for all
row counts, so that a curve measured in a short chat serves in a long one. A draft step grows faster, and by itself.
"""

import math
from typing import Any

from app.engine.costs.estimate import MAX_SLOPE, MAX_STEP_SLOPE, ODD, DepthSlope, Estimate
from app.engine.ports import RoundOutcome
from app.protocol.options import MAX_LOOKAHEAD
from app.protocol.stats import CostCurve

LONGEST = 16
"""Longer drafts of a model are not considered by `auto`: where they would pay, 16 nearly always do as well."""

_STALE = 12  # passes after which a row count that was not seen may move with its neighbours
_REACH_UP, _REACH_DOWN = 8.0, 1000.0  # rows over which a change of their cost carries
_DEAREST_CHECK = 1.8  # plain passes
_FAR_BEHIND = 8  # tokens from which catching up says what a token of it costs, and no longer what a step does
_STEP_GRAIN = 64
_NO_DEPTH = 1.0  # a change on the logarithmic scale that no context makes: it is another machine, or another mood
_LEAST_START = 0.02  # of a step
_MOST_WAITING = 256  # rounds: in a long answer with a fixed lookahead nobody asks


class PassCosts:
    """V(n): seconds of a target pass by its number of rows. Shared by all drafters of a target.

    What is told waits until something is asked: plain decoding asks for nothing, and should not pay for the answer.
    """

    def __init__(self) -> None:
        self._rows: dict[int, Estimate] = {}
        self._last_seen: dict[int, int] = {}
        self._clock = 0
        self._depth = DepthSlope()
        self._context = 0
        self._cached: dict[int, float] = {}
        self._stored: set[int] = set()  # row counts that were not seen since `restore`
        self._stored_plain = 0.0
        self._checks: list[int] = []
        self._version = 0
        self._told: list[tuple[int, float, int]] = []

    @property
    def version(self) -> int:
        """Grows with every change of more than a percent."""
        self._catch_up()
        return self._version

    def tell(self, rows: int, seconds: float, context: int = 0) -> None:
        """A pass with `rows` rows after `context` tokens took so long."""
        self._told.append((rows, seconds, context))

    def _catch_up(self) -> None:
        if self._told:
            told, self._told = self._told, []
            for rows, seconds, context in told:
                self._take(rows, seconds, context)

    def _take(self, rows: int, seconds: float, context: int) -> None:
        if not 1 <= rows <= MAX_LOOKAHEAD + 1:
            return
        if rows == 1:
            self._depth.tell(context, seconds)
        self._context = context
        self._clock += 1
        new = rows not in self._rows
        estimate = self._rows.setdefault(rows, Estimate())
        news = not estimate.hearsay  # what differs from hearsay is no news about the machine
        change = estimate.tell(seconds / self._depth.factor(context))
        self._last_seen[rows] = self._clock
        if rows in self._stored:
            self._check_stored(rows, change)
        elif news and rows > 1 and abs(change) > ODD:
            self._carry_over(rows, change)
        if new or change:
            self._cached.clear()
        if new or abs(change) > 0.01:
            self._version += 1

    def at(self, context: int) -> None:
        """The next pass comes after so many tokens."""
        self._catch_up()
        self._context = context

    def seconds(self, rows: int) -> float:
        """V(rows) at the present context; between measured row counts on the straight line, 0 if unknown."""
        self._catch_up()
        if not self._rows:
            return 0.0
        rows = max(1, min(rows, MAX_LOOKAHEAD + 1))
        seconds = self._cached.get(rows)
        if seconds is None:
            seconds = self._cached[rows] = self._guess(rows)
        return seconds * self._depth.factor(self._context)

    def unsettled(self, rows: int) -> bool:
        """A pass with so many rows would tell more: the last took unexpectedly long or short, or none was seen yet."""
        self._catch_up()
        return rows in self._stored or (rows in self._rows and self._rows[rows].unsettled)

    @property
    def check(self) -> int:
        """Rows of a pass that should be timed, because its cost is known from an earlier run only; 0 for none."""
        self._catch_up()
        for rows in self._checks:
            step = self.seconds(2) - self.seconds(1) if rows > 2 else 0.0
            if rows in self._stored and step * (rows - 1) < _DEAREST_CHECK * self.seconds(1):
                return rows
        return 0

    def measured(self) -> tuple[int, ...]:
        """Row counts with at least one observation."""
        self._catch_up()
        return tuple(sorted(self._rows))

    def _check_stored(self, rows: int, change: float) -> None:
        """A cost of an earlier run is seen for the first time in this one.

        If the machine was busy then, all costs are wrong alike, a plain pass too: what both have in common moves those
        that were not seen yet. If only this one was, others have to be timed as well.
        """
        self._stored.discard(rows)
        if rows == 1 or abs(change) <= ODD:
            return
        self._checks.append(2 * rows)
        plain = math.log(self._rows[1].value / self._stored_plain) if self._stored_plain and 1 in self._rows else 0.0
        if plain * change > 0:
            common = math.copysign(min(abs(plain), abs(change)), change)
            for other in self._stored - {1}:
                self._rows[other].shift(common)
            self._stored_plain = self._rows[1].value

    def _carry_over(self, rows: int, change: float) -> None:
        # What is believed too cheap is tried and found out; what is believed too dear is never tried.
        reach = _REACH_UP if change > 0 else _REACH_DOWN
        for other, estimate in self._rows.items():
            if other not in (1, rows) and other not in self._stored and self._clock - self._last_seen[other] > _STALE:
                estimate.shift(change * math.exp(-abs(other - rows) / reach))

    def _guess(self, rows: int) -> float:
        if rows in self._rows:
            return self._rows[rows].value
        known = sorted(self._rows)
        below = [n for n in known if n < rows]
        above = [n for n in known if n > rows]
        if below and above:
            low, high = below[-1], above[0]
            share = (rows - low) / (high - low)
            return self._rows[low].value * (1 - share) + self._rows[high].value * share
        if below:
            # Beyond what is known every further row is taken to cost what the average row did.
            first, last = known[0], below[-1]
            end = self._rows[last].value
            slope = (end - self._rows[first].value) / (last - first) if last > first else 0.3 * end
            return end + max(slope, 0.0) * (rows - last)
        return self._rows[above[0]].value / (1 + 0.3 * (above[0] - rows))

    def to_dict(self) -> dict[str, Any]:
        """As JSON knows it."""
        self._catch_up()
        return {"depth": self._depth.value, "rows": {str(n): estimate.value for n, estimate in self._rows.items()}}

    def restore(self, stored: dict[str, Any]) -> None:
        """Take over a stored curve; raises ValueError, TypeError, KeyError or AttributeError where it is none."""
        self._catch_up()
        rows = {int(key): Estimate(_cost(value)) for key, value in stored["rows"].items()}
        if any(not 1 <= n <= MAX_LOOKAHEAD + 1 for n in rows):
            raise ValueError("row counts out of range")
        self._depth.value = min(_cost(stored["depth"]), MAX_SLOPE)
        self._rows, self._cached, self._last_seen = rows, {}, dict.fromkeys(rows, self._clock)
        self._stored = set(rows)
        self._stored_plain = rows[1].value if 1 in rows else 0.0
        self._checks = [2]
        self._version += 1


class PairCosts:
    """Costs of one drafter on one target: `Costs` for the policies.

    As with passes, what drafts took waits until something is asked.
    """

    def __init__(self, passes: PassCosts | None = None) -> None:
        self.passes = passes or PassCosts()
        self._drafts: list[tuple[RoundOutcome, int]] = []
        self._step = Estimate()
        self._step_depth = DepthSlope(_STEP_GRAIN, MAX_STEP_SLOPE)
        self._context = 0
        self._start = Estimate()
        self._catch_up = Estimate()
        self._rejection = Estimate()

    @property
    def check(self) -> int:
        self._learn()
        return self.passes.check or (2 if self._step.hearsay else 0)

    @property
    def version(self) -> int:
        """Grows when the curve has changed."""
        return self.passes.version

    def pass_s(self, rows: int) -> float:
        return self.passes.seconds(rows)

    def unsettled(self, rows: int) -> bool:
        return self.passes.unsettled(rows)

    def at(self, context: int) -> None:
        self.passes.at(context)
        self._context = context

    def draft_s(self) -> float:
        self._learn()
        return self._step.value * self._step_depth.factor(self._context)

    def start_s(self) -> float:
        self._learn()
        return self._start.value

    def catch_up_s(self) -> float:
        self._learn()
        return self._catch_up.value or 0.4 * self.draft_s()

    def rejection_s(self) -> float:
        return self._rejection.value

    def tell_step(self, seconds: float) -> None:
        """A draft step took so long, at the context of the last round."""
        self._learn()
        self._tell_step(seconds, self._context)

    def _tell_step(self, seconds: float, context: int) -> None:
        self._step_depth.tell(context, seconds)
        change = self._step.tell(seconds / self._step_depth.factor(context))
        if abs(change) > _NO_DEPTH:
            self._step_depth.forget()

    def tell_start(self, seconds: float) -> None:
        """The first draft step after a pass took so much longer than another."""
        self._learn()
        self._start.tell(max(seconds, _LEAST_START * self.draft_s()))

    def tell_catch_up(self, seconds: float) -> None:
        """Processing one token of a longer text took the draft so long."""
        self._learn()
        self._catch_up.tell(seconds)

    def observe(self, outcome: RoundOutcome, behind: int = 0) -> None:
        usual = self.passes.seconds(outcome.rows) if outcome.owed else 0.0
        self.passes.tell(outcome.rows + outcome.owed, outcome.pass_s, outcome.context)
        self._context = outcome.context
        if usual > 0:
            self._rejection.tell(outcome.pass_s - usual)
        if outcome.offered:
            self._drafts.append((outcome, behind))
            if len(self._drafts) >= _MOST_WAITING:
                self._learn()

    def _learn(self) -> None:
        if self._drafts:
            drafts, self._drafts = self._drafts, []
            for outcome, behind in drafts:
                self._take(outcome, behind)

    def _take(self, outcome: RoundOutcome, behind: int) -> None:
        steps = sum(proposal.source != "ngram" for proposal in outcome.offered)
        if not steps:
            return
        step = self._step.value * self._step_depth.factor(outcome.context)
        if behind >= _FAR_BEHIND:
            if step:
                self._catch_up.tell((outcome.draft_s - self._start.value - steps * step) / behind)
            return
        seconds = outcome.draft_s - behind * self._catch_up.value
        if steps > 1 or self._step.hearsay:
            self._tell_step((seconds - self._start.value) / steps, outcome.context)
        elif seconds < step or not step:
            self._tell_step(seconds, outcome.context)
        else:
            self._start.tell(max(seconds - step, _LEAST_START * step))

    def curve(self) -> CostCurve:
        if not self.passes.measured():
            return CostCurve()
        return CostCurve(
            pass_ms=tuple(self.pass_s(rows) * 1000 for rows in range(1, LONGEST + 2)), draft_ms=self.draft_s() * 1000
        )

    def to_dict(self) -> dict[str, Any]:
        """As JSON knows it; the passes are stored by their owner."""
        self._learn()
        return {
            "step": self._step.value,
            "depth": self._step_depth.value,
            "start": self._start.value,
            "catch_up": self._catch_up.value,
        }

    def restore(self, stored: dict[str, Any]) -> None:
        """Take over stored costs; raises ValueError, TypeError or KeyError where they are none."""
        self._drafts.clear()
        step, catch_up = Estimate(_cost(stored["step"])), Estimate(_cost(stored["catch_up"]))
        # Files of earlier versions do not have these two.
        start, depth = Estimate(_cost(stored.get("start", 0.0))), _cost(stored.get("depth", 0.0))
        self._step_depth.value = min(depth, MAX_STEP_SLOPE)
        self._step, self._start, self._catch_up = step, start, catch_up


def _cost(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value) or value < 0:
        raise ValueError("not a cost")
    return float(value)
