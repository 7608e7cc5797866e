"""One engine process for a module of tests, looked after between them."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.helpers.engine_process import Engine

SURE = "Hello! How can I help you today?"
"""What the demo target answers to "Hello" at temperature 0: the closest decision is 3.4 logits wide, so that neither
rounding nor another processor changes it. A cache that is not what the engine believes does."""


def check_serves(engine: Engine, target: Path, draft: Path) -> None:
    """The engine is alive, silent, and answers as ever, with what its caches hold and without."""
    assert engine.pending() == []
    engine.load(target, draft)
    for reuse in (True, False):
        answer = engine.generate("Hello", drafter="draft_model", temperature=0.0, reuse_cache=reuse)
        assert (answer.text, answer.finished.reason) == (SURE, "end"), reuse
    assert engine.process.poll() is None
    assert "Traceback" not in engine.stderr


@pytest.fixture(scope="module")
def shared_process(demo_target: Path, demo_draft: Path) -> Iterator[Engine]:
    with Engine() as engine:
        engine.load(demo_target, demo_draft)
        check_serves(engine, demo_target, demo_draft)
        yield engine


@pytest.fixture
def process(shared_process: Engine, demo_target: Path, demo_draft: Path) -> Iterator[Engine]:
    """An engine process with the demo pair. Whatever a test does to it, it must go on working."""
    shared_process.load(demo_target, demo_draft)
    yield shared_process
    check_serves(shared_process, demo_target, demo_draft)
