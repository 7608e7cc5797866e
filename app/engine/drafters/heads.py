"""The target's own extra prediction heads (MTP/NextN) propose tokens.

They read the target's hidden state, so that they are cheap (one layer a step) and know what the target was about to
say. Gloeckle, Idrissi, Rozière, Lopez-Paz, Synnaeve 2024, "Better & Faster Large Language Models via Multi-token
Prediction", arXiv 2404.19737; DeepSeek-V3 technical report, arXiv 2412.19437. Classic Medusa heads (Cai et al. 2024,
arXiv 2401.10774) are not used: docs/heads.md says why.
"""

from collections.abc import Sequence
from typing import Any, Protocol

from app.engine.ports import GoOn, Logits, Proposal, Verdict
from app.engine.sampling import Sampler
from app.protocol.options import TokenSource

CATCH_UP = 256
"""Rows processed at most before a round: a long prompt is caught up with in steps that do not stall the stream."""


class HeadModel(Protocol):
    """What the drafter needs of the heads. Positions are those of the target's cache."""

    @property
    def count(self) -> int:
        """Chained heads; 1 is a single head that is used again and again."""
        ...

    @property
    def n_vocab(self) -> int: ...

    def behind(self, length: int) -> int: ...

    def follow(self, length: int, most: int) -> bool: ...

    def step(self, tokens: Sequence[int], hidden: Sequence[Any], number: int) -> tuple[Logits, Any]: ...

    def end_steps(self) -> None: ...


class Heads:
    """Drafter on the heads of the target.

    Args:
        heads: Owned by the caller.
        end_tokens: Tokens that end an answer; nothing is drafted after one.
    """

    source: TokenSource = "heads"

    def __init__(self, heads: HeadModel, end_tokens: frozenset[int]) -> None:
        self._heads = heads
        self._end_tokens = end_tokens
        self._sampler: Sampler | None = None
        self._confident = False

    def use(self, sampler: Sampler, *, confident: bool) -> None:
        """Choose by this sampler from now on; `confident`: give every proposal its confidence."""
        self._sampler = sampler
        self._confident = confident

    def begin(self, history: Sequence[int]) -> None:
        pass

    def behind(self, history: Sequence[int]) -> int:
        return self._heads.behind(len(history) - 1)

    def propose(self, history: Sequence[int], limit: int, go_on: GoOn) -> list[Proposal]:
        sampler = self._sampler
        if sampler is None or limit < 1 or not self._heads.follow(len(history) - 1, CATCH_UP):
            return []
        if self._heads.count > 1:
            limit = min(limit, self._heads.count)
        proposals: list[Proposal] = []
        tokens, hidden, pushed = [history[-1]], [None], 0
        try:
            while True:
                logits, row = self._heads.step(tokens, hidden, len(proposals))
                choice = sampler.choose(logits, len(history) + len(proposals), confident=self._confident)
                proposal = Proposal(choice.token, "heads", choice.margin, choice.confidence)
                verdict = go_on(proposal)
                if not verdict:
                    break
                proposals.append(proposal)
                if verdict is Verdict.LAST or len(proposals) == limit or choice.token in self._end_tokens:
                    break
                sampler.push(choice.token)
                pushed += 1
                tokens.append(choice.token)
                hidden.append(row)
        finally:
            for _ in range(pushed):
                sampler.pop()
            self._heads.end_steps()
        return proposals

    def accept(self, history: Sequence[int], accepted: int) -> None:
        pass  # the heads hear of it from the target; its rows wait until something is proposed again

    def end(self, history: Sequence[int]) -> None:
        pass

    def close(self) -> None:
        self._sampler = None
