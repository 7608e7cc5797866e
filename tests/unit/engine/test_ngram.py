"""Prompt lookup against a search through the whole text, and what a round costs."""

from collections.abc import Sequence
from typing import Any, overload

from hypothesis import given, settings
from hypothesis import strategies as st

from app.engine.drafters.ngram import LONGEST, SHORTEST, Ngram
from app.engine.ports import Proposal, Verdict


def always(_proposal: Proposal) -> Verdict:
    return Verdict.GO_ON


def slow_lookup(history: list[int], limit: int) -> list[int]:
    """What followed the newest place where the longest end of the text stood before."""
    for size in range(LONGEST, SHORTEST - 1, -1):
        if size >= len(history):
            continue
        end = history[-size:]
        for place in range(len(history) - 1, size - 1, -1):
            if history[place - size : place] == end:
                longer = list(history)
                for offset in range(limit):  # a copy that runs into the end goes on with its own product
                    longer.append(longer[place + offset])
                return longer[len(history) :]
    return []


texts = st.one_of(
    st.lists(st.integers(0, 2), min_size=1, max_size=60),
    st.builds(
        lambda part, times, more: part * times + more,
        st.lists(st.integers(0, 9), min_size=1, max_size=9),
        st.integers(1, 6),
        st.lists(st.integers(0, 9), max_size=5),
    ),
)


@given(text=texts, limit=st.integers(0, 32))
@settings(max_examples=400)
def test_the_newest_longest_match_is_proposed(text: list[int], limit: int) -> None:
    ngram = Ngram()
    ngram.begin(text)
    assert [proposal.token for proposal in ngram.propose(text, limit, always)] == slow_lookup(text, limit)


@given(text=texts, start=st.integers(1, 60), steps=st.lists(st.integers(1, 5), max_size=20))
@settings(max_examples=200)
def test_a_growing_text_is_looked_up_like_a_whole_one(text: list[int], start: int, steps: list[int]) -> None:
    ngram = Ngram()
    at = min(start, len(text))
    ngram.begin(text[:at])
    for step in [*steps, len(text)]:
        history = text[:at]
        assert [proposal.token for proposal in ngram.propose(history, 7, always)] == slow_lookup(history, 7)
        ngram.accept(history, 0)
        at = min(len(text), at + step)


@given(text=texts, other=texts)
@settings(max_examples=200)
def test_nothing_of_another_text_is_ever_proposed(text: list[int], other: list[int]) -> None:
    ngram = Ngram()
    ngram.begin(text)
    ngram.propose(text, 3, always)
    ngram.end(text)
    ngram.begin(other)
    assert [proposal.token for proposal in ngram.propose(other, 7, always)] == slow_lookup(other, 7)
    ngram.close()
    ngram.begin(text)
    assert [proposal.token for proposal in ngram.propose(text, 7, always)] == slow_lookup(text, 7)


@given(text=texts)
def test_match_says_how_many_tokens_before_agreed(text: list[int]) -> None:
    ngram = Ngram()
    ngram.begin(text)
    proposals = ngram.propose(text, 4, always)
    if not proposals:
        return
    assert [proposal.match for proposal in proposals] == list(range(proposals[0].match, proposals[0].match + 4))
    assert proposals[0].match >= SHORTEST
    assert all(proposal.source == "ngram" and proposal.margin is None for proposal in proposals)
    # There is a place in the text where exactly so many tokens agree.
    agreeing = {
        next((n for n in range(32) if n >= place or text[place - 1 - n] != text[-1 - n]), 32)
        for place in range(1, len(text))
        if text[place] == proposals[0].token
    }
    assert proposals[0].match in agreeing


def test_the_policy_ends_a_draft() -> None:
    text = [1, 2, 3, 4, 5, 1, 2, 3]
    ngram = Ngram()
    ngram.begin(text)
    verdicts = iter([Verdict.GO_ON, Verdict.DROP])
    assert [p.token for p in ngram.propose(text, 9, lambda _p: next(verdicts))] == [4]
    verdicts = iter([Verdict.GO_ON, Verdict.LAST])
    assert [p.token for p in ngram.propose(text, 9, lambda _p: next(verdicts))] == [4, 5]
    assert ngram.propose(text, 9, lambda _p: Verdict.DROP) == []
    assert ngram.propose(text, 0, always) == []


class Watched(Sequence[int]):
    """A text that counts how many of its tokens are read."""

    def __init__(self, tokens: list[int]) -> None:
        self.tokens = tokens
        self.read = 0

    def __len__(self) -> int:
        return len(self.tokens)

    @overload
    def __getitem__(self, at: int) -> int: ...
    @overload
    def __getitem__(self, at: slice) -> list[int]: ...
    def __getitem__(self, at: Any) -> Any:
        result = self.tokens[at]
        self.read += len(result) if isinstance(at, slice) else 1
        return result


def reads_of_a_round(length: int) -> int:
    """Tokens a round reads after a text of this length, in which matches are everywhere."""
    text = Watched([at * at % 7 for at in range(length)])
    ngram = Ngram()
    ngram.begin(text)
    ngram.propose(text, 8, always)
    text.tokens += [3, 1, 4]
    text.read = 0
    assert len(ngram.propose(text, 8, always)) == 8
    ngram.accept(text, 0)
    return text.read


def test_a_round_costs_the_same_however_long_the_text_is() -> None:
    short, long = reads_of_a_round(500), reads_of_a_round(200_000)
    assert long <= short <= 150
