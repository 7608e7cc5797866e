"""A `TokenModel` without weights, for tests: what it says is a hash of its context, and it watches how it is used.

Every score depends on all tokens before it, so that a cache that is not what the caller believes changes the answer.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from app.core.errors import EngineFault
from app.engine.noise import gumbel, mix64
from app.engine.ports import Logits
from app.protocol.options import MAX_LOOKAHEAD

ROWS = MAX_LOOKAHEAD + 1
"""Rows of one pass whose logits can be asked for."""
SPARE = ROWS
"""Cells the cache has beyond the context."""

_SPREAD = 2.0


class ContractError(AssertionError):
    """A model was used in a way that `TokenModel` does not allow."""


@dataclass(frozen=True, slots=True)
class Failure:
    """How a `decode` fails: `error` is raised and the cache holds `length` tokens, cut to what it may hold then."""

    error: Exception
    length: int


class FakeModel:
    """A deterministic model of `n_vocab` tokens.

    Args:
        n_vocab: Size of the vocabulary.
        n_ctx: Tokens a conversation may have; the cache holds `SPARE` more.
        seed: Of the distribution. Models of one seed agree.
        unlike: How much of an own opinion is mixed into the scores, 0 for none: the draft of a pair.
        order: Tokens a score depends on, 0 for all before it. A short memory makes text that repeats itself.
        end_tokens: Tokens that end an answer.
        can_truncate: False for running state that cannot even be saved.
        keeps_state: Like a recurrent model, it goes back to marked lengths and the last pass only; the rest is owed.
    """

    def __init__(
        self,
        n_vocab: int,
        n_ctx: int,
        *,
        seed: int = 0,
        unlike: float = 0.0,
        order: int = 0,
        end_tokens: frozenset[int] = frozenset(),
        can_truncate: bool = True,
        keeps_state: bool = False,
    ) -> None:
        self.n_vocab = n_vocab
        self.n_ctx = n_ctx
        self.end_tokens = end_tokens
        self.can_truncate = can_truncate
        self.keeps_state = keeps_state or not can_truncate
        self.violations: list[str] = []
        """Every breach of the contract: law 7 keeps what a drafter raises from its answer, and from tests."""
        self.passes: list[tuple[int, ...]] = []
        """The tokens of every `decode`, with those that were owed in front."""
        self.fail: Callable[[int], Failure | None] = lambda _number: None
        """Asked before the pass with this number (0 is the first) whether it fails."""
        self._seed = seed
        self._unlike = unlike
        self._order = order
        self._ids = np.arange(n_vocab)
        self._tokens: list[int] = []
        self._states: list[int] = [mix64(0x0DD)]
        self._computed = 0
        self._marks: list[int] = []
        self._before_pass = 0
        self._rows: list[Logits] = []
        self._every_row = False

    @property
    def tokens(self) -> tuple[int, ...]:
        """What the cache holds."""
        return tuple(self._tokens)

    @property
    def length(self) -> int:
        return len(self._tokens)

    @property
    def owed(self) -> int:
        return len(self._tokens) - self._computed

    def scores(self, context: Sequence[int]) -> Logits:
        """Scores of the token after `context`, whatever the cache holds; shape (n_vocab,)."""
        state = self._states[0]
        for token in context:
            state = mix64(state ^ token)
        return self._scores(context[-self._order :], state)

    def decode(self, tokens: Sequence[int], *, every_row: bool = False) -> None:
        """See `TokenModel.decode`."""
        self._demand(len(tokens) > 0, "an empty pass")
        unknown = [token for token in tokens if not 0 <= token < self.n_vocab]
        self._demand(not unknown, f"tokens outside of the vocabulary: {unknown}")
        self._demand(not every_row or len(tokens) <= ROWS, f"{len(tokens)} rows in one pass")
        self._demand(
            self.length + len(tokens) <= self.n_ctx + SPARE,
            f"{self.length} + {len(tokens)} tokens in a context of {self.n_ctx}",
        )
        self._forget_rows()
        number = len(self.passes)
        self.passes.append((*self._tokens[self._computed :], *tokens))
        failure = self.fail(number)
        before = self._before_pass = self.length
        self._tokens.extend(tokens)
        for token in tokens:
            self._states.append(mix64(self._states[-1] ^ token))
        if failure is not None:
            self._computed = self.length
            self._cut(min(failure.length, self.length))
            raise failure.error
        self._computed = self.length
        self._every_row = every_row
        first = before if every_row else self.length - 1
        for place in range(first, self.length):
            recent = self._tokens[max(0, place + 1 - self._order) : place + 1]
            self._rows.append(self._scores(recent, self._states[place + 1]))

    def logits(self, row: int) -> Logits:
        """See `TokenModel.logits`. The array cannot be written to and turns to NaN with the next `decode`."""
        self._demand(bool(self._rows), "logits without a pass before")
        self._demand(row == -1 or self._every_row, f"row {row} of a pass that computed the last row only")
        self._demand(-1 <= row < len(self._rows), f"row {row} of {len(self._rows)}")
        view = self._rows[row].view()
        view.flags.writeable = False
        return view

    def truncate(self, keep: int) -> None:
        self._demand(0 <= keep <= self.length, f"a cut to {keep} of {self.length} tokens")
        if keep < self.length and not self.can_truncate:
            self.clear()
            raise EngineFault("cannot_truncate", "This model cannot take back tokens.")
        self._cut(keep)

    def clear(self) -> None:
        self._cut(0)
        self._forget_rows()

    def pay(self, most: int) -> None:
        count = min(most, self.owed)
        if count == 0:
            return
        self._forget_rows()
        number = len(self.passes)
        self.passes.append(tuple(self._tokens[self._computed : self._computed + count]))
        failure = self.fail(number)
        if failure is not None:
            raise failure.error
        self._computed += count

    def mark(self) -> None:
        if self.keeps_state:
            self.pay(self.owed)
            self._marks.append(self.length)

    def _scores(self, recent: Sequence[int], state: int) -> Logits:
        """Scores after a context that ends in `recent`; `state` is the hash of all of it."""
        if self._order:
            state = self._states[0]
            for token in recent:
                state = mix64(state ^ token)
        scores = gumbel(mix64(state ^ self._seed), 0, self._ids)
        if self._unlike:
            scores = scores + self._unlike * gumbel(mix64(state ^ self._seed ^ 0xD1FF), 1, self._ids)
        return (_SPREAD * scores).astype(np.float32)

    def _cut(self, keep: int) -> None:
        del self._tokens[keep:]
        del self._states[keep + 1 :]
        self._marks = [length for length in self._marks if length <= keep]
        if keep < self._computed:
            saved = [0, *self._marks, self._before_pass]
            self._computed = max(length for length in saved if length <= keep) if self.keeps_state else keep

    def _forget_rows(self) -> None:
        for row in self._rows:
            row.fill(np.nan)
        self._rows = []

    def _demand(self, kept: bool, breach: str) -> None:  # noqa: FBT001 (reads as an assertion)
        if not kept:
            self.violations.append(breach)
            raise ContractError(breach)
