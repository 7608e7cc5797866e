"""Laws 1 to 3, 7 and 8 on fake models, in every combination that can be thought of."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.core.errors import CancelledByUser, EngineFault
from app.engine.backends.fake import Failure, FakeModel
from app.engine.cancel import CancelFlag
from app.engine.costs import PairCosts
from app.engine.lookahead import PairHistory, make
from app.engine.ports import LookaheadPolicy
from app.protocol.messages import Delta, Finished
from app.protocol.options import DrafterName, SamplingOptions, SpeculationOptions
from tests.conftest import ExpectedLogs
from tests.helpers.engine import GREEDY, Reply, reply
from tests.helpers.fakes import VOCABULARY, Steady, Whim, World, same, twins

Request = tuple[dict[str, Any], list[int], dict[str, Any]]
"""A world, a prompt that fits, and options."""
DRAFTERS = ("ngram", "draft_model", "mixed", "hostile")

samplings = st.one_of(
    st.just(GREEDY),
    st.builds(
        SamplingOptions,
        temperature=st.sampled_from([0.0, 0.3, 0.8, 1.5]),
        top_k=st.sampled_from([0, 5]),
        top_p=st.sampled_from([1.0, 0.9]),
        min_p=st.sampled_from([0.0, 0.05]),
        repeat_penalty=st.sampled_from([1.0, 1.0, 1.4]),
        frequency_penalty=st.sampled_from([0.0, 0.0, 0.5]),
        penalty_window=st.sampled_from([4, 64]),
    ),
)
stops = st.lists(st.sampled_from(["a", "ab", "bab", "\n", "é", "😀", "b User", "\ufffd", "aaaa"]), max_size=2).map(
    tuple
)


@st.composite
def worlds(draw: st.DrawFn) -> dict[str, Any]:
    """What makes a pair of models; `build` makes it, as often as needed."""
    return {
        "n_ctx": draw(st.sampled_from([8, 20, 64])),
        "seed": draw(st.integers(0, 5)),
        "unlike": draw(st.sampled_from([0.0, 0.4, 5.0])),
        "order": draw(st.sampled_from([0, 1, 2])),
        "ends": draw(st.sampled_from([frozenset(), frozenset({3}), frozenset({1, 5, 7})])),
        "keeps_state": draw(st.booleans()),
        "draft_vocabulary": draw(st.sampled_from([VOCABULARY, VOCABULARY + 8])),
    }


def build(how: dict[str, Any]) -> World:
    common = {"seed": how["seed"], "order": how["order"], "end_tokens": how["ends"]}
    target = FakeModel(VOCABULARY, how["n_ctx"], keeps_state=how["keeps_state"], **common)
    draft = FakeModel(how["draft_vocabulary"], how["n_ctx"], unlike=how["unlike"], **common)
    return World(target, draft)


@st.composite
def requests(draw: st.DrawFn) -> Request:
    how = draw(worlds())
    prompt = draw(st.lists(st.integers(0, VOCABULARY - 1), min_size=1, max_size=how["n_ctx"] - 1))
    options = {
        "sampling": draw(samplings),
        "seed": draw(st.integers(0, 9)),
        "max_tokens": draw(st.sampled_from([0, 1, 2, 9, 30])),
        "stop": draw(stops),
        "fixed_shape": draw(st.sampled_from([0, 0, 1, 2, 8, 33])),
    }
    return how, prompt, options


policies = st.one_of(st.integers(0, 32).map(Steady), st.integers(0, 999).map(Whim))
quiet = pytest.mark.usefixtures("_drafters_may_fail")


@pytest.fixture
def _drafters_may_fail(expect_log: ExpectedLogs) -> None:
    expect_log("drafter dropped")


@given(request=requests(), drafter=st.sampled_from(DRAFTERS[:3]), policy=policies)
@settings(max_examples=400)
def test_no_drafter_changes_the_text(request: Request, drafter: str, policy: LookaheadPolicy) -> None:
    how, prompt, options = request
    world = build(how)
    plain = build(how).ask(prompt, **options)
    answer = world.ask(prompt, drafter, policy, **options)
    same(answer, plain)
    assert answer.speculation.state in ("active", "idle")
    assert answer.stats.cached_tokens == 0
    assert answer.stats.prompt_tokens == len(prompt)


@quiet
@given(request=requests(), seed=st.integers(0, 100_000), policy=policies)
@settings(max_examples=400)
def test_no_hostile_drafter_changes_the_text(request: Request, seed: int, policy: LookaheadPolicy) -> None:
    how, prompt, options = request
    plain = build(how).ask(prompt, **options)
    answer = build(how).ask(prompt, "hostile", policy, drafter_seed=seed, **options)
    same(answer, plain)
    if answer.speculation.state == "unavailable":
        assert answer.speculation.reason == "The draft stopped working."


@given(request=requests(), drafter=st.sampled_from(DRAFTERS[:3]), policy=policies)
@settings(max_examples=100)
def test_the_policy_is_told_what_happened(request: Request, drafter: str, policy: Steady) -> None:
    how, prompt, options = request
    answer = build(how).ask(prompt, drafter, policy, **options)
    stats = answer.stats
    assert len(policy.seen) == stats.passes
    assert sum(outcome.kept for outcome in policy.seen) == len(answer.tokens) - 1
    assert sum(outcome.verified for outcome in policy.seen) == stats.verified
    assert sum(outcome.accepted for outcome in policy.seen) == stats.accepted
    assert sum(len(outcome.offered) for outcome in policy.seen) == stats.proposed
    at = len(prompt) + 1
    history = [*prompt, *answer.tokens]
    if policy.seen:
        assert policy.prompt == tuple(history[max(0, at - 32) : at])
    for outcome in policy.seen:
        assert outcome.context == at
        at += outcome.kept
        assert outcome.last_token == history[at - 1]
        assert len(outcome.target_margins) == outcome.kept
        needed = outcome.verified + 1
        # A padded pass costs what its rows cost; models that cannot be cut are not padded.
        assert outcome.rows in {needed, max(needed, options["fixed_shape"])}


class Thinker(Steady):
    """Thinks for a second before every round, and then mostly does nothing."""

    def __init__(self, clock: list[float]) -> None:
        super().__init__(3)
        self._clock = clock
        self._rounds = 0

    def plan(self, room: int) -> int:
        self._clock[0] += 1.0
        self._rounds += 1
        return super().plan(room) if self._rounds % 4 == 0 else 0


def test_the_time_a_policy_thinks_is_not_the_drafters(monkeypatch: pytest.MonkeyPatch) -> None:
    """Else a ledger that starts small would be used up by the very thought of drafting."""
    clock = [0.0]
    monkeypatch.setattr("app.engine.speculation.time.perf_counter", lambda: clock[0])
    policy = Thinker(clock)
    answer = twins().ask([1, 2, 3], "draft_model", policy, max_tokens=40)
    assert {outcome.draft_s for outcome in policy.seen} == {0.0}
    assert {len(outcome.offered) for outcome in policy.seen} >= {0, 3}
    assert answer.stats.draft_ms == pytest.approx(1000.0 * clock[0]), "a person is told all of it"


@given(
    request=requests(),
    names=st.lists(st.sampled_from(["ngram", "draft_model", "mixed"]), min_size=1, max_size=4),
    lookahead=st.one_of(st.just("auto"), st.integers(1, 32)),
    min_confidence=st.sampled_from([0.0, 0.3, 0.9]),
)
@settings(max_examples=150)
def test_the_policies_of_the_app_change_nothing_either(
    request: Request, names: list[DrafterName], lookahead: Any, min_confidence: float
) -> None:
    """What `auto` learns goes from answer to answer, and what it does depends on the clock."""
    how, prompt, options = request
    world, costs, history = build(how), PairCosts(), PairHistory()
    plain = build(how).ask(prompt, **options)
    for name in names:
        asked = SpeculationOptions(drafter=name, lookahead=lookahead, min_confidence=min_confidence)
        same(world.ask(prompt, name, make(asked, costs, history), **options), plain)


@given(request=requests(), policy=policies)
@settings(max_examples=50)
def test_one_delta_a_round(request: Request, policy: LookaheadPolicy) -> None:
    how, prompt, options = request
    world = build(how)
    events = list(world.events(prompt, world.drafter("draft_model", policy), policy, **options))
    answer = reply(events)
    deltas = [event for event in events if isinstance(event, Delta)]
    with_tokens = [delta for delta in deltas if delta.tokens]
    assert len(with_tokens) == 1 + answer.stats.passes
    assert len(deltas) <= len(with_tokens) + 1, "held back text may come after the last round"


# --- every way out ------------------------------------------------------------------------------------------------

ways_out = st.sampled_from(["closed", "cancelled", "aborted", "target fails", "draft fails", "draft aborted"])


@quiet
@given(
    request=requests(),
    drafter=st.sampled_from(["off", *DRAFTERS]),
    policy=policies,
    way=ways_out,
    when=st.integers(0, 12),
    left=st.one_of(st.integers(0, 3), st.just(1000)),
    data=st.data(),
)
@settings(max_examples=600)
def test_every_way_out_leaves_the_caches_right(
    request: Request,
    drafter: str,
    policy: LookaheadPolicy,
    way: str,
    when: int,
    left: int,
    data: st.DataObject,
) -> None:
    how, prompt, options = request
    world = build(how)
    plain = build(how).ask(prompt, **options)
    tokens, ended = disturbed(world, prompt, drafter, policy, options, way, when, left)
    assert plain.tokens[: len(tokens)] == tokens, "what was given out is what plain decoding says"
    if ended is not None and ended.reason != "cancelled":
        same(ended, plain)
    assert world.target.violations == []
    assert world.draft.violations == []
    assert world.target.tokens == tuple(world.cached.held)
    history = (*prompt, *plain.tokens)
    assert world.target.tokens == history[: world.target.length]
    assert world.target.length < len(history)
    assert world.draft.tokens == world.draft_model.held
    assert world.draft.tokens == history[: world.draft.length], "no rejected token stays in the draft's cache"
    # The next answer, to a prompt that shares a beginning with this history, is that of a clean run.
    world.target.fail = world.draft.fail = lambda _number: None
    shared = data.draw(st.integers(0, min(len(history), world.target.n_ctx - 2)))
    tail = data.draw(st.lists(st.integers(0, VOCABULARY - 1), min_size=1, max_size=world.target.n_ctx - 1 - shared))
    following = [*history[:shared], *tail]
    again = data.draw(st.sampled_from(["off", "ngram", "draft_model", "mixed"]))
    answer = world.ask(following, again, Steady(5), **options)
    same(answer, build(how).ask(following, **options))


def disturbed(
    world: World,
    prompt: list[int],
    drafter: str,
    policy: LookaheadPolicy,
    options: dict[str, Any],
    way: str,
    when: int,
    left: int,
) -> tuple[tuple[int, ...], Reply | None]:
    """The tokens given out by an answer that is disturbed after `when` events or passes, and the answer if it ends."""
    cancel = CancelFlag()
    fault = EngineFault("decode_failed", "The engine could not compute the next tokens.")

    def failing(model: FakeModel, *, abort: bool) -> None:
        def fail(number: int) -> Failure | None:
            if number != when:
                return None
            if abort:
                cancel.set()
            keep = model.length if left == 1000 else left
            return Failure(CancelledByUser() if abort else fault, keep)

        model.fail = fail

    if way in ("target fails", "aborted"):
        failing(world.target, abort=way == "aborted")
    if way in ("draft fails", "draft aborted"):
        failing(world.draft, abort=way == "draft aborted")
    events = []
    stream = world.events(
        prompt,
        world.drafter(drafter, policy, when),
        policy,
        cancel=cancel,
        **options,
    )
    try:
        for number, event in enumerate(stream):
            events.append(event)
            if number == when and way == "closed":
                stream.close()
                break
            if number == when and way == "cancelled":
                cancel.set()
    except EngineFault:
        if way != "target fails":
            raise
    tokens = tuple(token for event in events if isinstance(event, Delta) for token in event.tokens)
    return tokens, reply(events) if events and isinstance(events[-1], Finished) else None
