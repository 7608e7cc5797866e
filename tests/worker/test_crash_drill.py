"""The window is killed again and again while it streams; nothing it had stored may be missing.

`OUTPACE_DRILL_ROUNDS=50` makes it the full drill; the normal run does a few rounds.
"""

import itertools
import json
import os
import random
import subprocess
import sys
import time
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from app.core import paths
from app.store.history import HistoryRepository
from app.store.rows import MessageRow
from tests.conftest import ExpectedLogs
from tests.helpers.controller_kit import Desk

ROUNDS = int(os.environ.get("OUTPACE_DRILL_ROUNDS", "3"))
SCRIPT = Path(__file__).parents[1] / "helpers" / "drill_window.py"
WHOLE = "".join(f"wörter {number} " for number in range(400))


class Drill:
    def __init__(self, home: Path) -> None:
        self.home = home
        self.database = paths.below(home).database
        self.journal, self.record = home / "journal", home / "record"
        self.asked: set[str] = set()
        self.shown: dict[str, int] = {}

    def run_and_kill(self, streaming_s: float) -> float:
        """Start the program, let it stream for so long, kill it; when that was (monotonic)."""
        self.journal.unlink(missing_ok=True)
        environment = {**os.environ, "OUTPACE_HOME": str(self.home), "PYTHONPATH": str(paths.resources().parent)}
        window = subprocess.Popen(
            [sys.executable, str(SCRIPT), str(self.journal), str(self.record)],
            env=environment,
            stderr=subprocess.PIPE,
            text=True,
        )
        try:
            began = time.monotonic()
            # It is made with the first text that is shown.
            while not self.journal.exists():
                assert window.poll() is None, window.communicate()[1]
                assert time.monotonic() - began < 60, "it does not stream"
                time.sleep(0.02)
            time.sleep(streaming_s)
            assert window.poll() is None
        finally:
            killed = time.monotonic()
            window.kill()
            _, errors = window.communicate()
        assert "Traceback" not in errors
        return killed

    def stored(self) -> dict[str, MessageRow]:
        repository = HistoryRepository(self.database)
        assert repository.notices == ()
        chats = [repository.load(chat.id) for chat in repository.chats()]
        repository.close()
        return {message.id: message for chat in chats if chat is not None for message in chat.messages}

    def check(self, killed: float) -> None:
        """Everything the engine saw, and every text that was shown more than a second before, is there."""
        messages = self.stored()
        for line in self.record.read_text("utf-8").splitlines():
            try:
                request = json.loads(line)
            except ValueError:
                continue  # the engine was killed while it wrote this
            if request["kind"] == "generate":
                # A question whose answer had no text yet is asked together with the next one.
                self.asked.update(request["turns"][-1]["content"].split("\n\n"))
        questions = {message.text for message in messages.values() if message.role == "user"}
        assert not self.asked - questions
        for line in self.journal.read_text().splitlines():
            moment, name, length = line.split()
            if float(moment) < killed - 1.0:
                self.shown[name] = int(length)
        for name, length in self.shown.items():
            assert len(messages[name].text) >= length
        for message in messages.values():
            if message.role == "assistant":
                assert WHOLE.startswith(message.text)
                assert message.parent in messages


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="kills processes as POSIX does")
def test_no_kill_loses_what_was_stored(tmp_path: Path) -> None:
    drill = Drill(tmp_path)
    chance = random.Random(2024)
    streaming = 0
    for _ in range(ROUNDS):
        drill.check(drill.run_and_kill(chance.uniform(0.0, 2.5)))
        streaming += sum(message.status == "streaming" for message in drill.stored().values())
    assert drill.asked
    assert drill.shown
    assert streaming, "no kill hit an answer"
    # A last start mends what the kills left, and the program goes on with the same chats.
    drill.run_and_kill(0.5)
    broken = [m for m in drill.stored().values() if m.status == "streaming"]
    assert len(broken) <= 1, "only the answer of the last run"
    statuses = {m.status for m in drill.stored().values() if m not in broken}
    assert "interrupted" in statuses
    parents = [m.parent for m in drill.stored().values() if m.role == "user"]
    assert any(itertools.compress(parents, parents)), "a chat was continued after a kill"


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="kills processes as POSIX does")
def test_no_death_of_the_engine_loses_a_message(
    qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, expect_log: ExpectedLogs
) -> None:
    expect_log("engine")
    monkeypatch.setenv("PYTHONPATH", str(paths.resources().parent))
    desk = Desk(qtbot, tmp_path, "--deltas", 300, "--delay", "0.002", history=True)
    desk.start()
    chance = random.Random(2025)
    shown: list[str] = []
    for number in range(ROUNDS):
        assert desk.controller.send_text(f"question {number}")
        desk.until_text()
        qtbot.wait(chance.randrange(300))
        desk.kill_engine()
        assert desk.last.status == "interrupted"
        shown.append(desk.last.text)
        desk.controller.run_banner_action("restart")
        desk.until_phase("idle")
    assert desk.ask("and now?").status == "complete"
    desk.controller.shut_down()
    repository = HistoryRepository(desk.history_file)
    (chat,) = repository.chats()
    messages = repository.load(chat.id).messages
    repository.close()
    assert [m.text for m in messages][::2] == [*(f"question {number}" for number in range(ROUNDS)), "and now?"]
    assert [m.text for m in messages][1:-1:2] == shown
