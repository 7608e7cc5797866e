import numpy as np
import pytest

from app.core.errors import EngineFault
from app.engine.rows import Row, best_two, superset_of_top

SIZES = (1, 2, 100, 4096, 8191, 8192, 10_001, 70_000)


def rows(size: int) -> list[np.ndarray]:
    random = np.random.default_rng(size)
    smooth = random.normal(0.0, 3.0, size).astype(np.float32)
    tied = np.round(smooth)
    holed = smooth.copy()
    holed[random.random(size) < 0.9] = -np.inf
    holed[-1] = 1.0
    return [smooth, tied, holed, np.zeros(size, np.float32)]


@pytest.mark.parametrize("size", SIZES)
def test_the_best_two_and_what_is_above_are_those_of_a_sort(size: int) -> None:
    for logits in rows(size):
        row = Row(logits)
        best = int(logits.argmax())
        others = np.delete(logits, best)
        assert row.best == logits[best]
        assert best_two(logits) == (best, logits[best], others.max() if size > 1 else -np.inf)
        for floor in (row.best, row.best - 0.5, row.best - 3.0):
            assert row.above(floor).tolist() == np.flatnonzero(logits >= floor).tolist()


@pytest.mark.parametrize("size", [size for size in SIZES if size > 2])
def test_the_top_and_its_floor_are_those_of_a_sort(size: int) -> None:
    for logits in rows(size):
        row = Row(logits)
        for k in (1, 40, min(size - 1, 3000)):
            k = min(k, size - 1)
            kth = np.sort(logits)[size - k]
            assert row.top_floor(k) <= kth
            assert np.sort(row.top(k)).tolist() == np.sort(logits)[size - k :].tolist()
            assert set(np.flatnonzero(logits > kth)) <= set(superset_of_top(logits, k).tolist())


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_a_row_that_holds_no_number_is_refused(size: int, bad: float) -> None:
    logits = np.zeros(size, np.float32)
    logits[size // 2] = bad
    for read in (Row, best_two):
        with pytest.raises(EngineFault):
            read(logits)
    with pytest.raises(EngineFault):
        Row(np.full(size, -np.inf, np.float32))
