"""Online Bayesian logistic regression.

A Gaussian belief about the weights is widened a little before each answer and narrowed by it: an extended Kalman
filter. It needs no learning rate, starts from a prior, and forgets slowly. A handful of weights; plain Python is faster
than numpy at this size.
"""

import math
from collections.abc import Sequence

_WIDEST = 1.0


class Logistic:
    """P(yes) = 1 / (1 + exp(-weights . evidence)).

    Args:
        prior: Weights to start with.
        spread: Standard deviations of the belief about them.
        drift: Variance added before each answer.
    """

    def __init__(self, prior: Sequence[float], spread: Sequence[float], drift: Sequence[float]) -> None:
        self.weights = list(prior)
        self._spread = spread
        self._drift = drift
        self._belief = self._diagonal()

    def score(self, evidence: Sequence[float]) -> float:
        """The logit of P(yes)."""
        return sum([w * e for w, e in zip(self.weights, evidence, strict=True)])

    def learn(self, evidence: Sequence[float], *, yes: bool) -> None:
        """The answer for this evidence."""
        chance = squash(self.score(evidence))
        slope = chance * (1.0 - chance)
        belief = self._belief
        for i, drift in enumerate(self._drift):
            belief[i][i] = min(belief[i][i] + drift, _WIDEST)
        pull = [sum([b * e for b, e in zip(row, evidence, strict=True)]) for row in belief]
        total = 1.0 + slope * sum([p * e for p, e in zip(pull, evidence, strict=True)])
        step = ((1.0 if yes else 0.0) - chance) / total
        shrink = slope / total
        for i, p in enumerate(pull):
            self.weights[i] += step * p
            factor = shrink * p
            belief[i] = [b - factor * q for b, q in zip(belief[i], pull, strict=True)]

    def restore(self, weights: Sequence[float]) -> None:
        """Start from these weights; raises ValueError or TypeError where they are none."""
        numbers = [float(w) for w in weights]
        if len(numbers) != len(self.weights) or not all(map(math.isfinite, numbers)):
            raise ValueError("not the weights of this model")
        self.weights = numbers
        self._belief = self._diagonal()

    def _diagonal(self) -> list[list[float]]:
        size = len(self._spread)
        return [[self._spread[i] ** 2 if i == j else 0.0 for j in range(size)] for i in range(size)]


def squash(score: float) -> float:
    """The logistic function, kept away from 0 and 1."""
    return 1.0 / (1.0 + math.exp(-max(-5.0, min(5.5, score))))


def logit(chance: float) -> float:
    """Its inverse, kept finite at 0 and 1."""
    chance = 0.01 + 0.98 * chance
    return math.log(chance / (1.0 - chance))
