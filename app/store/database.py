"""The file of the history: opened, checked, migrated, set aside when damaged. One thread at a time.

Nothing is overwritten unsaved: a file of a newer version is left alone, a damaged one is renamed, and before a
migration there is a copy. Where nothing can be kept on disk the history is kept in memory.
"""

import contextlib
import sqlite3
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from app.core import log
from app.core.errors import AppError, EnvironmentFault
from app.protocol.messages import Notice
from app.store.faults import DamagedHistory, translated
from app.store.salvage import salvage
from app.store.schema import APPLICATION_ID, MIGRATIONS

_MAGIC = b"SQLite format 3\0"
_CHECKED_UP_TO = 64 * 1024 * 1024
"""Bytes up to which every page is looked at when the file is opened; that takes about 0.2 s."""
_BUSY_S = 5.0
_log = log.get("history")


class NewerHistory(EnvironmentFault):
    """A newer version of the program wrote the file."""


class Database:
    """An open history.

    Attributes:
        connection: In autocommit mode; changes go through `step`.
        is_lasting: False when it is kept in memory only.
        notices: What a person should know about how it was opened.
    """

    def __init__(self, connection: sqlite3.Connection, *, is_lasting: bool, notices: Sequence[Notice] = ()) -> None:
        self.connection = connection
        self.is_lasting = is_lasting
        self.notices = tuple(notices)

    @contextlib.contextmanager
    def step(self) -> Iterator[sqlite3.Connection]:
        """One transaction; all of it happens or nothing.

        Raises:
            AppError: it could not be done, see `faults`.
        """
        try:
            self.connection.execute("BEGIN IMMEDIATE")
            yield self.connection
            self.connection.execute("COMMIT")
        except sqlite3.Error as error:
            self._roll_back()
            raise translated(error) from error
        except BaseException:
            self._roll_back()
            raise

    @contextlib.contextmanager
    def look(self) -> Iterator[sqlite3.Connection]:
        """Reading.

        Raises:
            AppError: it could not be done, see `faults`.
        """
        try:
            yield self.connection
        except sqlite3.Error as error:
            raise translated(error) from error

    def close(self) -> None:
        self.connection.close()

    def _roll_back(self) -> None:
        with contextlib.suppress(sqlite3.Error):
            if self.connection.in_transaction:
                self.connection.execute("ROLLBACK")


