"""A history that an older version wrote is read by this one, with everything in it.

`history_N.sql` holds the rows a file of version N had; its tables come from the first N migrations, which never change.
"""

import hashlib
import sqlite3
from pathlib import Path

import pytest

from app.chat.archive import conversation_of
from app.chat.options import ChatOptions
from app.store.history import HistoryRepository
from app.store.schema import APPLICATION_ID, MIGRATIONS

FIXTURES = sorted(Path(__file__).parent.glob("history_*.sql"))
# Of released migrations. A new one is added below; an old one is never changed.
DIGESTS: tuple[str, ...] = ("6c02c7ccee32fbba", "5d562b52bb6efa58")


def old_file(fixture: Path, path: Path) -> int:
    version = int(fixture.stem.rpartition("_")[2])
    connection = sqlite3.connect(path)
    connection.executescript("".join(MIGRATIONS[:version]) + fixture.read_text("utf-8"))
    connection.executescript(f"PRAGMA application_id = {APPLICATION_ID}; PRAGMA user_version = {version};")
    connection.close()
    return version


def test_released_migrations_stay_as_they_are() -> None:
    assert tuple(hashlib.sha256(script.encode()).hexdigest()[:16] for script in MIGRATIONS) == DIGESTS


@pytest.mark.parametrize("fixture", FIXTURES, ids=lambda path: path.stem)
def test_an_old_history_is_read_with_everything_in_it(fixture: Path, tmp_path: Path) -> None:
    path = tmp_path / "history.db"
    version = old_file(fixture, path)
    history = HistoryRepository(path)
    assert history.notices == ()
    assert history.is_lasting
    assert path.with_name(f"history.version-{version}.db").exists() == (version < len(MIGRATIONS))
    history.purge()
    assert history.mend() == 1
    (chat,) = history.chats()
    assert (chat.title, chat.has_own_title, chat.pinned, chat.unsent) == ("Sizes", True, True, "and then")
    assert history.recall("open") == "c1"
    conversation = conversation_of(history.load("c1"))
    options = ChatOptions(system="Be brief.", overflow="keep_ends") if version >= 2 else ChatOptions()
    assert conversation.options == options
    question, answer = conversation.messages
    assert question.text == "Größe?\n\twith 'quotes' 旅行"
    assert [(piece.text, piece.source) for piece in answer.pieces] == [
        ("Hello,", "draft_model"),
        (" wörld", "ngram"),
    ]
    assert (answer.seed, answer.reason, answer.stats.accepted, answer.speculation.gain) == (7, "end", 3, 1.5)
    assert answer.token_counts == (("draft_model", 2), ("ngram", 1), ("target", 2))
    assert conversation.forks() == {"a1": ("a1", "a2", "a3")}
    texts = {message.id: (message.text, message.status) for message in conversation.all}
    assert texts["a2"] == ("Another answer", "interrupted")
    assert texts["a3"] == ("half an ans", "interrupted")
    assert [hit.chat.id for hit in history.search("half ans")] == ["c1"]
    history.close()
