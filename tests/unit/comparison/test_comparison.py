"""Order, numbers and words of a comparison, on made-up answers."""

import json
from collections.abc import Callable
from dataclasses import replace

import pytest

from app.comparison.made import proof_of, result, with_proof
from app.comparison.result import Comparison
from app.comparison.run import PLAIN, Plan, Run, proof_rows
from app.comparison.words import line, sentence, summary
from app.core.errors import UserError
from app.core.plain import from_plain
from app.protocol.messages import Delta, Generate, Piece, Turn
from app.protocol.options import LimitOptions, SamplingOptions, SpeculationOptions
from tests.helpers.wire_values import NUMBERS, finished

DRAFT = SpeculationOptions(drafter="draft_model", lookahead=3, explicit=True)
NGRAM = SpeculationOptions(drafter="ngram", explicit=True)
PLAN = Plan(
    turns=(Turn(role="user", content="Wörter?"),),
    sampling=SamplingOptions(seed=5),
    limits=LimitOptions(),
    arms=(PLAIN, DRAFT),
)
Tokens = tuple[int, ...]


def answered(plan: Plan, speed: Callable[[Generate, int], float], tokens: Callable[[Generate, int], Tokens]) -> Run:
    """A run in which the answer number n says these tokens at this speed."""
    now = [0.0]
    run = Run(plan, "c", lambda: now[0])
    number = 0
    while (request := run.next()) is not None:
        said = tokens(request, number)
        now[0] += 0.5
        pieces = (Piece(text="".join(map(chr, said)), source="target"),)
        margins = tuple(0.125 * token for token in said)
        delta = Delta(id=request.id, pieces=pieces, tokens=said, sources=("target",) * len(said), margins=margins)
        assert not run.take(delta)
        now[0] += 0.5
        stats = replace(NUMBERS, generated_tokens=len(said), decode_ms=1000 * (len(said) - 1) / speed(request, number))
        assert run.take(finished(request.id, numbers=stats))
        number += 1
    return run


