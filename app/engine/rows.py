"""The best entries of a row of logits, without a sort or a copy of it."""

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from app.core.errors import EngineFault
from app.engine.ports import Logits

Ids = npt.NDArray[np.int64]

_COLUMNS = (512, 1024, 4096, 16384)
_WIDTH = 2048  # columns of the matrix: small enough for the nearest cache
_LARGE = 8192  # entries from which a look at the columns first is faster than one at everything


class Row:
    """A row of logits, with its maximum `best`.

    A large one is cut into the rows of a matrix. Its column maxima tell in which few columns the best entries lie.

    Raises:
        EngineFault: the row holds NaN or no finite score at all.
    """

    __slots__ = ("_maxima", "_rest", "_whole", "best", "logits")

    def __init__(self, logits: Logits) -> None:
        self.logits = logits
        size = len(logits)
        if size < _LARGE:
            self.best = logits.item(logits.argmax())  # of a NaN, if there is one
        else:
            self._rest = size // _WIDTH * _WIDTH
            self._whole = logits[: self._rest].reshape(-1, _WIDTH)
            self._maxima = np.maximum.reduce(self._whole, axis=0)
            self.best = float(np.maximum(self._maxima.max(), logits[self._rest :].max(initial=-math.inf)))
        check(self.best)

    def top_floor(self, k: int) -> float:
        """A score that at least `k` entries reach, and hopefully few more."""
        if len(self.logits) >= _LARGE and k < _WIDTH:
            # The k-th best of the column maxima is at most the k-th best score.
            return float(np.partition(self._maxima, _WIDTH - k)[_WIDTH - k])
        return float(np.partition(self.logits, len(self.logits) - k)[len(self.logits) - k])

    def top(self, k: int) -> Logits:
        """The `k` best scores, in no order."""
        scores = self.logits
        if len(scores) >= _LARGE:
            scores = scores[self.above(self.top_floor(k))]
        return np.partition(scores, len(scores) - k)[len(scores) - k :]

    def above(self, floor: float) -> Ids:
        """Ids of all entries that are at least `floor`, rising."""
        logits = self.logits
        if len(logits) < _LARGE:
            return (logits >= floor).nonzero()[0]
        columns = (self._maxima >= floor).nonzero()[0]
        places = (self._whole.take(columns, axis=1).ravel() >= floor).nonzero()[0]
        row, column = np.divmod(places, max(1, len(columns)))
        ids: Ids = row * len(self._maxima) + columns[column]
        if self._rest < len(logits):
            rest = (logits[self._rest :] >= floor).nonzero()[0]
            if len(rest):
                ids = np.concatenate((ids, self._rest + rest))
        return ids

    def best_two(self) -> tuple[int, float]:
        """The first id of the maximum, and the next best score (-inf if there is none); of a large row."""
        logits = self.logits
        ids = self.above(self.best)
        token = int(ids[0])
        if len(ids) > 1:
            return token, self.best
        if token >= self._rest:
            return token, _best_besides(logits, token)
        # Only the column of the best one has to be looked at, besides the other maxima.
        others = (
            np.partition(self._maxima, -2)[-2],
            np.partition(self._whole[:, token % len(self._maxima)], -2)[-2],
        )
        return token, max(*map(float, others), float(logits[self._rest :].max(initial=-math.inf)))


def superset_of_top(logits: Logits, k: int) -> Ids:
    """Ids of at least the `k` best entries, rising.

    The k-th best of the column maxima is at most the k-th best score, so that everything from there up, which lies in
    few columns, is enough.
    """
    size = len(logits)
    columns = next((c for c in _COLUMNS if c >= 8 * k), size)
    rows = size // columns
    if rows < 4:
        floor = np.partition(logits, size - k)[size - k] if k < size else -math.inf
        return np.flatnonzero(logits >= floor)
    whole = logits[: rows * columns].reshape(rows, columns)
    maxima = np.maximum.reduce(whole, axis=0)
    sorted_enough = maxima.copy()
    sorted_enough.partition(columns - k)
    floor = sorted_enough[columns - k]
    chosen = (maxima >= floor).nonzero()[0]
    places = (whole.take(chosen, axis=1).ravel() >= floor).nonzero()[0]
    row, column = np.divmod(places, len(chosen))
    ids: Ids = row * columns + chosen[column]
    if rows * columns < size:
        rest = (logits[rows * columns :] >= floor).nonzero()[0]
        if len(rest):
            ids = np.concatenate((ids, rows * columns + rest))
    return ids


def check(best: float | np.floating[Any]) -> None:
    """Refuse a row by its maximum, which is NaN if anything in the row is."""
    if not math.isfinite(best):
        raise EngineFault(
            "bad_logits",
            "The model computed something that is not a number.",
            "The file is probably damaged, or it does not work on this device. "
            "Try it with 0 GPU layers, or another file.",
        )


def best_two(logits: Logits) -> tuple[int, float, float]:
    """The first id of the maximum, the maximum, and the next best score (-inf if there is none).

    Raises:
        EngineFault: the row holds NaN or no finite score at all.
    """
    if len(logits) >= _LARGE:
        row = Row(logits)
        token, rest = row.best_two()
        return token, row.best, rest
    token = int(logits.argmax())  # of a NaN, if there is one
    best: float = logits.item(token)
    if not math.isfinite(best):
        check(best)
    return token, best, _best_besides(logits, token)


def _best_besides(logits: Logits, token: int) -> float:
    # By `argmax` again: right after a pass another function would first have to be fetched from memory.
    second = -math.inf
    for side in (logits[:token], logits[token + 1 :]):
        if len(side):
            second = max(second, side.item(side.argmax()))
    return second
