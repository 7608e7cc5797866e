"""The choice of a token: a function of (context, settings, seed, position) and of nothing else.

At temperature 0 it is the argmax. Otherwise llama.cpp's filters shape the distribution p (penalties, top-k, top-p,
min-p, temperature, in that order, as in llama.cpp's default sampler chain) and the token is
argmax over v of log p(v) + g(seed, position, v), where g is standard Gumbel noise from a counter-based hash. That is an
exact sample of p (Gumbel-max trick), and since the noise does not depend on who asks, a draft that chooses by the same
rule on its own distribution agrees with the target with probability at least (1 - d) / (1 + d), d being the total
variation distance of the two (Daliri, Musco, Suresh 2024, "Coupling without Communication and Drafter-Invariant
Speculative Decoding", arXiv 2408.07978).

The cost does not grow with the vocabulary beyond a few passes over the row: no full sort, no copy of it.
"""

import math
from collections import Counter
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from app.engine.ports import Logits
from app.engine.rows import Ids, Row, check, superset_of_top
from app.protocol.options import SamplingOptions

_Scores = npt.NDArray[np.float64]

_MASK = (1 << 64) - 1
_GOLDEN = 0x9E3779B97F4A7C15
_U_GOLDEN, _U_FIRST, _U_SECOND = (np.uint64(x) for x in (_GOLDEN, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB))
_U12, _U27, _U30, _U31 = (np.uint64(x) for x in (12, 27, 30, 31))
_IMPOSSIBLE = 1e300  # below the best: a score of -inf, and no other, is further
_COLDEST = 1e9  # of 1 / temperature: from here on the noise decides nothing, and nothing overflows
_FIRST_LOOK = 1024  # candidates tried first where no top-k limits them
_REACH = 8.0  # below the best score the `top_k` best are looked for first
_CERTAIN: _Scores = np.zeros(1)
_FEW = 20  # candidates up to which plain Python is faster than numpy


@dataclass(frozen=True, slots=True)
class Choice:
    """A chosen token.

    `margin`: gap between the best and the second-best noisy score; the logit gap at temperature 0. `confidence`: the
    probability the shaped distribution gave the token (the model's own at temperature 0), if it was asked for.
    """

    token: int
    margin: float
    confidence: float | None


class PenaltyWindow:
    """How often each of the last `size` tokens of a growing context occurs; proposals are pushed and popped again."""

    def __init__(self, size: int, context: list[int]) -> None:
        self._size = size
        self._tokens = context[-size:] if size else []
        self._counts = Counter(self._tokens)

    @property
    def counts(self) -> dict[int, int]:
        return self._counts

    def push(self, token: int) -> None:
        if not self._size:
            return
        self._tokens.append(token)
        self._counts[token] += 1
        if len(self._tokens) > self._size:
            self._drop(self._tokens[-self._size - 1])

    def pop(self) -> None:
        """Undo the last `push`."""
        if not self._size:
            return
        self._drop(self._tokens.pop())
        if len(self._tokens) >= self._size:
            self._counts[self._tokens[-self._size]] += 1

    def _drop(self, token: int) -> None:
        self._counts[token] -= 1
        if not self._counts[token]:
            del self._counts[token]


