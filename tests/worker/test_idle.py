"""What the engine does while nobody waits must be noticed by nobody."""

import time
from pathlib import Path

import pytest

from app.protocol.messages import Generate
from tests.helpers.engine_process import Engine

COUNT = " ".join(str(number) for number in range(1, 21))


@pytest.fixture(scope="module")
def loaded(gemma: Path) -> object:
    with Engine() as engine:
        engine.load(gemma, context=512)
        yield engine


def test_a_request_does_not_wait_for_idle_work(loaded: Engine) -> None:
    for delay_s in (0.0, 0.05, 0.1, 0.2, 0.4):
        time.sleep(delay_s)
        asked = time.perf_counter()
        loaded.send(Generate(id="nothing"))
        answer = loaded.answer("nothing")
        assert answer.failed.code == "empty_prompt"
        assert answer.at[-1] - asked < 2


def test_idle_work_says_nothing_and_leaves_the_cache_as_it_was(loaded: Engine) -> None:
    for _ in range(3):
        answer = loaded.generate(COUNT, raw=True, temperature=0.0, max_tokens=12)
        assert answer.text.split()[:3] == ["21", "22", "23"]
        time.sleep(0.7)
        assert loaded.pending() == []
    stats = answer.finished.stats
    assert stats.cached_tokens == stats.prompt_tokens - 1
