"""Files that are new, old, newer, damaged, foreign or out of reach."""

import os
import sqlite3
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

import pytest

from app.core.errors import AppError, EnvironmentFault
from app.store.database import open_database
from app.store.faults import DamagedHistory
from app.store.history import HistoryRepository
from app.store.rows import ChatRow, MessageRow
from app.store.schema import MIGRATIONS


def fill(path: Path, count: int = 40) -> None:
    history = HistoryRepository(path)
    for number in range(count):
        chat = ChatRow(id=f"c{number}", title=f"chat {number}", created=1.0, changed=float(number))
        question, answer = (
            MessageRow(
                id=f"{name}{number}",
                chat=chat.id,
                parent=parent,
                role=role,
                status="complete",
                created=1.0,
                text=f"{role} {number} " * 60,
            )
            for name, parent, role in (("q", "", "user"), ("a", f"q{number}", "assistant"))
        )
        history.write(chat, (question, answer))
    history.close()


def codes(history: HistoryRepository) -> list[str]:
    return [notice.code for notice in history.notices]


def set_aside(path: Path) -> list[Path]:
    return sorted(path.parent.glob("history.damaged-*.db"))


def raw_write(path: Path, sql: str) -> None:
    connection = sqlite3.connect(path)
    connection.executescript(sql)
    connection.close()


@pytest.fixture
def path(tmp_path) -> Path:
    return tmp_path / "data" / "history.db"


def test_settings_of_the_file(path) -> None:
    fill(path, 1)
    database = open_database(path)
    ask = database.connection.execute
    assert [ask(f"PRAGMA {name}").fetchone()[0] for name in ("journal_mode", "synchronous", "user_version")] == [
        "wal",
        1,
        len(MIGRATIONS),
    ]
    database.close()


def test_an_empty_file_is_a_new_history(path) -> None:
    path.parent.mkdir()
    path.touch()
    history = HistoryRepository(path)
    assert (codes(history), history.is_lasting, history.chats()) == ([], True, ())
    history.close()