class Sampler:
    """Chooses tokens for one answer.

    Args:
        options: Checked sampling options.
        seed: 0 to 2**32 - 1.
        context: The token history so far, for penalties.
    """

    def __init__(self, options: SamplingOptions, seed: int, context: list[int]) -> None:
        self._options = options
        self._key = mix64(seed ^ 0x5851F42D4C957F2D)
        penalised = options.repeat_penalty != 1.0 or options.presence_penalty != 0.0 or options.frequency_penalty != 0.0
        self._penalties = PenaltyWindow(options.penalty_window if penalised else 0, context)
        self._reach = _REACH
        self._floor = -math.log(options.min_p) if options.min_p > 0.0 else math.inf
        self._sharpness = min(1.0 / options.temperature, _COLDEST) if options.temperature > 0.0 else 1.0

    def push(self, token: int) -> None:
        """`token` now belongs to the context (kept, or proposed for the time being)."""
        self._penalties.push(token)

    def pop(self) -> None:
        """Take back the last `push`."""
        self._penalties.pop()

    def choose(self, logits: Logits, position: int, *, confident: bool = False) -> Choice:
        """The token at `position` (its index in the token history) after the pushed context.

        Args:
            logits: Shape (n_vocab,); -inf marks impossible tokens. Not changed.
            position: >= 0.
            confident: Compute the confidence (at temperature 0 a pass of `exp` over the row).

        Raises:
            EngineFault: the row holds NaN or no finite score at all.
        """
        counts = self._penalties.counts
        if self._options.temperature == 0.0:
            if not counts:
                return self._greedy(logits, confident=confident)
            check(float(logits.max()))
            ids, scores = self._top(logits, counts, 2)
            margin = float(scores[0] - scores[1]) if len(scores) > 1 else math.inf
            confidence = math.exp(float(scores[0]) - self._log_sum(logits, counts)) if confident else None
            return Choice(int(ids[0]), margin, confidence)
        ids, scores = self._shape(logits, counts)
        if len(scores) == 1:
            return Choice(int(ids[0]), math.inf, 1.0 if confident else None)
        if len(scores) <= _FEW and not confident:
            return self._choose_of_few(ids, scores, position)
        noisy = scores + gumbel(self._key, position, ids)
        best = int(noisy.argmax())
        token = int(ids[best])
        confidence = None
        if confident:
            weights = np.exp(scores)
            confidence = float(weights[best] / weights.sum())
        top = float(noisy[best])
        noisy[best] = -math.inf
        return Choice(token, top - float(noisy.max()), confidence)

    def _choose_of_few(self, ids: Ids, scores: _Scores, position: int) -> Choice:
        start = mix64(self._key ^ mix64(position))
        token, best, second = -1, -math.inf, -math.inf
        for candidate, score in zip(ids.tolist(), scores.tolist(), strict=True):
            noisy = score + _gumbel_of(start, candidate)
            if noisy > best:
                token, best, second = candidate, noisy, best
            elif noisy > second:
                second = noisy
        return Choice(token, best - second, None)

    def probabilities(self, logits: Logits) -> dict[int, float]:
        """The shaped distribution the next choice is drawn from: token -> probability (temperature above 0)."""
        ids, scores = self._shape(logits, self._penalties.counts)
        weights = np.exp(scores)
        return dict(zip(ids.tolist(), (weights / weights.sum()).tolist(), strict=True))

    @staticmethod
    def _greedy(logits: Logits, *, confident: bool) -> Choice:
        row = Row(logits)
        token, rest = row.best_two()
        confidence = float(1.0 / np.exp(logits - np.float32(row.best)).sum(dtype=np.float64)) if confident else None
        return Choice(token, row.best - rest, confidence)

    def _shape(self, logits: Logits, counts: dict[int, int]) -> tuple[Ids, _Scores]:
        """Candidates from the best down and their log-probabilities, the best being 0, divided by temperature."""
        options = self._options
        size = len(logits)
        k = min(options.top_k, size) if options.top_k else size
        total = None
        if k < size and not counts:
            return self._shape_of_nearest(logits, k)
        check(float(logits.max()))
        if k < size:
            ids, scores = self._top(logits, counts, k)
        elif options.top_p < 1.0:
            total = self._log_sum(logits, counts)
            ids, scores = self._top(logits, counts, min(_FIRST_LOOK, size))
            if np.exp(scores - total).sum() < options.top_p:
                ids, scores = self._top(logits, counts, size)
        else:
            ids, scores = self._all(logits, counts, options.min_p)
        best = float(scores[0])
        check(best)
        scores = scores - best
        keep = len(scores)
        if options.top_p < 1.0:
            mass = np.exp(scores).cumsum()
            whole = mass[-1] if total is None else math.exp(total - best)
            keep = min(keep, int(mass.searchsorted(options.top_p * whole)) + 1)
        if options.min_p > 0.0:
            keep = min(keep, int(np.count_nonzero(scores >= -self._floor)))
        if scores[keep - 1] == -math.inf:
            keep = int(np.count_nonzero(scores > -math.inf))
        # At a temperature next to nothing all but the best become impossible, as they should.
        return ids[:keep], scores[:keep] * self._sharpness

    def _shape_of_nearest(self, logits: Logits, k: int) -> tuple[Ids, _Scores]:
        """The same without penalties and with a top-k.

        How far below the best one the `k` best lie hardly differs from row to row, so that one comparison finds them.
        """
        row = Row(logits)
        if row.alone(row.best - self._floor - 1e-3):
            # A model is often sure. Whatever the other filters do, this one is left.
            return np.array([row.best_two()[0]]), _CERTAIN
        floor = row.top_floor(k, row.best - self._reach)
        if math.isfinite(floor):
            self._reach = row.best - floor
        ids = row.above(floor)
        falls = row.best - logits[ids].astype(np.float64)
        order = falls.argsort(kind="stable")[:k]  # ids rise, so that of equals the lower one comes first
        falls = falls[order]
        keep = k
        if self._options.top_p < 1.0:
            mass = np.exp(-falls).cumsum()
            keep = min(keep, int(mass.searchsorted(self._options.top_p * mass[-1])) + 1)
        keep = min(keep, int(falls.searchsorted(min(self._floor, _IMPOSSIBLE), "right")))
        return ids[order[:keep]], falls[:keep] * -self._sharpness

    def _top(self, logits: Logits, counts: dict[int, int], k: int) -> tuple[Ids, _Scores]:
        """The best `k` after penalties, from the best down; of equals the lower id first."""
        # A penalised token may fall behind, so that many more unpenalised ones may move up.
        ids = superset_of_top(logits, k + len(counts))
        ids, scores = self._penalise(ids, logits, counts)
        order = np.lexsort((ids, -scores))[:k]
        return ids[order], scores[order]

    def _all(self, logits: Logits, counts: dict[int, int], min_p: float) -> tuple[Ids, _Scores]:
        """Every token that min-p can leave, from the best down; of equals the lower id first."""
        if min_p > 0.0 and not counts:
            floor = np.float32(float(logits.max()) + math.log(min_p) - 1e-3)  # the exact cut comes later
            ids: Ids = np.flatnonzero(logits >= floor)
        else:
            ids = np.arange(len(logits), dtype=np.int64)
        ids, scores = self._penalise(ids, logits, counts)
        order = np.lexsort((ids, -scores))
        return ids[order], scores[order]

    def _log_sum(self, logits: Logits, counts: dict[int, int]) -> float:
        if not counts:
            best = logits.max()
            return float(best) + math.log(float(np.exp(logits - best).sum(dtype=np.float64)))
        return _log_sum(self._penalise(np.arange(len(logits), dtype=np.int64), logits, counts)[1])

    def _penalise(self, ids: Ids, logits: Logits, counts: dict[int, int]) -> tuple[Ids, _Scores]:
        # Penalties as in llama.cpp (llama_sampler_penalties_apply).
        if not counts:
            return ids, logits[ids].astype(np.float64)
        penalised = np.fromiter(counts, dtype=np.int64, count=len(counts))
        often = np.fromiter(counts.values(), dtype=np.float64, count=len(counts))
        known = penalised < len(logits)  # the vocabulary of a draft may be a little shorter
        penalised, often = penalised[known], often[known]
        ids = np.union1d(ids, penalised)
        scores = logits[ids].astype(np.float64)
        options = self._options
        where = np.searchsorted(ids, penalised)
        seen = scores[where]
        seen = np.where(seen <= 0, seen * options.repeat_penalty, seen / options.repeat_penalty)
        scores[where] = seen - often * options.frequency_penalty - options.presence_penalty
        return ids, scores


