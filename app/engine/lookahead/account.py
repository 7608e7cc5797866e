"""What drafting has gained or lost, round by round, in plain passes: keeps the ledger and the pair's history."""

from app.engine.lookahead.history import PairHistory
from app.engine.lookahead.ledger import Ledger
from app.engine.lookahead.watch import CostWatch
from app.engine.ports import Costs, RoundOutcome

_GRANT_GAP = 16
_GRANT_RISK = 0.5
_STILL_EVEN = 0.2
_SURE_PROMISE = 6.0
_OUTLIER = 1.5
_UNSURE_LOSS = 1.0  # what is known by hearsay only, and is said to be dearer, may not be


class Account:
    """Of one answer after the other.

    Args:
        costs: What a plain pass takes, and what is usual.
        history: Is told of every gain and loss.
    """

    def __init__(self, costs: Costs, history: PairHistory) -> None:
        self._costs = costs
        self._history = history
        self.watch = CostWatch()
        self.plain_s = 0.0
        """V(1) as it was last asked for; 0 while it is unknown."""
        self.begin(credit=0.0)

    def begin(self, credit: float) -> None:
        """A new answer, which may lose `credit` at once."""
        self.ledger = Ledger(credit)
        self.watch.begin()
        self._since_grant = _GRANT_GAP
        self._tokens = 0
        self._seconds = 0.0

    def affordable(self, limit: int, step_s: float) -> int:
        """The longest draft, 1 to `limit`, that may be lost as a whole if a step takes `step_s`."""
        costs, plain = self._costs, self.plain_s
        rejection = costs.rejection_s()
        return self.ledger.longest(limit, lambda n: (costs.pass_s(n + 1) + n * step_s + rejection) / plain - 1.0)

    def granted(self, cost: float, promise: float, *, hopeful: bool, turned: bool) -> bool:
        """More than may be lost now: a try that promises to return more than twice its cost, if something pays for it.

        That is what earlier answers have gained, or a small sum that every pair has to begin with: to catch up in an
        answer that has lost nothing yet, or where the promise is large. Where the text has turned into another, it may
        be a larger one. A draft that is never right gets no more than the sum to begin with.

        Args:
            cost: Of catching up and the first step.
            promise: Gain over the rest of the answer.
            hopeful: The draft was right at least once in this answer.
            turned: See `Turn`.
        """
        history = self._history
        need = cost + _GRANT_RISK - self.ledger.headroom
        if self._since_grant < _GRANT_GAP or promise < 2.0 * need:
            return False
        even = self.ledger.balance > -_STILL_EVEN
        if need > history.saved:
            if need <= history.trial and (even or (hopeful and promise > _SURE_PROMISE * need)):
                history.trial -= need
            elif need <= history.turns and turned and history.promising:
                history.turns -= need
            else:
                return False
        self._since_grant = 0
        self.ledger.grant(need)
        return True

    def may_time(self, rows: int, cost: float) -> bool:
        """May a pass with so many rows be timed for its own sake, after drafting for `cost`? Earlier gains pay too."""
        loss = cost + min(self._costs.pass_s(rows) / self.plain_s - 1.0, _UNSURE_LOSS)
        if self.ledger.allows(0.5 * loss):
            return True
        if self._since_grant < _GRANT_GAP or self._history.saved < 2.0 * loss:
            return False
        self._since_grant = 0
        self.ledger.grant(loss)
        return True

    def trust(self) -> None:
        """At the floor: a little may be lost again."""
        self.ledger.grant(max(0.0, -self.ledger.headroom) + _GRANT_RISK)

    def book(self, outcome: RoundOutcome, behind: int) -> float:
        """A round, in which a draft first caught up with `behind` tokens, is over; returns the time it counts for.

        `costs` have been told of it.
        """
        costs, history = self._costs, self._history
        plain = costs.pass_s(1)
        if self.plain_s <= 0:
            self.plain_s = plain
        rows = outcome.rows + outcome.owed
        if rows == 1:
            self.watch.plain_passed()
            if not costs.unsettled(1) and self.plain_s > 0:
                ratio = plain / self.plain_s
                self.ledger.confirm(ratio)
                history.reprice(ratio)
                self.watch.plain_moved(ratio)
                self.plain_s = plain
        else:
            self.watch.long_passed(outcome.kept, unsettled=costs.unsettled(rows))
        # What took unusually long took long because the machine was busy, and would have with a plain pass too.
        usual_draft = len(outcome.offered) * costs.draft_s() + behind * costs.catch_up_s()
        draft = min(outcome.draft_s, _OUTLIER * usual_draft) if usual_draft > 0 else outcome.draft_s
        draft /= self.plain_s or 1.0
        if rows == 1:
            time = 1.0 + draft  # whatever it took: that is the unit
            self.ledger.book(outcome.kept, time, unsure=draft)
        else:
            time = min(outcome.pass_s, _OUTLIER * costs.pass_s(rows)) / (self.plain_s or 1.0) + draft
            self.ledger.book(outcome.kept, time, unsure=time)
        history.book(outcome.kept, time)
        self._since_grant += outcome.kept
        self._tokens += outcome.kept
        self._seconds += outcome.draft_s + outcome.pass_s
        return time

    @property
    def lost_s(self) -> float:
        """Seconds lost in this answer, at least 0."""
        return max(0.0, -self.ledger.balance) * self.plain_s

    @property
    def gain(self) -> float | None:
        """Speed of this answer against plain decoding; None while unknown."""
        plain = self._costs.pass_s(1)
        return self._tokens * plain / self._seconds if plain > 0 and self._seconds > 0 else None
