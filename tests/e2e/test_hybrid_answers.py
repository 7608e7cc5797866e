"""Answers of models that cannot forget: every drafter, any lookahead, edits and regenerations give plain's tokens.

By default some of the answers are short; `OUTPACE_FULL=1` makes all of them long (add `-o timeout=0`).
"""

import os
import random
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest

from app.engine.backends.llamacpp.rollback import MOST_MARKS
from app.engine.cancel import CancelFlag
from app.protocol.messages import Delta, Finished, Generate, Turn
from app.protocol.options import DrafterName, LimitOptions, SamplingOptions, SpeculationOptions
from tests.helpers.engine import GREEDY, UNFILTERED, LocalEngine, Reply
from tests.helpers.hybrid_kit import KEEPING_STATE, SNAPSHOTS

TOKENS = 300
FULL = bool(os.environ.get("OUTPACE_FULL"))
CONTEXT = 8192 if FULL else 1024
PROMPT = "one two three one two three one two four five one two three one two three one two"
SAMPLED = SamplingOptions(temperature=0.8, seed=7, **UNFILTERED)
BEYOND = 12
"""More than there are snapshots."""


class Pair:
    """A model twice: one is used, the other answers every question plainly, from the start."""

    def __init__(self, name: str, tiny: dict[str, Path]) -> None:
        self.name = name
        self.engine = LocalEngine(tiny[name], tiny["bigrams"], context=CONTEXT)
        self.clean = LocalEngine(tiny[name], context=CONTEXT)
        self.drafters: tuple[DrafterName, ...] = ("ngram", "draft_model", "mixed")
        if "heads" not in self.engine.loaded.why_not:
            self.drafters += ("heads",)

    def close(self) -> None:
        self.engine.backend.close()
        self.clean.backend.close()

    def plain(self, prompt: str | list[Turn], max_tokens: int, sampling: SamplingOptions = GREEDY) -> Reply:
        return self.clean.ask(prompt, "off", max_tokens=max_tokens, sampling=sampling, reuse_cache=False)


@pytest.fixture(scope="module", params=sorted(KEEPING_STATE))
def pair(request: pytest.FixtureRequest, tiny: dict[str, Path]) -> Iterator[Pair]:
    made = Pair(request.param, tiny)
    yield made
    made.close()


@pytest.mark.slow
@pytest.mark.parametrize("sampling", [GREEDY, SAMPLED], ids=["greedy", "sampled"])
def test_long_answers_are_plains(pair: Pair, sampling: SamplingOptions) -> None:
    right = pair.plain(PROMPT, TOKENS, sampling)
    assert len(right.tokens) == TOKENS
    verified = accepted = 0
    for drafter in pair.drafters:
        for lookahead in (*range(1, 9), BEYOND, 32) if sampling is GREEDY or FULL else (3, 8, BEYOND):
            tokens = TOKENS if FULL or (lookahead in (3, 8, BEYOND) and drafter != "mixed") else 60
            answer = pair.engine.ask(PROMPT, drafter, lookahead, max_tokens=tokens, sampling=sampling)
            assert answer.tokens == right.tokens[:tokens], f"{drafter}, lookahead {lookahead}"
            assert answer.speculation.state in ("active", "idle"), answer.speculation.reason
            verified += answer.stats.verified
            accepted += answer.stats.accepted
    # It would be worth nothing if all had been accepted, or nothing.
    assert 0.03 < accepted / verified < 0.8
    assert accepted > 100


