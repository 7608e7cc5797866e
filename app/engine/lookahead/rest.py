"""Rounds of a pause in which nothing is even considered.

Right after a pass the processor's caches hold weights, so that the thinking of a policy costs several times what it
takes otherwise, in every round of a pause. A few rounds are therefore looked at together, when the first of the next
few comes: the longer the pause, the more, up to `LONGEST`.
"""

from app.engine.ports import RoundOutcome

LONGEST = 4
"""Rounds looked at together at most: drafting begins again so many tokens later than it could."""
_PATIENCE = 6
"""Rounds of a pause after which one more is left out."""


class Rest:
    """Of one pause."""

    def __init__(self) -> None:
        self._rounds = 0
        self._left = 0
        self._resting = False
        self._seen: list[RoundOutcome] = []

    def paused(self) -> None:
        """A round was considered, and nothing is drafted in it."""
        self._rounds += 1
        self._left = min(self._rounds // _PATIENCE, LONGEST - 1)

    def goes_on(self) -> bool:
        """A new round: is it one that is not considered?"""
        self._resting = self._left > 0
        self._left -= self._resting
        return self._resting

    def takes(self, outcome: RoundOutcome) -> bool:
        """The round is over: keep what it did for later, if it was not considered."""
        if self._resting:
            self._seen.append(outcome)
        resting, self._resting = self._resting, False
        return resting

    def over(self) -> list[RoundOutcome]:
        """What was kept, in order."""
        seen, self._seen = self._seen, []
        return seen
