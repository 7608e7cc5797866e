"""When to stop drafting: the best stopping rule, by dynamic programming backwards over the length of the draft.

After n proposals, all right with probability a, there is the choice to stop (a pass with n + 1 rows) or to pay for one
more draft step, look at the token it gives, and choose again. Time has a price: the tokens that would have come out of
it at the rate reached at present. Which token a step will give is not known, but how the chances of such tokens are
spread is: as they were lately.
"""

from collections.abc import Sequence

from app.engine.lookahead.history import PairHistory
from app.engine.ports import Costs

LONGEST = 16
"""Longest draft of a model. N-grams, which cost nothing to propose, may be longer."""

_GRID = 10
_PRICE_MOVED, _MOOD_MOVED, _STALE_MOVED, _SIGNALS_MOVED = 0.06, 0.3, 0.15, 0.06
_PLAIN_MOVED = 0.04
_SOON, _LATE, _LATEST = 8, 16, 32  # rounds


class StoppingRule:
    """The value of going on, in tokens, for one state of costs and chances. Times in units of a plain pass.

    Args:
        passes: passes[n] is the cost of a pass that verifies n proposals, for n = 0 .. limit.
        start: What the first draft step costs more than the others.
        step: The cost of a draft step.
        price: Tokens per unit of time at the rate reached at present, at least 1.
        first: A spread of chances of acceptance of the first token of a draft, equally likely.
        later: The same of those after it.
    """

    def __init__(
        self,
        passes: Sequence[float],
        start: float,
        step: float,
        price: float,
        first: Sequence[float],
        later: Sequence[float],
    ) -> None:
        self.limit = len(passes) - 1
        self._stop = [-price * cost for cost in passes]
        self._go = self._table(price * step, first, later)
        self._first = self._go[0][0] - price * start if self.limit else float("-inf")

    def _table(self, step: float, first: Sequence[float], chances: Sequence[float]) -> list[list[float]]:
        """go[n][g]: value of one more step after n proposals, all of them right with probability g / _GRID."""
        places = [[(g * x / _GRID, *_place(g * x)) for x in chances] for g in range(_GRID + 1)]
        share = 1.0 / len(chances)
        go: list[list[float]] = [[]] * self.limit
        later = [float("-inf")] * (_GRID + 1)
        for n in range(self.limit - 1, -1, -1):
            here, kept = self._stop[n], self._stop[n + 1]
            if n == 0:
                places = [[(x, *_place(x * _GRID)) for x in first]]
                share = 1.0 / len(first)
            now = []
            for line in places:
                total = 0.0
                for alive, low, part in line:
                    more = later[low] + (later[low + 1] - later[low]) * part if n + 1 < self.limit else kept
                    best = (more if more > kept else kept) + alive
                    total += best if best > here else here
                now.append(total * share - step)
            go[n] = later = now
        return go

    def stop(self, n: int) -> float:
        """Value of a pass that verifies `n` proposals, without the tokens they give."""
        return self._stop[n]

    def go_on(self, n: int, alive: float) -> float:
        """Value of drafting one more after `n` proposals that are all right with probability `alive`."""
        if n >= self.limit:
            return float("-inf")
        if n == 0:
            return self._first
        low, part = _place(alive * _GRID)
        row = self._go[n]
        return row[low] + (row[low + 1] - row[low]) * part

    def start(self) -> float:
        """What drafting promises over a plain round now."""
        return self.go_on(0, 1.0) - self._stop[0]


class PresentRule:
    """The stopping rule for the present, made anew when what it rests on has moved enough to matter.

    While nothing pays, only what has become better matters.
    """

    def __init__(self) -> None:
        self.rule = StoppingRule([1.0], 0.0, 0.0, 1.0, [0.5], [0.5])
        self.chance = 0.5
        """Of the first token of a draft to be kept."""
        self.signals = 0.0
        """Chance by the signals of the text alone; 0 where the draft was asked lately, and they are not."""
        self._promises = True
        self.forget()

    def forget(self) -> None:
        """Make it anew next time."""
        self._age = _LATEST
        self._made_for = (0.0, 0.0, 0.0, 0.0, 0.0)
        self._version = -1

    def update(self, costs: Costs, history: PairHistory, price: float, stale: float) -> StoppingRule:
        """The rule for these costs and chances.

        Args:
            costs: Of the pair.
            history: Of the pair.
            price: See `StoppingRule`.
            stale: How little is known about the draft now, 0 to 1.
        """
        self.signals = signals = history.signals.chance() if stale >= 0.02 else 0.0
        mood = history.mood
        plain = costs.pass_s(1)
        was_price, was_mood, was_stale, was_signals, was_plain = self._made_for
        self._age += 1
        better = was_price - price, mood - was_mood, signals - was_signals
        if self._promises:
            better = abs(better[0]), abs(better[1]), abs(better[2])
            latest = _LATE if self._version == costs.version else _SOON
        else:
            # What did not pay does not either after it has become worse.
            latest = _LATEST if plain < (1.0 + _PLAIN_MOVED) * was_plain else _SOON
        steady = (
            better[0] < _PRICE_MOVED * price
            and better[1] < _MOOD_MOVED
            and better[2] < _SIGNALS_MOVED
            and abs(stale - was_stale) < _STALE_MOVED
        )
        if steady and self._age < latest:
            return self.rule
        self._age, self._version = 0, costs.version
        self._made_for = price, mood, stale, signals, plain
        first, later = history.chances(stale)
        self.chance = right = sum(first) / len(first)
        passes = [1.0]
        for rows in range(2, LONGEST + 2):
            # A model that cannot forget pays for a rejection in its next pass.
            passes.append((costs.pass_s(rows) + (1.0 - right) * costs.rejection_s()) / plain)
            right *= sum(later) / len(later)
        self.rule = StoppingRule(passes, costs.start_s() / plain, costs.draft_s() / plain, price, first, later)
        self._promises = self.rule.start() > 0
        return self.rule


def _place(at: float) -> tuple[int, float]:
    low = min(int(at), _GRID - 1)
    return low, at - low
