"""What SQLite complains about, as sentences."""

import sqlite3

from app.core.errors import AppError, EngineFault, EnvironmentFault

_DAMAGED = frozenset({sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB})
_NOT_KEPT = "The chat goes on, but what is new is lost when the window closes."
_SENTENCES = {
    sqlite3.SQLITE_FULL: (
        "disk_full",
        "The disk is full, so the chat cannot be saved.",
        "Make room; it is tried again.",
    ),
    sqlite3.SQLITE_READONLY: ("history_read_only", "The chat history cannot be written.", _NOT_KEPT),
    sqlite3.SQLITE_CANTOPEN: ("history_unreachable", "The chat history cannot be opened.", _NOT_KEPT),
    sqlite3.SQLITE_IOERR: ("history_unreachable", "The disk refuses to read or write the chat history.", _NOT_KEPT),
    sqlite3.SQLITE_BUSY: ("history_busy", "Another program keeps the chat history locked.", "It is tried again."),
    sqlite3.SQLITE_LOCKED: ("history_busy", "Another program keeps the chat history locked.", "It is tried again."),
}


class DamagedHistory(EnvironmentFault):
    """The file is no database, or one with broken pages."""


def translated(error: sqlite3.Error) -> AppError:
    """The error of ours that `error` stands for."""
    code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & 0xFF
    if code in _DAMAGED:
        return DamagedHistory("history_damaged", "The file with the chat history is damaged.", detail=repr(error))
    if code in _SENTENCES:
        name, sentence, hint = _SENTENCES[code]
        return EnvironmentFault(name, sentence, hint, repr(error))
    return EngineFault("internal", "The chat history could not be read or written.", detail=repr(error))
