"""Models that cannot forget, driven about at random: whatever was taken back, the state is that of the text."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from app.engine.backends.llamacpp import Weights
from app.engine.backends.llamacpp.rollback import MOST_MARKS, Rollback
from app.engine.cancel import CancelFlag
from tests.helpers.hybrid_kit import KEEPING_STATE, SNAPSHOTS
from tests.helpers.walks import Walk

SEEDS = (1, 2, 3)
STEPS = 60


def weights(path: Path, *, heads: bool = False) -> Weights:
    return Weights(path, 0, lambda _share: None, CancelFlag(), heads=heads)


@pytest.fixture
def walking(request: pytest.FixtureRequest) -> Iterator[list[Walk]]:
    walks: list[Walk] = []
    yield walks
    for walk in walks:
        walk.close()


@pytest.fixture(params=sorted(KEEPING_STATE))
def model(request: pytest.FixtureRequest, tiny: dict[str, Path]) -> Iterator[tuple[str, Weights]]:
    loaded = weights(tiny[request.param])
    yield request.param, loaded
    loaded.close()


def test_what_the_library_grants(model: tuple[str, Weights], walking: list[Walk]) -> None:
    name, loaded = model
    walk = Walk(loaded, 0, heads=False)
    walking.append(walk)
    assert walk.context.keeps_state
    assert walk.context.can_truncate
    assert walk.context._rollback is not None
    assert (walk.context._rollback._snapshots > 0) == (name in SNAPSHOTS)


@pytest.mark.parametrize("seed", SEEDS)
def test_every_state_is_that_of_the_text(model: tuple[str, Weights], walking: list[Walk], seed: int) -> None:
    name, loaded = model
    walk = Walk(loaded, seed, heads=False)
    walking.append(walk)
    walk.go(STEPS)
    assert len(walk.counts) == 9, f"a walk of every kind of step, not {walk.counts}"
    assert walk.most_owed > 0, name


def test_memory_stays_bounded(model: tuple[str, Weights], walking: list[Walk]) -> None:
    _, loaded = model
    walk = Walk(loaded, 7, heads=False)
    walking.append(walk)
    rollback = walk.context._rollback
    assert rollback is not None
    sizes = set()
    for _ in range(2 * MOST_MARKS + 2):
        walk.read()
        walk.mark()
        walk.verify_many()
        sizes.add(rollback.checkpoint_bytes)
    state = len(rollback._points()[0].state)
    assert max(sizes) <= (MOST_MARKS + 1) * state
    assert len(rollback._marks) == MOST_MARKS
    walk.context.clear()
    assert rollback.checkpoint_bytes == 0


@pytest.mark.parametrize("name", sorted(SNAPSHOTS))
def test_a_rollback_that_trusts_the_library_is_caught(
    tiny: dict[str, Path], walking: list[Walk], name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The library says yes to going back further than snapshots were written; then the next token is wrong."""
    loaded = weights(tiny[name])
    monkeypatch.setattr(Rollback, "after", lambda self, rows: self.__dict__.update(_rows=99, _pending=False))
    walk = Walk(loaded, SEEDS[0], heads=False)
    walking.append(walk)
    with pytest.raises(AssertionError, match=r"is \d+\.\d+ off after"):
        walk.go(STEPS)
    walk.close()
    loaded.close()
