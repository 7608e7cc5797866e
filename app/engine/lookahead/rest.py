"""Rounds of a pause in which nothing is even considered.

Right after a pass the processor's caches hold weights, so that the thinking of a policy costs several times what it
takes otherwise, in every round of a pause. A few rounds are therefore looked at together, when the first of the next
few comes: the longer the pause, the more, up to `LONGEST`.
"""

from collections.abc import Sequence

from app.engine.ports import RoundOutcome

LONGEST = 8
"""Rounds looked at together at most: drafting begins again so many tokens later than it could."""
_PATIENCE = 4
"""Rounds of a pause after which one more is left out."""


class Rest:
    """Of one pause."""

    def __init__(self) -> None:
        self._rounds = 0
        self._left = 0
        self._paused = False
        self._seen: list[RoundOutcome] = []

    def paused(self) -> None:
        """A round was considered, and nothing is drafted in it."""
        self._rounds += 1
        self._left = min(self._rounds // _PATIENCE, LONGEST - 1)
        self._paused = True

    def goes_on(self) -> bool:
        """A new round: is it one that is not considered?"""
        self._paused = self._left > 0
        self._left -= self._paused
        return self._paused

    def takes(self, outcome: RoundOutcome) -> bool:
        """The round is over: keep what it did for later, if it was a plain one of a pause."""
        taken = self._paused and outcome.rows + outcome.owed == 1
        if taken:
            self._seen.append(outcome)
        self._paused = False
        return taken

    def over(self) -> list[RoundOutcome]:
        """What was kept, in order."""
        seen, self._seen = self._seen, []
        return seen


def typical(rounds: Sequence[RoundOutcome]) -> RoundOutcome:
    """The one with the median time of a pass; of an even number, the shorter: what disturbs a pass makes it longer."""
    return sorted(rounds, key=lambda outcome: outcome.pass_s)[(len(rounds) - 1) // 2]
