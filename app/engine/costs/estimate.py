"""A cost that is observed with noise, and how it grows with the context."""

import math
import statistics
from collections import deque

_WINDOW = 9
ODD = 0.1  # log deviation from which an observation may be the first of a change
_AGREE = 0.15  # log spread within which the observations of a change agree
_STREAK = 3
MAX_SLOPE = 1 / 1024  # per token: a pass twice as long at 1,024 tokens; more is not attention
MAX_STEP_SLOPE = 1 / 32  # the same of a draft step, which has little else to do
_SLOPE_EVERY = 5  # observations


class Estimate:
    """A positive number that is observed with noise. `value` is 0 before the first observation."""

    def __init__(self, value: float = 0.0) -> None:
        """`value`: known by hearsay, from an earlier run; the first observation that disagrees replaces it."""
        self.value = value
        self.hearsay = value > 0.0
        """Nothing like it was observed yet."""
        self._recent: deque[float] = deque([value] if value else [], maxlen=_WINDOW)
        self._odd: list[float] = []

    @property
    def unsettled(self) -> bool:
        """The last observation disagreed: more of them will tell."""
        return bool(self._odd)

    def tell(self, observed: float) -> float:
        """Take an observation; returns the change of the estimate on the logarithmic scale."""
        if not observed > 0 or not math.isfinite(observed):
            return 0.0
        before = self.value
        self._recent.append(observed)
        if self.hearsay:
            self.hearsay = False
            if abs(math.log(observed / before)) > ODD:
                self._recent = deque([observed], maxlen=_WINDOW)
                self._odd = [observed]
        elif before:
            self._look_for_change(observed, math.log(observed / before))
        ordered = sorted(self._recent)
        size = len(ordered)
        low = ordered[(size - 1) // 2]
        # Of two, the lower: what disturbs a measurement makes it longer.
        self.value = low if size % 2 or size == 2 else (low + ordered[size // 2]) / 2
        return math.log(self.value / before) if before else 0.0

    def shift(self, change: float) -> None:
        """Move by `change` on the logarithmic scale, by hearsay."""
        self.value *= math.exp(change)
        self._recent = deque([self.value], maxlen=_WINDOW)
        self._odd = []
        self.hearsay = True

    def _look_for_change(self, observed: float, deviation: float) -> None:
        if abs(deviation) < ODD:
            self._odd = []
            return
        if self._odd and (self._odd[-1] > self.value) != (deviation > 0):
            self._odd = []
        self._odd = [*self._odd[1 - _STREAK :], observed]
        if len(self._odd) == _STREAK and math.log(max(self._odd) / min(self._odd)) < _AGREE:
            self._recent = deque(self._odd, maxlen=_WINDOW)
            self._odd = []


class DepthSlope:
    """How much slower something becomes with the context, relative and per token: T(c) = T(0) (1 + slope c).

    Args:
        grain: Contexts, in tokens, that are told apart: up to it, up to three times it, seven times it, and so on.
        steepest: The slope is at most this.
    """

    def __init__(self, grain: int = 256, steepest: float = MAX_SLOPE) -> None:
        self._grain = grain
        self._steepest = steepest
        self.value = 0.0
        self._told = 0
        self._lines: dict[int, deque[tuple[int, float]]] = {}

    def tell(self, context: int, seconds: float) -> None:
        """It took so long after `context` tokens."""
        place = (context // self._grain + 1).bit_length()
        line = self._lines.setdefault(place, deque(maxlen=25))
        line.append((context, seconds))
        self._told += 1
        if len(self._lines) > 1 and self._told >= _SLOPE_EVERY:
            self._told = 0
            self.value = self._slope()

    def forget(self) -> None:
        """What was told is of another time; the slope stays until more is."""
        self._lines.clear()

    def factor(self, context: int) -> float:
        return 1.0 + self.value * context

    def _slope(self) -> float:
        middles = [
            (statistics.median(c for c, _ in line), statistics.median(s for _, s in line))
            for line in self._lines.values()
            if len(line) >= 5
        ]
        if len(middles) < 2:
            return self.value
        (near, low), (far, high) = min(middles), max(middles)
        rise = (high - low) / (far - near)
        at_zero = max(low - rise * near, 0.2 * low)
        return min(max(rise / at_zero, 0.0), self._steepest)
