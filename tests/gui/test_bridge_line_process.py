"""Real child processes that end in every way there is."""

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QTimer
from pytestqt.qtbot import QtBot

from app.bridge.engine_client import engine_command
from app.bridge.line_process import LineProcess
from app.bridge.process_outcome import ProcessOutcome
from app.core import log
from app.protocol.codec import ProtocolError, encode
from app.protocol.messages import Cancel, Hello
from tests.conftest import ExpectedLogs
from tests.helpers.bridge_kit import Notebook, alive, fake_command, python

Make = Callable[..., LineProcess]
HELLO = encode(Hello(name="child")).decode().strip()
READ_ON = "import sys; sys.stdin.read()"


@pytest.fixture
def make(qtbot: QtBot) -> Iterator[Make]:
    made: list[LineProcess] = []

    def new(**options: int) -> LineProcess:
        process = LineProcess("The child", **options)
        process.notes = Notebook(received=process.received, garbled=process.garbled, ended=process.ended)
        made.append(process)
        return process

    yield new
    for process in made:
        process.kill()
        process.wait()


def run(qtbot: QtBot, process: LineProcess, program: str, arguments: list[str]) -> ProcessOutcome:
    with qtbot.waitSignal(process.ended, timeout=20_000) as blocker:
        process.start(program, arguments)
        assert process.notes.of("ended") == [], "nobody could have connected by now"
    (outcome,) = blocker.args
    assert not process.running
    return outcome


@pytest.mark.parametrize(
    ("code", "sentence"),
    [
        ("", "The child exited with code 0."),
        ("raise SystemExit(3)", "The child exited with code 3."),
        (
            "import os, signal; os.kill(os.getpid(), signal.SIGKILL)",
            "The child crashed (SIGKILL: killed from outside, perhaps because memory ran out).",
        ),
        (
            "import faulthandler; faulthandler._sigsegv()",
            "The child crashed (SIGSEGV: invalid memory access).",
        ),
        ("import os; os.abort()", "The child crashed (SIGABRT: it gave up by itself)."),
    ],
)
def test_how_it_ended_is_a_sentence(qtbot: QtBot, make: Make, code: str, sentence: str) -> None:
    outcome = run(qtbot, make(), *python(code))
    assert outcome.sentence == sentence
    assert not outcome.asked


def test_programs_that_cannot_be_started(qtbot: QtBot, make: Make, tmp_path: Path) -> None:
    folder, text, broken = tmp_path / "a folder", tmp_path / "größe 'x'.txt", tmp_path / "broken"
    folder.mkdir()
    text.write_text("no program")
    broken.write_bytes(b"\x7fELF nonsense")
    broken.chmod(0o755)
    expected = {
        "/nowhere/outpace-engine": "/nowhere/outpace-engine does not exist",
        str(folder): f"{folder} is a folder",
        str(text): f"{text} may not be executed",
        "": "its program is unknown",
    }
    for program, reason in expected.items():
        outcome = run(qtbot, make(), program, [])
        assert outcome.sentence == f"The child could not be started because {reason}."
    outcome = run(qtbot, make(), str(broken), [])
    assert outcome.kind == "not_started"
    assert outcome.sentence.startswith("The child could not be started because ")
    assert outcome.sentence.endswith(".")
    assert ".." not in outcome.sentence


def test_lines_become_messages(qtbot: QtBot, make: Make) -> None:
    process = make()
    outcome = run(qtbot, process, *python(f"print({HELLO!r}); print({HELLO!r}, end='', flush=True); print()"))
    assert process.notes.of("received") == [Hello(name="child")] * 2
    assert [name for name, _ in process.notes.lines][-1] == "ended", "everything it said comes before its end"
    assert outcome.code == 0


def test_garbage_is_counted_logged_signalled_and_survived(qtbot: QtBot, make: Make, expect_log: ExpectedLogs) -> None:
    log.configure(None, "test", stream=None)
    expect_log(r"The child sent no message: .*llama_decode")
    expect_log(r"The child sent no message: unknown kind 'spell'")
    expect_log(r"The child sent no message: not JSON")
    lines = ["llama_decode: failed", '{"kind": "spell"}', HELLO, r"\xff\x00", ""]
    process = make()
    code = f"import sys; sys.stdout.buffer.write({chr(10).join(lines)!r}.encode('latin-1'))"
    run(qtbot, process, *python(code))
    assert process.garbled_lines == 3
    assert len(process.notes.of("garbled")) == 3
    assert process.notes.of("received") == [Hello(name="child")]


