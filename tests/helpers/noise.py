"""The noise of the choice rule, number by number."""

import math

_MASK = (1 << 64) - 1


def slow_noise(seed: int, position: int, token: int) -> float:
    """Standard Gumbel noise of a token at a position under a seed."""
    key = _mix(seed ^ 0x5851F42D4C957F2D)
    x = (token * 0x9E3779B97F4A7C15 + _mix(key ^ _mix(position))) & _MASK
    x = ((x ^ (x >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
    x = ((x ^ (x >> 27)) * 0x94D049BB133111EB) & _MASK
    x ^= x >> 31
    return -math.log(-math.log(((x >> 12) + 0.5) / 2**52))


def _mix(x: int) -> int:
    x = (x + 0x9E3779B97F4A7C15) & _MASK
    x = ((x ^ (x >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
    x = ((x ^ (x >> 27)) * 0x94D049BB133111EB) & _MASK
    return x ^ (x >> 31)
