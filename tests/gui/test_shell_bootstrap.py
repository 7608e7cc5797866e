"""The program as it is started, with the real engine and the demo pair."""

import json
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from PySide6.QtGui import QImage

from app import bootstrap
from app.core import paths

ROOT = paths.resources().parent
TIMEOUT_S = 60


def environment(**more: str) -> dict[str, str]:
    return {**os.environ, "QT_QPA_PLATFORM": "offscreen", "PYTHONPATH": str(ROOT), **more}


def command(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "app", *arguments]


def run(*arguments: str, **more: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command(*arguments), env=environment(**more), capture_output=True, text=True, timeout=TIMEOUT_S, check=False
    )


def engines_of(pid: int) -> list[int]:
    """Child processes of `pid` that run now (Linux)."""
    found = []
    for entry in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = entry.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[1]) == pid:
            found.append(int(entry.parent.name))
    return found


def alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


needs_proc = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="reads /proc")


def wait_until(condition, timeout: float = 20.0) -> None:
    deadline = time.monotonic() + timeout
    while not condition():
        assert time.monotonic() < deadline, "waited in vain"
        time.sleep(0.02)


@pytest.fixture
def started():
    """Starts the program; ends it if the test did not."""
    running: list[subprocess.Popen[str]] = []

    def start(*arguments: str, **more: str) -> subprocess.Popen[str]:
        process = subprocess.Popen(
            command(*arguments), env=environment(**more), stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        running.append(process)
        return process

    yield start
    for process in running:
        if process.poll() is None:
            process.kill()
        process.communicate()


def test_starts_shows_the_window_and_ends(tmp_path) -> None:
    picture = tmp_path / "window.png"
    done = run("--quit-after", "2500", "--screenshot", str(picture))
    assert (done.returncode, done.stderr, done.stdout) == (0, "", "")
    image = QImage(str(picture))
    assert image.width() > 600
    assert len({image.pixel(x, y) for x in range(0, image.width(), 7) for y in range(0, image.height(), 7)}) > 20
    profile = Path(os.environ[paths.HOME_VARIABLE])
    state = json.loads((profile / "config" / "window.json").read_text())
    assert state["geometry"]
    assert not any("Traceback" in log.read_text() for log in (profile / "logs").glob("*.log"))


@needs_proc
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_polite_kill_closes_the_window_and_its_engine(started, number) -> None:
    process = started()
    wait_until(lambda: engines_of(process.pid))
    time.sleep(0.5)
    engines = engines_of(process.pid)
    process.send_signal(number)
    _, errors = process.communicate(timeout=TIMEOUT_S)
    assert (process.returncode, errors) == (0, "")
    wait_until(lambda: not any(alive(pid) for pid in engines), 3)


@needs_proc
def test_a_killed_window_leaves_no_engine_after_three_seconds(started) -> None:
    process = started()
    wait_until(lambda: engines_of(process.pid))
    time.sleep(0.5)
    engines = engines_of(process.pid)
    process.kill()
    process.wait(TIMEOUT_S)
    wait_until(lambda: not any(alive(pid) for pid in engines), 3)


def test_without_a_screen_there_is_a_sentence() -> None:
    environment = {k: v for k, v in os.environ.items() if k not in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM")}
    done = subprocess.run(
        command(), env={**environment, "PYTHONPATH": str(ROOT)}, capture_output=True, text=True, timeout=60, check=False
    )
    if not sys.platform.startswith("linux"):
        pytest.skip("only X11 and Wayland can be missing")
    assert done.returncode == 1
    assert "needs a screen" in done.stderr
    assert "outpace-cli" in done.stderr
    assert "Traceback" not in done.stderr


def test_wrong_options_are_a_sentence_and_code_2() -> None:
    for arguments, words in ((("--draft", "d.gguf"), "--draft needs --model"), (("--nonsense",), "--nonsense")):
        done = run(*arguments)
        assert done.returncode == 2
        assert words in done.stderr
        assert "Traceback" not in done.stderr


def test_version_and_help() -> None:
    assert run("--version").stdout.startswith("Outpace ")
    shown = run("--help").stdout
    assert "--model" in shown
    assert "--quit-after" not in shown


@pytest.mark.parametrize("content", ["{", "[]", '{"theme": "pink", "sampling": {"temperature": "hot"}}', ""])
def test_damaged_settings_do_not_keep_it_from_starting(content) -> None:
    config = Path(os.environ[paths.HOME_VARIABLE]) / "config"
    config.mkdir(parents=True)
    (config / "settings.json").write_text(content)
    (config / "window.json").write_text(content)
    (config / "presets.json").write_text(content)
    done = run("--quit-after", "1000")
    assert (done.returncode, done.stderr) == (0, "")


def test_a_profile_that_cannot_be_written_does_not_keep_it_from_starting(tmp_path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("in the way")
    done = run("--quit-after", "1000", OUTPACE_HOME=str(blocked))
    assert done.returncode == 0
    assert "Traceback" not in done.stderr
    assert "no log file" in done.stderr


def test_a_model_named_on_the_command_line_is_remembered(tmp_path) -> None:
    folder = tmp_path / "Modelle mit Größe"
    folder.mkdir()
    target, draft = (folder / f"{name}.gguf" for name in ("target", "draft"))
    for copy, original in zip((target, draft), paths.demo_pair(), strict=True):
        copy.write_bytes(original.read_bytes())
    file = Path(os.environ[paths.HOME_VARIABLE]) / "config" / "settings.json"
    started = subprocess.Popen(
        command("--model", str(target), "--draft", str(draft)), env=environment(), stderr=subprocess.PIPE, text=True
    )
    deadline = time.monotonic() + TIMEOUT_S
    while time.monotonic() < deadline and not (file.is_file() and json.loads(file.read_text()).get("last")):
        time.sleep(0.05)
    started.terminate()
    _, said = started.communicate(timeout=TIMEOUT_S)
    assert (started.returncode, said) == (0, "")
    last = json.loads(file.read_text())["last"]
    assert (last["target"], last["draft"]) == (str(target), str(draft))


def test_a_model_that_is_missing_is_no_reason_to_end(tmp_path) -> None:
    done = run("--model", str(tmp_path / "none.gguf"), "--quit-after", "3000")
    assert (done.returncode, "Traceback" in done.stderr) == (0, False)


# --- faults --------------------------------------------------------------------------------------------------------


@pytest.fixture
def faults(qapp):
    hooks = sys.excepthook, threading.excepthook
    made = bootstrap.Faults()
    made.install()
    yield made
    made.uninstall()
    assert (sys.excepthook, threading.excepthook) == hooks
    made.deleteLater()


def fail() -> None:
    raise ValueError("a slip in a slot")


def test_a_fault_is_logged_and_told(faults, qtbot, expect_log) -> None:
    expect_log("a slip in a slot")
    with qtbot.waitSignal(faults.reported) as seen:
        try:
            fail()
        except ValueError:
            sys.excepthook(*sys.exc_info())
    assert "a slip in a slot" in seen.args[0]
    banner = bootstrap._fault_banner(seen.args[0])
    assert "Traceback" not in banner.sentence + banner.hint
    assert "Traceback" in banner.detail


def test_a_fault_in_a_thread_is_told_in_the_windows_thread(faults, qtbot, expect_log) -> None:
    expect_log("a slip in a slot")
    heard_in: list[threading.Thread] = []
    faults.reported.connect(lambda _detail: heard_in.append(threading.current_thread()))
    thread = threading.Thread(target=fail)
    thread.start()
    thread.join()
    qtbot.waitUntil(lambda: bool(heard_in))
    assert heard_in == [threading.main_thread()]


def test_a_file_by_itself_is_the_model_and_two_models_are_refused(capsys) -> None:
    assert bootstrap.main(["a.gguf", "--model", "b.gguf"]) == 2
    assert "one model at a time" in capsys.readouterr().err
    options = bootstrap._parser().parse_args(["a.gguf", "--draft", "b.gguf"])
    assert (options.file, options.draft) == ("a.gguf", "b.gguf")
