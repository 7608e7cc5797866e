"""Faults of the disk, in the whole window: it starts, keeps what can be read, says what happened, and goes on."""

import errno
import os
import shutil
import sqlite3
from pathlib import Path

import pytest
from PySide6.QtCore import Qt

from app.chat.presets import Preset, export_preset
from app.core import paths, replacing
from app.core.errors import AppError
from app.store.history import HistoryRepository
from app.store.schema import MIGRATIONS
from tests.helpers.window_kit import Room, rooms


@pytest.fixture
def build(qapp, qtbot, tmp_path, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", str(paths.resources().parent))
    with rooms(qapp) as made:

        def new(*engine: object, folder: Path = tmp_path) -> Room:
            made.append(Room(qtbot, folder, *engine))
            return made[-1]

        yield new


def leave(room: Room) -> None:
    """End the program properly; the room is closed again at the end of the test, which does no harm."""
    room.controller.shut_down()


def truncated(file: Path) -> None:
    file.write_bytes(file.read_bytes()[:5000])


def emptied(file: Path) -> None:
    file.write_bytes(bytes(file.stat().st_size))


def newer(file: Path) -> None:
    connection = sqlite3.connect(file)
    connection.execute(f"PRAGMA user_version = {len(MIGRATIONS) + 1}")
    connection.close()


def older(file: Path) -> None:
    connection = sqlite3.connect(file)
    connection.executescript("ALTER TABLE chat DROP COLUMN options; PRAGMA user_version = 1")
    connection.close()


@pytest.mark.parametrize(
    ("harm", "said"),
    [
        (truncated, "was damaged"),
        (emptied, "was damaged"),
        (newer, "was written by a newer Outpace"),
        (older, ""),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_a_harmed_history_is_said_and_the_chat_goes_on(build, tmp_path: Path, harm, said: str) -> None:
    first = build()
    first.ask("one")
    leave(first)
    file = tmp_path / "history.db"
    harm(file)
    before = file.read_bytes()
    second = build()
    if said:
        second.until(lambda: second.window.notes.banner is not None)
        assert said in second.window.notes.banner.sentence
    else:
        second.until(lambda: second.controller.conversation.messages)
        assert second.window.notes.banner is None
        assert file.with_name("history.version-1.db").exists(), "a copy before the migration"
    second.ask("two")
    assert second.controller.conversation.last.status == "complete"
    leave(second)
    kept = sorted(path.name for path in tmp_path.glob("history*.db"))
    if harm is newer:
        assert file.read_bytes() == before, "not touched"
    else:
        assert len(kept) == 2, "what was there is kept beside it"
        repository = HistoryRepository(file)
        texts = [m.text for chat in repository.chats() for m in repository.load(chat.id).messages]
        assert "two" in texts
        assert repository.notices == ()
        repository.close()


@pytest.mark.parametrize("moment", [0.2, 0.6, 1.3])
def test_a_power_cut_in_the_middle_of_an_answer(build, tmp_path: Path, moment: float) -> None:
    """What is on the disk at some moment is a history with the question and the answer as far as it was stored."""
    room = build("--deltas", 4000, "--delay", "0.005")
    room.window.composer.put_text("a question")
    room.qtbot.keyClick(room.window.composer.edit, Qt.Key.Key_Return)
    room.until(lambda: room.controller.phase == "streaming")
    room.qtbot.wait(round(1000 * moment))
    after = tmp_path / "after"
    after.mkdir()
    # The log last, as a disk might: it can be ahead of the file, never behind.
    for name in ("history.db", "history.db-wal"):
        if (tmp_path / name).exists():
            shutil.copy(tmp_path / name, after / name)
    room.controller.stop()
    room.until(lambda: room.controller.phase == "idle")
    whole = room.controller.conversation.last.text
    repository = HistoryRepository(after / "history.db")
    assert repository.notices == ()
    (chat,) = repository.chats()
    question, *answers = repository.load(chat.id).messages
    assert question.text == "a question"
    assert all(whole.startswith(answer.text) for answer in answers)
    repository.close()
    again = build(folder=after)
    again.until(lambda: again.controller.conversation.messages)
    assert again.controller.conversation.messages[0].text == "a question"
    again.ask("and now?")
    assert again.controller.conversation.last.status == "complete"


def test_a_full_disk_leaves_an_exported_file_as_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "preset.json"
    export_preset(Preset(name="one"), path)
    before = path.read_bytes()

    def full(_descriptor: int, _mode: str):
        os.close(_descriptor)
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(replacing.os, "fdopen", full)
    with pytest.raises(AppError, match=r"could not be written \(No space left on device\)"):
        export_preset(Preset(name="two"), path)
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]
