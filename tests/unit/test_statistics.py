import math
import random

import pytest

from tests.helpers.statistics import chi_square_p, upper_gamma


@pytest.mark.parametrize(
    ("degrees", "statistic", "p"),
    # From printed tables of the chi-square distribution.
    [
        (1, 3.841, 0.05),
        (1, 6.635, 0.01),
        (5, 11.070, 0.05),
        (10, 23.209, 0.01),
        (30, 43.773, 0.05),
        (100, 135.807, 0.01),
    ],
)
def test_the_gamma_function_agrees_with_printed_tables(degrees: int, statistic: float, p: float) -> None:
    assert upper_gamma(degrees / 2, statistic / 2) == pytest.approx(p, rel=2e-3)


def test_two_degrees_of_freedom_are_an_exponential() -> None:
    for x in (0.0, 0.1, 1.0, 5.0, 40.0):
        assert upper_gamma(1.0, x) == pytest.approx(math.exp(-x), rel=1e-12)


def test_true_counts_pass_and_biased_ones_do_not() -> None:
    rng = random.Random(1)
    probabilities = {0: 0.5, 1: 0.3, 2: 0.1999, 3: 0.0001}
    outcomes = rng.choices(list(probabilities), list(probabilities.values()), k=5000)
    counts = {outcome: outcomes.count(outcome) for outcome in set(outcomes)}
    assert chi_square_p(counts, probabilities) > 0.01
    assert chi_square_p({0: 2300, 1: 1700, 2: 1000}, probabilities) < 1e-6
    assert chi_square_p({7: 1, 0: 4999}, probabilities) == 0.0


def test_p_values_are_uniform_under_the_truth() -> None:
    rng = random.Random(2)
    probabilities = dict.fromkeys(range(10), 0.1)
    ps = []
    for _ in range(400):
        outcomes = rng.choices(range(10), k=300)
        ps.append(chi_square_p({k: outcomes.count(k) for k in set(outcomes)}, probabilities))
    assert 0.4 < sum(ps) / len(ps) < 0.6
    assert 0.02 < sum(p < 0.1 for p in ps) / len(ps) < 0.2
