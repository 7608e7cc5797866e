"""Laws 2, 3 and 8 on the demo pair: where answers end, and what the next one can keep."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from app.core.errors import UserError
from app.protocol.messages import Turn
from app.protocol.options import DrafterName, SamplingOptions
from tests.helpers.engine import NEAR_TIE, LocalEngine, Probe, Reply
from tests.helpers.prompts import PROMPTS

DRAFTERS: tuple[DrafterName, ...] = ("off", "ngram", "draft_model", "heads", "mixed")


@pytest.fixture(scope="module")
def engine(demo_target: Path, demo_draft: Path) -> Iterator[LocalEngine]:
    with LocalEngine(demo_target, demo_draft, context=256) as loaded:
        yield loaded


@pytest.fixture(scope="module")
def twins(demo_target: Path) -> Iterator[LocalEngine]:
    with LocalEngine(demo_target, demo_target, context=256) as loaded:
        yield loaded


@pytest.fixture(scope="module")
def probe(demo_target: Path) -> Iterator[Probe]:
    with Probe(demo_target, context=256) as loaded:
        yield loaded


@pytest.mark.parametrize("fixed_shape", [0, 33])
@pytest.mark.parametrize("drafter", DRAFTERS)
def test_a_thousand_tokens_of_a_small_context(
    engine: LocalEngine, probe: Probe, drafter: DrafterName, fixed_shape: int
) -> None:
    asked = PROMPTS["numbers"]  # the model goes on counting and never ends by itself
    answer = engine.ask(asked, drafter, 32, max_tokens=1000, fixed_shape=fixed_shape)
    assert answer.reason == "context_limit"
    assert len(answer.tokens) == 256 - len(probe.prompt(asked))
    # And the engine goes on working.
    assert engine.ask("Hello", drafter, max_tokens=3).stats.generated_tokens == 3


def test_a_prompt_that_does_not_fit_is_refused_and_nothing_is_lost(engine: LocalEngine) -> None:
    before = engine.ask(PROMPTS["loop"], "draft_model", max_tokens=5)
    with pytest.raises(UserError) as caught:
        engine.ask(PROMPTS["long"], "draft_model")
    assert caught.value.code == "prompt_too_long"
    assert "but the context holds 256" in caught.value.sentence
    again = engine.ask(PROMPTS["loop"], "draft_model", max_tokens=5)
    assert again.tokens == before.tokens
    assert again.stats.cached_tokens == again.stats.prompt_tokens - 1


@pytest.mark.parametrize("place", range(2, 22, 3))
def test_a_stop_text_inside_an_accepted_draft(twins: LocalEngine, place: int) -> None:
    common = {"sampling": SamplingOptions(temperature=0.0), "max_tokens": 40, "fixed_shape": 8}
    plain = twins.ask(PROMPTS["class"], **common)
    stop = plain.text[place * 2 : place * 2 + 4]
    answer = twins.ask(PROMPTS["class"], "draft_model", 7, stop=(stop,), **common)
    assert answer.text == plain.text[: plain.text.index(stop)]
    assert answer.reason == "stop_string"
    assert answer.tokens == plain.tokens[: len(answer.tokens)]
    assert twins.ask(PROMPTS["class"], stop=(stop,), **common).tokens == answer.tokens


@pytest.mark.parametrize("limit", [1, 2, 5, 8, 9, 17])
def test_a_token_limit_inside_an_accepted_draft(twins: LocalEngine, limit: int) -> None:
    plain = twins.ask(PROMPTS["class"], max_tokens=40, fixed_shape=8)
    answer = twins.ask(PROMPTS["class"], "draft_model", 7, max_tokens=limit, fixed_shape=8)
    assert answer.tokens == plain.tokens[:limit]
    assert answer.reason == "token_limit"


@pytest.mark.parametrize("drafter", DRAFTERS)
def test_an_end_token_inside_a_draft(twins: LocalEngine, drafter: DrafterName) -> None:
    """ "Hello! How can I help you today?" ends by itself."""
    turns = [Turn(role="user", content="Hello")]
    plain = twins.ask(turns, max_tokens=100, fixed_shape=8)
    answer = twins.ask(turns, drafter, 7, max_tokens=100, fixed_shape=8)
    assert plain.reason == answer.reason == "end"
    assert answer.tokens == plain.tokens
    assert answer.text == plain.text
    assert "<|" not in answer.text
    assert answer.tokens[-1] == 2
    assert len(answer.tokens) < 40


# --- from turn to turn --------------------------------------------------------------------------------------------


def says(role: str, content: str) -> Turn:
    assert role in ("user", "assistant")
    return Turn(role="user" if role == "user" else "assistant", content=content)


def near(probe: Probe, turns: list[Turn], one: Reply, two: Reply) -> None:
    """Equal up to rounding: reused tokens were decoded in passes of other shapes."""
    parting = probe.parting(turns, one, two)
    assert parting is None or parting.gap < NEAR_TIE, str(parting)


@pytest.mark.parametrize("drafter", DRAFTERS)
def test_a_second_turn_decodes_only_what_is_new(engine: LocalEngine, probe: Probe, drafter: DrafterName) -> None:
    first = [says("user", "What is a list in Python?")]
    answer = engine.ask(first, drafter, max_tokens=40, reuse_cache=False)
    assert answer.stats.cached_tokens == 0
    second = [*first, says("assistant", answer.text), says("user", "And a tuple?")]
    prompt = probe.prompt(second)
    held = [*probe.prompt(first), *answer.tokens][:-1]
    shared = next((at for at, (a, b) in enumerate(zip(held, prompt, strict=False)) if a != b), len(held))
    assert shared >= len(held) - 2, "a text split into tokens again nearly always gives the same tokens"
    reused = engine.ask(second, drafter, max_tokens=24)
    assert reused.stats.cached_tokens == shared
    assert reused.stats.prompt_tokens == len(prompt)
    near(probe, second, reused, engine.ask(second, drafter, max_tokens=24, reuse_cache=False))


@pytest.mark.parametrize("drafter", DRAFTERS)
def test_an_edited_turn_keeps_the_common_beginning(engine: LocalEngine, probe: Probe, drafter: DrafterName) -> None:
    turns = [says("user", "What is a list?"), says("assistant", "A sequence."), says("user", "And what is a tuple?")]
    engine.ask(turns, drafter, max_tokens=24)
    edited = [*turns[:2], says("user", "And what is a set?")]
    one, two = probe.prompt(turns), probe.prompt(edited)
    shared = next(at for at, (a, b) in enumerate(zip(one, two, strict=False)) if a != b)
    reused = engine.ask(edited, drafter, max_tokens=24)
    # Heads need the target's hidden row before the edit, which only computing that token again gives.
    assert reused.stats.cached_tokens == shared - (drafter == "heads") > 15
    near(probe, edited, reused, engine.ask(edited, drafter, max_tokens=24, reuse_cache=False))


def test_the_draft_too_decodes_only_what_is_new(engine: LocalEngine, probe: Probe) -> None:
    drafting = engine.backend._drafting
    assert drafting is not None
    draft = drafting._draft_model
    assert draft is not None
    first = [says("user", "What is a list in Python?")]
    answer = engine.ask(first, "draft_model", max_tokens=40, reuse_cache=False)
    history = [*probe.prompt(first), *answer.tokens]
    assert list(draft.held) == history[: len(draft.held)]
    assert len(history) - 10 < len(draft.held) < len(history)
    held = len(draft.held)
    second = [*first, says("assistant", answer.text), says("user", "And a tuple?")]
    assert draft.behind(probe.prompt(second)) == len(probe.prompt(second)) - held
    engine.ask(second, "draft_model", max_tokens=1)
    assert len(draft.held) >= held - 2, "an answer of one token drafts nothing and throws nothing away"
    engine.ask([says("user", "Hi")], "draft_model", max_tokens=20)
    assert list(draft.held[:5]) == probe.prompt([says("user", "Hi")])[:5]
