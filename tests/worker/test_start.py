"""The first seconds of an engine process, and what must never get onto its wire."""

import subprocess
import sys
import time
from pathlib import Path

import pytest

from app import __version__
from app.core.launch import child_command, child_environment
from app.protocol.codec import encode
from app.protocol.messages import PROTOCOL_VERSION, Failed, Generate, Hello, Unload
from tests.helpers.engine_fixtures import SURE
from tests.helpers.engine_process import DRAFTERS, Engine

NOISY = """
import ctypes, os, sys, threading
from app.engine import worker

libc = ctypes.CDLL(None)
send = worker.Wire.send
stop = threading.Event()


def shout():
    while not stop.wait(0.0005):
        libc.printf(b"half a line of native noise, ")
        libc.puts(b"native noise")
        libc.fflush(None)
        os.write(1, b"noise straight to file descriptor 1\\n")


def noisy(wire, event):
    libc.puts(b"before an event")
    libc.fflush(None)
    print("a print of Python", flush=True)
    send(wire, event)
    libc.puts(b"after an event")
    libc.fflush(None)


worker.Wire.send = noisy
thread = threading.Thread(target=shout)
thread.start()
code = worker.main([])
stop.set()
thread.join()
sys.exit(code)
"""


def test_the_first_event_is_hello_and_comes_at_once() -> None:
    with Engine() as engine:
        at, event = engine.next_at()
        assert event == Hello(name="engine", detail=__version__)
        assert at - engine.started < 2.0


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")
def test_the_native_library_is_not_there_before_the_first_model(demo_draft: Path) -> None:
    with Engine() as engine:
        engine.next(Hello)
        maps = Path(f"/proc/{engine.process.pid}/maps")
        engine.send(Unload(id="first"))
        engine.answer("first")
        assert "libllama" not in maps.read_text(encoding="utf-8")
        engine.load(demo_draft)
        assert "libllama" in maps.read_text(encoding="utf-8")


def test_a_window_of_another_version_is_told_and_left() -> None:
    with Engine() as engine:
        engine.next(Hello)
        engine.send(Hello(version=PROTOCOL_VERSION + 1))
        failed = engine.next(Failed)
        assert (failed.id, failed.code) == ("", "version")
        assert failed.sentence == (
            f"Window and engine are of different versions (protocol {PROTOCOL_VERSION + 1}, {PROTOCOL_VERSION})."
        )
        assert engine.expect_end(3) == 0


def test_hello_may_come_late_and_twice(process: Engine) -> None:
    process.send(Hello(name="window"), Hello(name="window"))


def test_arguments_are_refused() -> None:
    done = subprocess.run(
        [*child_command("engine"), "--verbose"], capture_output=True, env=child_environment(), timeout=30, check=False
    )
    assert done.returncode == 2
    assert done.stderr.decode() == "the engine takes no arguments, got ['--verbose']\n"
    assert done.stdout == b""


def test_native_prints_do_not_reach_the_wire(demo_target: Path, demo_draft: Path) -> None:
    with Engine([sys.executable, "-c", NOISY]) as engine:
        engine.load(demo_target, demo_draft)
        for drafter in DRAFTERS:
            # Every line is decoded on its way in: one byte of noise among them fails here.
            assert engine.generate("Hello", drafter=drafter, temperature=0.0).text == SURE
    assert engine.process.returncode == 0
    for noise in ("native noise", "before an event", "a print of Python", "straight to file descriptor 1"):
        assert noise in engine.stderr


def test_a_job_before_any_hello_is_served(demo_target: Path) -> None:
    with Engine() as engine:
        engine.load(demo_target)
        assert engine.generate("Hello", temperature=0.0).text == SURE


def test_an_answer_without_a_model_is_refused_with_a_sentence() -> None:
    with Engine() as engine:
        failed = engine.generate("Hello").failed
        assert (failed.code, failed.sentence, failed.hint) == (
            "no_model",
            "No model is loaded.",
            "Open a model first.",
        )
        engine.send(Generate(id="empty"))
        assert engine.answer("empty").failed.code == "no_model"


def test_an_unwritable_log_is_no_reason_to_fail(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, demo_target: Path
) -> None:
    (tmp_path / "logs" / "engine.log").mkdir(parents=True)
    monkeypatch.setenv("OUTPACE_HOME", str(tmp_path))
    with Engine() as engine:
        engine.load(demo_target)
        engine.send_bytes(b"not a request\n" + encode(Unload(id="unload")))
        assert engine.next(Failed).code == "protocol"
        engine.answer("unload")
    assert engine.stderr == ""


def test_starting_and_ending_is_quick() -> None:
    started = time.perf_counter()
    with Engine() as engine:
        engine.close_stdin()
        assert engine.expect_end(3) == 0
    assert time.perf_counter() - started < 5
