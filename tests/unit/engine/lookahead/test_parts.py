"""The parts of the policies on their own."""

import random

import pytest

from app.engine.costs import PairCosts
from app.engine.lookahead import PairHistory, make
from app.engine.lookahead.account import Account
from app.engine.lookahead.auto import Auto
from app.engine.lookahead.copying import free_value
from app.engine.lookahead.fixed import Fixed
from app.engine.lookahead.history import TRIAL, TURNS
from app.engine.lookahead.ledger import ALLOWANCE, Ledger
from app.engine.lookahead.logistic import Logistic, logit, squash
from app.engine.lookahead.looks import Looks
from app.engine.lookahead.rest import LONGEST, Rest
from app.engine.lookahead.signals import Turn
from app.engine.lookahead.stopping import StoppingRule
from app.engine.ports import Proposal, RoundOutcome, Verdict
from app.protocol.options import SpeculationOptions
from tests.helpers.curves import CURVES, calibrated
from tests.helpers.replay import fixed_ms, ms, replay
from tests.helpers.traces import always_wrong, load

TEXT = next(text for text in load() if len(text) > 150)


@pytest.mark.parametrize("lookahead", [1, 3, 7])
def test_a_fixed_lookahead_is_honoured_exactly(lookahead: int) -> None:
    rounds = replay(Fixed(lookahead, 0.0, PairCosts()), TEXT, CURVES[0])
    assert {r.verified for r in rounds[:-lookahead]} == {lookahead}
    assert ms(rounds) == pytest.approx(fixed_ms(TEXT, CURVES[0], lookahead))


def test_a_fixed_lookahead_never_exceeds_the_room() -> None:
    assert Fixed(7, 0.0, PairCosts()).plan(3) == 3
    assert Fixed(7, 0.0, PairCosts()).plan(0) == 0


@pytest.mark.parametrize("policy", [Fixed(5, 0.5, PairCosts()), Auto("draft_model", 0.5, PairCosts(), PairHistory())])
def test_proposals_below_the_least_confidence_are_dropped(policy: Fixed | Auto) -> None:
    assert policy.go_on(Proposal(1, "draft_model", 5.0, 0.49)) is Verdict.DROP


def test_the_registry_knows_off_fixed_and_auto() -> None:
    costs, history = PairCosts(), PairHistory()
    assert make(SpeculationOptions(drafter="off"), costs, history).plan(9) == 0
    assert make(SpeculationOptions(drafter="ngram", lookahead=4), costs, history).plan(9) == 4
    assert isinstance(make(SpeculationOptions(drafter="ngram"), costs, history), Auto)


def test_nothing_is_drafted_before_a_plain_pass_is_known() -> None:
    policy = Auto("draft_model", 0.0, PairCosts(), PairHistory())
    policy.begin("draft_model")
    assert policy.plan(9) == 0


def test_a_pause_says_why_in_numbers_and_costs_nearly_nothing() -> None:
    curve = CURVES[0]
    policy = Auto("draft_model", 0.0, calibrated(curve), PairHistory())
    for _ in range(3):
        rounds = replay(policy, always_wrong(200), curve)
    assert sum(r.steps for r in rounds) <= 10
    assert "7.2 ms" in policy.pause_reason
    assert policy.gain == pytest.approx(1.0, abs=0.02)


def test_a_dropped_proposal_teaches_when_the_last_token_is_told() -> None:
    def taught(last_token: int) -> float:
        history = PairHistory()
        policy = Auto("draft_model", 0.9, calibrated(CURVES[3]), history)
        policy.begin("draft_model")
        proposal = Proposal(5, "draft_model", 1.0, 0.3)
        policy.plan(9)
        assert policy.go_on(proposal) is Verdict.DROP
        policy.observe(RoundOutcome((proposal,), 0, 0, 1, 1, 0.001, 0.01, 10, (1.0,), last_token))
        return history.mood

    assert taught(5) > taught(-1) > taught(6)


