"""How long a copy should be: proposals of n-grams cost nothing, but every one of them is a row of the pass."""

from collections.abc import Sequence

from app.engine.lookahead.acceptance import Acceptance
from app.engine.ports import Costs
from app.protocol.options import MAX_LOOKAHEAD

AHEAD = 16
"""So far beyond a token its copy is looked at."""
_WORSE = 0.3  # a score so much below the one the length was chosen with is a reason to choose again


class CopyRule:
    """Values of the lengths of one round's copy, in tokens. Times in units of a plain pass."""

    def __init__(self) -> None:
        self._passes: list[float] = []
        self._version = -1
        self._rejection = 0.0
        self._price = 1.0
        self._length = 0
        self._score = 0.0

    def begin(self, costs: Costs, price: float) -> None:
        """A new round. `price`: tokens per unit of time at the rate reached at present, at least 1."""
        if self._version != costs.version:
            plain = costs.pass_s(1)
            self._passes = [costs.pass_s(rows) / plain for rows in range(1, MAX_LOOKAHEAD + 2)]
            self._version = costs.version
        self._rejection = costs.rejection_s() / costs.pass_s(1)
        self._price = price
        self._length = 0

    def planned(self, n: int, score: float) -> bool:
        """After `n` proposals: is the next one, with this score, within the length chosen before?"""
        return n + 1 < self._length and score >= self._score

    def values(self, model: Acceptance, match: int, n: int, score: float, alive: float) -> tuple[float, float, float]:
        """The values of stopping before the next proposal, after it, and at the best length beyond it.

        Args:
            model: What judges copies.
            match: Of the next proposal, see `Proposal`.
            n: Proposals before it.
            score: Of the next proposal.
            alive: Probability that it and all before it are right.
        """
        price, passes = self._price, self._passes
        stop = -price * passes[n]
        if n + 1 >= len(passes):
            return stop, float("-inf"), float("-inf")
        costs = [price * cost for cost in passes[n + 2 : n + 2 + AHEAD]]
        more, length = free_value(costs, alive, model.copy_chances(score, match, len(costs)))
        self._length = n + 1 + length
        self._score = score - _WORSE
        # A model that cannot forget pays in its next pass if a proposal is wrong.
        risk = price * self._rejection * (1.0 - alive)
        return stop, -price * passes[n + 1] - risk, more - risk


def free_value(costs: Sequence[float], alive: float, chances: Sequence[float]) -> tuple[float, int]:
    """Value of going on where proposals cost nothing, and how many more that takes: the best of all lengths.

    Args:
        costs: costs[n] is the price of a pass that verifies n + 1 more proposals than there are, in tokens.
        alive: The probability that those are all right.
        chances: Of each that follows, as many as costs.
    """
    best, length, tokens = float("-inf"), 0, 0.0
    for place, (cost, chance) in enumerate(zip(costs, chances, strict=True), 1):
        alive *= chance
        tokens += alive
        if tokens - cost > best:
            best, length = tokens - cost, place
    return best, length
