"""The lookahead that is chosen anew in every round, from measured costs and learnt acceptance.

The model. A pass with n rows takes V(n), a draft step D, the first one after a pass somewhat more (`engine/costs`). A
round that verifies m proposals with the chances p1 .. pm of being right, each given that all before it are, keeps
1 + p1 + p1 p2 + ... + p1 ... pm tokens on average. With equal chances that is (1 - p^(m + 1)) / (1 - p), the expected
length of Leviathan, Kalman, Matias 2023 ("Fast Inference from Transformers via Speculative Decoding", arXiv
2211.17192). Under shared noise (Daliri, Musco, Suresh 2024, arXiv 2408.07978) the chance of a token is far from its
probability; it is learnt online, mainly from the draft's margin (`acceptance`). Speed is tokens per time, so a round is
worth

    tokens - price * (V(m + 1) + steps * D)

where the price of time is the rate reached lately, at least that of plain decoding, 1 / V(1). The best m is not chosen
in advance: after every proposal its chance is known, and the best of stopping before it, after it, or drafting on is
taken, over all lengths, since V is not monotone (`stopping`). When nothing beats a plain pass, nothing is drafted.

What is ours besides: acceptance from margins, token pairs and recent luck; the stopping rule; the ledger that bounds
what wrong predictions can cost (`ledger`); looks at the draft while paused, which draft a token without verifying it:
the target's own choice then tells whether it was right. While paused, the text itself (`signals`) says when it is worth
to bring the draft's cache up to date, and earlier gains, or a sum that is soon spent where nothing comes of it, pay for
what the ledger does not allow (`account`), but not where answers to such prompts have lost before (`outlook`), and less
where none to such prompts is known: where a draft costs much, an answer then begins with a look. V(1) is timed now and
then also while drafting wins, since it drifts.

Tuned by replay (tests/helpers/replay.py), not by stopwatch.
"""

from collections.abc import Sequence
from typing import Literal

from app.engine.lookahead.account import Account
from app.engine.lookahead.copying import CopyRule
from app.engine.lookahead.history import PairHistory
from app.engine.lookahead.ledger import CREDIT, MOST_SAVED, MOST_SAVED_BY_COPIES
from app.engine.lookahead.lessons import Asked, Lessons
from app.engine.lookahead.logistic import squash
from app.engine.lookahead.looks import Looks
from app.engine.lookahead.reasons import lost_too_much, plain_is_faster
from app.engine.lookahead.rest import Rest, typical
from app.engine.lookahead.signals import Turn
from app.engine.lookahead.stopping import LONGEST, PresentRule
from app.engine.ports import Costs, Proposal, RoundOutcome, Verdict
from app.protocol.options import MAX_LOOKAHEAD, DrafterName, TokenSource

