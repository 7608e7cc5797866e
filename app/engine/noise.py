"""Gumbel noise from a counter-based hash: a function of (key, position, token), whoever asks (law 4)."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

_MASK = (1 << 64) - 1
_GOLDEN = 0x9E3779B97F4A7C15
_U_GOLDEN, _U_FIRST, _U_SECOND = (np.uint64(x) for x in (_GOLDEN, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB))
_U12, _U27, _U30, _U31 = (np.uint64(x) for x in (12, 27, 30, 31))


def mix64(x: int) -> int:
    """The finaliser of SplitMix64 (Steele, Lea, Flood 2014): a bijection of 64-bit integers that scatters bits."""
    x = (x + _GOLDEN) & _MASK
    x = ((x ^ (x >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
    x = ((x ^ (x >> 27)) * 0x94D049BB133111EB) & _MASK
    return x ^ (x >> 31)


def gumbel(key: int, position: int, ids: npt.NDArray[np.integer[Any]]) -> npt.NDArray[np.float64]:
    """Standard Gumbel noise for token `ids` at `position`; shape (len(ids),). Depends on (key, position, id) only."""
    noise = _bits(start_of(key, position), ids.astype(np.uint64)).astype(np.float64)
    noise += 0.5
    noise *= 2.0**-52
    for _ in range(2):  # -log(-log(uniform))
        np.log(noise, out=noise)
        np.negative(noise, out=noise)
    return noise


def start_of(key: int, position: int) -> int:
    """What the noise of every token at `position` is made from."""
    return mix64(key ^ mix64(position))


def gumbel_of(start: int, token: int) -> float:
    """The same for one token; `start`: see `start_of`."""
    x = (token * _GOLDEN + start) & _MASK
    x = ((x ^ (x >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
    x = ((x ^ (x >> 27)) * 0x94D049BB133111EB) & _MASK
    x ^= x >> 31
    return -math.log(-math.log(((x >> 12) + 0.5) * 2.0**-52))


def gumbel_of_some(start: int, tokens: Sequence[int]) -> list[float]:
    """The same for a few dozen tokens: to the last bit what `gumbel_of` gives, which `gumbel` need not be."""
    bits = _bits(start, np.array(tokens, dtype=np.uint64)).tolist()
    return [-math.log(-math.log((x + 0.5) * 2.0**-52)) for x in bits]


def _bits(start: int, x: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint64]:
    """52 random bits for each: with the half they still fit a float exactly, so that no uniform rounds up to 1."""
    x *= _U_GOLDEN
    x += np.uint64(start)
    x ^= x >> _U30
    x *= _U_FIRST
    x ^= x >> _U27
    x *= _U_SECOND
    x ^= x >> _U31
    x >>= _U12
    return x
