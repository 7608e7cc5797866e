"""What the rounds of an answer teach: which proposals were right, and what the text is like."""

from collections.abc import Sequence
from dataclasses import dataclass

from app.engine.lookahead.acceptance import Acceptance, Evidence
from app.engine.lookahead.history import PairHistory
from app.engine.lookahead.logistic import squash
from app.engine.ports import Proposal, RoundOutcome


@dataclass(slots=True)
class Asked:
    """A proposal the policy was asked about: after `n` that were kept in this round."""

    proposal: Proposal
    model: Acceptance
    evidence: Evidence
    score: float
    n: int
    dropped: bool = True


class Lessons:
    """Of one answer after the other.

    Args:
        history: Is taught.
    """

    def __init__(self, history: PairHistory) -> None:
        self._history = history
        self._asked: list[Asked] = []
        self._kind: float | None = None  # of the text, once something was asked in this round
        self.begin()

    def begin(self) -> None:
        """A new answer."""
        self._before = self._before2 = -1
        self.watched_right = 0
        """Copies in a row that were dropped and would have been right."""
        self.hits = self.misses = 0
        """Drafts whose first token was right, and whose was not, also where it was only looked at."""
        self.start_round()

    def start_round(self) -> None:
        """Nothing is asked yet."""
        self.kept = 0
        """Proposals of this round that are to be verified so far."""
        self._last, self._last2 = self._before, self._before2
        self._asked.clear()
        self._kind = None

    def ask(self, proposal: Proposal) -> Asked:
        """What is known about a proposal. It counts as dropped until it is kept."""
        model = self._history.model(proposal)
        if self._kind is None:
            self._kind = self._history.kind.score()
        evidence = model.evidence(proposal, self._last, self._last2, self._kind)
        asked = Asked(proposal, model, evidence, model.score(evidence), self.kept)
        self._asked.append(asked)
        return asked

    def keep(self, asked: Asked) -> None:
        """It goes into the pass."""
        asked.dropped = False
        self.kept += 1
        self._last2, self._last = self._last, asked.proposal.token

    @property
    def looked(self) -> bool:
        """A draft was asked in this round, which brought its cache up to date."""
        return any(asked.proposal.source != "ngram" for asked in self._asked)

    def learn(self, outcome: RoundOutcome) -> None:
        """The round is over. What was asked in it teaches once: the next round may come without a plan."""
        kept = [asked.proposal.token for asked in self._asked if not asked.dropped][: outcome.accepted]
        if outcome.kept > outcome.accepted and outcome.last_token >= 0:
            kept.append(outcome.last_token)
        self._from_proposals(kept)
        self._from_text(kept, outcome.target_margins)
        self._asked.clear()

    def follow(self, rounds: Sequence[RoundOutcome]) -> None:
        """Plain rounds, in which nothing was asked, are over."""
        for outcome in rounds:
            self._from_text([outcome.last_token] if outcome.last_token >= 0 else [], outcome.target_margins)

    def _from_proposals(self, kept: list[int]) -> None:
        """Every proposal whose fate is known teaches: all up to the first wrong one, dropped ones included."""
        history = self._history
        signals = history.signals.evidence()
        error = 0.0
        for asked in self._asked:
            n = asked.n
            if n >= len(kept):
                break
            token = asked.proposal.token
            right = token == kept[n]
            if asked.proposal.source != "ngram":
                history.judged(asked.model, asked.score, n)
                error += right - squash(asked.score)
                if n == 0:
                    history.signals.learn(signals, kept=right)
                    self.hits += right
                    self.misses += not right
                    history.hits += right
                    history.misses += not right
            elif asked.dropped and n == 0:
                self.watched_right = self.watched_right + 1 if right else 0
            before = kept[n - 1] if n else self._before
            before2 = kept[n - 2] if n > 1 else self._before if n else self._before2
            asked.model.learn(asked.evidence, token, before, before2, kept=right)
        if error:
            history.kind.learn(error)

    def _from_text(self, kept: list[int], margins: tuple[float, ...]) -> None:
        signals, kind = self._history.signals, self._history.kind
        signals.margins(margins)
        for token in kept:
            signals.token(self._before2, self._before, token)
            kind.token(token)
            self._before, self._before2 = token, self._before
