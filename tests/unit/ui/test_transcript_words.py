"""The words below an answer."""

from dataclasses import replace

import pytest

from app.chat.conversation import Message
from app.protocol.messages import Notice
from app.protocol.stats import GenerationStats, SpeculationState
from app.ui.transcript import words

STATS = GenerationStats(
    prompt_tokens=120,
    cached_tokens=80,
    generated_tokens=572,
    passes=160,
    proposed=600,
    verified=572,
    accepted=412,
    template_ms=2,
    prefill_ms=220,
    first_sample_ms=18,
    decode_ms=9360,
)
ACTIVE = SpeculationState(state="active", drafter="mixed", gain=2.1, gain_kind="measured")
DONE = Message(role="assistant", text="x", stats=STATS, speculation=ACTIVE, reason="end", seed=7)


def test_all_numbers_of_a_good_answer():
    assert words.numbers(DONE) == (
        "61 tok/s",
        "72 % accepted",
        "2.1× measured",
        "first token 0.24 s",
        "draft model + n-gram",
        "seed 7",
    )


@pytest.mark.parametrize(
    ("state", "stats", "expected"),
    [
        (SpeculationState(state="off"), replace(STATS, verified=0, accepted=0), ("speculation off",)),
        (ACTIVE, replace(STATS, verified=0, accepted=0), ("nothing drafted",)),
        (SpeculationState(state="idle"), replace(STATS, verified=0, accepted=0), ("nothing drafted",)),
        (SpeculationState(state="paused", gain=0.9), STATS, ("72 % accepted", "speculation paused")),
        (SpeculationState(state="unavailable"), replace(STATS, verified=0), ("speculation unavailable",)),
        (replace(ACTIVE, gain=None), STATS, ("72 % accepted",)),
        (None, STATS, ("72 % accepted",)),
        (None, replace(STATS, verified=0, accepted=0), ()),
    ],
)
def test_speculation_is_never_praised_for_nothing(state, stats, expected):
    said = words.numbers(replace(DONE, speculation=state, stats=stats, seed=None))
    drafter = ("draft model + n-gram",) if state is not None and state.drafter == "mixed" else ()
    assert said == ("61 tok/s", *expected, "first token 0.24 s", *drafter)


def test_unknown_is_not_zero():
    assert words.numbers(replace(DONE, stats=replace(STATS, generated_tokens=1)))[0] == "- tok/s"
    assert words.numbers(replace(DONE, stats=None, seed=None)) == ()


@pytest.mark.parametrize(
    ("reason", "word"),
    [
        ("token_limit", "stopped at the token limit"),
        ("context_limit", "stopped: the context is full"),
        ("stop_string", "ended at a stop text"),
        ("cancelled", "stopped by you"),
    ],
)
def test_the_reason_of_the_end_is_said(reason, word):
    assert words.numbers(replace(DONE, reason=reason))[-1] == word


def test_problems_are_sentences():
    assert words.problem(DONE) == ""
    assert words.problem(replace(DONE, status="interrupted", reason="cancelled")) == ""
    assert words.problem(replace(DONE, status="interrupted", reason=None, error="The engine stopped.")) == (
        "The engine stopped."
    )
    assert words.problem(replace(DONE, status="interrupted", reason=None)).startswith("The answer was interrupted.")
    assert words.problem(Message(role="assistant", status="failed")).startswith("The answer failed")


def test_remarks_and_what_is_announced():
    empty = replace(DONE, text="", notices=(Notice(code="x", text="Old turns were dropped."),))
    assert words.remarks(empty) == ("The model ended its answer without a word.", "Old turns were dropped.")
    assert words.announcement(DONE) == "Answer finished."
    assert words.announcement(Message(role="assistant", status="failed", error="No.")) == "No."


def test_details_name_the_seed_and_the_counts():
    assert words.details(DONE).splitlines() == [
        "Prompt: 120 tokens, 80 of them from the cache",
        "Answer: 572 tokens in 160 passes",
        "Accepted: 412 of 572 verified, 600 proposed",
        "Seed: 7",
    ]


def test_the_legend_counts_what_the_message_counts():
    message = replace(DONE, token_counts=(("correction", 61), ("draft_model", 318), ("ngram", 94), ("target", 99)))
    assert words.legend(message) == (("draft_model", 318), ("ngram", 94), ("correction", 61), ("target", 99))
    assert sum(count for _, count in words.legend(message)) == STATS.generated_tokens
