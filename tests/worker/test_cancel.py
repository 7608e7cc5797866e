"""Cancel: the answer ends within half a second wherever it is, and the next one is as if nothing had been."""

import random
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.protocol.messages import Cancel, Delta, Failed, Generate, Load, Progress
from app.protocol.options import DrafterName
from tests.helpers.engine_process import DRAFTERS, Answer, Engine, question

PROMISE_S = 0.5
PADDED = 33
"""Rows of every pass: the tiny model has to be slow enough to be caught in the middle of an answer."""
STORY = "Tell me everything about lists."


def counted(last: int) -> str:
    return " ".join(str(number) for number in range(1, last + 1))


def begin(engine: Engine, request: Generate) -> int:
    """Send a request and wait for its first tokens; returns how many."""
    engine.send(request)
    return len(engine.next(Delta).tokens)


def cancelled(engine: Engine, request: Generate, delay_s: float, begun: int = 0, *, may_end: bool = False) -> Answer:
    """Cancel a running request after a while; it must end in time. `begun`: tokens that were taken already.

    `may_end`: the answer may have come to its own end meanwhile.
    """
    time.sleep(delay_s)
    asked = time.perf_counter()
    engine.cancel(request.id)
    answer = engine.answer(request.id)
    assert answer.finished.reason == "cancelled" or (may_end and answer.finished.reason == "end")
    assert answer.at[-1] - asked < PROMISE_S
    assert answer.finished.stats.generated_tokens == begun + len(answer.tokens)
    return answer


@pytest.fixture(scope="module")
def counting(gemma: Path) -> Iterator[Engine]:
    """gemma goes on counting with great certainty, and needs many seconds to read a thousand numbers."""
    with Engine() as engine:
        engine.load(gemma)
        yield engine


def check_counts(engine: Engine, last: int, cached: int | None = None) -> None:
    for reuse in (True, False):
        answer = engine.generate(counted(last), raw=True, temperature=0.0, max_tokens=16, reuse_cache=reuse)
        assert answer.text.split()[:3] == [str(last + 1), str(last + 2), str(last + 3)]
        assert answer.text.startswith(" ")
        if reuse and cached is not None:
            assert answer.finished.stats.cached_tokens == cached


@pytest.mark.parametrize("drafter", ["off", "ngram"])
def test_in_the_first_pass_of_a_long_prefill(counting: Engine, drafter: DrafterName) -> None:
    check_counts(counting, 20)
    request = question(counted(1500), raw=True, drafter=drafter, reuse_cache=False)
    counting.send(request)
    progress = counting.next(Progress)
    assert (progress.stage, progress.done) == ("prefill", 0)
    assert progress.total > 5000
    answer = cancelled(counting, request, 0.2)
    assert answer.tokens == []
    assert answer.text == ""
    assert answer.finished.stats.prompt_tokens == progress.total
    check_counts(counting, 20)


def test_in_a_later_pass_what_was_read_is_kept(counting: Engine) -> None:
    request = question(counted(1500), raw=True)
    counting.send(request)
    while (progress := counting.next(Progress)).done - progress.cached < 512:
        pass
    cancelled(counting, request, 0.1)
    # The text up to there was the same: it is not read again, and it was read rightly.
    check_counts(counting, 300, cached=progress.done)


def test_in_the_middle_of_drafting(process: Engine, demo_target: Path, demo_draft: Path) -> None:
    asked = {"seed": 5, "max_tokens": 60, "fixed_shape": 9, "lookahead": 8}
    with Engine() as fresh:
        fresh.load(demo_target, demo_draft)
        expected = fresh.generate(STORY, drafter="draft_model", **asked).tokens
    generator = random.Random(1)
    caught = 0
    for _ in range(24):
        drafter = generator.choice(("draft_model", "draft_model", "mixed", "ngram", "off"))
        request = question(
            STORY, drafter=drafter, lookahead=32, max_tokens=1500, fixed_shape=PADDED, seed=generator.randrange(1000)
        )
        answer = cancelled(process, request, generator.uniform(0, 0.15), begin(process, request), may_end=True)
        caught += answer.finished.reason == "cancelled"
        if generator.random() < 0.3:
            drafter = generator.choice(DRAFTERS)
            assert process.generate(STORY, drafter=drafter, **asked).tokens == expected
    assert caught > 12


def test_before_its_turn(process: Engine) -> None:
    first, second, third = (question(STORY, max_tokens=1500, fixed_shape=PADDED, seed=seed) for seed in (1, 2, 3))
    begun = begin(process, first)
    process.send(second, third, Cancel(id=second.id))
    cancelled(process, first, 0, begun)
    answer = process.answer(second.id)
    assert (answer.finished.reason, answer.tokens) == ("cancelled", [])
    cancelled(process, third, 0, len(process.next(Delta).tokens))


def test_twice_unknown_late_and_of_nothing(process: Engine) -> None:
    process.send(Cancel(id="nobody"), Cancel(id=""))
    request = question(STORY, max_tokens=1500, fixed_shape=PADDED)
    process.send(request)
    process.next(Delta)
    process.send(Cancel(id=request.id), Cancel(id=request.id), Cancel(id="nobody"))
    assert process.answer(request.id).finished.reason == "cancelled"
    process.send(Cancel(id=request.id))
    # An id that was cancelled once may be used again.
    cancelled(process, request, 0.05, begin(process, request))


def test_an_id_used_twice_at_once(process: Engine) -> None:
    request = question(STORY, max_tokens=20)
    again = question(STORY, max_tokens=1500, fixed_shape=PADDED)
    process.send(request, Generate(id=request.id, turns=again.turns, limits=again.limits, sampling=again.sampling))
    assert process.answer(request.id).finished.reason == "token_limit"
    cancelled(process, request, 0, len(process.next(Delta).tokens))


def test_a_load(process: Engine, demo_target: Path, demo_draft: Path, gemma: Path) -> None:
    before = process.load(demo_target, demo_draft).loaded
    process.send(Load(id="load", target=str(gemma)), Cancel(id="load"))
    failed = process.answer("load").failed
    assert (failed.code, failed.sentence) == ("cancelled", "Cancelled.")
    # What was there before still is.
    assert process.generate("Hello", drafter="draft_model", max_tokens=3).tokens
    assert process.load(demo_target, demo_draft).loaded.target_loaded_at == before.target_loaded_at


def test_a_load_in_the_middle(process: Engine, gemma: Path) -> None:
    process.send(Load(id="load", target=str(gemma)))
    while (event := process.next_at()[1]) and isinstance(event, Progress) and event.done < 300:
        pass
    process.cancel("load")
    assert isinstance(event, Progress)
    last = process.answer("load").last
    assert isinstance(last, Failed)
    assert last.code == "cancelled"
