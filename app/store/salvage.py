"""Reads what can still be read of a damaged history."""

import contextlib
import sqlite3
from pathlib import Path

_CHAT = (
    "id",
    "title",
    "has_own_title",
    "pinned",
    "created",
    "changed",
    "leaf",
    "left_out",
    "unsent",
    "deleted",
    "options",
)
_MESSAGE = ("id", "chat", "parent", "role", "status", "created", "text", "sources", "details")
_NAMELESS = "Recovered chat"


def salvage(damaged: Path, into: sqlite3.Connection) -> int:
    """Copy readable chats and messages; how many messages that were. Never raises."""
    try:
        source = sqlite3.connect(f"{damaged.absolute().as_uri()}?mode=ro", uri=True, isolation_level=None)
    except sqlite3.Error:
        return 0
    with contextlib.closing(source):
        # A file of the first version has no options.
        chats = _rows(source, "chat", _CHAT) or [(*row, "") for row in _rows(source, "chat", _CHAT[:-1])]
        messages = _rows(source, "message", _MESSAGE)
    try:
        return _insert(into, chats, messages)
    except sqlite3.Error:
        if into.in_transaction:
            into.execute("ROLLBACK")
        return 0


def _rows(source: sqlite3.Connection, table: str, columns: tuple[str, ...]) -> list[tuple[object, ...]]:
    """Rows up to the damage from the front, and down to it from the back, by number."""
    found: dict[int, tuple[object, ...]] = {}
    for order in ("ASC", "DESC"):
        sql = f"SELECT number, {', '.join(columns)} FROM {table} NOT INDEXED ORDER BY number {order}"
        with contextlib.suppress(sqlite3.Error):
            for number, *values in source.execute(sql):
                if number in found:
                    break
                found[number] = tuple(values)
    return [found[number] for number in sorted(found)]


def _insert(into: sqlite3.Connection, chats: list[tuple[object, ...]], messages: list[tuple[object, ...]]) -> int:
    into.execute("BEGIN IMMEDIATE")
    marks = ", ".join("?" * len(_CHAT))
    into.executemany(f"INSERT OR IGNORE INTO chat ({', '.join(_CHAT)}) VALUES ({marks})", chats)
    known: set[object] = set()
    for row in messages:
        values = dict(zip(_MESSAGE, row, strict=True))
        into.execute(
            "INSERT OR IGNORE INTO chat (id, title, created, changed) VALUES (?, ?, ?, ?)",
            (values["chat"], _NAMELESS, values["created"], values["created"]),
        )
        if values["parent"] not in known:
            values["parent"] = None
        marks = ", ".join("?" * len(_MESSAGE))
        into.execute(f"INSERT OR IGNORE INTO message ({', '.join(_MESSAGE)}) VALUES ({marks})", tuple(values.values()))
        known.add(values["id"])
    # Where the newest message is lost, the newest one that is left takes its place.
    into.execute(
        "UPDATE chat SET leaf = coalesce((SELECT message.id FROM message WHERE message.chat = chat.id"
        " ORDER BY message.number DESC LIMIT 1), '') WHERE leaf NOT IN (SELECT id FROM message)"
    )
    into.execute("COMMIT")
    return len(known)
