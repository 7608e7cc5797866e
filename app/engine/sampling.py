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

from app.core.errors import EngineFault
from app.engine.ports import Logits
from app.protocol.options import SamplingOptions

_Ids = npt.NDArray[np.int64]
_Scores = npt.NDArray[np.float64]

_MASK = (1 << 64) - 1
_GOLDEN = 0x9E3779B97F4A7C15
_BLOCK = 128
_FIRST_LOOK = 1024  # candidates tried first where no top-k limits them


@dataclass(frozen=True, slots=True)
class Choice:
    """A chosen token.

    `margin`: gap between the best and the second-best noisy score; the logit gap at temperature 0. `confidence`: the
    probability the shaped distribution gave the token; at temperature 0 only computed on request, else None.
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
            confident: Compute the confidence at temperature 0 too (a pass of `exp` over the row).

        Raises:
            EngineFault: the row holds NaN or no finite score at all.
        """
        counts = self._penalties.counts
        if self._options.temperature == 0.0:
            if not counts:
                return self._greedy(logits, confident=confident)
            ids = _superset_of_top(logits, 2 + len(counts))
            ids, scores = self._penalise(ids, logits, counts)
            order = np.argsort(-scores, kind="stable")
            ids, scores = ids[order], scores[order]
            margin = float(scores[0] - scores[1]) if len(scores) > 1 else math.inf
            confidence = float(np.exp(scores[0] - _log_sum(scores))) if confident else None
            return Choice(int(ids[0]), margin, confidence)
        ids, scores = self._shape(logits, counts)
        noisy = scores + gumbel(self._key, position, ids)
        best = int(noisy.argmax())
        token = int(ids[best])
        weights = np.exp(scores - scores.max())
        confidence = float(weights[best] / weights.sum())
        if len(noisy) == 1:
            return Choice(token, math.inf, 1.0)
        top = noisy[best]
        noisy[best] = -np.inf
        return Choice(token, float(top - noisy.max()), confidence)

    def probabilities(self, logits: Logits) -> dict[int, float]:
        """The shaped distribution the next choice is drawn from: token -> probability (temperature above 0)."""
        ids, scores = self._shape(logits, self._penalties.counts)
        weights = np.exp(scores - scores.max())
        return dict(zip(ids.tolist(), (weights / weights.sum()).tolist(), strict=True))

    @staticmethod
    def _greedy(logits: Logits, *, confident: bool) -> Choice:
        token = int(logits.argmax())
        best = float(logits[token])
        _check(best)
        rest = max(_max(logits[:token]), _max(logits[token + 1 :]))
        confidence = float(1.0 / np.exp(logits - np.float32(best)).sum(dtype=np.float64)) if confident else None
        return Choice(token, best - rest, confidence)

    def _shape(self, logits: Logits, counts: dict[int, int]) -> tuple[_Ids, _Scores]:
        """Candidates in ascending order of id and their log-probabilities up to a constant, divided by temperature."""
        options = self._options
        k = min(options.top_k, len(logits)) if options.top_k else len(logits)
        unlimited = k == len(logits)
        look = k if not unlimited or options.top_p >= 1.0 else min(k, _FIRST_LOOK)
        ids, scores = self._candidates(logits, counts, look)
        total = None
        if unlimited and options.top_p < 1.0:
            total = _log_sum(self._candidates(logits, counts, k)[1])
            if look < k and np.exp(scores - total).sum() < options.top_p:
                ids, scores = self._candidates(logits, counts, k)
        best = float(scores.max())
        _check(best)
        if options.top_p < 1.0:
            order = np.argsort(-scores, kind="stable")
            mass = np.cumsum(np.exp(scores[order] - (_log_sum(scores) if total is None else total)))
            kept = np.sort(order[: int(np.searchsorted(mass, options.top_p)) + 1])
            ids, scores = ids[kept], scores[kept]
        if options.min_p > 0.0:
            keep = scores >= best + math.log(options.min_p)
            ids, scores = ids[keep], scores[keep]
        finite = np.isfinite(scores)
        if not finite.all():
            ids, scores = ids[finite], scores[finite]
        return ids, (scores - best) / options.temperature

    def _candidates(self, logits: Logits, counts: dict[int, int], k: int) -> tuple[_Ids, _Scores]:
        """The top `k` after penalties, ids ascending; ties go to the lower id."""
        ids = _superset_of_top(logits, k + len(counts))
        ids, scores = self._penalise(ids, logits, counts)
        if len(ids) > k:
            top = np.sort(np.argsort(-scores, kind="stable")[:k])
            ids, scores = ids[top], scores[top]
        return ids, scores

    def _penalise(self, ids: _Ids, logits: Logits, counts: dict[int, int]) -> tuple[_Ids, _Scores]:
        # Penalties as in llama.cpp (llama_sampler_penalties_apply).
        if counts:
            ids = np.union1d(ids, np.fromiter(counts, dtype=np.int64, count=len(counts)))
        scores = logits[ids].astype(np.float64)
        if counts:
            options = self._options
            where = np.searchsorted(ids, np.fromiter(counts, dtype=np.int64, count=len(counts)))
            often = np.fromiter(counts.values(), dtype=np.float64, count=len(counts))
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
    x = ids.astype(np.uint64) * np.uint64(_GOLDEN) + np.uint64(mix64(key ^ mix64(position)))
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    x ^= x >> np.uint64(31)
    uniform = ((x >> np.uint64(11)).astype(np.float64) + 0.5) * 2.0**-53
    noise: _Scores = -np.log(-np.log(uniform))
    return noise


def _superset_of_top(logits: Logits, k: int) -> _Ids:
    """Ids, ascending, of at least the `k` best rows entries.

    The k-th best of the block maxima is at most the k-th best score, so that everything from there up is enough.
    """
    size = len(logits)
    if k >= size:
        return np.arange(size, dtype=np.int64)
    whole = size - size % _BLOCK
    blocks = whole // _BLOCK
    if k >= blocks:
        floor = np.partition(logits, size - k)[size - k]
    else:
        maxima = logits[:whole].reshape(blocks, _BLOCK).max(axis=1)
        floor = np.partition(maxima, blocks - k)[blocks - k]
    if math.isnan(floor):
        raise _not_a_number()
    return np.flatnonzero(logits >= floor)


def _log_sum(scores: _Scores) -> float:
    best = float(scores.max())
    return best + math.log(float(np.exp(scores - best).sum()))


def _max(row: Logits) -> float:
    return float(row.max()) if len(row) else -math.inf


def _check(best: float) -> None:
    if not math.isfinite(best):
        raise _not_a_number()


def _not_a_number() -> EngineFault:
    return EngineFault(
        "bad_logits",
        "The model computed something that is not a number.",
        "The file is probably damaged, or it does not work on this device. Try it with 0 GPU layers, or another file.",
    )