def test_endless_garbage_does_not_fill_the_log(qtbot: QtBot, make: Make, expect_log: ExpectedLogs) -> None:
    ring = log.configure(None, "test", stream=None)
    expect_log("sent no message")
    process = make()
    run(qtbot, process, *python("print('x\\n' * 5000)"))
    assert process.garbled_lines == 5001
    assert len(ring.lines) <= 20


def test_a_cut_line_is_never_parsed(qtbot: QtBot, make: Make, expect_log: ExpectedLogs) -> None:
    expect_log("a line without its end")
    process = make()
    run(qtbot, process, *python(f"import sys; sys.stdout.write({HELLO!r})"))
    assert process.notes.of("received") == []
    assert process.garbled_lines == 1


def test_a_line_over_the_limit_is_skipped(qtbot: QtBot, make: Make, expect_log: ExpectedLogs) -> None:
    expect_log("a line of more than 100000 bytes")
    process = make(max_line=100_000)
    run(qtbot, process, *python(f"print('x' * 3_000_000); print({HELLO!r})"))
    assert process.notes.of("received") == [Hello(name="child")]
    assert process.garbled_lines == 1


def test_stderr_goes_to_the_log_only(qtbot: QtBot, make: Make, capfd: pytest.CaptureFixture[str]) -> None:
    ring = log.configure(None, "test", stream=sys.stderr)
    outcome = run(qtbot, make(), *python("import sys; print('ggml größe: ok\\n' * 30, file=sys.stderr)"))
    assert capfd.readouterr() == ("", "")
    assert sum("The child: ggml größe: ok" in line for line in ring.lines) == 30
    assert outcome.detail.splitlines()[0] == "The child exited with code 0."
    assert len(outcome.tail) == 20
    assert outcome.tail[0] == "ggml größe: ok"


def test_a_flood_on_stderr_is_shortened(qtbot: QtBot, make: Make) -> None:
    ring = log.configure(None, "test", stream=None)
    run(qtbot, make(), *python("import sys; sys.stderr.write(('y' * 5000 + '\\n') * 2000)"))
    assert any(re.search(r"The child: \d+ lines are left out", line) for line in ring.lines)
    assert max(map(len, ring.lines)) < 2100


def test_the_child_gets_messages(qtbot: QtBot, make: Make) -> None:
    process = make()
    echo = "import sys\nfor line in sys.stdin: print(line, end='', flush=True)"
    process.start(*python(echo))
    with qtbot.waitSignal(process.received, timeout=20_000):
        assert process.send(Cancel(id="größe \u2028"))
    assert process.notes.of("received") == [Cancel(id="größe \u2028")]


def test_a_message_over_the_limit_is_not_sent(make: Make) -> None:
    with pytest.raises(ProtocolError, match="over the limit of 1000"):
        make(max_line=1000).send(Cancel(id="x" * 1000))


def test_nothing_is_sent_to_a_child_that_is_gone(qtbot: QtBot, make: Make) -> None:
    process = make()
    assert not process.send(Cancel(id="x"))
    run(qtbot, process, *python(""))
    assert not process.send(Cancel(id="x"))
    process.shut_down()
    process.wait()


def test_a_child_that_does_not_read(qtbot: QtBot, make: Make) -> None:
    process = make()
    process.start(*python("import sys, os, time; os.close(0); time.sleep(0.3)"))
    with qtbot.waitSignal(process.ended, timeout=20_000):
        while process.running:
            process.send(Cancel(id="y" * 10_000))
            qtbot.wait(5)