def cut(content: bytes) -> bytes:
    return content[: len(content) // 2]


def cut_short(content: bytes) -> bytes:
    return content[:50]


def holes(content: bytes) -> bytes:
    third = len(content) // 3
    return content[:third] + bytes(third) + content[2 * third :]


def nuls(content: bytes) -> bytes:
    return bytes(len(content))


def words(content: bytes) -> bytes:
    return b"this is a letter to my aunt " * 500


def noise(content: bytes) -> bytes:
    return content[:4096] + os.urandom(len(content) - 4096)


@pytest.mark.parametrize("harm", [cut, cut_short, holes, nuls, words, noise])
def test_a_damaged_file_is_set_aside_and_the_history_starts_anew(path, harm) -> None:
    fill(path)
    damaged = harm(path.read_bytes())
    path.write_bytes(damaged)
    history = HistoryRepository(path)
    assert codes(history) == ["history_damaged"]
    assert history.is_lasting
    assert [kept.read_bytes()[:4096] for kept in set_aside(path)] == [damaged[:4096]]
    assert set_aside(path)[0].name in history.notices[0].text
    history.write(ChatRow(id="new", created=1.0, changed=99.0))
    assert history.chats()[0].id == "new"
    history.close()
    again = HistoryRepository(path)
    assert (codes(again), len(set_aside(path))) == ([], 1)
    again.close()


OLD = "ALTER TABLE chat DROP COLUMN options; PRAGMA user_version = 1"


@pytest.mark.parametrize("old", [False, True])
def test_what_can_be_read_of_a_damaged_file_is_kept(path, old: bool) -> None:
    fill(path, 200)
    if old:
        raw_write(path, OLD)
    content = path.read_bytes()
    middle = len(content) // 2 // 4096 * 4096
    path.write_bytes(content[:middle] + bytes(8192) + content[middle + 8192 :])
    history = HistoryRepository(path)
    assert codes(history) == ["history_damaged"]
    whole = [c.id for c in history.chats() if len(history.load(c.id).messages) == 2]
    assert len(whole) > 50
    assert {c.title for c in history.chats()} & {"chat 1", "chat 198"}
    assert str(len([m for c in history.chats() for m in history.load(c.id).messages])) in history.notices[0].text
    assert history.search("assistant")
    history.close()


def test_damage_found_later_is_set_aside_too(path) -> None:
    fill(path, 200)
    history = HistoryRepository(path)
    content = path.read_bytes()
    with path.open("r+b") as file:
        file.seek(8192)
        file.write(bytes(len(content) - 8192))
    history._database.connection.execute("PRAGMA cache_size = 0")
    with pytest.raises(DamagedHistory):
        [history.load(f"c{number}") for number in range(200)]
    assert [notice.code for notice in history.recover()] == ["history_damaged"]
    history.write(ChatRow(id="new", created=1.0, changed=1.0))
    assert "new" in [chat.id for chat in history.chats()]
    history.close()


def test_a_foreign_database_is_set_aside(path) -> None:
    path.parent.mkdir()
    raw_write(path, "CREATE TABLE recipes (name TEXT); INSERT INTO recipes VALUES ('soup');")
    history = HistoryRepository(path)
    assert codes(history) == ["history_damaged"]
    foreign = sqlite3.connect(set_aside(path)[0])
    assert foreign.execute("SELECT name FROM recipes").fetchone() == ("soup",)
    foreign.close()
    history.close()


@pytest.mark.parametrize("closed", [True, False])
def test_a_newer_file_is_refused_and_not_touched(path, closed) -> None:
    fill(path, 1)
    raw = sqlite3.connect(path)
    raw.execute(f"PRAGMA user_version = {len(MIGRATIONS) + 1}")
    raw.commit()
    if closed:
        raw.close()
    before = {file.name: file.read_bytes() for file in path.parent.iterdir() if not file.name.endswith("-shm")}
    history = HistoryRepository(path)
    assert (codes(history), history.is_lasting, history.chats()) == (["history_newer"], False, ())
    history.write(ChatRow(id="c", created=1.0, changed=1.0))
    assert history.chats()
    history.close()
    after = {file.name: file.read_bytes() for file in path.parent.iterdir() if not file.name.endswith("-shm")}
    assert after == before
    if not closed:
        raw.close()


def test_a_migration_copies_the_file_first_and_keeps_everything(path) -> None:
    fill(path, 3)
    steps = (*MIGRATIONS, "ALTER TABLE chat ADD COLUMN colour TEXT NOT NULL DEFAULT 'blue'")
    database = open_database(path, steps)
    assert database.notices == ()
    assert database.connection.execute("SELECT count(*), min(colour) FROM chat").fetchone() == (3, "blue")
    assert database.connection.execute("PRAGMA user_version").fetchone()[0] == len(steps)
    database.close()
    copy = HistoryRepository(path.with_name(f"history.version-{len(MIGRATIONS)}.db"))
    assert len(copy.chats()) == 3
    copy.close()


def test_a_migration_that_fails_changes_nothing(path) -> None:
    fill(path, 3)
    steps = (*MIGRATIONS, "ALTER TABLE chat ADD COLUMN colour TEXT; CREATE UNIQUE INDEX one ON chat (created)")
    database = open_database(path, steps)
    assert [notice.code for notice in database.notices] == ["history_not_kept"]
    database.close()
    history = HistoryRepository(path)
    assert (codes(history), len(history.chats())) == ([], 3)
    history.close()


def test_a_folder_that_cannot_be_made_leaves_the_chats_in_memory(tmp_path) -> None:
    (tmp_path / "data").write_text("in the way")
    history = HistoryRepository(tmp_path / "data" / "history.db")
    assert (codes(history), history.is_lasting) == (["history_not_kept"], False)
    history.write(ChatRow(id="c", created=1.0, changed=1.0))
    assert [chat.id for chat in history.chats()] == ["c"]
    history.close()


def test_a_folder_in_the_place_of_the_file(path) -> None:
    path.mkdir(parents=True)
    history = HistoryRepository(path)
    assert (codes(history), history.is_lasting) == (["history_not_kept"], False)
    history.close()
    assert path.is_dir()


READ_ONLY = """
import os, sys
from pathlib import Path
from app.store.history import HistoryRepository
from app.store.rows import ChatRow
if os.geteuid() == 0:
    os.setgid(65534)
    os.setuid(65534)
history = HistoryRepository(Path(sys.argv[1]))
history.write(ChatRow(id="new", created=1.0, changed=99.0))
print(history.is_lasting, len(history.chats()), history.notices[0].code, len(history.search("assistant")))
"""


@pytest.mark.skipif(sys.platform == "win32", reason="permissions of folders work otherwise there")
@pytest.mark.parametrize("old", [False, True])
def test_a_read_only_folder_can_be_read(path, old: bool) -> None:
    fill(path, 3)
    if old:
        raw_write(path, f"{OLD}; PRAGMA journal_mode = WAL")
    root = Path(__file__).parents[3]
    path.chmod(0o444)
    path.parent.chmod(0o555)
    for parent in path.parent.parents:
        if parent.is_relative_to(tempfile.gettempdir()) and parent != Path(tempfile.gettempdir()):
            parent.chmod(parent.stat().st_mode | 0o011)
    before = path.read_bytes()
    try:
        done = subprocess.run(
            [sys.executable, "-c", READ_ONLY, str(path)],
            cwd=root,
            env={**os.environ, "PYTHONPATH": str(root), "PYTHONDONTWRITEBYTECODE": "1"},
            capture_output=True,
            text=True,
            check=False,
        )
    finally:
        path.parent.chmod(0o755)
    assert done.stdout.split() == ["False", "4", "history_not_kept", "3"], done.stderr
    assert (path.read_bytes(), sorted(f.name for f in path.parent.iterdir())) == (before, ["history.db"])


def test_a_full_disk_is_a_sentence_and_nothing_is_lost(path) -> None:
    fill(path, 3)
    history = HistoryRepository(path)
    pages = history._database.connection.execute("PRAGMA page_count").fetchone()[0]
    history._database.connection.execute(f"PRAGMA max_page_count = {pages}")
    big = MessageRow(id="big", chat="c1", role="user", status="complete", created=1.0, text="x" * 100_000)
    with pytest.raises(EnvironmentFault, match="disk is full") as caught:
        history.write(ChatRow(id="c1", created=1.0, changed=5.0), (big,))
    assert caught.value.code == "disk_full"
    assert len(history.load("c1").messages) == 2
    history._database.connection.execute("PRAGMA max_page_count = 100000")
    history.write(ChatRow(id="c1", created=1.0, changed=5.0), (big,))
    assert len(history.load("c1").messages) == 3
    history.close()


def test_a_file_that_another_program_locks_is_a_sentence(path) -> None:
    fill(path, 1)
    history = HistoryRepository(path)
    history._database.connection.execute("PRAGMA busy_timeout = 50")
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(AppError) as caught:
        history.rename("c0", "x")
    assert caught.value.code == "history_busy"
    other.execute("ROLLBACK")
    history.rename("c0", "x")
    other.close()
    history.close()


def test_it_can_be_made_in_one_thread_and_used_in_another(path) -> None:
    history = HistoryRepository(path)
    thread = threading.Thread(target=lambda: history.write(ChatRow(id="c", created=1.0, changed=1.0)))
    thread.start()
    thread.join()
    assert len(history.chats()) == 1
    history.close()


@pytest.mark.parametrize("keep", [0.2, 0.5, 0.8, 1.0])
def test_files_copied_in_the_middle_of_writing_lose_no_finished_step(path, tmp_path, keep) -> None:
    """A power cut: the file is there, and its log up to some byte."""
    history = HistoryRepository(path)
    for number in range(30):
        history.write(ChatRow(id=f"c{number}", created=1.0, changed=float(number)))
    log = path.with_name("history.db-wal").read_bytes()
    after = tmp_path / "after" / "history.db"
    after.parent.mkdir()
    after.write_bytes(path.read_bytes())
    after.with_name("history.db-wal").write_bytes(log[: int(len(log) * keep)])
    history.close()
    mended = HistoryRepository(after)
    assert codes(mended) == []
    found = {chat.id for chat in mended.chats()}
    assert found == {f"c{number}" for number in range(len(found))}
    assert len(found) == 30 if keep == 1.0 else len(found) < 30
    mended.close()
