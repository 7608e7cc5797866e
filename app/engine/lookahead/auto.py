"""The lookahead that is chosen anew in every round, from measured costs and learnt acceptance.

The model. A pass with n rows takes V(n), a draft step D (`engine/costs`). A round that verifies m proposals with the
chances p1 .. pm of being right, each given that all before it are, keeps 1 + p1 + p1 p2 + ... + p1 ... pm tokens on
average. With equal chances that is (1 - p^(m + 1)) / (1 - p), the expected length of Leviathan, Kalman, Matias 2023
("Fast Inference from Transformers via Speculative Decoding", arXiv 2211.17192). Under shared noise (Daliri, Musco,
Suresh 2024, arXiv 2408.07978) the chance of a token is far from its probability; it is learnt online, mainly from the
draft's margin (`acceptance`). Speed is tokens per time, so a round is worth

    tokens - price * (V(m + 1) + steps * D)

where the price of time is the rate reached lately, at least that of plain decoding, 1 / V(1). The best m is not chosen
in advance: after every proposal its chance is known, and the best of stopping before it, after it, or drafting on is
taken, over all lengths, since V is not monotone (`stopping`). When nothing beats a plain pass, nothing is drafted.

What is ours besides: acceptance from margins, token pairs and recent luck; the stopping rule; the ledger that bounds
what wrong predictions can cost (`ledger`); looks at the draft while paused, which draft a token without verifying it:
the target's own choice then tells whether it was right. While paused, the text itself (`signals`) says when it is worth
to bring the draft's cache up to date. V(1) is timed now and then also while drafting wins, since it drifts.

Tuned by replay (tests/helpers/replay.py), not by stopwatch.
"""

from dataclasses import dataclass
from typing import Literal

from app.engine.lookahead.acceptance import Acceptance, Evidence
from app.engine.lookahead.copying import CopyRule
from app.engine.lookahead.history import PairHistory
from app.engine.lookahead.ledger import CREDIT, Ledger
from app.engine.lookahead.logistic import squash
from app.engine.lookahead.looks import Looks
from app.engine.lookahead.reasons import lost_too_much, plain_is_faster
from app.engine.lookahead.rest import Rest
from app.engine.lookahead.stopping import LONGEST, PresentRule
from app.engine.lookahead.watch import CostWatch
from app.engine.ports import Costs, Proposal, RoundOutcome, Verdict
from app.protocol.options import MAX_LOOKAHEAD, DrafterName, TokenSource

_CREDIT_SAVED = 2.5  # of earlier gains, what one answer may lose from the start
_STRAIN = 0.45  # how much dearer time is when all of it is lost
_CREDIT_SAVED_HEADS, _STRAIN_HEADS = 4.0, 0.25  # their step costs next to nothing: a bad start says less
_PAYBACK_ROUNDS = 12.0  # catching up has to pay within so many rounds
_GRANT_GAP = 24
_TRUST = 6  # copies that would have been right, until they may lose something again
_DOUBT_ROOM = 48
_DEAREST_CHECK = 2.0  # of catching up, to check costs that come from an earlier run
_GRANT_RISK = 0.5
_STALE_AT_START = 0.65
_STALE_PER_TOKEN = 0.94
_STALE_PER_STEP = 0.8
_FAITH = 0.7
_OUTLIER = 1.5


@dataclass(slots=True)
class _Asked:
    """A proposal the policy was asked about: after `n` that were kept in this round."""

    proposal: Proposal
    model: Acceptance
    evidence: Evidence
    score: float
    n: int
    dropped: bool = True