def test_shut_down_by_message(qtbot: QtBot, make: Make) -> None:
    process = make()
    program, *arguments = fake_command()
    with qtbot.waitSignal(process.received, timeout=20_000):
        process.start(program, arguments)
    started = time.monotonic()
    with qtbot.waitSignal(process.ended, timeout=20_000) as blocker:
        process.shut_down()
        process.shut_down()
        assert not process.send(Cancel(id="x"))
    assert time.monotonic() - started < 1.4, "it ended by itself"
    assert blocker.args[0].asked
    assert blocker.args[0].code == 0


def test_shut_down_by_closing_stdin(qtbot: QtBot, make: Make) -> None:
    process = make()
    process.start(*python(f"print({HELLO!r}, flush=True); {READ_ON}"))
    qtbot.waitUntil(lambda: process.notes.of("received") != [], timeout=20_000)
    with qtbot.waitSignal(process.ended, timeout=1400):
        process.shut_down()


def test_shut_down_ends_with_force_and_the_event_loop_goes_on(qtbot: QtBot, make: Make) -> None:
    process = make()
    program, *arguments = fake_command("--stubborn")
    with qtbot.waitSignal(process.received, timeout=20_000):
        process.start(program, arguments)
    ticks: list[float] = []
    timer = QTimer(process, interval=10)
    timer.timeout.connect(lambda: ticks.append(time.monotonic()))
    timer.start()
    with qtbot.waitSignal(process.ended, timeout=20_000) as blocker:
        started = time.monotonic()
        process.shut_down()
        assert time.monotonic() - started < 1
    timer.stop()
    assert blocker.args[0].kind == "crashed"
    assert blocker.args[0].code == signal.SIGKILL
    assert 2.7 < time.monotonic() - started < 20
    assert len(ticks) > 100


@pytest.mark.parametrize("arguments", [(), ("--stubborn",)])
def test_wait_leaves_no_process(qtbot: QtBot, make: Make, arguments: tuple[str, ...]) -> None:
    process = make()
    program, *rest = fake_command(*arguments)
    with qtbot.waitSignal(process.received, timeout=20_000):
        process.start(program, rest)
    pid = process.pid
    assert alive(pid)
    process.wait()
    assert not alive(pid)
    process.wait()


def test_a_backlog_does_not_stop_the_event_loop(qtbot: QtBot, make: Make) -> None:
    process = make()
    lines = 20_000
    code = f"import sys; sys.stdout.write(({HELLO!r} + chr(10)) * {lines})"
    ticks: list[int] = []
    timer = QTimer(process, interval=0)
    timer.timeout.connect(lambda: ticks.append(len(process.notes.lines)))
    timer.start()
    run(qtbot, process, *python(code))
    timer.stop()
    assert len(process.notes.of("received")) == lines
    longest = max(two - one for one, two in zip(ticks, [*ticks[1:], lines], strict=True))
    assert longest < lines / 10, "many lines at once would block painting"


def test_python_finds_the_package_from_anywhere(
    qtbot: QtBot, make: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "app").mkdir()
    (tmp_path / "app" / "__main__.py").write_text("raise SystemExit('the wrong app')")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONSAFEPATH", "1")
    outcome = run(qtbot, make(), sys.executable, ["-m", "app", "--role", "nonsense"])
    assert outcome.code == 2
    assert "unknown role 'nonsense'" in outcome.detail


ORPHANAGE = """
import sys
from PySide6.QtCore import QCoreApplication
from app.bridge.line_process import LineProcess
application = QCoreApplication([])
process = LineProcess("The child")
process.received.connect(lambda _: print(process.pid, flush=True))
process.start(sys.argv[1], sys.argv[2:])
application.exec()
"""


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX signals")
@pytest.mark.parametrize("child", [fake_command(), engine_command()], ids=["fake", "real"])
def test_a_killed_window_leaves_no_orphan(child: tuple[str, ...]) -> None:
    root = Path(__file__).parents[2]
    command = [sys.executable, "-c", ORPHANAGE, *child]
    with subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        cwd=root,
        env={**os.environ, "PYTHONPATH": str(root)},
    ) as window:
        assert window.stdout is not None
        pid = int(window.stdout.readline())
        assert alive(pid)
        window.kill()
        window.wait()
        window.stdout.close()
    deadline = time.monotonic() + 3
    while alive(pid) and time.monotonic() < deadline:
        time.sleep(0.02)
    assert not alive(pid)
