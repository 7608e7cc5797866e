"""How an engine process ends: told to, left alone, killed. It never outlives its window by more than three seconds."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from app.core.launch import child_command, child_environment
from app.protocol.codec import encode
from app.protocol.messages import Delta, Finished, Load, Loaded, Progress, Shutdown
from tests.helpers.engine_process import Engine, GoneError, question

ORPHAN_S = 3.0
LONG = " ".join(str(number) for number in range(1, 1500))
"""About 7,000 tokens for gemma: many seconds of prefill."""

Busy = Callable[[Engine], object]


def idle(engine: Engine) -> None:
    pass


def answering(engine: Engine, drafter: str = "draft_model") -> str:
    """Returns after the first token of a long answer."""
    request = question("Tell me everything about lists.", drafter=drafter, max_tokens=2000)  # type: ignore[arg-type]
    engine.send(request)
    engine.next(Delta)
    return request.id


def prefilling(engine: Engine) -> str:
    """Returns inside of the first pass of a long prefill."""
    request = question(LONG, raw=True, max_tokens=5)
    engine.send(request)
    engine.next(Progress)
    time.sleep(0.2)
    return request.id


@pytest.mark.parametrize("busy", [idle, answering])
def test_the_end_of_stdin_ends_the_process(demo_target: Path, demo_draft: Path, busy: Busy) -> None:
    with Engine() as engine:
        engine.load(demo_target, demo_draft)
        busy(engine)
        engine.close_stdin()
        assert engine.expect_end(ORPHAN_S) == 0


def test_the_end_of_stdin_ends_a_prefill(gemma: Path) -> None:
    with Engine() as engine:
        engine.load(gemma)
        prefilling(engine)
        engine.close_stdin()
        assert engine.expect_end(ORPHAN_S) == 0


@pytest.mark.parametrize("delay_s", [0.0, 0.3])
def test_the_end_of_stdin_ends_a_load(gemma: Path, delay_s: float) -> None:
    with Engine() as engine:
        engine.next_at()
        engine.send(Load(id="load", target=str(gemma)))
        time.sleep(delay_s)
        engine.close_stdin()
        assert engine.expect_end(ORPHAN_S) == 0


def test_a_window_that_reads_no_more_holds_nothing_back(demo_target: Path) -> None:
    # Nobody reads stdout: the pipe is full soon, and the engine stands in the middle of a write.
    requests = Load(id="load", target=str(demo_target)), *(question("Hello", max_tokens=9) for _ in range(500))
    process = subprocess.Popen(
        child_command("engine"), stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=child_environment()
    )
    try:
        assert process.stdin is not None
        process.stdin.write(b"".join(map(encode, requests)))
        process.stdin.flush()
        with pytest.raises(subprocess.TimeoutExpired):
            process.wait(3)
        process.stdin.close()
        assert process.wait(ORPHAN_S) == 0
    finally:
        process.kill()
        process.wait()
        assert process.stdout is not None
        process.stdout.close()


WINDOW = """
import subprocess, sys
from app.core.launch import child_command
engine = subprocess.Popen(child_command("engine"), stdin=subprocess.PIPE, stdout=subprocess.PIPE)
engine.stdin.write(sys.stdin.buffer.read())
engine.stdin.flush()
for line in engine.stdout:
    if b'"kind":"delta"' in line:
        break
print(engine.pid, flush=True)
engine.wait()
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")
def test_a_killed_window_leaves_no_engine(demo_target: Path) -> None:
    window = subprocess.Popen(
        [sys.executable, "-c", WINDOW], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=child_environment()
    )
    assert window.stdin is not None
    assert window.stdout is not None
    with window.stdin as stdin, window.stdout as stdout:
        stdin.write(encode(Load(id="load", target=str(demo_target))) + encode(question("Hello", max_tokens=9)) * 2000)
        stdin.close()
        pid = int(stdout.readline())
        assert alive(pid)
        window.kill()
        window.wait()
        deadline = time.perf_counter() + ORPHAN_S
        while alive(pid) and time.perf_counter() < deadline:
            time.sleep(0.02)
        assert not alive(pid)


def alive(pid: int) -> bool:
    try:
        return ") Z " not in Path(f"/proc/{pid}/stat").read_text(encoding="ascii")
    except (FileNotFoundError, ProcessLookupError):
        return False


def test_a_killed_engine_is_seen_at_once(demo_target: Path, demo_draft: Path) -> None:
    with Engine() as engine:
        engine.load(demo_target, demo_draft)
        answering(engine)
        engine.process.kill()
        killed = time.perf_counter()
        with pytest.raises(GoneError):
            engine.next(Finished)
        assert time.perf_counter() - killed < 1
        assert engine.process.returncode == -signal.SIGKILL


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
def test_ctrl_c_is_not_for_the_engine(demo_target: Path, demo_draft: Path) -> None:
    # In a terminal it reaches every process. The window decides what it means, and the answer goes on until then.
    with Engine() as engine:
        engine.load(demo_target, demo_draft)
        request = answering(engine)
        os.kill(engine.process.pid, signal.SIGINT)
        assert engine.answer(request, 60).finished.reason in ("end", "token_limit", "context_limit")
        assert engine.stderr == ""


def test_shutdown_of_an_idle_engine() -> None:
    with Engine() as engine:
        engine.send(Shutdown())
        assert engine.expect_end(ORPHAN_S) == 0


def test_shutdown_ends_the_answer_first(demo_target: Path, demo_draft: Path) -> None:
    with Engine() as engine:
        engine.load(demo_target, demo_draft)
        running = answering(engine)
        waiting = [question("Hello") for _ in range(3)]
        engine.send(*waiting)
        engine.send(Shutdown())
        asked = time.perf_counter()
        stopped = engine.answer(running)
        assert stopped.finished.reason == "cancelled"
        assert stopped.at[-1] - asked < 2
        for request in waiting:
            answer = engine.answer(request.id)
            assert (answer.finished.reason, answer.tokens) == ("cancelled", [])
        assert engine.expect_end(ORPHAN_S) == 0


def test_shutdown_ends_a_prefill(gemma: Path) -> None:
    with Engine() as engine:
        engine.load(gemma)
        running = prefilling(engine)
        engine.send(Shutdown())
        assert engine.answer(running, 1).finished.reason == "cancelled"
        assert engine.expect_end(ORPHAN_S) == 0


def test_what_was_asked_after_shutdown_is_not_done(demo_target: Path) -> None:
    with Engine() as engine:
        engine.next_at()
        engine.send(Shutdown(), Load(id="late", target=str(demo_target)))
        with pytest.raises(GoneError):
            engine.next(Loaded)
        assert engine.expect_end(ORPHAN_S) == 0
