"""From one answer to the next: what caches keep, and models that cannot be cut."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from app.core.errors import EngineFault
from app.engine.backends.fake import FakeModel
from app.engine.cancel import CancelFlag
from app.engine.ports import Logits
from app.protocol.messages import Delta, Finished, Progress
from tests.helpers.fakes import VOCABULARY, Steady, World, same, twins

# --- prefix reuse -------------------------------------------------------------------------------------------------


def decoded(model: FakeModel) -> int:
    return sum(map(len, model.passes))


@pytest.mark.parametrize("drafter", ["off", "draft_model", "mixed"])
def test_the_next_turn_decodes_what_is_new(drafter: str) -> None:
    world = twins(n_ctx=4000)
    prompt = [at % VOCABULARY for at in range(1000)]
    first = world.ask(prompt, drafter, Steady(7), max_tokens=20)
    second = [*prompt, *first.tokens, 9, 9, 9]
    before, draft_before = decoded(world.target), decoded(world.draft)
    world.target.passes.clear()
    world.draft.passes.clear()
    answer = world.ask(second, drafter, Steady(7), max_tokens=1)
    assert before >= 1000
    assert answer.stats.cached_tokens == len(second) - 4
    assert decoded(world.target) == 4  # the last token of the first answer was not in the cache
    same(answer, twins(n_ctx=4000).ask(second, max_tokens=1))
    if drafter != "off":
        assert draft_before >= 1000 - 256  # a long prompt is caught up with in steps
        world.draft.passes.clear()
        held = world.draft.length
        longer = world.ask(second, drafter, Steady(7), max_tokens=20)
        same(longer, twins(n_ctx=4000).ask(second, max_tokens=20))
        new = len(second) + len(longer.tokens) - held
        assert decoded(world.draft) <= new + 8, "the draft decodes nothing twice"


@pytest.mark.parametrize("drafter", ["off", "ngram", "draft_model", "mixed"])
def test_an_edited_turn_keeps_the_common_beginning(drafter: str) -> None:
    world = twins(n_ctx=4000)
    prompt = [at % VOCABULARY for at in range(600)]
    world.ask(prompt, drafter, Steady(7), max_tokens=20)
    edited = [*prompt[:500], 3, 3, 3, *prompt[500:]]
    shared = 500 + next(at for at, token in enumerate(edited[500:]) if token != (500 + at) % VOCABULARY)
    world.target.passes.clear()
    answer = world.ask(edited, drafter, Steady(7), max_tokens=20)
    assert answer.stats.cached_tokens == shared
    assert world.target.passes[0] == tuple(edited[shared:])
    same(answer, twins(n_ctx=4000).ask(edited, max_tokens=20))


def test_the_same_prompt_again_decodes_one_token() -> None:
    world = twins()
    first = world.ask([1, 2, 3], max_tokens=5)
    world.target.passes.clear()
    again = world.ask([1, 2, 3], max_tokens=5)
    same(first, again)
    assert world.target.passes[0] == (3,)
    assert again.stats.cached_tokens == 2


@pytest.mark.parametrize("options", [{"reuse_cache": False}, {"fixed_shape": 8}])
def test_a_clean_run_decodes_everything(options: dict[str, Any]) -> None:
    world = twins()
    world.ask([1, 2, 3], max_tokens=5)
    answer = world.ask([1, 2, 3], max_tokens=5, **options)
    assert answer.stats.cached_tokens == 0


def test_caches_may_be_emptied_between_answers() -> None:
    world = twins()
    first = world.ask([1, 2, 3], "draft_model", Steady(7), max_tokens=20)
    world.target.clear()
    world.draft.clear()
    following = [1, 2, 3, *first.tokens, 5]
    answer = world.ask(following, "draft_model", Steady(7), max_tokens=20)
    same(answer, twins().ask(following, max_tokens=20))
    assert answer.stats.cached_tokens == 0
    assert answer.stats.acceptance_rate == 1.0


# --- when the target fails ----------------------------------------------------------------------------------------


def broken_after(model: FakeModel, length: int) -> None:
    """From now on the model computes nonsense after texts of at least `length` tokens."""
    sound = model._scores

    def scores(recent: Sequence[int], state: int) -> Logits:
        row = sound(recent, state)
        return np.full_like(row, np.nan) if model.length >= length else row

    model._scores = scores  # type: ignore[method-assign]


@pytest.mark.parametrize("length", [3, 4, 9])
def test_a_row_of_nonsense_leaves_the_caches_right(length: int) -> None:
    world = twins()
    plain = twins().ask([1, 2, 3], max_tokens=30)
    broken_after(world.target, length)
    policy = Steady(7)
    given: list[int] = []

    def listen() -> None:
        for event in world.events([1, 2, 3], world.draft_model, policy, max_tokens=30):
            given.extend(event.tokens if isinstance(event, Delta) else ())

    with pytest.raises(EngineFault, match="not a number"):
        listen()
    assert given == list(plain.tokens[: len(given)])
    world.check_caches((1, 2, 3, *plain.tokens))
    world.check_draft((1, 2, 3, *plain.tokens))
    assert world.target.length < 3 + max(1, len(plain.tokens))
    if length == 3:
        assert world.target.tokens == (1, 2), "the cache is the history without its last token, here too"


def test_a_cut_that_fails_at_the_very_end_is_not_forgotten() -> None:
    """What the cache held before is then no longer in it, and the next answer may not build on that."""
    world = twins()
    first = world.ask([1, 2, 3], max_tokens=10)
    sound, cut = world.target._scores, world.target.truncate
    broken_after(world.target, 3)

    def refuse(_keep: int) -> None:
        world.target.clear()
        raise EngineFault("cannot_truncate", "This model cannot take back tokens.")

    world.target.truncate = refuse  # type: ignore[method-assign]
    policy = Steady(0)
    with pytest.raises(EngineFault):
        list(world.events([1, 2, 3, *first.tokens, 5], world.drafter("off", policy), policy))
    assert world.target.length == 0
    world.target._scores, world.target.truncate = sound, cut  # type: ignore[method-assign]
    same(world.ask([1, 2, 3, *first.tokens, 6], max_tokens=10), twins().ask([1, 2, 3, *first.tokens, 6], max_tokens=10))


# --- models that cannot forget ------------------------------------------------------------------------------------


@pytest.mark.parametrize("fixed_shape", [0, 8])
@pytest.mark.parametrize("drafter", ["off", "ngram", "draft_model"])
def test_a_model_that_cannot_be_cut_decodes_plain_and_right(drafter: str, fixed_shape: int) -> None:
    plain = World(FakeModel(VOCABULARY, 64, order=1, seed=2)).ask([1, 2, 3])
    world = World(FakeModel(VOCABULARY, 64, order=1, seed=2, can_truncate=False))
    answer = world.ask([1, 2, 3], drafter, Steady(7), fixed_shape=fixed_shape)
    same(answer, plain)
    assert answer.stats.verified == 0
    # The next turn goes on where this one ended; another text starts anew.
    following = [1, 2, 3, *answer.tokens[:20], 5]
    same(
        world.ask(following, max_tokens=5),
        World(FakeModel(VOCABULARY, 64, order=1, seed=2)).ask(following, max_tokens=5),
    )


def test_a_model_with_running_state_goes_back_to_the_start_of_an_answer() -> None:
    prompt = [at % VOCABULARY for at in range(40)]
    world = World(FakeModel(VOCABULARY, 200, seed=2, keeps_state=True))
    first = world.ask(prompt, max_tokens=20)
    world.target.passes.clear()
    again = world.ask(prompt, max_tokens=20)
    same(again, first)
    # The state before the last token of the prompt was saved: one token is computed, and nothing is owed.
    assert world.target.passes[0] == (prompt[-1],)
    assert again.stats.cached_tokens == len(prompt) - 1


def test_tokens_that_are_owed_do_not_count_as_cached() -> None:
    prompt = [at % VOCABULARY for at in range(40)]
    world = World(FakeModel(VOCABULARY, 200, seed=2, keeps_state=True))
    world.ask(prompt, max_tokens=20)
    world.target.passes.clear()
    edited = [*prompt[:30], 5, 5, 5]
    shared = next(at for at, token in enumerate(edited) if at >= len(prompt) or token != prompt[at])
    answer = world.ask(edited, max_tokens=20)
    same(answer, World(FakeModel(VOCABULARY, 200, seed=2)).ask(edited, max_tokens=20))
    # No state was saved before the edited place, so that all of it is computed again.
    assert shared == 30
    assert answer.stats.cached_tokens == 0
    assert sum(map(len, world.target.passes[:2])) == len(edited)


# --- events -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("length", "told"), [(512, []), (513, [0, 512]), (1024, [0, 512]), (1025, [0, 512, 1024])])
def test_a_prefill_of_more_than_one_step_tells_how_far_it_is(length: int, told: list[int]) -> None:
    world = World(FakeModel(VOCABULARY, 4000))
    policy = Steady(0)
    prompt = [at % VOCABULARY for at in range(length)]
    events = list(world.events(prompt, world.drafter("off", policy), policy, max_tokens=1))
    assert [event.done for event in events if isinstance(event, Progress)] == told


def test_a_long_prefill_tells_how_far_it_is_and_can_be_cancelled_there() -> None:
    cancel = CancelFlag()
    world = World(FakeModel(VOCABULARY, 4000))
    prompt = [at % VOCABULARY for at in range(1500)]
    seen = []
    policy = Steady(0)
    for event in world.events(prompt, world.drafter("off", policy), policy, cancel=cancel):
        seen.append(event)
        if isinstance(event, Progress) and event.done == 1024:
            cancel.set()
    assert [(e.done, e.total, e.stage) for e in seen[:-1] if isinstance(e, Progress)] == [
        (0, 1500, "prefill"),
        (512, 1500, "prefill"),
        (1024, 1500, "prefill"),
    ]
    assert isinstance(seen[-1], Finished)
    assert seen[-1].reason == "cancelled"
    assert world.target.tokens == tuple(prompt[:1024])
    # What was computed is not lost.
    assert world.ask(prompt, max_tokens=1).stats.cached_tokens == 1024


def test_the_draft_learns_nothing_from_what_it_was_not_asked() -> None:
    """Switching drafters between answers leaves the draft's cache behind, never wrong."""
    world = twins()
    first = world.ask([1, 2, 3], "draft_model", Steady(7), max_tokens=10)
    second = [*first.tokens, 4, 4]
    world.ask([1, 2, 3, *second], "off", max_tokens=10)
    world.ask([1, 2, 3, *second, 5], "ngram", max_tokens=10)
    third = [1, 2, 3, *second, 7]
    answer = world.ask(third, "draft_model", Steady(7), max_tokens=25)
    same(answer, twins().ask(third, max_tokens=25))
    assert answer.stats.acceptance_rate == 1.0
    assert answer.stats.accepted > 0


def test_a_cancel_before_the_start_gives_nothing() -> None:
    cancel = CancelFlag()
    cancel.set()
    world = World(FakeModel(VOCABULARY, 64))
    answer = world.ask([1, 2, 3], "draft_model", cancel=cancel)
    assert (answer.tokens, answer.text, answer.reason) == ((), "", "cancelled")
    assert world.target.tokens == ()
    assert answer.stats.tokens_per_pass is None
    assert answer.stats.speed is None
