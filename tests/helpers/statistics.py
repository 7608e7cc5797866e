"""The chi-square test, from the standard library alone."""

import math
from collections.abc import Mapping


def upper_gamma(a: float, x: float) -> float:
    """The regularised upper incomplete gamma function Q(a, x), for a > 0 and x >= 0.

    A series below a + 1 and a continued fraction (modified Lentz) above, as in every textbook.
    """
    if x <= 0:
        return 1.0
    scale = math.exp(a * math.log(x) - x - math.lgamma(a))
    if x < a + 1:
        term = total = 1.0 / a
        n = a
        while abs(term) > abs(total) * 1e-15:
            n += 1
            term *= x / n
            total += term
        return 1.0 - scale * total
    b = x + 1 - a
    c = 1e300
    d = 1 / b
    h = d
    for i in range(1, 10_000):
        factor = -i * (i - a)
        b += 2
        d = 1 / (factor * d + b)
        c = b + factor / c
        change = c * d
        h *= change
        if abs(change - 1) < 1e-15:
            break
    return scale * h


def chi_square_p(counts: Mapping[int, int], probabilities: Mapping[int, float], *, least: float = 5.0) -> float:
    """How likely counts that differ this much are if `probabilities` are true.

    Outcomes that are expected fewer than `least` times are taken together. An outcome of probability 0 that came up is
    as good as proof: the answer is then 0.
    """
    if any(probabilities.get(outcome, 0.0) <= 0.0 for outcome in counts):
        return 0.0
    total = sum(counts.values())
    statistic, bins, seen, expected = 0.0, 0, 0, 0.0
    for outcome in sorted(probabilities, key=probabilities.__getitem__):  # the rarest first: they are put together
        seen += counts.get(outcome, 0)
        expected += total * probabilities[outcome]
        if expected >= least:
            statistic += (seen - expected) ** 2 / expected
            bins, seen, expected = bins + 1, 0, 0.0
    return upper_gamma((bins - 1) / 2, statistic / 2) if bins > 1 else 1.0
