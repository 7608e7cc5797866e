"""The floor under every prediction: time lost against plain decoding is counted, and drafting ends where it adds up.

Unit: a plain pass. The balance of an answer is the sum over its rounds of (tokens kept - time taken); plain rounds add
nothing. It may not fall below a small credit, plus a share of what earlier answers of the same pair have gained, plus
an allowance for the time that has passed. Only what drafting has won before can thus be lost again, but for the credit
and the allowance.
"""

CREDIT = 0.5
ALLOWANCE = 0.006
"""Per unit of time. Looks at the draft have their own, in `auto`; both together stay below one percent."""
MOST_SAVED = 4.0
"""Gains beyond this buy no further losses in the same answer."""


class Ledger:
    """The account of one answer.

    Args:
        credit: What may be lost before anything was gained.
    """

    def __init__(self, credit: float) -> None:
        self._credit = credit
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

    def strain(self) -> float:
        """0 while nothing is lost, 1 at the floor."""
        return min(1.0, max(0.0, -self._balance / self._floor()))

    def grant(self, credit: float) -> None:
        """Allow that much more."""
        self._credit += credit

    def book(self, tokens: int, time: float) -> None:
        """A round kept `tokens` in `time`."""
        self._balance = min(self._balance + tokens - time, MOST_SAVED)
        self._elapsed += time
        self._unsure += time

    def confirm(self, ratio: float) -> None:
        """A plain pass was timed and takes `ratio` of what was thought: what was booked since the last is re-priced."""
        self._balance = min(self._balance + self._unsure * (1.0 - 1.0 / ratio), MOST_SAVED)
        self._unsure = 0.0

    def _floor(self) -> float:
        return self._credit + ALLOWANCE * self._elapsed
