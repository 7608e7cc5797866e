"""Online Bayesian logistic regression.

A Gaussian belief about the weights is widened a little before each answer and narrowed by it: an extended Kalman
filter. It needs no learning rate, starts from a prior, and forgets slowly. It learns from every proposed token, so that
what it does is written for speed at a handful of weights.
"""

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

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
        self._drift = np.array(drift)
        self._belief, self._widths = self._start()

    def score(self, evidence: Sequence[float]) -> float:
        """The logit of P(yes)."""
        total = 0.0
        for weight, value in zip(self.weights, evidence, strict=True):
            total += weight * value
        return total

    def learn(self, evidence: Sequence[float], *, yes: bool) -> None:
        """The answer for this evidence."""
        chance = squash(self.score(evidence))
        slope = chance * (1.0 - chance)
        belief, widths = self._belief, self._widths
        widths += self._drift
        np.minimum(widths, _WIDEST, out=widths)
        given = np.array(evidence)
        pull = belief @ given
        total = 1.0 + slope * float(pull @ given)
        step = (yes - chance) / total
        self.weights = [weight + step * p for weight, p in zip(self.weights, pull.tolist(), strict=True)]
        pull *= math.sqrt(slope / total)
        belief -= np.multiply.outer(pull, pull)

    def restore(self, weights: Sequence[float]) -> None:
        """Start from these weights; raises ValueError or TypeError where they are none."""
        numbers = [float(w) for w in weights]
        if len(numbers) != len(self.weights) or not all(map(math.isfinite, numbers)):
            raise ValueError("not the weights of this model")
        self.weights = numbers
        self._belief, self._widths = self._start()

    def _start(self) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
        """The covariance at first, and a view of its diagonal."""
        belief = np.diag(np.square(self._spread))
        return belief, belief.reshape(-1)[:: len(belief) + 1]


def squash(score: float) -> float:
    """The logistic function, kept away from 0 and 1."""
    if score > 5.5:
        score = 5.5
    elif score < -5.0:
        score = -5.0
    return 1.0 / (1.0 + math.exp(-score))


def logit(chance: float) -> float:
    """Its inverse, kept finite at 0 and 1."""
    chance = 0.01 + 0.98 * chance
    return math.log(chance / (1.0 - chance))