def open_database(path: Path, migrations: Sequence[str] = MIGRATIONS) -> Database:
    """The history in `path`, made if there is none. Never raises: in the worst case it is kept in memory."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        return Database(_open_file(path, migrations), is_lasting=True)
    except DamagedHistory as fault:
        _log.info("%s: %s", path, fault.detail)
        return _renewed(path, migrations)
    except NewerHistory:
        text = (
            f"{path.name} was written by a newer Outpace. It is left as it is; chats of this session are lost when the "
            "window closes."
        )
        return in_memory(migrations, Notice(code="history_newer", text=text))
    except (AppError, sqlite3.Error, OSError) as fault:
        return _copy_in_memory(path, migrations, fault)


def in_memory(migrations: Sequence[str] = MIGRATIONS, *notices: Notice) -> Database:
    """An empty history that is gone when it is closed."""
    connection = _connect(":memory:")
    _migrate(connection, migrations, 0)
    return Database(connection, is_lasting=False, notices=notices)


def _open_file(path: Path, migrations: Sequence[str]) -> sqlite3.Connection:
    size = path.stat().st_size if path.exists() else 0
    if size:
        _look_at_header(path, len(migrations))
    connection = _connect(str(path))
    try:
        # The first reading finds a file that is cut off or no database at all.
        mark, version = _number(connection, "application_id"), _number(connection, "user_version")
        tables = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
        if tables and mark != APPLICATION_ID:
            raise DamagedHistory("history_damaged", "The file is no chat history.", detail=f"application_id {mark}")
        if version > len(migrations):
            raise NewerHistory("history_newer", "A newer Outpace wrote the chat history.")
        if size <= _CHECKED_UP_TO:
            problem = connection.execute("PRAGMA quick_check(1)").fetchone()[0]
            if problem != "ok":
                raise DamagedHistory("history_damaged", "The chat history is damaged.", detail=str(problem))
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = NORMAL")
        if version < len(migrations):
            if version:
                _back_up(connection, path.with_name(f"{path.stem}.version-{version}{path.suffix}"))
            _migrate(connection, migrations, version)
        # When all is well nothing was written so far: a file that cannot be written says so now.
        connection.execute("BEGIN IMMEDIATE")
        connection.execute("ROLLBACK")
    except sqlite3.DatabaseError as error:
        connection.close()
        fault = translated(error)
        raise fault from error
    except BaseException:
        connection.close()
        raise
    return connection


def _look_at_header(path: Path, newest: int) -> None:
    """Refuse what needs no opening: opening a file can already change it."""
    with path.open("rb") as file:
        header = file.read(100)
    if len(header) < 100 or not header.startswith(_MAGIC):
        raise DamagedHistory("history_damaged", "The file is no database.", detail=repr(header[:16]))
    version, mark = (int.from_bytes(header[at : at + 4], "big") for at in (60, 68))
    if mark == APPLICATION_ID and version > newest:
        raise NewerHistory("history_newer", "A newer Outpace wrote the chat history.")


def _connect(name: str, *, uri: bool = False) -> sqlite3.Connection:
    connection = sqlite3.connect(name, timeout=_BUSY_S, isolation_level=None, check_same_thread=False, uri=uri)
    connection.execute("PRAGMA foreign_keys = ON")
    return connection


def _migrate(connection: sqlite3.Connection, migrations: Sequence[str], version: int) -> None:
    for number, script in enumerate(migrations[version:], version + 1):
        # executescript commits what is open, so the whole step is one script.
        mark = f"PRAGMA application_id = {APPLICATION_ID}; PRAGMA user_version = {number};"
        try:
            connection.executescript(f"BEGIN IMMEDIATE; {script}\n; {mark} COMMIT;")
        except sqlite3.Error:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            raise


def _back_up(connection: sqlite3.Connection, copy: Path) -> None:
    part = copy.with_name(f"{copy.name}.part")
    part.unlink(missing_ok=True)
    target = sqlite3.connect(part)
    try:
        connection.backup(target)
    finally:
        target.close()
    part.replace(copy)


def _renewed(path: Path, migrations: Sequence[str]) -> Database:
    """A new file in the place of a damaged one, with what could be read of it."""
    kept = path.with_name(f"{path.stem}.damaged-{time.strftime('%Y%m%d-%H%M%S')}{path.suffix}")
    try:
        for suffix in ("", "-wal", "-shm"):
            old = path.with_name(path.name + suffix)
            if old.exists():
                old.replace(kept.with_name(kept.name + suffix))
        connection = _open_file(path, migrations)
    except (AppError, sqlite3.Error, OSError) as fault:
        return _copy_in_memory(path, migrations, fault)
    rescued = salvage(kept, connection)
    what = f"{rescued} messages could be read from it" if rescued else "Nothing could be read from it"
    text = f"The file with the chat history was damaged. {what}; it is kept as {kept.name}."
    return Database(connection, is_lasting=True, notices=(Notice(code="history_damaged", text=text),))


def _copy_in_memory(path: Path, migrations: Sequence[str], fault: Exception) -> Database:
    """A folder that cannot be written: old chats can be read all the same."""
    _log.info("%s: %r", path, fault)
    reason = fault.strerror if isinstance(fault, OSError) else str(fault).split(". ")[0].rstrip(".")
    text = f"Chats are not kept: {path.name} cannot be written ({reason}). This session's chats are lost at its end."
    notice = Notice(code="history_not_kept", text=text)
    if path.is_file():
        with contextlib.suppress(sqlite3.Error, OSError):
            copied = _copied(path, migrations)
            if copied is not None:
                return Database(copied, is_lasting=False, notices=(notice,))
    return in_memory(migrations, notice)


def _copied(path: Path, migrations: Sequence[str]) -> sqlite3.Connection | None:
    # Immutable: without that, SQLite wants to write a file beside it even for reading.
    source = _connect(f"{path.absolute().as_uri()}?mode=ro&immutable=1", uri=True)
    with contextlib.closing(source):
        version = _number(source, "user_version")
        if not 0 < version <= len(migrations) or _number(source, "application_id") != APPLICATION_ID:
            return None
        copy = _connect(":memory:")
        try:
            source.backup(copy)
            _migrate(copy, migrations, version)
        except sqlite3.Error:
            copy.close()
            raise
    return copy


def _number(connection: sqlite3.Connection, name: str) -> int:
    return int(connection.execute(f"PRAGMA {name}").fetchone()[0])
