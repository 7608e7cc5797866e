"""The client with fake engines, and hello with the real one."""

import os
import signal
import sys
import time
from collections.abc import Callable, Iterator

import pytest
from pytestqt.qtbot import QtBot

from app.bridge.engine_client import ENGINE_GONE, EngineClient, engine_command
from app.protocol.messages import Cancel, Failed, Finished, Generate, Load, Loaded, Turn, Unload, Unloaded
from app.protocol.options import SamplingOptions
from tests.conftest import ExpectedLogs
from tests.helpers.bridge_kit import Notebook, alive, fake_command

Make = Callable[..., EngineClient]
LOAD = Load(id="load", target="/m/t.gguf", draft="/m/d.gguf")


def ask(request_id: str = "ask") -> Generate:
    return Generate(id=request_id, turns=(Turn(role="user", content="hi"),))


@pytest.fixture
def make(qtbot: QtBot) -> Iterator[Make]:
    clients: list[EngineClient] = []

    def new(*arguments: object, command: tuple[str, ...] = (), **options: int) -> EngineClient:
        client = EngineClient(command=command or fake_command(*arguments), **options)
        client.notes = Notebook(
            state=client.state_changed, received=client.received, garbled=client.garbled, stopped=client.stopped
        )
        clients.append(client)
        return client

    yield new
    for client in clients:
        client.wait()
        assert not alive(client.pid) or client.pid == 0


def until(qtbot: QtBot, client: EngineClient, kind: type, count: int = 1) -> None:
    qtbot.waitUntil(lambda: client.notes.kinds("received").count(kind.__name__) >= count, timeout=20_000)


def test_requests_wait_for_hello_and_are_answered_in_order(qtbot: QtBot, make: Make) -> None:
    client = make()
    client.start()
    client.send(LOAD)
    client.send(ask())
    assert client.state == "starting"
    until(qtbot, client, Finished)
    assert client.notes.of("state") == ["starting", "ready"]
    received = client.notes.of("received")
    assert isinstance(received[0], Loaded)
    assert received[-1].id == "ask"
    assert client.notes.kinds("received").count("Delta") == 5


def test_starting_twice_is_starting_once(qtbot: QtBot, make: Make) -> None:
    client = make()
    client.start()
    client.start()
    qtbot.waitUntil(lambda: client.state == "ready", timeout=20_000)
    pid = client.pid
    client.start()
    assert client.pid == pid


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("--crash-after", 2), "The engine crashed (SIGKILL"),
        (("--exit-after", 2), "The engine exited with code 7."),
    ],
)
def test_a_dead_engine_answers_every_request(
    qtbot: QtBot, make: Make, expect_log: ExpectedLogs, arguments: tuple[object, ...], sentence: str
) -> None:
    expect_log(r"The engine (crashed|exited)")
    client = make(*arguments)
    client.start()
    client.send(ask("one"))
    client.send(ask("two"))
    until(qtbot, client, Failed, 2)
    assert client.state == "stopped"
    (outcome,) = client.notes.of("stopped")
    assert outcome.sentence.startswith(sentence)
    names = [name for name, _ in client.notes.lines]
    assert names.index("stopped") < names.index("received", names.index("stopped")), "first the outcome, then failures"
    failures = [event for event in client.notes.of("received") if isinstance(event, Failed)]
    assert [(f.id, f.code) for f in failures] == [("one", ENGINE_GONE), ("two", ENGINE_GONE)]
    assert all(f.sentence == outcome.sentence for f in failures)

    client.send(ask("later"))
    client.send(Cancel(id="later"))
    until(qtbot, client, Failed, 3)
    assert client.notes.of("received")[-1].id == "later"
    assert client.notes.of("received")[-1].sentence == outcome.sentence


def test_an_answered_request_is_not_answered_again(qtbot: QtBot, make: Make, expect_log: ExpectedLogs) -> None:
    expect_log("The engine crashed")
    client = make()
    client.start()
    client.send(LOAD)
    client.send(ask())
    client.send(Unload(id="unload"))
    until(qtbot, client, Unloaded)
    os.kill(client.pid, signal.SIGKILL)
    qtbot.waitUntil(lambda: client.notes.of("stopped") != [], timeout=20_000)
    assert "Failed" not in client.notes.kinds("received")


def test_before_the_first_start_requests_fail(qtbot: QtBot, make: Make) -> None:
    client = make()
    client.send(LOAD)
    assert client.notes.of("received") == [], "not before send has returned"
    until(qtbot, client, Failed)
    (failure,) = client.notes.of("received")
    assert (failure.id, failure.code, failure.sentence) == ("load", ENGINE_GONE, "The engine is not running.")


def test_a_missing_program(qtbot: QtBot, make: Make, expect_log: ExpectedLogs) -> None:
    expect_log("could not be started")
    client = make(command=("/nowhere/engine", "--role", "engine"))
    client.start()
    client.send(LOAD)
    until(qtbot, client, Failed)
    (outcome,) = client.notes.of("stopped")
    assert outcome.sentence == "The engine could not be started because /nowhere/engine does not exist."
    client.start()
    qtbot.waitUntil(lambda: len(client.notes.of("stopped")) == 2, timeout=20_000)


