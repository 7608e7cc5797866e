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

from app.engine.lookahead.acceptance import Acceptance, Evidence
from app.engine.lookahead.history import PairHistory
from app.engine.lookahead.ledger import CREDIT, Ledger
from app.engine.lookahead.logistic import squash
from app.engine.lookahead.looks import Looks
from app.engine.lookahead.reasons import lost_too_much, plain_is_faster
from app.engine.lookahead.stopping import StoppingRule, free_value
from app.engine.lookahead.watch import CostWatch
from app.engine.ports import Costs, Proposal, RoundOutcome, Verdict
from app.protocol.options import MAX_LOOKAHEAD, DrafterName, TokenSource

LONGEST = 16
"""Longest draft of a model. N-grams, which cost nothing to propose, may fill `MAX_LOOKAHEAD`."""

_CREDIT_SAVED = 2.5  # of earlier gains, what one answer may lose from the start
_STRAIN = 0.45  # how much dearer time is when all of it is lost
_PAYBACK_ROUNDS = 12.0  # catching up has to pay within so many rounds
_GRANT_GAP = 24
_DOUBT_ROOM = 48
_GRANT_RISK = 0.5
_STALE_AT_START = 0.65
_STALE_PER_TOKEN = 0.94
_STALE_PER_STEP = 0.8
_FAITH = 0.7
_OUTLIER = 1.5


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
        self._min_confidence = min_confidence
        self._costs = costs
        self._history = history
        self._rule = StoppingRule([1.0], 0.0, 1.0, [0.5], [0.5])
        self._watch = CostWatch()
        self._plain_s = 0.0
        self._start_answer(behind=0)

    def begin(self, source: TokenSource, behind: int = 0) -> None:
        self._history.begin()
        self._start_answer(behind)

    def _start_answer(self, behind: int) -> None:
        self._ledger = Ledger(CREDIT + self._history.credit(_CREDIT_SAVED))
        self._behind = behind
        self._before = self._before2 = -1
        self._stale = _STALE_AT_START
        self._faith = 1.0
        self._looks = Looks()
        self._watch.begin()
        self._since_grant = _GRANT_GAP
        self._rule_age = 1_000
        self._rule_state = (0.0, 0.0)
        self._asked: list[tuple[Acceptance, Evidence, float]] = []
        self._tokens = 0
        self._seconds = 0.0
        self._reason = ""
        self._start_round()

    def _start_round(self) -> None:
        self._n = 0
        self._alive = 1.0
        self._last, self._last2 = self._before, self._before2
        self._asked.clear()
        self._draft_now = self._only_look = self._time_rows = False

    # choosing

    def plan(self, room: int) -> int:
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
            # Looking at what an n-gram proposes costs nothing, and teaches, also where nothing may be lost any more.
            return self._affordable(min(room, MAX_LOOKAHEAD), 0.0)
        if self._time_rows:
            return 1
        if not self._draft_now:
            return 0
        unknown = self._history.saved <= 0 and self._ledger.balance <= 0
        return self._affordable(min(room, LONGEST), self._costs.draft_s()) if unknown else min(room, LONGEST)

    def wants(self, source: TokenSource) -> bool:
        return source == "ngram" or self._draft_now

    def go_on(self, proposal: Proposal) -> Verdict:
        model = self._history.model(proposal)
        evidence = model.evidence(proposal, self._last, self._last2)
        score = model.score(evidence)
        self._asked.append((model, evidence, score))
        if proposal.confidence is not None and proposal.confidence < self._min_confidence:
            return Verdict.DROP
        chance = squash(score)
        if self._time_rows:
            return Verdict.LAST
        alive = self._alive * chance
        n = self._n
        if proposal.source == "ngram" and not self._ledger.allows(0.0):
            return Verdict.DROP
        if proposal.source == "ngram":
            here, kept, more = self._copy_values(model, proposal, score, alive)
        elif self._only_look:
            return Verdict.DROP
        else:
            if n >= self._rule.limit:
                return Verdict.DROP
            here, kept, more = self._rule.stop(n), self._rule.stop(n + 1), self._rule.go_on(n + 1, alive)
        if alive + max(kept, more) <= here:
            return Verdict.DROP
        self._n = n + 1
        self._alive = alive
        self._last2, self._last = self._last, proposal.token
        return Verdict.GO_ON if more > kept else Verdict.LAST

    def _worth_drafting(self, room: int) -> bool:
        history, ledger = self._history, self._ledger
        price = (1.0 + (max(1.0, history.rate) - 1.0) * self._faith) * (1.0 + _STRAIN * ledger.strain())
        self._update_rule(price)
        promise = self._rule.start()
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
            self._reason = lost_too_much(-ledger.balance * self._plain_s)
        elif not self._copies:
            first, _ = history.chances(self._stale)
            self._reason = plain_is_faster(self._costs, sum(first) / len(first))
        if self._watch.doubt and room > _DOUBT_ROOM:
            # V(1) has moved while paused; whether the other passes have too, only another one can tell.
            self._time_rows = True
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

    def _update_rule(self, price: float) -> None:
        mood = self._history.mood
        old_price, old_mood = self._rule_state
        steady = abs(price - old_price) < 0.01 * price and abs(mood - old_mood) < 0.1 and self._stale < 0.02
        if steady and self._rule_age < 4:
            return
        self._rule_age = 0
        self._rule_state = (price, mood)
        costs, plain = self._costs, self._plain_s
        first, later = self._history.chances(self._stale)
        passes = [costs.pass_s(1) / plain]
        right = 1.0
        for rows in range(2, LONGEST + 2):
            # A model that cannot forget pays for a rejection in its next pass.
            right *= (sum(first) if rows == 2 else sum(later)) / len(first if rows == 2 else later)
            passes.append((costs.pass_s(rows) + (1.0 - right) * costs.rejection_s()) / plain)
        self._rule = StoppingRule(passes, costs.draft_s() / plain, price, first, later)

    def _copy_values(
        self, model: Acceptance, proposal: Proposal, score: float, alive: float
    ) -> tuple[float, float, float]:
        """For an n-gram: the values of stopping before it, after it, and of the best longer copy."""
        price = max(1.0, self._history.rate) * (1.0 + _STRAIN * self._ledger.strain()) / self._plain_s
        n = self._n
        longest = min(MAX_LOOKAHEAD, n + 1 + LONGEST)
        here, *prices = (price * self._costs.pass_s(rows) for rows in range(n + 1, longest + 2))
        # What a rejection costs where the model cannot forget, as often as this proposal is wrong.
        prices = [cost + price * (1.0 - alive) * self._costs.rejection_s() for cost in prices]
        stop = -here
        if n == 0 and self._draft_now:
            # Both sources are there: the better one is taken.
            stop = max(stop, self._rule.go_on(0, 1.0))
        kept = -prices[0] if prices else float("-inf")
        later = prices[1:]
        return stop, kept, free_value(later, alive, model.copy_chances(score, proposal.match, len(later)))

    # learning

    def observe(self, outcome: RoundOutcome) -> None:
        looked = any(proposal.source != "ngram" for proposal in outcome.offered)
        behind, self._behind = self._behind, 0 if looked else self._behind + outcome.kept
        self._costs.observe(outcome, behind if looked else 0)
        if self._plain_s <= 0:
            self._plain_s = self._costs.pass_s(1)
        self._judge(outcome)
        self._follow_text(outcome)
        self._book(outcome, behind if looked else 0)
        steps = len(outcome.offered)
        if looked:
            self._stale *= _STALE_PER_STEP**steps
            self._rule_age += steps
        else:
            self._stale = 1.0 - (1.0 - self._stale) * _STALE_PER_TOKEN**outcome.kept

    def _judge(self, outcome: RoundOutcome) -> None:
        """Learn from every proposal whose fate is known: all up to the first wrong one, a dropped one included."""
        history = self._history
        signals = history.signals.evidence()
        before, before2 = self._before, self._before2
        for place, (proposal, (model, evidence, score)) in enumerate(zip(outcome.offered, self._asked, strict=False)):
            if place > outcome.accepted:
                break
            if place < outcome.verified:
                right = place < outcome.accepted
            elif outcome.last_token >= 0:
                right = proposal.token == outcome.last_token
            else:
                break
            if proposal.source != "ngram":
                history.judged(model, score, place)
                history.signals.learn(signals, kept=right)
            model.learn(evidence, proposal.token, before, before2, kept=right)
            before, before2 = proposal.token, before

    def _follow_text(self, outcome: RoundOutcome) -> None:
        signals = self._history.signals
        signals.margins(outcome.target_margins)
        kept = [proposal.token for proposal in outcome.offered[: outcome.accepted]]
        if outcome.kept > outcome.accepted and outcome.last_token >= 0:
            kept.append(outcome.last_token)
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
        time = (min(outcome.pass_s, _OUTLIER * costs.pass_s(rows)) + draft) / (self._plain_s or 1.0)
        self._ledger.book(outcome.kept, time)
        history.book(outcome.kept, time)
        self._since_grant += outcome.kept
        if outcome.accepted and outcome.kept > 1.02 * time:
            self._looks.encourage()
        if outcome.verified:
            self._reason = ""
        self._tokens += outcome.kept
        self._seconds += outcome.draft_s + outcome.pass_s

    # telling

    @property
    def pause_reason(self) -> str:
        return self._reason

    @property
    def gain(self) -> float | None:
        plain = self._costs.pass_s(1)
        return self._tokens * plain / self._seconds if plain > 0 and self._seconds > 0 else None
