"""What drafting has gained or lost, round by round, in plain passes: keeps the ledger and the pair's history."""

from collections.abc import Sequence

from app.engine.lookahead.history import PairHistory
from app.engine.lookahead.ledger import MOST_SAVED, Ledger
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

    def begin(self, credit: float, most_saved: float = MOST_SAVED) -> None:
        """A new answer, which may lose `credit` at once, and what it gains up to `most_saved`."""
        self.ledger = Ledger(credit, most_saved)
        self.watch.begin()
        self._since_grant = _GRANT_GAP
        self._tokens = 0
        self._seconds = 0.0

    def affordable(self, limit: int, step_s: float, saved: float = 0.0, *, draws_on_trial: bool = False) -> int:
        """The longest draft, 1 to `limit`, that may be lost as a whole.

        Args:
            limit: At least 1.
            step_s: What a step takes.
            saved: So much of earlier gains may go with it.
            draws_on_trial: What is left to begin with may go with it too.
        """
        costs, plain = self._costs, self.plain_s
        extra = costs.rejection_s() + (costs.start_s() if step_s else 0.0)

        def loss(n: int) -> float:
            return (costs.pass_s(n + 1) + n * step_s + extra) / plain - 1.0

        history, ledger = self._history, self.ledger
        saved = min(saved, history.savings)
        beyond = max(saved, history.trial) if draws_on_trial else saved
        longest = ledger.longest(limit, lambda n: loss(n) - beyond)
        need = loss(longest) - saved - ledger.headroom
        if draws_on_trial and need > 0:
            history.trial -= min(need, history.trial)
            ledger.grant(need)
        return longest

    def granted(self, cost: float, promise: float, *, hopeful: bool, turned: bool) -> bool:
        """More than may be lost now: a try that promises to return more than twice its cost, if something pays for it.

        That is what earlier answers have gained, or a small sum that every pair has to begin with: to catch up in an
        answer that has lost nothing yet, or where the promise is large. A larger one there is where the promise is
        large or the text has turned into another. A draft that is never right gets no more than the sum to begin with.

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
        if need > history.savings:
            sure = hopeful and promise > _SURE_PROMISE * need
            if need <= history.trial and (even or sure) and not history.doubtful:
                history.trial -= need
            elif need <= history.turns and (turned or sure) and history.promising:
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
        if self._since_grant < _GRANT_GAP or self._history.savings < 2.0 * loss:
            return False
        self._since_grant = 0
        self.ledger.grant(loss)
        return True

    def trust(self) -> None:
        """At the floor: a little may be lost again."""
        self.ledger.grant(max(0.0, -self.ledger.headroom) + _GRANT_RISK)

    def book(self, outcome: RoundOutcome, behind: int, *, drafted: bool) -> float:
        """A round is over, and `costs` have been told of it; returns the time it counts for.

        Args:
            outcome: What it did.
            behind: Tokens a draft first caught up with.
            drafted: Something that costs was asked for a proposal. A look at n-grams is no loss that deciding
                otherwise would avoid: booked in every round, it would use up what may be lost.
        """
        costs, history = self._costs, self._history
        rows = outcome.rows + outcome.owed
        if rows == 1:
            self._plain_timed()
        else:
            self.plain_s = self.plain_s or costs.pass_s(1)
            self.watch.long_passed(outcome.kept, unsettled=costs.unsettled(rows))
        draft = self._drafting(outcome, behind) if drafted else 0.0
        if rows == 1:
            time = 1.0 + draft  # whatever it took: that is the unit
            self.ledger.book(outcome.kept, time, unsure=draft)
        else:
            time = min(outcome.pass_s, _OUTLIER * costs.pass_s(rows)) / (self.plain_s or 1.0) + draft
            self.ledger.book(outcome.kept, time, unsure=time)
        history.book(outcome.kept, time)
        self._count(outcome)
        return time

    def book_plain(self, rounds: Sequence[RoundOutcome]) -> None:
        """The same for plain rounds in a row, with nothing drafted."""
        self._plain_timed()
        self.ledger.book(len(rounds), len(rounds), unsure=0.0)
        self._history.book_plain(len(rounds))
        for outcome in rounds:
            self._count(outcome)

    def _drafting(self, outcome: RoundOutcome, behind: int) -> float:
        # What took unusually long took long because the machine was busy, and would have with a plain pass too.
        costs = self._costs
        usual = costs.start_s() + len(outcome.offered) * costs.draft_s() + behind * costs.catch_up_s()
        seconds = min(outcome.draft_s, _OUTLIER * usual) if usual > 0 else outcome.draft_s
        return seconds / (self.plain_s or 1.0)

    def _plain_timed(self) -> None:
        costs = self._costs
        plain = costs.pass_s(1)
        self.plain_s = self.plain_s or plain
        self.watch.plain_passed()
        if not costs.unsettled(1) and self.plain_s > 0:
            ratio = plain / self.plain_s
            self.ledger.confirm(ratio)
            self._history.reprice(ratio)
            self.watch.plain_moved(ratio)
            self.plain_s = plain

    def _count(self, outcome: RoundOutcome) -> None:
        self._since_grant += outcome.kept
        self._tokens += outcome.kept
        self._seconds += outcome.draft_s + outcome.pass_s

    @property
    def lost_s(self) -> float:
        """Seconds lost in this answer, at least 0."""
        return max(0.0, -self.ledger.balance) * self.plain_s

    @property
    def gain(self) -> float | None:
        """Speed of this answer against plain decoding; None while unknown."""
        plain = self._costs.pass_s(1)
        return self._tokens * plain / self._seconds if plain > 0 and self._seconds > 0 else None