def test_an_engine_that_says_nothing(qtbot: QtBot, make: Make, expect_log: ExpectedLogs) -> None:
    expect_log("did not answer")
    client = make("--silent", hello_ms=1000)
    client.start()
    client.send(LOAD)
    until(qtbot, client, Failed)
    (outcome,) = client.notes.of("stopped")
    assert outcome.sentence == "The engine was ended because it did not answer within 1 seconds."
    assert client.pid == 0


def test_an_engine_of_another_version(qtbot: QtBot, make: Make, expect_log: ExpectedLogs) -> None:
    expect_log("speaks version 99")
    client = make("--version", 99)
    client.start()
    client.send(LOAD)
    until(qtbot, client, Failed)
    (outcome,) = client.notes.of("stopped")
    assert "it speaks version 99 of the protocol and this window version 1" in outcome.sentence
    assert "ready" not in client.notes.of("state")


def test_garbage_and_noise_do_not_disturb(qtbot: QtBot, make: Make, expect_log: ExpectedLogs) -> None:
    expect_log("sent no message")
    client = make("--garbage", 3, "--noise", 50, "--huge", 3_000_000)
    client.start()
    client.send(ask())
    until(qtbot, client, Finished)
    assert client.notes.kinds("received").count("Delta") == 5
    assert len(client.notes.of("garbled")) == 16
    assert client.state == "ready"


def test_a_cut_line_at_the_end(qtbot: QtBot, make: Make, expect_log: ExpectedLogs) -> None:
    expect_log("a line without its end")
    expect_log("exited with code 3")
    client = make("--cut-after", 2)
    client.start()
    client.send(ask())
    until(qtbot, client, Failed)
    assert client.notes.kinds("received").count("Delta") == 2
    assert len(client.notes.of("garbled")) == 1


def test_restart_after_a_crash(qtbot: QtBot, make: Make, expect_log: ExpectedLogs) -> None:
    expect_log("The engine crashed")
    client = make()
    client.start()
    qtbot.waitUntil(lambda: client.state == "ready", timeout=20_000)
    os.kill(client.pid, signal.SIGKILL)
    qtbot.waitUntil(lambda: client.state == "stopped", timeout=20_000)
    client.restart()
    client.send(LOAD)
    until(qtbot, client, Loaded)
    assert client.notes.of("state") == ["starting", "ready", "stopped", "starting", "ready"]


def test_restart_of_an_engine_that_hangs(qtbot: QtBot, make: Make) -> None:
    client = make("--deaf", "--stubborn", "--delay", 60)
    client.start()
    client.send(ask("hanging"))
    qtbot.waitUntil(lambda: client.state == "ready", timeout=20_000)
    old = client.pid
    started = time.monotonic()
    client.restart()
    client.send(LOAD)
    until(qtbot, client, Loaded)
    assert time.monotonic() - started < 10
    assert not alive(old)
    assert client.pid != old
    assert client.notes.of("stopped") == [], "it was asked to"
    assert client.notes.kinds("received") == ["Loaded"], "the old request is forgotten"


def test_start_while_shutting_down(qtbot: QtBot, make: Make) -> None:
    client = make("--stubborn")
    client.start()
    qtbot.waitUntil(lambda: client.state == "ready", timeout=20_000)
    client.shut_down()
    assert client.state == "stopped"
    client.start()
    client.send(LOAD)
    until(qtbot, client, Loaded)


def test_shut_down_is_no_failure(qtbot: QtBot, make: Make) -> None:
    client = make("--delay", 0.05, "--deltas", 1000)
    client.start()
    client.send(ask())
    qtbot.waitUntil(lambda: "Delta" in client.notes.kinds("received"), timeout=20_000)
    pid = client.pid
    client.shut_down()
    client.shut_down()
    qtbot.waitUntil(lambda: not alive(pid), timeout=20_000)
    qtbot.waitUntil(lambda: client.pid == 0, timeout=20_000)
    assert client.notes.of("stopped") == []
    assert "Failed" not in client.notes.kinds("received")


def test_shut_down_while_starting(qtbot: QtBot, make: Make) -> None:
    client = make()
    client.start()
    client.shut_down()
    qtbot.waitUntil(lambda: client.pid == 0, timeout=20_000)
    assert client.notes.of("stopped") == []


def test_what_cannot_be_sent_is_answered(qtbot: QtBot, make: Make) -> None:
    client = make()
    client.start()
    qtbot.waitUntil(lambda: client.state == "ready", timeout=20_000)
    client.send(Generate(id="nan", sampling=SamplingOptions(temperature=float("nan"))))
    (failure,) = client.notes.of("received")
    assert (failure.id, failure.code) == ("nan", "bad_request")


def test_in_a_bundle_the_engine_is_beside_the_program(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    monkeypatch.setattr(sys, "executable", "/opt/outpace/outpace")
    program, *arguments = engine_command()
    assert program.removesuffix(".exe") == "/opt/outpace/outpace-engine"
    assert arguments == ["--role", "engine"]


def test_the_real_engine_says_hello_and_goes(qtbot: QtBot, make: Make) -> None:
    client = make(command=engine_command())
    client.start()
    qtbot.waitUntil(lambda: client.state == "ready", timeout=30_000)
    pid = client.pid
    started = time.monotonic()
    client.wait()
    assert time.monotonic() - started < 1.4, "it went by itself"
    assert not alive(pid)