def test_a_proposal_teaches_once_also_if_the_next_round_has_no_plan() -> None:
    """The last round of an answer has no room for a draft, so that nobody asks the policy."""
    history = PairHistory()
    policy = Auto("draft_model", 0.0, calibrated(CURVES[3]), history)
    policy.begin("draft_model")
    proposal = Proposal(5, "draft_model", 6.0)
    policy.plan(9)
    assert policy.go_on(proposal)
    policy.observe(RoundOutcome((proposal,), 1, 1, 2, 2, 0.001, 0.01, 10, (1.0, 1.0), 7))
    taught = history.mood, history.hits
    policy.observe(RoundOutcome((), 0, 0, 1, 1, 0.0, 0.01, 12, (1.0,), 5))
    assert (history.mood, history.hits) == taught


def brute(passes: list[float], step: float, price: float, chances: list[float], n: int, alive: float) -> float:
    total = 0.0
    for chance in chances:
        here, kept = -price * passes[n], -price * passes[n + 1]
        more = brute(passes, step, price, chances, n + 1, alive * chance) if n + 2 < len(passes) else kept
        total += max(here, alive * chance + max(kept, more))
    return total / len(chances) - price * step


@pytest.mark.parametrize("seed", range(8))
def test_the_stopping_rule_is_the_best_one(seed: int) -> None:
    draw = random.Random(seed)
    passes = [1.0, *(draw.uniform(1.0, 3.0) for _ in range(5))]  # not monotone
    step, price, chances = draw.uniform(0, 0.3), draw.uniform(1, 2), [draw.random() for _ in range(3)]
    rule = StoppingRule(passes, 0.0, step, price, chances, chances)
    # Between the points of its grid the rule interpolates a convex function: never below, and not far above.
    exact = brute(passes, step, price, chances, 0, 1.0)
    assert exact - 1e-9 <= rule.go_on(0, 1.0) <= exact + 0.05


def test_free_value_takes_the_best_length() -> None:
    assert free_value([1.0, 1.1, 9.0], 1.0, [0.9, 0.9, 0.9]) == (pytest.approx(0.9 + 0.81 - 1.1), 2)
    assert free_value([], 1.0, []) == (float("-inf"), 0)


def test_the_ledger_bounds_what_is_lost() -> None:
    ledger = Ledger(0.5)
    lost = 0.0
    for _ in range(2_000):
        loss = 0.2 if ledger.allows(0.2) else 0.0
        ledger.book(1, 1.0 + loss, unsure=loss)
        lost += loss
    assert 0.5 < lost <= 0.5 + ALLOWANCE * (2_000 + lost)


def test_the_ledger_reprices_what_was_booked_at_an_old_plain_price() -> None:
    ledger = Ledger(0.5)
    ledger.book(2, 3.0, unsure=3.0)  # a loss of 1, if a plain pass takes what was thought
    ledger.confirm(1.5)  # but it takes 1.5 times as long: 3 units are 2
    assert ledger.balance == pytest.approx(0.0)


def test_on_credit_only_short_drafts_are_affordable() -> None:
    assert Ledger(0.5).longest(16, lambda n: 0.1 * n) == 5
    assert Ledger(0.0).longest(16, lambda n: 1.0 * n) == 1


def test_looks_become_rarer_and_stay_in_their_budget() -> None:
    looks = Looks()
    paid = sum(0.1 for _ in range(1_000) if looks.due(0.1))
    assert 0.1 <= paid <= 0.15 + 0.003 * 1_000


def test_a_long_pause_is_considered_every_few_rounds_and_forgets_nothing() -> None:
    rest, considered, looked_at = Rest(), 0, []
    for number in range(200):
        if not rest.goes_on():
            considered += 1
            looked_at += [outcome.context for outcome in rest.over()]
            rest.paused()
        assert rest.takes(plain_round(number))
    looked_at += [outcome.context for outcome in rest.over()]
    assert looked_at == list(range(200))
    assert 200 / LONGEST < considered < 200 / LONGEST + 40


