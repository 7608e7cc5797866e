"""The drafter on prediction heads, on heads that are prepared rows."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from app.core.errors import EngineFault
from app.engine.drafters.heads import CATCH_UP, Heads
from app.engine.ports import Proposal, Verdict
from app.engine.sampling import Sampler
from app.protocol.options import SamplingOptions

VOCABULARY = 12
END = 11


class Rows:
    """Says token + 1 after every token; notes what it was asked."""

    n_vocab = VOCABULARY

    def __init__(self, count: int = 1, behind: int = 0) -> None:
        self.count = count
        self.left = behind
        self.steps: list[tuple[tuple[int, ...], tuple[Any, ...], int]] = []
        self.ended = 0
        self.fault: Exception | None = None

    def behind(self, length: int) -> int:
        return min(self.left, length)

    def follow(self, _length: int, most: int) -> bool:
        self.left = max(0, self.left - most)
        return self.left == 0

    def step(self, tokens: Sequence[int], hidden: Sequence[Any], number: int) -> tuple[Any, Any]:
        if self.fault is not None:
            raise self.fault
        self.steps.append((tuple(tokens), tuple(hidden), number))
        logits = np.zeros(VOCABULARY, np.float32)
        logits[(tokens[-1] + 1) % VOCABULARY] = 5.0
        return logits, f"row {len(tokens)}"

    def end_steps(self) -> None:
        self.ended += 1


def drafter(rows: Rows, history: list[int], **options: float) -> tuple[Heads, Sampler]:
    sampler = Sampler(SamplingOptions(temperature=0.0, **options), 1, history)
    made = Heads(rows, frozenset({END}))
    made.use(sampler, confident=True)
    return made, sampler


def always(_proposal: Proposal) -> Verdict:
    return Verdict.GO_ON


def test_a_head_is_used_again_on_its_own_hidden_row() -> None:
    rows = Rows()
    heads, _ = drafter(rows, [1, 2])
    proposals = heads.propose([1, 2], 3, always)
    assert [p.token for p in proposals] == [3, 4, 5]
    assert {p.source for p in proposals} == {"heads"}
    assert all(p.margin == pytest.approx(5.0) and p.confidence is not None for p in proposals)
    assert rows.steps == [
        ((2,), (None,), 0),
        ((2, 3), (None, "row 1"), 1),
        ((2, 3, 4), (None, "row 1", "row 2"), 2),
    ]
    assert rows.ended == 1


@pytest.mark.parametrize(("count", "limit", "drafted"), [(1, 8, 8), (2, 8, 2), (3, 2, 2), (3, 3, 3)])
def test_a_chain_drafts_no_more_tokens_than_it_has_heads(count: int, limit: int, drafted: int) -> None:
    heads, _ = drafter(Rows(count), [1])
    assert len(heads.propose([1], limit, always)) == drafted


def test_nothing_is_drafted_after_the_end() -> None:
    heads, _ = drafter(Rows(), [END - 2])
    assert [p.token for p in heads.propose([END - 2], 8, always)] == [END - 1, END]


@pytest.mark.parametrize(
    ("verdicts", "kept"),
    [
        ([Verdict.DROP], 0),
        ([Verdict.LAST], 1),
        ([Verdict.GO_ON, Verdict.DROP], 1),
        ([Verdict.GO_ON, Verdict.LAST], 2),
    ],
)
def test_it_stops_where_the_policy_says_so(verdicts: list[Verdict], kept: int) -> None:
    rows = Rows()
    heads, sampler = drafter(rows, [1], presence_penalty=3.0)
    answers = iter(verdicts)
    assert len(heads.propose([1], 8, lambda _proposal: next(answers))) == kept
    assert rows.ended == 1
    # What was drafted is gone from the choice rule's context too.
    either = np.zeros(VOCABULARY, np.float32)
    either[2], either[7] = 1.0, 0.5
    assert sampler.choose(either, 1).token == 2, "a token that had been said would be the less likely one"


def test_a_long_prompt_is_caught_up_with_in_steps() -> None:
    rows = Rows(behind=2 * CATCH_UP + 1)
    heads, _ = drafter(rows, [1])
    assert heads.behind([1] * 2000) == 2 * CATCH_UP + 1
    assert [len(heads.propose([1], 2, always)) for _ in range(3)] == [0, 0, 2]


def test_a_fault_in_mid_draft_leaves_no_trace() -> None:
    rows = Rows()
    heads, _ = drafter(rows, [1])

    def spoil(proposal: Proposal) -> Verdict:
        rows.fault = EngineFault("heads_failed", "The prediction heads could not compute.")
        return always(proposal)

    with pytest.raises(EngineFault):
        heads.propose([1], 4, spoil)
    assert rows.ended == 1
    rows.fault = None
    assert [p.token for p in heads.propose([1], 2, always)] == [2, 3]


def test_without_a_choice_rule_or_room_nothing_is_drafted() -> None:
    rows = Rows()
    heads, _ = drafter(rows, [1])
    assert heads.propose([1], 0, always) == []
    heads.close()
    heads.close()
    assert heads.propose([1], 3, always) == []
    assert rows.steps == []
