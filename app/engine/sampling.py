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

import bisect
import itertools
import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from app.engine.noise import gumbel, gumbel_of, gumbel_of_some, mix64, start_of
from app.engine.penalties import PenaltyWindow
from app.engine.ports import Logits
from app.engine.rows import Ids, Row, best_two, check, superset_of_top
from app.protocol.options import SamplingOptions

_Scores = npt.NDArray[np.float64]

_IMPOSSIBLE = 1e300  # below the best: a score of -inf, and no other, is further
_COLDEST = 1e9  # of 1 / temperature: from here on the noise decides nothing, and nothing overflows
_FIRST_LOOK = 1024  # candidates tried first where no top-k limits them
_FEW, _MANY = 16, 96  # candidates up to which plain Python is faster than numpy: at their noise, at all else
_FURTHER = 4.0  # below the floor of min-p: what lies deeper hardly weighs anything against top-p
_VAGUE = 0.1  # share of what top-p leaves for certain that may be in doubt where only the confidence hangs on it
_POSITIONS = 64  # whose noise is kept; more than a round has
_MARGIN = 1e-3  # looked at beyond a limit; the exact cut comes later


class Choice(NamedTuple):
    """A chosen token.

    `margin`: gap between the best and the second-best noisy score; the logit gap at temperature 0. `confidence`: the
    probability the shaped distribution gave the token (the model's own at temperature 0), if it was asked for; up to
    5 % less or more where it hangs on what just about belongs to top-p.
    """

    token: int
    margin: float
    confidence: float | None


