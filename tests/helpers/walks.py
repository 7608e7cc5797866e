"""A context is driven about at random, and asked after every step whether it still is what a fresh one would be."""

import random
from collections.abc import Sequence

import numpy as np

from app.core.errors import CancelledByUser
from app.engine.backends.llamacpp import Context, HeadContext, Weights
from app.engine.cancel import CancelFlag
from app.engine.ports import Logits

CLOSE = 0.005
"""Logits. Rounding makes differences of 0.0005 in models that are not quantised (0.1 in those of Q8_0); a state that is
not the text's makes them of any size."""
LONGEST = 360
DRAFTED = 3


class Walk:
    """Random steps on a context, with heads or without.

    Args:
        weights: A model with a random vocabulary of at least 1000 tokens.
        seed: Of the steps.
        heads: Follow the text with its prediction heads, and compare what they draft.
        close: Largest difference of two scores that are the same but for rounding.
    """

    def __init__(self, weights: Weights, seed: int, *, heads: bool, close: float = CLOSE) -> None:
        self.context = Context(weights, 512, 1)
        self._fresh = Context(weights, 512, 1)
        self.heads = HeadContext(self.context, 1) if heads else None
        self._fresh_heads = HeadContext(self._fresh, 1) if heads else None
        self._rng = random.Random(seed)
        self._close = close
        self.text: list[int] = []
        self.counts: dict[str, int] = {}
        self.most_owed = 0
        self.farthest = 0.0

    def close(self) -> None:
        for part in (self.heads, self._fresh_heads, self.context, self._fresh):
            if part is not None:
                part.close()

    def go(self, steps: int) -> None:
        """Take random steps; fails at the first one that leaves the context wrong."""
        moves = (self.read, self.read_long, self.verify, self.verify_many, self.one_by_one, self.back, self.back_twice)
        for _ in range(steps):
            if len(self.text) > LONGEST:
                self._cut(self._rng.randrange(60))
            move = self._rng.choices((*moves, self.mark, self.abort), (4, 1, 6, 2, 3, 3, 1, 3, 2))[0]
            self.counts[move.__name__] = self.counts.get(move.__name__, 0) + 1
            move()
            assert self.context.length == len(self.text)
            self.most_owed = max(self.most_owed, self.context.owed)

    # steps

    def read(self) -> None:
        self._decode(self._some(1, 24))

    def read_long(self) -> None:
        self._decode(self._some(60, 90))

    def verify(self) -> None:
        """As a round does it: a pass of some rows, of which some are taken back."""
        self._verify(self._some(1, 9))

    def verify_many(self) -> None:
        """More rows than there are snapshots."""
        self._verify(self._some(10, 33))

    def one_by_one(self) -> None:
        """Plain rounds, after which no snapshot but the newest is worth anything, and perhaps some of it again."""
        count = self._rng.randint(2, 7)
        for _ in range(count):
            self._pass(self._some(1, 1))
        if self._rng.random() < 0.5:
            self._cut(len(self.text) - self._rng.randint(1, count))
            self._pass(self._some(1, 1))

    def back(self) -> None:
        self._cut(self._rng.choice([len(self.text) - self._rng.randint(1, 8), self._rng.randrange(len(self.text) + 1)]))

    def back_twice(self) -> None:
        for _ in range(2):
            self._cut(len(self.text) - self._rng.randint(1, 4))

    def mark(self) -> None:
        self.context.mark()
        assert self.context.owed == 0 or not self.context.keeps_state

    def abort(self) -> None:
        """Stopped inside a pass."""
        stop = CancelFlag()
        stop.set()
        self.context.watch(stop)
        try:
            self.context.decode(self._some(1, 9), every_row=self._rng.random() < 0.5)
        except CancelledByUser:
            pass
        else:
            raise AssertionError("a stopped pass came to its end")
        finally:
            self.context.watch(CancelFlag())

    # parts of steps

    def _some(self, fewest: int, most: int) -> list[int]:
        return [self._rng.randrange(3, 1000) for _ in range(self._rng.randint(fewest, most))]

    def _cut(self, keep: int) -> None:
        self.context.truncate(max(0, keep))
        del self.text[max(0, keep) :]

    def _decode(self, tokens: list[int]) -> None:
        self.context.decode(tokens)
        self.text += tokens
        self._fresh.clear()
        self._fresh.decode(self.text)
        self._check(self.context.logits(-1), self._fresh.logits(-1), "after reading")
        self._check_drafts()

    def _verify(self, rows: list[int]) -> None:
        self._pass(rows)
        self._cut(len(self.text) - self._rng.randrange(len(rows)))
        self._check_drafts()  # proposals for the next round come before its pass

    def _pass(self, rows: list[int]) -> None:
        self._fresh.clear()
        if self.text:
            self._fresh.decode(self.text)
        self._fresh.decode(rows, every_row=True)
        self.context.decode(rows, every_row=True)
        self.text += rows
        for row in range(len(rows)):
            self._check(self.context.logits(row), self._fresh.logits(row), f"row {row} of {len(rows)}")

    def _check_drafts(self) -> None:
        if self.heads is None or self._fresh_heads is None or not self.text:
            return
        tokens = self._some(DRAFTED, DRAFTED)
        self._fresh.clear()
        self._fresh.decode(self.text)
        right = drafts(self._fresh_heads, len(self.text), tokens)
        for step, (one, other) in enumerate(zip(drafts(self.heads, len(self.text), tokens), right, strict=True)):
            self._check(one, other, f"step {step} of the heads")

    def _check(self, one: Logits, other: Logits, what: str) -> None:
        far = float(np.abs(one - other).max())
        self.farthest = max(self.farthest, far)
        assert far < self._close, f"{what} is {far:.3f} off after {sum(self.counts.values())} steps {self.counts}"


def drafts(heads: HeadContext, length: int, tokens: Sequence[int]) -> list[Logits]:
    """What the heads say after `length` tokens of the text and each of `tokens`: the scores of every step."""
    assert heads.follow(length, length)
    hidden: list[Logits | None] = [None]
    scores: list[Logits] = []
    for number in range(len(tokens)):
        logits, row = heads.step(tokens[: number + 1], hidden, number)
        scores.append(logits.copy())
        hidden.append(row)
    heads.end_steps()
    return scores