def test_a_rest_keeps_only_rounds_somebody_asked_about() -> None:
    rest = Rest()
    for _ in range(100):
        rest.paused()
    assert rest.takes(plain_round(0))
    assert rest.goes_on()
    assert rest.takes(plain_round(1))
    assert not rest.takes(plain_round(2))  # a round nobody asked about: the drafter is gone


def plain_round(context: int) -> RoundOutcome:
    return RoundOutcome((), 0, 0, 1, 1, 0.0, 0.01, context)


def test_a_turn_of_the_text_is_seen_and_a_steady_one_is_none() -> None:
    turn = Turn()
    for number in range(20):
        turn.follow(0.5 + 0.08 * (number % 2))
        assert not turn.seen(0.6)
    assert turn.seen(0.8)
    for _ in range(60):
        turn.follow(0.8)
    assert not turn.seen(0.8), "that is what it is like by now"


def test_only_what_was_gained_is_risked_again() -> None:
    history = PairHistory()
    account = Account(calibrated(CURVES[3]), history)
    account.begin(credit=0.4)
    tries = 0
    history.hits = 9
    for _ in range(40):
        for context in range(30):
            account.book(plain_round(context), behind=0, drafted=False)
        account.ledger.book(1, 1.0 + account.ledger.headroom, unsure=0.0)  # down to the floor
        tries += account.granted(0.2, promise=99.0, hopeful=True, turned=True)
    assert 1 <= tries * 0.7 <= TRIAL + TURNS
    history.saved = 5.0
    assert account.granted(0.2, promise=99.0, hopeful=False, turned=False)


def test_logistic_learns_a_rule_and_unlearns_it() -> None:
    draw = random.Random(1)
    model = Logistic((0.0, 0.0), (1.0, 1.0), (1e-3, 1e-3))
    for sign in (1, -1):
        for _ in range(1_500):
            x = draw.gauss(0, 2)
            model.learn((1.0, x), yes=draw.random() < squash(sign * 1.5 * x))
        assert sign * model.weights[1] > 0.8


def test_logit_and_squash_stay_finite() -> None:
    assert squash(1e9) < 1.0
    assert squash(-1e9) > 0.0
    assert abs(logit(0.0)) < 5
    assert abs(logit(1.0)) < 5


def test_a_history_survives_storing() -> None:
    history = PairHistory()
    replay(Auto("draft_model", 0.0, calibrated(CURVES[3]), history), TEXT, CURVES[3])
    again = PairHistory()
    again.restore(history.to_dict())
    assert again.to_dict() == history.to_dict()


def test_what_a_pair_has_lost_is_remembered_and_older_files_are_read() -> None:
    history = PairHistory()
    policy = Auto("draft_model", 0.0, calibrated(CURVES[2]), history)
    for _ in range(4):
        replay(policy, always_wrong(80), CURVES[2], behind=30)
    again = PairHistory()
    again.restore(history.to_dict())
    assert again.trial == history.trial < TRIAL
    assert again.credit(1.0, 1.0) == history.credit(1.0, 1.0) < PairHistory().credit(1.0, 1.0)
    older = {key: value for key, value in history.to_dict().items() if key not in ("trial", "turns", "luck")}
    again.restore(older)
    assert again.trial == TRIAL
    assert again.rate == pytest.approx(history.rate)


@pytest.mark.parametrize(
    "damage",
    [
        {"version": 0},
        {"saved": "much"},
        {"trial": "all"},
        {"rate": float("nan")},
        {"models": {"else": {}}},
        {"signals": None},
    ],
)
def test_a_damaged_history_is_no_history(damage: dict[str, object]) -> None:
    history = PairHistory()
    history.restore({**PairHistory().to_dict(), **damage})
    assert history.to_dict() == PairHistory().to_dict()