class _Near(NamedTuple):
    """The candidates of a row.

    `ranked`: how far below the best, and the id, from the best down. The first `sure` of them are left by top-p, the
    others perhaps. `masses`: what they weigh, summed up, where the best one weighs 1.
    """

    row: Row
    ranked: list[tuple[float, int]]
    sure: int
    masses: Sequence[float]


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
        self._floor = -math.log(options.min_p) if options.min_p > 0.0 else math.inf
        self._simple = options.top_k > 0 and options.min_p > 0.0
        self._noise: dict[int, tuple[int, dict[int, float]]] = {}
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
        if self._simple and not counts:
            near = self._few_nearest(logits)
            if near is not None:
                return self._choose_of_few(near, position, confident=confident)
        ids, scores = self._shape(logits, counts)
        if len(scores) == 1:
            return Choice(int(ids[0]), math.inf, 1.0 if confident else None)
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

    def _choose_of_few(self, near: _Near, position: int, *, confident: bool) -> Choice:
        ranked, sure = near.ranked, near.sure
        if len(ranked) == 1:
            return Choice(ranked[0][1], math.inf, 1.0 if confident else None)
        start, noise = self._noise_at(position)
        if len(ranked) > _FEW:
            fresh = [token for _, token in ranked if token not in noise]
            if len(fresh) > _FEW:
                noise.update(zip(fresh, gumbel_of_some(start, fresh), strict=True))
        sharpness, chosen, at, best, second = self._sharpness, -1, 0.0, -math.inf, -math.inf
        for place, (fall, token) in enumerate(ranked):
            extra = noise.get(token)
            if extra is None:
                extra = noise[token] = gumbel_of(start, token)
            noisy = extra - fall * sharpness
            if noisy > second:
                if place >= sure:  # only now it matters whether top-p leaves it
                    return self._choose_of_few(self._settled(near), position, confident=confident)
                if noisy > best:
                    chosen, at, best, second = token, fall, noisy, best
                else:
                    second = noisy
        confidence = None
        if confident:
            weights = [math.exp(-fall * sharpness) for fall, _ in ranked]
            certain, perhaps = sum(weights[:sure]), sum(weights[sure:])
            if perhaps > _VAGUE * certain:
                return self._choose_of_few(self._settled(near), position, confident=True)
            confidence = math.exp(-at * sharpness) / (certain + perhaps / 2)
        return Choice(chosen, best - second, confidence)

    def _noise_at(self, position: int) -> tuple[int, dict[int, float]]:
        """What the noise of every token at `position` is made from, and that of those looked at so far.

        The target looks at most of the tokens the draft looked at before.
        """
        found = self._noise.get(position)
        if found is None:
            if len(self._noise) >= _POSITIONS:
                self._noise.clear()
            found = self._noise[position] = start_of(self._key, position), {}
        return found

    def _few_nearest(self, logits: Logits) -> _Near | None:
        """What top-k, min-p and, as far as that is easily told, top-p leave.

        The usual case, in as few calls of numpy as it takes: right after a pass nothing of them is near the processor.
        None if so many tokens are near that numpy is faster.
        """
        k, top_p = min(self._options.top_k, len(logits)), self._options.top_p
        row = Row(logits)
        best = row.best
        near = row.above(best - self._floor - _MARGIN).tolist()
        if len(near) == 1:
            return _Near(row, [(0.0, near[0])], 1, ())
        if len(near) > _MANY:
            return None
        # Ids rise, so that of equals the lower one comes first.
        ranked = sorted([(best - logits.item(token), token) for token in near])
        del ranked[k:]
        while ranked[-1][0] > self._floor:
            del ranked[-1]
        if top_p == 1.0:
            return _Near(row, ranked, len(ranked), ())
        masses = list(itertools.accumulate([math.exp(-fall) for fall, _ in ranked]))
        # What the others of the top-k weigh is something between nothing and what min-p would have left them.
        least, most = masses[-1], masses[-1] + (k - len(ranked)) * math.exp(-self._floor)
        sure = _first_from(masses, top_p * least)
        del ranked[_first_from(masses, top_p * most) :]
        return _Near(row, ranked, sure, masses)

    def _settled(self, near: _Near) -> _Near:
        """Exactly what top-p leaves."""
        row, ranked, sure, masses = near
        if sure == len(ranked):
            return near
        k, top_p = min(self._options.top_k, len(row.logits)), self._options.top_p
        least, most = self._mass_of_best(row, k)
        sure = _first_from(masses, top_p * least)
        if sure != _first_from(masses, top_p * most):
            whole = np.exp(row.top(k).astype(np.float64) - row.best).sum()
            sure = _first_from(masses, top_p * float(whole))
        return _Near(row, ranked[:sure], sure, masses)

    def _mass_of_best(self, row: Row, k: int) -> tuple[float, float]:
        """What the best `k` weigh, at least and at most, where the best one weighs 1."""
        wide = row.above(row.best - self._floor - _FURTHER).tolist()
        if len(wide) > _MANY:
            return 1.0, math.inf
        falls = sorted([row.best - row.logits.item(token) for token in wide])[:k]
        least = math.fsum([math.exp(-fall) for fall in falls])
        return least, least + (k - len(falls)) * math.exp(-self._floor - _FURTHER)

    def probabilities(self, logits: Logits) -> dict[int, float]:
        """The shaped distribution the next choice is drawn from: token -> probability (temperature above 0)."""
        ids, scores = self._shape(logits, self._penalties.counts)
        weights = np.exp(scores)
        return dict(zip(ids.tolist(), (weights / weights.sum()).tolist(), strict=True))

    @staticmethod
    def _greedy(logits: Logits, *, confident: bool) -> Choice:
        token, best, rest = best_two(logits)
        confidence = float(1.0 / np.exp(logits - np.float32(best)).sum(dtype=np.float64)) if confident else None
        return Choice(token, best - rest, confidence)

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
        """The same without penalties and with a top-k."""
        row = Row(logits)
        ids = row.above(row.top_floor(k))
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


def _log_sum(scores: _Scores) -> float:
    best = float(scores.max())
    return best + math.log(float(np.exp(scores - best).sum()))


def _first_from(masses: Sequence[float], least: float) -> int:
    """How many of the rising `masses` it takes to reach `least`: all of them if they do not."""
    return min(bisect.bisect_left(masses, least) + 1, len(masses))
