"""Two starts on one profile."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
from PySide6.QtNetwork import QLocalSocket

from app.bridge.single_instance import SingleInstance
from app.chat.settings import Pair
from app.core import paths

WAIT_MS = 10_000
ASK = """
import sys
from pathlib import Path
from PySide6.QtCore import QCoreApplication
app = QCoreApplication([])
from app.bridge.single_instance import SingleInstance
from app.chat.settings import Pair
second = SingleInstance(Path(sys.argv[1]))
claimed = second.claim()
print(claimed, second.ask_first(Pair(target=sys.argv[2]) if len(sys.argv) > 2 else None))
"""


@pytest.fixture
def first(qapp, tmp_path):
    made = SingleInstance(tmp_path / "config")
    yield made
    made.release()
    made.deleteLater()


def second_start(*arguments: str) -> subprocess.Popen[str]:
    environment = {**os.environ, "PYTHONPATH": str(paths.resources().parent)}
    return subprocess.Popen([sys.executable, "-c", ASK, *arguments], env=environment, stdout=subprocess.PIPE, text=True)


@pytest.mark.parametrize("target", ["", "/models/Größe 8B.gguf"])
def test_a_second_start_asks_the_first(first, qtbot, tmp_path, target) -> None:
    assert first.claim()
    other = second_start(str(tmp_path / "config"), *([target] if target else []))
    with qtbot.waitSignal(first.asked, timeout=WAIT_MS) as heard:
        pass
    assert heard.args == [Pair(target=target) if target else None]
    assert other.communicate(timeout=20)[0].split() == ["False", "True"]


def test_another_profile_is_none_of_its_business(first, qapp, tmp_path) -> None:
    assert first.claim()
    other = SingleInstance(tmp_path / "elsewhere")
    assert other.claim()
    other.release()
    again = SingleInstance(tmp_path / "elsewhere")
    assert again.claim()
    again.release()
    for made in (other, again):
        made.deleteLater()


def test_a_lock_of_a_program_that_was_killed_is_no_lock(first, tmp_path) -> None:
    folder = tmp_path / "config"
    code = ASK.split("second =", 1)[0] + "import time\none = SingleInstance(Path(sys.argv[1]))\n"
    code += "print(one.claim(), flush=True)\ntime.sleep(60)\n"
    environment = {**os.environ, "PYTHONPATH": str(paths.resources().parent)}
    killed = subprocess.Popen(
        [sys.executable, "-c", code, str(folder)], env=environment, stdout=subprocess.PIPE, text=True
    )
    assert killed.stdout.readline() == "True\n"
    assert not first.claim()
    killed.kill()
    killed.communicate()
    assert first.claim()


def test_where_no_lock_can_be_made_nobody_is_kept_out(qapp, tmp_path) -> None:
    (tmp_path / "file").write_text("in the way")
    made = SingleInstance(tmp_path / "file" / "config")
    assert made.claim()
    made.deleteLater()


@pytest.mark.parametrize("line", [b"\n", b"{\n", b"[]\n", b'{"target": 3}\n', b"\xff\n", b"[" * 5000 + b"\n"])
def test_whatever_is_said_to_it_is_harmless(first, qtbot, line) -> None:
    assert first.claim()
    socket = QLocalSocket()
    socket.connectToServer(first._name)
    assert socket.waitForConnected(2000)
    socket.write(line)
    with qtbot.waitSignal(first.asked, timeout=WAIT_MS) as heard:
        pass
    assert heard.args == [None]
    socket.abort()
    qtbot.wait(20)


def test_the_program_itself_ends_when_it_runs_already() -> None:
    environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen", "PYTHONPATH": str(paths.resources().parent)}
    command = [sys.executable, "-m", "app", "--quit-after"]
    one = subprocess.Popen([*command, "9000"], env=environment, stderr=subprocess.PIPE, text=True)
    lock = Path(os.environ[paths.HOME_VARIABLE]) / "config" / "window.lock"
    deadline = time.monotonic() + 20
    while not lock.exists():
        assert time.monotonic() < deadline
        time.sleep(0.02)
    two = subprocess.run([*command, "60000"], env=environment, capture_output=True, text=True, timeout=30, check=False)
    assert (two.returncode, two.stderr, two.stdout) == (0, "", "")
    assert one.poll() is None
    one.terminate()
    # Offscreen, a window cannot come forward and says so: it was asked to.
    assert "raise()" in one.communicate(timeout=30)[1]
    assert one.returncode == 0
