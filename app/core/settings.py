"""A frozen dataclass in a JSON file: what cannot be read falls back field by field, nothing is overwritten unsaved.

Saving replaces the file in one step. Keys nobody knows are kept. A file that had to be repaired or migrated is copied
beside itself first. A file of a newer version is read as far as possible and never written.
"""

import contextlib
import dataclasses
import hashlib
import json
import os
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, TypeVar

from app.core import log
from app.core.errors import AppError, EnvironmentFault
from app.core.plain import PlainError, from_plain, hints, to_plain
from app.core.replacing import replace_file

T = TypeVar("T")
Body = dict[str, Any]
Migration = Callable[[Body], Body]
VERSION_KEY = "version"
_ORPHAN_AGE_S = 60.0

_log = log.get("settings")


@dataclass(frozen=True, slots=True)
class Problem:
    """Something a person should know about their settings. `code` is stable, `text` is for reading."""

    code: str
    text: str


class SettingsFile(Generic[T]):
    """One JSON file that holds one frozen dataclass `T`.

    `T` has a default for every field. Where a nested dataclass has a method `check`, it decides about each field of its
    own by raising `AppError`.
    """

    def __init__(self, path: Path, kind: type[T], migrations: Sequence[Migration] = ()) -> None:
        """`migrations[i]` turns a body of version i + 1 into one of version i + 2; the current version follows."""
        self._path = path
        self._kind = kind
        self._migrations = migrations
        self._raw: Body = {}
        self._read_only = False

    @property
    def path(self) -> Path:
        return self._path

    @property
    def version(self) -> int:
        return len(self._migrations) + 1

    def load(self) -> tuple[T, tuple[Problem, ...]]:
        """What the file says, with defaults where it says nothing usable. Never raises."""
        self._remove_orphans()
        self._raw, self._read_only = {}, False
        try:
            text = self._path.read_bytes()
        except FileNotFoundError:
            return self._kind(), ()
        except OSError as error:
            # It may hold something of value, so it is left alone.
            self._read_only = True
            reason = error.strerror or str(error)
            return self._kind(), (
                Problem(
                    "settings_unreadable",
                    f"{self._path.name} cannot be read ({reason}). Default settings are used and not saved.",
                ),
            )
        try:
            body = json.loads(text)
        except (ValueError, RecursionError) as error:
            _log.info("%s: %s", self._path, error)
            body = None
        if not isinstance(body, dict):
            sentence = f"{self._path.name} is damaged. Default settings are used.{self._copy(text)}"
            return self._kind(), (Problem("settings_damaged", sentence),)
        return self._interpret(body, text)

    def save(self, value: T) -> None:
        """Write `value` in the place of the file.

        Raises:
            EnvironmentFault: it cannot be written; the old file is as it was.
        """
        if self._read_only:
            return
        body = _overlay(self._raw, to_plain(value), self._kind)
        body[VERSION_KEY] = self.version
        text = json.dumps(body, indent=2) + "\n"
        try:
            _replace(self._path, text.encode("ascii"))
        except OSError as error:
            raise EnvironmentFault(
                "settings_not_saved",
                f"The settings could not be saved ({error.strerror or error}).",
                "They last until the window is closed.",
                f"{self._path}: {error!r}",
            ) from error
        self._raw = body

    def _interpret(self, body: Body, text: bytes) -> tuple[T, tuple[Problem, ...]]:
        version = body.get(VERSION_KEY, self.version)
        problems: list[Problem] = []
        if type(version) is not int or version < 1:
            problems.append(Problem("settings_field", f"The version of {self._path.name} makes no sense."))
            version = self.version
        if version > self.version:
            self._read_only = True
            value, _ = _read(self._kind, body, "")
            return value, (
                Problem(
                    "settings_newer",
                    f"{self._path.name} was written by a newer Outpace. It is used as far as possible; changes are not "
                    "saved.",
                ),
            )
        if version < self.version:
            self._copy(text, f"version-{version}")
            try:
                for migrate in self._migrations[version - 1 :]:
                    body = migrate(body)
            except (KeyError, TypeError, ValueError, AttributeError) as error:
                _log.info("%s: migration from version %s: %r", self._path, version, error)
                problems.append(Problem("settings_damaged", f"{self._path.name} is old and could not be converted."))
                body = {}
        value, bad = _read(self._kind, body, "")
        problems += [Problem("settings_field", f"A setting was reset to its default: {reason}") for reason in bad]
        if problems:
            note = self._copy(text)
            problems[-1] = dataclasses.replace(problems[-1], text=problems[-1].text + note)
        self._raw = body
        return value, tuple(problems)

    def _copy(self, text: bytes, label: str = "damaged") -> str:
        # Named by content: a file that stays damaged over many starts is copied once.
        digest = hashlib.sha256(text).hexdigest()[:8]
        copy = self._path.with_name(f"{self._path.stem}.{label}-{digest}{self._path.suffix}")
        try:
            if not copy.exists():
                _replace(copy, text)
        except OSError as error:
            _log.info("no copy of %s: %s", self._path, error)
            return ""
        return f" A copy of the file is kept as {copy.name}."

    def _remove_orphans(self) -> None:
        # Left by a crash or a full disk in the middle of a save; a young one may be another window's.
        with contextlib.suppress(OSError):
            for orphan in self._path.parent.glob(f".{self._path.stem}.*.tmp"):
                if time.time() - orphan.stat().st_mtime > _ORPHAN_AGE_S:
                    orphan.unlink()


def _read(kind: Any, body: Body, where: str) -> tuple[Any, list[str]]:
    """The dataclass `body` stands for, and why fields were left at their default."""
    default = kind()
    known: Body = {}
    bad: list[str] = []
    for name, hint in hints(kind).items():
        if name not in body:
            continue
        label = f"{where}{name}"
        if dataclasses.is_dataclass(hint) and isinstance(hint, type) and isinstance(body[name], dict):
            known[name], worse = _read(hint, body[name], f"{label}.")
            bad += worse
            continue
        try:
            value = from_plain(hint, body[name], label)
            _check(dataclasses.replace(default, **{name: value}))
        except PlainError as error:
            bad.append(f"{error}.")
        except AppError as error:
            bad.append(f"{label}: {error}")
        else:
            known[name] = value
    return dataclasses.replace(default, **known), bad


def _check(value: Any) -> None:
    check = getattr(value, "check", None)
    if check is not None:
        check()


def _overlay(old: Body, new: Body, kind: type) -> Body:
    """`new` over `old`; groups (nested dataclasses) keep their unknown keys as well."""
    merged = {**old, **new}
    for name, hint in hints(kind).items():
        if dataclasses.is_dataclass(hint) and isinstance(hint, type) and isinstance(old.get(name), dict):
            merged[name] = _overlay(old[name], new[name], hint)
    return merged


def _replace(path: Path, text: bytes) -> None:
    Path(os.path.realpath(path)).parent.mkdir(parents=True, exist_ok=True)
    replace_file(path, text)
