"""The draft's cache and its costs; what it proposes is the business of the law tests."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.core.errors import EngineFault
from app.engine.backends.fake import Failure, FakeModel
from app.engine.drafters.draft_model import CATCH_UP, DraftModel
from app.engine.ports import Proposal, Verdict
from app.engine.sampling import Sampler
from app.protocol.options import SamplingOptions
from tests.conftest import ExpectedLogs
from tests.helpers.engine import GREEDY
from tests.helpers.fakes import VOCABULARY, Steady, World, same, twins


def go_on(_proposal: Proposal) -> Verdict:
    return Verdict.GO_ON


def ready(model: FakeModel, history: list[int], sampling: SamplingOptions = GREEDY) -> DraftModel:
    drafter = DraftModel(model, VOCABULARY)
    drafter.use(Sampler(sampling, 0, history[:-1]), confident=False)
    drafter.begin(history)
    return drafter


def tokens(proposals: list[Proposal]) -> list[int]:
    return [proposal.token for proposal in proposals]


def greedy(model: FakeModel, history: list[int], count: int) -> list[int]:
    text = list(history)
    for _ in range(count):
        text.append(int(model.scores(text).argmax()))
    return text[len(history) :]


def test_it_says_what_the_model_says_and_never_decodes_a_token_twice() -> None:
    model = FakeModel(VOCABULARY, 200)
    history = [1, 2, 3]
    drafter = ready(model, history)
    assert drafter.behind(history) == 3
    drafted = tokens(drafter.propose(history, 4, go_on))
    assert drafted == greedy(model, history, 4)
    # The last proposal is not decoded before it is known to be accepted.
    assert model.tokens == (*history, *drafted[:3])
    assert [len(step) for step in model.passes] == [3, 1, 1, 1]
    # All accepted, and a token of the target's own: two to decode before the next proposal.
    history += [*drafted, 9]
    drafter.accept(history, 4)
    model.passes.clear()
    drafter.propose(history, 1, go_on)
    assert model.passes == [(drafted[3], 9)]
    # The first proposal rejected: one to decode.
    history += [8]
    drafter.accept(history, 0)
    model.passes.clear()
    drafter.propose(history, 1, go_on)
    assert model.passes == [(8,)]
    drafter.end(history)
    assert model.tokens == drafter.held == tuple(history[:-1])


def test_a_long_prompt_is_caught_up_with_in_steps() -> None:
    model = FakeModel(VOCABULARY, 4000)
    history = [at % VOCABULARY for at in range(2 * CATCH_UP + 10)]
    drafter = ready(model, history)
    assert drafter.propose(history, 4, go_on) == []
    assert drafter.propose(history, 4, go_on) == []
    assert len(drafter.propose(history, 4, go_on)) == 4
    assert [len(step) for step in model.passes[:3]] == [CATCH_UP, CATCH_UP, 10]


def test_the_policy_ends_a_draft() -> None:
    def drafted(*verdicts: Verdict, limit: int = 5) -> int:
        asked = iter(verdicts)
        return len(ready(FakeModel(VOCABULARY, 200), [1, 2]).propose([1, 2], limit, lambda _p: next(asked)))

    assert drafted(Verdict.DROP) == 0
    assert drafted(Verdict.GO_ON, Verdict.LAST) == 2
    assert drafted(Verdict.GO_ON, Verdict.DROP) == 1
    assert drafted(limit=0) == 0


def test_nothing_is_proposed_after_an_end() -> None:
    end = greedy(FakeModel(VOCABULARY, 200), [1, 2], 3)[2]
    model = FakeModel(VOCABULARY, 200, end_tokens=frozenset({end}))
    drafted = tokens(ready(model, [1, 2]).propose([1, 2], 9, go_on))
    assert drafted.index(end) == len(drafted) - 1


def test_ids_beyond_the_targets_vocabulary_are_never_proposed() -> None:
    model = FakeModel(VOCABULARY + 200, 200)
    assert greedy(model, [1, 2], 1)[0] >= VOCABULARY
    drafted = tokens(ready(model, [1, 2]).propose([1, 2], 9, go_on))
    assert len(drafted) == 9
    assert max(drafted) < VOCABULARY


def test_a_draft_with_less_context_stops_drafting() -> None:
    world = World(FakeModel(VOCABULARY, 100), FakeModel(VOCABULARY, 40))
    answer = world.ask([1, 2, 3], "draft_model", Steady(7))
    same(answer, World(FakeModel(VOCABULARY, 100)).ask([1, 2, 3]))
    assert answer.stats.verified > 0
    assert world.draft.length <= 40


def test_a_token_the_draft_does_not_know_ends_drafting_with_a_reason(expect_log: ExpectedLogs) -> None:
    expect_log("drafter dropped")
    world = World(FakeModel(VOCABULARY, 100), FakeModel(VOCABULARY - 4, 100))
    answer = world.ask([1, VOCABULARY - 1], "draft_model", Steady(3), sampling=SamplingOptions(repeat_penalty=1.2))
    same(
        answer, World(FakeModel(VOCABULARY, 100)).ask([1, VOCABULARY - 1], sampling=SamplingOptions(repeat_penalty=1.2))
    )
    assert answer.speculation.state == "unavailable"
    assert answer.speculation.reason == "The draft model does not know a token of this text."


def test_a_tiny_draft_keeps_to_passes_of_one_row_after_full_acceptance() -> None:
    model = FakeModel(VOCABULARY, 200)
    history = [1, 2, 3]
    drafter = DraftModel(model, VOCABULARY, one_by_one=True)
    drafter.use(Sampler(GREEDY, 0, history[:-1]), confident=False)
    drafter.begin(history)
    drafted = tokens(drafter.propose(history, 4, go_on))
    assert [len(step) for step in model.passes] == [3, 1, 1, 1], "what is further behind is one pass"
    history += [*drafted, 9]
    drafter.accept(history, 4)
    model.passes.clear()
    assert tokens(drafter.propose(history, 1, go_on)) == greedy(model, history, 1)
    assert model.passes == [(drafted[3],), (9,)]
    assert list(drafter.held) == history


def test_proposals_are_not_counted_as_context_afterwards() -> None:
    """Penalties see proposals while drafting, and none of them later."""
    sampling = SamplingOptions(temperature=0.0, repeat_penalty=3.0)
    model = FakeModel(VOCABULARY, 200)
    sampler = Sampler(sampling, 0, [1, 2])
    drafter = DraftModel(model, VOCABULARY)
    drafter.use(sampler, confident=False)
    drafter.begin([1, 2])
    drafted = tokens(drafter.propose([1, 2], 12, go_on))
    text = [1, 2]
    for token in drafted:
        row = model.scores(text)
        assert token == Sampler(sampling, 0, text).choose(row, len(text)).token
        text.append(token)
    assert sampler._penalties.counts == {1: 1, 2: 1}


@given(
    steps=st.lists(st.tuples(st.integers(0, 8), st.integers(0, 8), st.integers(0, 3)), max_size=12),
    fail_at=st.integers(0, 30),
    left=st.integers(0, 40),
)
@settings(max_examples=200)
def test_what_is_held_is_known_after_any_round_and_any_failure(
    steps: list[tuple[int, int, int]], fail_at: int, left: int
) -> None:
    model = FakeModel(VOCABULARY, 400)
    model.fail = lambda number: Failure(EngineFault("x", "x"), left) if number == fail_at else None
    history = [1, 2, 3]
    drafter = ready(model, history)
    for limit, accepted, more in steps:
        try:
            drafted = tokens(drafter.propose(history, limit, go_on))
        except EngineFault:
            drafted = []
        assert model.tokens == drafter.held
        history = [*history, *drafted[:accepted], *[more] * (more + 1)]
        drafter.accept(history, min(accepted, len(drafted)))
        assert model.violations == []
        assert model.tokens == drafter.held == tuple(history[: model.length])
        assert model.length < len(history)


@pytest.mark.parametrize("temperature", [0.0, 0.8])
def test_twins_agree_at_any_temperature(temperature: float) -> None:
    sampling = SamplingOptions(temperature=temperature, repeat_penalty=1.3, frequency_penalty=0.2)
    answer = twins().ask([1, 2, 3], "draft_model", Steady(5), sampling=sampling, max_tokens=100)
    assert answer.stats.acceptance_rate == 1.0
