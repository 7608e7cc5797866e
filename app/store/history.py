"""Reads and writes chats. For one thread at a time, which is not the window's."""

import sqlite3
from collections.abc import Callable, Iterable, Sequence
from dataclasses import astuple, fields, replace
from pathlib import Path
from typing import Any

from app.protocol.messages import Notice
from app.store.database import Database, open_database
from app.store.rows import ChatRow, Hit, MessageRow, Stored, storable
from app.store.search import find

_CHAT = tuple(f.name for f in fields(ChatRow))
_MESSAGE = tuple(f.name for f in fields(MessageRow))
_CHATS = f"SELECT {', '.join(f'chat.{name}' for name in _CHAT)} FROM chat"


class HistoryRepository:
    """All chats of one profile. Every method is one transaction, and raises `AppError` if it cannot be done."""

    def __init__(self, path: Path, open_file: Callable[[Path], Database] = open_database) -> None:
        self._path = path
        self._open = open_file
        self._database = open_file(path)

    @property
    def is_lasting(self) -> bool:
        """False when chats are lost at the end of the session."""
        return self._database.is_lasting

    @property
    def notices(self) -> tuple[Notice, ...]:
        """What a person should know about how the file was opened."""
        return self._database.notices

    def close(self) -> None:
        self._database.close()

    def recover(self) -> tuple[Notice, ...]:
        """After damage was found: set the file aside and go on with what can be read of it."""
        self._database.close()
        self._database = self._open(self._path)
        return self._database.notices

    # --- reading ----------------------------------------------------------------------------------------------------

    def chats(self) -> tuple[ChatRow, ...]:
        """All chats that are not thrown away, pinned ones first, then by their last change."""
        with self._database.look() as connection:
            rows = connection.execute(f"{_CHATS} WHERE deleted IS NULL ORDER BY pinned DESC, changed DESC, number DESC")
            return tuple(_chat(row) for row in rows)

    def search(self, text: str) -> tuple[Hit, ...]:
        """Chats with all words of `text` in their title or in one message, newest first."""
        with self._database.look() as connection:
            found = []
            for number, excerpt in find(connection, text):
                row = connection.execute(f"{_CHATS} WHERE number = ?", (number,)).fetchone()
                found.append(Hit(chat=_chat(row), excerpt=" ".join(excerpt.split())))
            return tuple(found)

    def load(self, chat_id: str) -> Stored | None:
        """A chat with all branches; None if it is not there."""
        with self._database.look() as connection:
            row = connection.execute(f"{_CHATS} WHERE id = ?", (chat_id,)).fetchone()
            if row is None:
                return None
            sql = f"SELECT {', '.join(_MESSAGE)} FROM message WHERE chat = ? ORDER BY number"
            return Stored(chat=_chat(row), messages=tuple(_message(m) for m in connection.execute(sql, (chat_id,))))

    def recall(self, name: str) -> str:
        """What `remember` kept, "" for nothing."""
        with self._database.look() as connection:
            row = connection.execute("SELECT value FROM kept WHERE name = ?", (name,)).fetchone()
            return str(row[0]) if row is not None else ""

    # --- writing ----------------------------------------------------------------------------------------------------

    def write(self, chat: ChatRow, messages: Sequence[MessageRow] = (), removed: Iterable[str] = ()) -> None:
        """Store a chat's state, its new or changed messages (parents first), and forget the removed ones.

        A title, a pin and unsent text that are stored already stay as they are.
        """
        with self._database.step() as connection:
            _insert_chat(
                connection,
                chat,
                "ON CONFLICT (id) DO UPDATE SET changed = excluded.changed, leaf = excluded.leaf,"
                " left_out = excluded.left_out, options = excluded.options",
            )
            connection.executemany(
                "DELETE FROM message WHERE id = ? AND chat = ?", [(message_id, chat.id) for message_id in removed]
            )
            _insert_messages(
                connection,
                messages,
                "ON CONFLICT (id) DO UPDATE SET status = excluded.status, text = excluded.text,"
                " sources = excluded.sources, details = excluded.details",
            )

    def add(self, stored: Stored) -> None:
        """Store a whole new chat."""
        with self._database.step() as connection:
            _insert_chat(connection, stored.chat, "")
            _insert_messages(connection, stored.messages, "")

    def rename(self, chat_id: str, title: str) -> None:
        """Give a chat the title a person wants."""
        self._set(chat_id, title=storable(title), has_own_title=1)

    def pin(self, chat_id: str, *, pinned: bool) -> None:
        self._set(chat_id, pinned=int(pinned))

    def keep_unsent(self, chat_id: str, text: str) -> None:
        """Remember what was written and not sent."""
        self._set(chat_id, unsent=storable(text))

    def throw_away(self, chat_id: str, when: float | None) -> None:
        """Hide a chat until `purge`; None brings it back."""
        self._set(chat_id, deleted=when)

    def purge(self) -> None:
        """Forget for good what was thrown away."""
        with self._database.step() as connection:
            connection.execute("DELETE FROM chat WHERE deleted IS NOT NULL")

    def mend(self) -> int:
        """Nothing streams any more: mark what the end of the program broke off; how many answers that were."""
        with self._database.step() as connection:
            changed = connection.execute("UPDATE message SET status = 'interrupted' WHERE status = 'streaming'")
            return changed.rowcount

    def remember(self, name: str, value: str) -> None:
        """Keep a value that belongs to no chat."""
        with self._database.step() as connection:
            connection.execute(
                "INSERT INTO kept VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value",
                (name, storable(value)),
            )

    def _set(self, chat_id: str, **values: Any) -> None:
        names = ", ".join(f"{name} = :{name}" for name in values)
        with self._database.step() as connection:
            connection.execute(f"UPDATE chat SET {names} WHERE id = :id", {**values, "id": chat_id})


def _insert_chat(connection: sqlite3.Connection, chat: ChatRow, conflict: str) -> None:
    row = replace(chat, title=storable(chat.title), unsent=storable(chat.unsent))
    marks = ", ".join("?" * len(_CHAT))
    connection.execute(f"INSERT INTO chat ({', '.join(_CHAT)}) VALUES ({marks}) {conflict}", astuple(row))


def _insert_messages(connection: sqlite3.Connection, messages: Iterable[MessageRow], conflict: str) -> None:
    marks = ", ".join("?" * len(_MESSAGE))
    connection.executemany(
        f"INSERT INTO message ({', '.join(_MESSAGE)}) VALUES ({marks}) {conflict}",
        [astuple(replace(m, text=storable(m.text), parent=m.parent or None)) for m in messages],  # type: ignore[arg-type]  # NULL in the file
    )


def _chat(row: Sequence[Any]) -> ChatRow:
    values = dict(zip(_CHAT, row, strict=True))
    return ChatRow(**{**values, "pinned": bool(values["pinned"]), "has_own_title": bool(values["has_own_title"])})


def _message(row: Sequence[Any]) -> MessageRow:
    values = dict(zip(_MESSAGE, row, strict=True))
    return MessageRow(**{**values, "parent": values["parent"] or ""})