def mix64(x: int) -> int:
    """The finaliser of SplitMix64 (Steele, Lea, Flood 2014): a bijection of 64-bit integers that scatters bits."""
    x = (x + _GOLDEN) & _MASK
    x = ((x ^ (x >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
    x = ((x ^ (x >> 27)) * 0x94D049BB133111EB) & _MASK
    return x ^ (x >> 31)


def gumbel(key: int, position: int, ids: npt.NDArray[np.integer[Any]]) -> _Scores:
    """Standard Gumbel noise for token `ids` at `position`; shape (len(ids),). Depends on (key, position, id) only."""
    x = ids.astype(np.uint64)
    x *= _U_GOLDEN
    x += np.uint64(mix64(key ^ mix64(position)))
    x ^= x >> _U30
    x *= _U_FIRST
    x ^= x >> _U27
    x *= _U_SECOND
    x ^= x >> _U31
    x >>= _U12  # 52 bits: with the half they still fit a float exactly, so that no uniform rounds up to 1
    noise = x.astype(np.float64)
    noise += 0.5
    noise *= 2.0**-52
    for _ in range(2):  # -log(-log(uniform))
        np.log(noise, out=noise)
        np.negative(noise, out=noise)
    return noise


def _gumbel_of(start: int, token: int) -> float:
    """The same for one token; `start` is `mix64(key ^ mix64(position))`."""
    x = (token * _GOLDEN + start) & _MASK
    x = ((x ^ (x >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
    x = ((x ^ (x >> 27)) * 0x94D049BB133111EB) & _MASK
    x ^= x >> 31
    return -math.log(-math.log(((x >> 12) + 0.5) * 2.0**-52))


def _log_sum(scores: _Scores) -> float:
    best = float(scores.max())
    return best + math.log(float(np.exp(scores - best).sum()))