def test_a_conversation_with_edits_is_plains(pair: Pair) -> None:
    rng = random.Random(5)
    turns: list[Turn] = []
    verified = 0
    lengths = [1, 20, TOKENS, TOKENS] if FULL else [1, 2, 20]
    for step in range(96 if FULL else 24):
        if len(turns) >= 8:
            del turns[:]
        elif turns and rng.random() < 0.6:  # go back: regenerate, or say something else
            del turns[rng.randrange(len(turns)) // 2 * 2 :]
        turns.append(
            Turn(role="user", content=rng.choice(["one two three", "four", "one two three four", "five " * 40]))
        )
        drafter = rng.choice([*pair.drafters, "off"])
        lookahead = rng.choice([*range(1, 9), BEYOND] if FULL else [1, 3, 5, 8, BEYOND])
        sampling = rng.choice([GREEDY, SAMPLED])
        answers = [
            pair.engine.ask(turns, drafter, lookahead, max_tokens=rng.choice(lengths), sampling=sampling)
            for _ in range(rng.choice([1, 1, 2]))
        ]
        for answer in answers:
            right = pair.plain(turns, len(answer.tokens), sampling)
            assert answer.tokens == right.tokens, f"step {step}: {drafter}, lookahead {lookahead}"
            assert answer.speculation.state != "unavailable", answer.speculation.reason
            verified += answer.stats.verified
        turns.append(Turn(role="assistant", content=answers[-1].text))
    assert verified > 100


def test_memory_stays_bounded_in_a_long_conversation(pair: Pair) -> None:
    rollback = pair.engine.backend._target.model.context._rollback
    turns: list[Turn] = []
    for number in range(2 * MOST_MARKS):
        turns.append(Turn(role="user", content=f"{number} one two three"))
        answer = pair.engine.ask(turns, "draft_model", BEYOND, max_tokens=8)
        turns.append(Turn(role="assistant", content=answer.text))
        assert rollback.checkpoint_bytes <= (MOST_MARKS + 1) * len(rollback._points()[0].state)
    assert len(rollback._marks) == MOST_MARKS


def test_regenerating_computes_the_last_token_only(pair: Pair) -> None:
    turns = [Turn(role="user", content="tell me " * 40)]
    for drafter in pair.drafters:
        first = pair.engine.ask(turns, drafter, 3, max_tokens=20)
        again = pair.engine.ask(turns, drafter, BEYOND, max_tokens=20)
        assert again.tokens == first.tokens
        assert again.stats.cached_tokens == again.stats.prompt_tokens - 1
        assert again.speculation.state != "unavailable"


def test_an_edit_far_back_is_computed_in_parts(pair: Pair) -> None:
    """More tokens are owed than one native call takes."""
    turns = [Turn(role="user", content="x"), Turn(role="assistant", content="y"), Turn(role="user", content="z " * 650)]
    pair.engine.ask(turns[:1], max_tokens=1)
    pair.engine.ask(turns, max_tokens=1)
    edited = [*turns[:2], Turn(role="user", content="z " * 640 + "end")]
    answer = pair.engine.ask(edited, "draft_model", 3, max_tokens=20)
    assert answer.tokens == pair.plain(edited, 20).tokens


@pytest.mark.parametrize("lookahead", [3, BEYOND])
def test_stopping_keeps_the_state_right(pair: Pair, lookahead: int) -> None:
    turns = [Turn(role="user", content="one two three")]
    for after in (1, 4, 9):
        stop = CancelFlag()
        request = Generate(
            id="stop",
            turns=tuple(turns),
            sampling=GREEDY,
            speculation=SpeculationOptions(drafter="draft_model", lookahead=lookahead, explicit=True),
            limits=LimitOptions(max_tokens=60),
        )
        tokens: list[int] = []
        for event in pair.engine.backend.generate(request, stop):
            if isinstance(event, Delta):
                tokens += event.tokens
            if len(tokens) >= after:
                stop.set()
        assert isinstance(event, Finished)
        assert event.reason == "cancelled"
        right = pair.plain(turns, 60)
        assert tuple(tokens) == right.tokens[: len(tokens)]
        assert pair.engine.ask(turns, "draft_model", lookahead, max_tokens=60).tokens == right.tokens


def test_fixed_shape_runs_are_identical(pair: Pair) -> None:
    """Exact where the library keeps snapshots; elsewhere passes begin with what was taken back, of any shape."""
    for sampling in (GREEDY, SAMPLED):
        common = {"sampling": sampling, "max_tokens": 60, "fixed_shape": 8}
        right = pair.engine.ask(PROMPT, "off", **common)
        for drafter, lookahead in zip(pair.drafters, (4, 2, 7, 7), strict=False):
            assert pair.engine.ask(PROMPT, drafter, lookahead, **common).tokens == right.tokens, drafter


def test_a_stop_text_leaves_the_state_of_the_text(pair: Pair) -> None:
    right = pair.plain(PROMPT, 40)
    for start, stop in pairwise((6, 14, 22)):
        piece = pair.clean.backend._target.model.weights.piece
        text = b"".join(piece(token) for token in right.tokens[start:stop]).decode("utf-8", "ignore").strip("\ufffd")
        answer = pair.engine.ask(PROMPT, "draft_model", 8, max_tokens=40, stop=(text[-4:],))
        assert answer.reason == "stop_string"
        assert answer.tokens == right.tokens[: len(answer.tokens)]
        assert pair.engine.ask(PROMPT, "draft_model", 8, max_tokens=40).tokens == right.tokens


def test_the_snapshots_are_used(pair: Pair) -> None:
    answer = pair.engine.ask(PROMPT, "draft_model", 4, max_tokens=40)
    rollback = pair.engine.backend._target.model.context._rollback
    assert answer.stats.accepted < answer.stats.verified
    # A round with snapshots needs no checkpoint.
    pair.engine.backend._target.model.context.clear()
    pair.engine.ask(PROMPT, "draft_model", 4, max_tokens=40)
    assert (rollback._round is None) == (pair.name in SNAPSHOTS)
