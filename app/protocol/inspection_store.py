"""Remembers what came of inspecting model files, for as long as they do not change.

One file in the cache folder, for the window, the engine and the command line alike. What cannot be read or written
costs time only.
"""

import contextlib
import json
import os
import tempfile
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from app import __version__
from app.core import log
from app.core.errors import UserError
from app.core.plain import PlainError, from_plain, to_plain
from app.protocol.inspect_messages import FileFacts
from app.protocol.inspection import Inspection, inspect_files, inspect_heads

MOST = 4096
_log = log.get("inspection")


class InspectionStore:
    """Inspections by file. Safe to use from several threads.

    Args:
        cache: Where they are kept; None to keep them in memory only.
        ask: Looks at models; see `inspect_files`.
        ask_heads: Looks at the prediction heads in a file, given the file, its target and whether to go on.
    """

    def __init__(
        self,
        cache: Path | None,
        ask: Callable[[Sequence[Path], Callable[[], bool]], dict[Path, Inspection]] = inspect_files,
        ask_heads: Callable[[Path, Path, Callable[[], bool]], Inspection | None] = inspect_heads,
    ) -> None:
        self._cache = cache
        self._ask = ask
        self._ask_heads = ask_heads
        self._lock = threading.Lock()
        self._known: dict[str, Any] = {}
        self._seen: tuple[int, int] | None = None

    def known(self, parts: Sequence[Path]) -> Inspection | None:
        """What is known about a model, given all its files; None if they have never been looked at as they are."""
        return self._recall(str(parts[0]), parts)

    def _recall(self, key: str, parts: Sequence[Path]) -> Inspection | None:
        with self._lock:
            self._refresh()
            entry = self._known.get(key)
        try:
            if not isinstance(entry, dict) or entry.get("stamp") != _stamp(parts):
                return None
            facts = from_plain(FileFacts | None, entry["facts"], "facts")
            problem = entry["problem"]
            return Inspection(facts, UserError(*map(str, problem)) if problem is not None else None)
        except (OSError, PlainError, KeyError, TypeError):
            return None

    def look(
        self, models: Sequence[Sequence[Path]], cancelled: Callable[[], bool] = lambda: False
    ) -> dict[Path, Inspection]:
        """Look at models that are not known, and remember what comes of it; by their first files.

        Raises:
            CancelledByUser: `cancelled` said so.
        """
        stamps = {}
        for parts in models:
            with contextlib.suppress(OSError):
                stamps[parts[0]] = _stamp(parts)
        found = self._ask(list(stamps), cancelled)
        self._remember({str(path): (stamps[path], inspection) for path, inspection in found.items()})
        return found

    def heads(
        self, file: Path, target: Sequence[Path], cancelled: Callable[[], bool] = lambda: False
    ) -> Inspection | None:
        """What came, or comes now, of trying the prediction heads in `file` on a target, given all files of that.

        None where nothing can be said.

        Raises:
            CancelledByUser: `cancelled` said so.
        """
        key, parts = f"{file} on {target[0]}", (file, *target)
        known = self._recall(key, parts)
        if known is not None:
            return known
        try:
            stamp = _stamp(parts)
        except OSError:
            return None
        found = self._ask_heads(file, target[0], cancelled)
        if found is not None:
            self._remember({key: (stamp, found)})
        return found

    def _remember(self, found: dict[str, tuple[list[list[Any]], Inspection]]) -> None:
        with self._lock:
            self._refresh()
            for key, (stamp, inspection) in found.items():
                problem = inspection.problem
                words = [problem.code, problem.sentence, problem.hint, problem.detail] if problem is not None else None
                # To the end: the oldest are forgotten first.
                self._known.pop(key, None)
                self._known[key] = {"stamp": stamp, "facts": to_plain(inspection.facts), "problem": words}
            if found:
                self._store()

    def _refresh(self) -> None:
        """Another process may have learnt something."""
        if self._cache is None:
            return
        try:
            state = self._cache.stat()
            seen = state.st_mtime_ns, state.st_size
            if seen == self._seen:
                return
            body = json.loads(self._cache.read_bytes())
        except FileNotFoundError:
            return
        except (OSError, ValueError, RecursionError) as error:
            _log.info("inspections are not remembered: %s", error)
            return
        self._seen = seen
        # Another version may bring another llama.cpp, which sees files differently.
        if isinstance(body, dict) and body.get("version") == __version__ and isinstance(body.get("files"), dict):
            self._known = body["files"]

    def _store(self) -> None:
        if self._cache is None:
            return
        self._known = dict(list(self._known.items())[-MOST:])
        text = json.dumps({"version": __version__, "files": self._known}, separators=(",", ":"))
        try:
            self._cache.parent.mkdir(parents=True, exist_ok=True)
            descriptor, name = tempfile.mkstemp(dir=self._cache.parent, prefix=".inspected.", suffix=".tmp")
            try:
                with os.fdopen(descriptor, "w", encoding="ascii") as file:
                    file.write(text)
                Path(name).replace(self._cache)
            except OSError:
                with contextlib.suppress(OSError):
                    Path(name).unlink()
                raise
        except OSError as error:
            _log.info("inspections are not stored: %s", error)


def _stamp(parts: Sequence[Path]) -> list[list[Any]]:
    """Raises `OSError` where a file is gone."""
    states = [(part.name, part.stat()) for part in parts]
    return [[name, state.st_size, state.st_mtime_ns] for name, state in states]
