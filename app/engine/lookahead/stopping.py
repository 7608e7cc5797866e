"""When to stop drafting: the best stopping rule, by dynamic programming backwards over the length of the draft.

After n proposals, all right with probability a, there is the choice to stop (a pass with n + 1 rows) or to pay for one
more draft step, look at the token it gives, and choose again. Time has a price: the tokens that would have come out of
it at the rate reached at present. Which token a step will give is not known, but how the chances of such tokens are
spread is: as they were lately.
"""

from collections.abc import Sequence

_GRID = 10


class StoppingRule:
    """The value of going on, in tokens, for one state of costs and chances. Times in units of a plain pass.

    Args:
        passes: passes[n] is the cost of a pass that verifies n proposals, for n = 0 .. limit.
        step: The cost of a draft step.
        price: Tokens per unit of time at the rate reached at present, at least 1.
        first: A spread of chances of acceptance of the first token of a draft, equally likely.
        later: The same of those after it.
    """

    def __init__(
        self, passes: Sequence[float], step: float, price: float, first: Sequence[float], later: Sequence[float]
    ) -> None:
        self.limit = len(passes) - 1
        self._stop = [-price * cost for cost in passes]
        self._go = self._table(price * step, first, later)

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
            return self._go[0][0]
        low, part = _place(alive * _GRID)
        row = self._go[n]
        return row[low] + (row[low + 1] - row[low]) * part

    def start(self) -> float:
        """What drafting promises over a plain round now."""
        return self.go_on(0, 1.0) - self._stop[0]


def free_value(costs: Sequence[float], n: int, alive: float, chance: float) -> float:
    """Value of going on where proposals cost nothing (n-grams): the best of all lengths.

    Args:
        costs: costs[n] is the price of a pass that verifies n proposals, in tokens.
        n: Proposals so far.
        alive: The probability that they are all right.
        chance: Of each that follows.
    """
    best, tokens = float("-inf"), 0.0
    for cost in costs[n + 1 :]:
        alive *= chance
        tokens += alive
        best = max(best, tokens - cost)
    return best


def _place(at: float) -> tuple[int, float]:
    low = min(int(at), _GRID - 1)
    return low, at - low
