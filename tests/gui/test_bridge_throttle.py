import itertools
import time
from collections.abc import Iterator

import pytest
from PySide6.QtCore import QObject
from pytestqt.qtbot import QtBot

from app.bridge.throttle import Throttle


@pytest.fixture
def owner(qtbot: QtBot) -> Iterator[QObject]:
    owner = QObject()
    yield owner
    owner.deleteLater()


def test_the_first_call_is_at_once_and_a_burst_is_one_more(qtbot: QtBot, owner: QObject) -> None:
    calls: list[float] = []
    throttle = Throttle(lambda: calls.append(time.monotonic()), owner, interval_ms=50)
    for number in range(100):
        throttle.trigger()
        assert len(calls) == 1, number
    qtbot.waitUntil(lambda: len(calls) == 2, timeout=5000)
    qtbot.wait(150)
    assert len(calls) == 2
    throttle.trigger()
    assert len(calls) == 3, "after a quiet interval it is at once again"
    qtbot.wait(60)


def test_a_steady_stream_is_limited(qtbot: QtBot, owner: QObject) -> None:
    calls: list[float] = []
    throttle = Throttle(lambda: calls.append(time.monotonic()), owner, interval_ms=30)
    end = time.monotonic() + 0.6
    while time.monotonic() < end:
        throttle.trigger()
        qtbot.wait(2)
    qtbot.wait(60)
    assert 5 <= len(calls) <= 24
    gaps = [two - one for one, two in itertools.pairwise(calls)]
    assert min(gaps) > 0.02


def test_cancel(qtbot: QtBot, owner: QObject) -> None:
    calls: list[int] = []
    throttle = Throttle(lambda: calls.append(1), owner, interval_ms=20)
    throttle.trigger()
    throttle.trigger()
    throttle.cancel()
    qtbot.wait(60)
    assert len(calls) == 1
