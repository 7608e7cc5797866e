"""The floor under every prediction: time lost against plain decoding is counted, and drafting ends where it adds up.

Unit: a plain pass. The balance of an answer is the sum over its rounds of (tokens kept - time taken); plain rounds add
nothing. It may not fall below a small credit, plus a share of what earlier answers of the same pair have gained, plus
an allowance for the time that has passed. Only what drafting has won before can thus be lost again, but for the credit
and the allowance, and for two sums of a pair that pay for reading a prompt: `history.TRIAL`, which comes back slowly,
and `history.TURNS`, for a draft known to be right at times, which only gains bring back. Without them a draft that is
behind is never found out.
"""

import math
from collections.abc import Callable

CREDIT = 0.4
ALLOWANCE = 0.004
"""Per unit of time. Looks at the draft have their own, in `auto`; both together stay below one percent."""
_ON_CREDIT = 0.25
MOST_SAVED = 4.0
"""Gains beyond this buy no further losses in the same answer."""
MOST_SAVED_BY_COPIES = 8.0
"""The same with n-grams: one pass of theirs costs more, and one that is wrong must not end the copying."""


class Ledger:
    """The account of one answer.

    Args:
        credit: What may be lost before anything was gained.
        most_saved: What gains may add to it.
    """

    def __init__(self, credit: float, most_saved: float = MOST_SAVED) -> None:
        self._credit = credit
        self._most_saved = most_saved
        self._balance = 0.0
        self._elapsed = 0.0
        self._unsure = 0.0

    @property
    def balance(self) -> float:
        return self._balance

    @property
    def headroom(self) -> float:
        """What may still be lost."""
        return self._balance + self._floor()

    def allows(self, loss: float) -> bool:
        """May another `loss` be risked?"""
        return loss <= self.headroom

    def longest(self, limit: int, loss: Callable[[int], float]) -> int:
        """The longest draft, 1 to `limit`, that may be lost as a whole; on credit little more than the shortest.

        Args:
            limit: At least 1.
            loss: By the length of the draft, if none of it is kept.
        """
        most = max(self.headroom, loss(1) + _ON_CREDIT)
        while limit > 1 and loss(limit) > most:
            limit -= 1
        return limit

    def strain(self) -> float:
        """0 while nothing is lost, 1 at the floor. The first losses count most: the rest is for what promises most."""
        return math.sqrt(min(1.0, max(0.0, -self._balance / self._floor())))

    def grant(self, credit: float) -> None:
        """Allow that much more."""
        self._credit += credit

    def book(self, tokens: int, time: float, unsure: float) -> None:
        """A round kept `tokens` in `time`, of which `unsure` is known only as well as V(1) is."""
        self._balance = min(self._balance + tokens - time, self._most_saved)
        self._elapsed += time
        self._unsure += unsure

    def confirm(self, ratio: float) -> None:
        """A plain pass was timed and takes `ratio` of what was thought: what was booked since the last is re-priced.

        When that changed is not known. It may take away what was gained, but is no loss that anybody chose.
        """
        repriced = self._balance + self._unsure * (1.0 - 1.0 / ratio)
        self._balance = min(max(repriced, min(self._balance, 0.0)), self._most_saved)
        self._unsure = 0.0

    def _floor(self) -> float:
        return self._credit + ALLOWANCE * self._elapsed