def compared(gains: tuple[float, ...], drafted: Tokens = (65, 66, 67), plan: Plan = PLAN) -> Comparison:
    """Three repetitions in which speculation is so much faster."""

    def speed(request: Generate, number: int) -> float:
        return 50.0 * (1.0 if request.speculation.drafter == "off" else gains[number // 2])

    def tokens(request: Generate, _number: int) -> Tokens:
        return (65, 66, 67) if request.speculation.drafter == "off" else drafted

    return result(answered(plan, speed, tokens), "/models/t.gguf", "/models/d.gguf")


def test_arms_take_turns_in_going_first_and_every_request_is_isolated() -> None:
    run = Run(replace(PLAN, arms=(PLAIN, DRAFT, NGRAM)), "c")
    asked: list[Generate] = []
    while (request := run.next()) is not None:
        asked.append(request)
        run.take(finished(request.id))
    names = [request.speculation.drafter for request in asked]
    assert names == ["off", "draft_model", "ngram", "draft_model", "ngram", "off", "ngram", "off", "draft_model"]
    assert all(request.isolated and not request.reuse_cache for request in asked)
    assert {request.sampling.seed for request in asked} == {5}
    assert len({request.id for request in asked}) == run.total == 9
    assert [len(replies) for replies in run.replies] == [3, 3, 3]
    assert run.is_over


def test_a_cancelled_answer_ends_the_run() -> None:
    run = Run(PLAN, "c")
    request = run.next()
    assert request is not None
    assert run.take(finished(request.id, "cancelled"))
    assert run.cancelled
    assert run.next() is None
    assert run.replies == [[], []]


def test_the_gain_is_the_median_of_paired_ratios_with_its_range() -> None:
    found = compared((2.0, 1.5, 1.8))
    spread = found.gain(found.best)
    assert spread is not None
    assert (spread.low, spread.median, spread.high) == pytest.approx((1.5, 1.8, 2.0))
    assert found.plain.wait_s == pytest.approx(1.0)
    assert found.plain.times_ms == (500,)
    assert found.plain.characters == (3,)
    assert sentence(found, found.best) == (
        "Speculation was 1.80 times as fast. The texts are identical, token for token."
    )


@pytest.mark.parametrize(
    ("gains", "words"),
    [
        ((0.5, 0.6, 0.7), "Speculation was slower: 0.60 times the speed of plain decoding."),
        ((1.0, 1.01, 0.99), "Speculation made no difference that could be measured."),
    ],
)
def test_slower_is_said_in_words(gains: tuple[float, ...], words: str) -> None:
    found = compared(gains)
    assert sentence(found, found.best).startswith(words)


def test_one_token_is_too_short_to_measure() -> None:
    one = answered(PLAN, lambda *_: 1.0, lambda *_: (65,))
    found = result(one, "/t.gguf", "")
    assert found.gain(found.best) is None
    assert sentence(found, found.best).startswith("The answer was too short to measure.")


def test_where_texts_part_the_gap_of_the_target_is_named() -> None:
    found = compared((2.0, 2.0, 2.0), (65, 66, 70))
    best = found.best
    assert (best.parts_at, best.identical) == (2, 0)
    assert best.gap == pytest.approx(0.125 * 67)
    assert sentence(found, best).startswith(
        "Speculation was 2.00 times as fast. The texts part at token 2, where the best two tokens were 8.38 apart:"
    )
    shorter = compared((2.0, 2.0, 2.0), (65, 66))
    assert shorter.best.parts_at == 2
    proven = compared((2.0, 2.0, 2.0), (65, 70, 70), proof_of(PLAN, 3))
    assert "that is a fault: please report it." in sentence(proven, proven.best)


def test_a_proof_is_the_same_question_in_one_shape_for_all() -> None:
    plan = replace(PLAN, arms=(PLAIN, DRAFT, replace(NGRAM, lookahead=11)))
    assert proof_rows(plan.arms) == 12
    proof = proof_of(plan)
    assert (proof.limits.fixed_shape, proof.repeats, proof.turns, proof.sampling) == (12, 1, plan.turns, plan.sampling)
    found = compared((2.0, 2.0, 2.0))
    proven = with_proof(found, answered(proof_of(PLAN), lambda *_: 1.0, lambda *_: (65, 66)))
    assert proven.proof == (-1,)
    run = answered(
        proof_of(PLAN), lambda *_: 1.0, lambda request, _n: (65, 66 + (request.speculation.drafter == "off"))
    )
    assert with_proof(found, run).proof == (1,)


def test_one_line_holds_everything_and_is_read_back() -> None:
    found = compared((2.0, 1.5, 1.8), (65, 66, 70))
    text = line(found)
    assert "\n" not in text
    body = json.loads(text)
    named = replace(found, target="t.gguf", draft="d.gguf")
    assert from_plain(Comparison, body, "comparison") == named
    assert body["verdicts"] == [json.loads(json.dumps(summary(found, found.best)))]
    assert body["prompt"] == "Wörter?"


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"repeats": 0}, "0 repeats are not possible."),
        ({"turns": (Turn(role="user", content=" \n"),)}, "There is no question to compare answers to."),
        ({"limits": LimitOptions(max_tokens=-1)}, "The max tokens cannot be -1."),
    ],
)
def test_silly_plans_get_a_sentence(change: dict[str, object], words: str) -> None:
    with pytest.raises(UserError, match=words):
        Run(replace(PLAN, **change), "c")


def test_a_warm_up_does_not_count() -> None:
    run = Run(replace(PLAN, repeats=2, warm_up=True, limits=LimitOptions(max_tokens=9)), "x")
    asked = []
    while (request := run.next()) is not None:
        asked.append((request.limits.max_tokens, request.speculation.drafter))
        run.take(finished(request.id))
    first, second = "off", "draft_model"
    assert asked == [(1, first), (1, second), (9, first), (9, second), (9, second), (9, first)]
    assert [len(replies) for replies in run.replies] == [2, 2]