_CREDIT_SAVED = 1.8  # of earlier gains, what one answer may lose from the start
_FIRST_SAVED, _KNOWN = 1.0, 2  # of earlier gains, what one draft may lose as long as fewer were right
_STRAIN = 0.45  # how much dearer time is when all of it is lost
_OFTEN, _SURELY = 4, 3  # right, and as many right as wrong ones: then more may be lost than little
_STALE_RELIEF = 0.8  # share of that which is forgotten while the draft is not asked: the text is another by then
_LONG_MATCH, _SAVED_FOR_COPY = 12, 6.0  # tokens that agree; of earlier gains, what a copy after so many may lose
_CREDIT_SAVED_HEADS, _STRAIN_HEADS = 4.0, 0.25  # their step costs next to nothing: a bad start says less
_ROUNDS_PER_TOKEN = 0.25  # in which catching up has to pay
_TRUST = 6  # copies that would have been right, until they may lose something again
_DOUBT_ROOM = 48
_DEAREST_CHECK = 2.0  # of catching up, to check costs that come from an earlier run
_FAMILIAR = 0.6  # up to which an answer begins with a look, where a draft costs much
_LOOK_RETURNS = 2.0  # times its cost, where that was right
_STALE_AT_START = 0.5
_STALE_PER_TOKEN = 0.94
_STALE_PER_STEP = 0.8
_FAITH = 0.7


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
        self._relief = 0.0 if heads else _STALE_RELIEF  # heads need not be left alone for long
        history.heeds_outlook = not heads  # a bad start says less of them
        self._min_confidence = min_confidence
        self._costs = costs
        self._history = history
        self._account = Account(costs, history)
        self._lessons = Lessons(history)
        self._present = PresentRule()
        self._copy = CopyRule()
        self._start_answer(behind=0)

    def begin(self, source: TokenSource, behind: int = 0, context: int = 0, prompt: Sequence[int] = ()) -> None:
        self._history.begin(prompt)
        self._costs.at(context)
        self._start_answer(behind)

    def _start_answer(self, behind: int) -> None:
        credit = self._history.credit(CREDIT, self._credit_saved)
        self._account.begin(credit, MOST_SAVED_BY_COPIES if self._copies else MOST_SAVED)
        self._lessons.begin()
        self._behind = behind
        self._stale = _STALE_AT_START
        self._faith = 1.0
        self._looks = Looks()
        self._turn = Turn()
        self._present.forget()
        self._trust = _TRUST
        self._pause: Literal["", "slower", "lost"] = ""
        self._rest = Rest()
        self._start_round()

    def _start_round(self) -> None:
        self._lessons.start_round()
        self._alive = 1.0
        self._draft_now = self._only_look = False
        self._look_cost = 0.0
        self._time_rows = 0
        self._room = self._longest = 0

    # choosing

    def plan(self, room: int) -> int:
        if self._rest.goes_on():
            return 0
        self._start_round()
        self._learn_rest()
        plain = self._costs.pass_s(1)
        if room < 1 or plain <= 0:
            return 0
        account = self._account
        account.plain_s = plain
        if self._costs.unsettled(1) or account.watch.plain_is_due(self._history.rate - 1.0):
            return 0
        if self._drafts:
            self._draft_now = self._worth_drafting(room)
        if self._copies:
            if not self._drafts:
                self._time_rows = self._costs.check
            self._copy.begin(self._costs, max(1.0, self._history.rate) * (1.0 + self._strain * account.ledger.strain()))
            # Looking at what an n-gram proposes costs nothing, and teaches, also where nothing may be lost any more.
            self._room = min(room, MAX_LOOKAHEAD)
            return self._room
        if self._time_rows:
            return min(room, self._time_rows - 1)
        if not self._draft_now:
            if self._pause:
                self._rest.paused()
            return 0
        limit = min(room, LONGEST)
        if account.ledger.balance > 0 or (self._lessons.hits >= _KNOWN and self._history.savings > 0):
            return limit
        # All of a draft may turn out wrong, and little or nothing speaks for it on this text yet.
        draws_on_trial = self._lessons.hits >= max(_OFTEN, _SURELY * self._lessons.misses)
        return account.affordable(limit, self._costs.draft_s(), _FIRST_SAVED, draws_on_trial=draws_on_trial)

    def wants(self, source: TokenSource) -> bool:
        return source == "ngram" or self._draft_now

    def go_on(self, proposal: Proposal) -> Verdict:
        asked = self._lessons.ask(proposal)
        if proposal.confidence is not None and proposal.confidence < self._min_confidence:
            return Verdict.DROP
        verdict = self._judge_copy(asked) if proposal.source == "ngram" else self._judge_draft(asked)
        if verdict is Verdict.GO_ON and self._copies and asked.n + 1 >= self._affordable(proposal):
            verdict = Verdict.LAST
        if verdict:
            self._lessons.keep(asked)
        return verdict

    def _affordable(self, first: Proposal) -> int:
        """The longest draft that may be lost in this round, of which this is the first proposal."""
        if not self._longest:
            saved = _SAVED_FOR_COPY if first.match >= _LONG_MATCH else 0.0
            self._longest = self._account.affordable(self._room, 0.0, saved)
        return self._longest

    def _judge_draft(self, asked: Asked) -> Verdict:
        n, rule = asked.n, self._present.rule
        if self._time_rows:
            return Verdict.LAST if n + 2 >= self._time_rows else Verdict.GO_ON
        if self._only_look or n >= rule.limit:
            return Verdict.DROP
        self._alive *= squash(asked.score)
        return _best(self._alive, rule.stop(n), rule.stop(n + 1), rule.go_on(n + 1, self._alive))

    def _judge_copy(self, asked: Asked) -> Verdict:
        n, score = asked.n, asked.score
        if self._time_rows:
            return Verdict.LAST if n + 2 >= self._time_rows else Verdict.GO_ON
        if not (self._account.ledger.allows(0.0) or self._earned_again()):
            return Verdict.DROP
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
        if self._lessons.watched_right < self._trust:
            return False
        self._lessons.watched_right = 0
        self._trust *= 2
        self._account.trust()
        return True

    def _worth_drafting(self, room: int) -> bool:
        history, account = self._history, self._account
        ledger = account.ledger
        price = (1.0 + (max(1.0, history.rate) - 1.0) * self._faith) * (
            1.0 + self._strain * ledger.strain() * (1.0 - self._relief * self._stale)
        )
        promise = self._present.update(self._costs, history, price, self._stale).start()
        catching_up = self._behind * self._costs.catch_up_s() / account.plain_s
        cost = (self._costs.start_s() + self._costs.draft_s()) / account.plain_s + catching_up
        if promise > 0:
            self._faith = 1.0
        else:
            # The rate of better times is no measure for whether to begin again.
            self._faith *= _FAITH
        rounds = 1.0 + history.rest(room) * _ROUNDS_PER_TOKEN
        if promise > catching_up / rounds:
            if ledger.allows(cost) or self._granted(cost, promise * rounds):
                self._only_look = self._begins_with_look(cost)
                self._look_cost = cost if self._only_look else 0.0
                return True
            self._pause = "lost"
        elif not self._copies:
            self._pause = "slower"
        self._turn.follow(self._present.signals)
        check = self._costs.check if catching_up < _DEAREST_CHECK else 0
        if account.watch.doubt and room > _DOUBT_ROOM and account.may_time(check or 2, cost):
            check = check or 2
        if check:
            # What was measured in an earlier run, or before V(1) moved, is no reason to pause for long. Whether the
            # other passes are like that still, only another one can tell.
            self._time_rows = check
            return True
        if not self._looks.due(cost):
            return False
        self._only_look = not ledger.allows(cost)
        return True

    def _begins_with_look(self, cost: float) -> bool:
        """In an answer of an unknown kind, where even the shortest draft may not be lost: is its first token right?"""
        lessons, account = self._lessons, self._account
        if self._history.familiar > _FAMILIAR or lessons.hits or lessons.misses or account.ledger.balance > 0:
            return False
        return not account.ledger.allows(cost + self._costs.pass_s(2) / account.plain_s - 1.0)

    def _granted(self, cost: float, promise: float) -> bool:
        """Is a try worth it that costs more than may be lost?"""
        turned = self._turn.seen(self._present.signals)
        return self._account.granted(cost, promise, hopeful=self._lessons.hits > 0, turned=turned)

    # learning

    def observe(self, outcome: RoundOutcome) -> None:
        if not self._rest.takes(outcome):
            self._learn(outcome)

    def _learn(self, outcome: RoundOutcome) -> None:
        looked = self._lessons.looked
        caught_up = self._behind if looked else 0
        self._behind = 0 if looked else self._behind + outcome.kept
        self._costs.observe(outcome, caught_up)
        self._lessons.learn(outcome)
        if self._look_cost and self._lessons.hits:
            self._account.ledger.grant(_LOOK_RETURNS * self._look_cost)
        time = self._account.book(outcome, caught_up, drafted=looked or self._draft_now)
        if outcome.accepted and outcome.kept > 1.02 * time:
            self._looks.encourage()
        if outcome.verified:
            self._pause = ""
            self._rest = Rest()
        if looked:
            self._stale *= _STALE_PER_STEP ** len(outcome.offered)
        else:
            self._stale = 1.0 - (1.0 - self._stale) * _STALE_PER_TOKEN**outcome.kept

    def _learn_rest(self) -> None:
        """From the plain rounds of a pause, all at once."""
        rounds = self._rest.over()
        if rounds:
            self._behind += len(rounds)
            self._costs.observe(typical(rounds))
            self._lessons.follow(rounds)
            self._account.book_plain(rounds)
            self._stale = 1.0 - (1.0 - self._stale) * _STALE_PER_TOKEN ** len(rounds)

    # telling

    @property
    def pause_reason(self) -> str:
        if self._pause == "lost":
            return lost_too_much(self._account.lost_s)
        return plain_is_faster(self._costs, self._present.chance) if self._pause else ""

    @property
    def gain(self) -> float | None:
        return self._account.gain


def _best(alive: float, here: float, kept: float, more: float) -> Verdict:
    """Stop before a proposal, after it, or later? `alive`: the tokens it gives; the others are values without it."""
    if alive + max(kept, more) <= here:
        return Verdict.DROP
    return Verdict.GO_ON if more > kept else Verdict.LAST