class Auto:
    """See above. One for each answer, or for many in a row.

    Args:
        drafter: What proposes; "ngram" costs nothing, "mixed" has both.
        min_confidence: Proposals the draft gave less probability are dropped.
        costs: Fed with every round.
        history: What earlier answers taught about this drafter.
    """

    def __init__(self, drafter: DrafterName, min_confidence: float, costs: Costs, history: PairHistory) -> None:
        self._copies = drafter in ("ngram", "mixed")
        self._drafts = drafter != "ngram"
        heads = drafter == "heads"
        self._credit_saved = _CREDIT_SAVED_HEADS if heads else _CREDIT_SAVED
        self._strain = _STRAIN_HEADS if heads else _STRAIN
        self._min_confidence = min_confidence
        self._costs = costs
        self._history = history
        self._present = PresentRule()
        self._copy = CopyRule()
        self._watch = CostWatch()
        self._plain_s = 0.0
        self._start_answer(behind=0)

    def begin(self, source: TokenSource, behind: int = 0) -> None:
        self._history.begin()
        self._start_answer(behind)

    def _start_answer(self, behind: int) -> None:
        self._ledger = Ledger(CREDIT + self._history.credit(self._credit_saved))
        self._behind = behind
        self._before = self._before2 = -1
        self._stale = _STALE_AT_START
        self._faith = 1.0
        self._looks = Looks()
        self._watch.begin()
        self._since_grant = _GRANT_GAP
        self._present.forget()
        self._watched_right = 0
        self._trust = _TRUST
        self._asked: list[_Asked] = []
        self._tokens = 0
        self._seconds = 0.0
        self._pause: Literal["", "slower", "lost"] = ""
        self._rest = Rest()
        self._start_round()

    def _start_round(self) -> None:
        self._n = 0
        self._alive = 1.0
        self._last, self._last2 = self._before, self._before2
        self._asked.clear()
        self._draft_now = self._only_look = False
        self._time_rows = 0

    # choosing

    def plan(self, room: int) -> int:
        if self._rest.goes_on():
            return 0
        for outcome in self._rest.over():
            self._start_round()
            self._learn(outcome)
        self._start_round()
        plain = self._costs.pass_s(1)
        if room < 1 or plain <= 0:
            return 0
        self._plain_s = plain
        if self._costs.unsettled(1) or self._watch.plain_is_due(self._history.rate - 1.0):
            return 0
        if self._drafts:
            self._draft_now = self._worth_drafting(room)
        if self._copies:
            if not self._drafts:
                self._time_rows = self._costs.check
            self._copy.begin(self._costs, max(1.0, self._history.rate) * (1.0 + self._strain * self._ledger.strain()))
            # Looking at what an n-gram proposes costs nothing, and teaches, also where nothing may be lost any more.
            return self._affordable(min(room, MAX_LOOKAHEAD), 0.0)
        if self._time_rows:
            return min(room, self._time_rows - 1)
        if not self._draft_now:
            if self._pause:
                self._rest.paused()
            return 0
        unknown = self._history.saved <= 0 and self._ledger.balance <= 0
        return self._affordable(min(room, LONGEST), self._costs.draft_s()) if unknown else min(room, LONGEST)

    def wants(self, source: TokenSource) -> bool:
        return source == "ngram" or self._draft_now

    def go_on(self, proposal: Proposal) -> Verdict:
        model = self._history.model(proposal)
        evidence = model.evidence(proposal, self._last, self._last2)
        asked = _Asked(proposal, model, evidence, model.score(evidence), self._n)
        self._asked.append(asked)
        if proposal.confidence is not None and proposal.confidence < self._min_confidence:
            return Verdict.DROP
        verdict = self._judge_copy(asked) if proposal.source == "ngram" else self._judge_draft(asked)
        if verdict:
            asked.dropped = False
            self._n += 1
            self._last2, self._last = self._last, proposal.token
        return verdict

    def _judge_draft(self, asked: _Asked) -> Verdict:
        if self._time_rows:
            return Verdict.LAST if self._n + 2 >= self._time_rows else Verdict.GO_ON
        n, rule = self._n, self._present.rule
        if self._only_look or n >= rule.limit:
            return Verdict.DROP
        self._alive *= squash(asked.score)
        return _best(self._alive, rule.stop(n), rule.stop(n + 1), rule.go_on(n + 1, self._alive))

    def _judge_copy(self, asked: _Asked) -> Verdict:
        if self._time_rows:
            return Verdict.LAST if self._n + 2 >= self._time_rows else Verdict.GO_ON
        if not (self._ledger.allows(0.0) or self._earned_again()):
            return Verdict.DROP
        n, score = self._n, asked.score
        alive = self._alive * squash(score)
        if self._copy.planned(n, score):
            verdict = Verdict.GO_ON
        else:
            here, kept, more = self._copy.values(asked.model, asked.proposal.match, n, score, alive)
            if n == 0 and self._draft_now:
                # Both sources are there: the better one is taken.
                here = max(here, self._present.rule.go_on(0, 1.0))
            verdict = _best(alive, here, kept, more)
        if verdict:
            self._alive = alive
        return verdict

    def _earned_again(self) -> bool:
        """At the floor copies are only watched; where many in a row would have been right, they get another chance."""
        if self._watched_right < self._trust:
            return False
        self._watched_right = 0
        self._trust *= 2
        self._ledger.grant(max(0.0, -self._ledger.headroom) + _GRANT_RISK)
        return True

    def _worth_drafting(self, room: int) -> bool:
        history, ledger = self._history, self._ledger
        price = (1.0 + (max(1.0, history.rate) - 1.0) * self._faith) * (1.0 + self._strain * ledger.strain())
        promise = self._present.update(self._costs, history, price, self._stale).start()
        catching_up = self._behind * self._costs.catch_up_s() / self._plain_s
        cost = self._costs.draft_s() / self._plain_s + catching_up
        if promise > 0:
            self._faith = 1.0
        else:
            # The rate of better times is no measure for whether to begin again.
            self._faith *= _FAITH
        rounds = min(_PAYBACK_ROUNDS, 1.0 + room / 4)
        if promise > catching_up / rounds:
            if ledger.allows(cost) or self._granted(cost, promise * rounds):
                return True
            self._pause = "lost"
        elif not self._copies:
            self._pause = "slower"
        check = self._costs.check
        if (check and catching_up < _DEAREST_CHECK) or (self._watch.doubt and room > _DOUBT_ROOM):
            # What was measured in an earlier run, or before V(1) moved, is no reason to pause for long. Whether the
            # other passes are like that still, only another one can tell.
            self._time_rows = check or 2
            return True
        if not self._looks.due(cost):
            return False
        self._only_look = not ledger.allows(cost)
        return True

    def _affordable(self, limit: int, step_s: float) -> int:
        costs, plain = self._costs, self._plain_s
        rejection = costs.rejection_s()
        return self._ledger.longest(limit, lambda n: (costs.pass_s(n + 1) + n * step_s + rejection) / plain - 1.0)

    def _granted(self, cost: float, promise: float) -> bool:
        """At the floor: earlier gains pay for another try, if it promises to return more than twice its cost."""
        need = cost + _GRANT_RISK
        if self._since_grant < _GRANT_GAP or self._history.saved < need or promise < 2.0 * need:
            return False
        self._since_grant = 0
        self._ledger.grant(need)
        return True

    # learning

    def observe(self, outcome: RoundOutcome) -> None:
        if not self._rest.takes(outcome):
            self._learn(outcome)

    def _learn(self, outcome: RoundOutcome) -> None:
        looked = any(asked.proposal.source != "ngram" for asked in self._asked)
        behind, self._behind = self._behind, 0 if looked else self._behind + outcome.kept
        self._costs.observe(outcome, behind if looked else 0)
        if self._plain_s <= 0:
            self._plain_s = self._costs.pass_s(1)
        kept = self._kept_tokens(outcome)
        self._learn_from(kept)
        self._follow_text(kept, outcome.target_margins)
        self._book(outcome, behind if looked else 0)
        steps = len(outcome.offered)
        if looked:
            self._stale *= _STALE_PER_STEP**steps
        else:
            self._stale = 1.0 - (1.0 - self._stale) * _STALE_PER_TOKEN**outcome.kept

    def _kept_tokens(self, outcome: RoundOutcome) -> list[int]:
        kept = [asked.proposal.token for asked in self._asked if not asked.dropped][: outcome.accepted]
        if outcome.kept > outcome.accepted and outcome.last_token >= 0:
            kept.append(outcome.last_token)
        return kept

    def _learn_from(self, kept: list[int]) -> None:
        """Every proposal whose fate is known teaches: all up to the first wrong one, dropped ones included."""
        history = self._history
        signals = history.signals.evidence()
        for asked in self._asked:
            n = asked.n
            if n >= len(kept):
                break
            token = asked.proposal.token
            right = token == kept[n]
            if asked.proposal.source != "ngram":
                history.judged(asked.model, asked.score, n)
                if n == 0:
                    history.signals.learn(signals, kept=right)
            elif asked.dropped and n == 0:
                self._watched_right = self._watched_right + 1 if right else 0
            before = kept[n - 1] if n else self._before
            before2 = kept[n - 2] if n > 1 else self._before if n else self._before2
            asked.model.learn(asked.evidence, token, before, before2, kept=right)

    def _follow_text(self, kept: list[int], margins: tuple[float, ...]) -> None:
        signals = self._history.signals
        signals.margins(margins)
        for token in kept:
            signals.token(self._before2, self._before, token)
            self._before, self._before2 = token, self._before

    def _book(self, outcome: RoundOutcome, behind: int) -> None:
        costs, history = self._costs, self._history
        plain = costs.pass_s(1)
        rows = outcome.rows + outcome.owed
        if rows == 1:
            self._watch.plain_passed()
            if not costs.unsettled(1) and self._plain_s > 0:
                ratio = plain / self._plain_s
                self._ledger.confirm(ratio)
                history.reprice(ratio)
                self._watch.plain_moved(ratio)
                self._plain_s = plain
        else:
            self._watch.long_passed(outcome.kept, unsettled=costs.unsettled(rows))
        steps = len(outcome.offered)
        # What took unusually long took long because the machine was busy, and would have with a plain pass too.
        usual_draft = steps * costs.draft_s() + behind * costs.catch_up_s()
        draft = min(outcome.draft_s, _OUTLIER * usual_draft) if usual_draft > 0 else outcome.draft_s
        draft /= self._plain_s or 1.0
        if rows == 1:
            time = 1.0 + draft  # whatever it took: that is the unit
            self._ledger.book(outcome.kept, time, unsure=draft)
        else:
            time = min(outcome.pass_s, _OUTLIER * costs.pass_s(rows)) / (self._plain_s or 1.0) + draft
            self._ledger.book(outcome.kept, time, unsure=time)
        history.book(outcome.kept, time)
        self._since_grant += outcome.kept
        if outcome.accepted and outcome.kept > 1.02 * time:
            self._looks.encourage()
        if outcome.verified:
            self._pause = ""
            self._rest = Rest()
        self._tokens += outcome.kept
        self._seconds += outcome.draft_s + outcome.pass_s

    # telling

    @property
    def pause_reason(self) -> str:
        if self._pause == "lost":
            return lost_too_much(max(0.0, -self._ledger.balance) * self._plain_s)
        return plain_is_faster(self._costs, self._present.chance) if self._pause else ""

    @property
    def gain(self) -> float | None:
        plain = self._costs.pass_s(1)
        return self._tokens * plain / self._seconds if plain > 0 and self._seconds > 0 else None


def _best(alive: float, here: float, kept: float, more: float) -> Verdict:
    """Stop before a proposal, after it, or later? `alive`: the tokens it gives; the others are values without it."""
    if alive + max(kept, more) <= here:
        return Verdict.DROP
    return Verdict.GO_ON if more > kept else Verdict.LAST
