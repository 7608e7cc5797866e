"""Costs between runs: one JSON file in the cache folder. What cannot be read or written does not exist."""

import contextlib
import hashlib
import json
import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from app.core import log

_log = log.get("costs")

VERSION = 1
KEEP = 128


def cost_key(files: Sequence[Path], devices: Sequence[str], threads: int, engine: str) -> str:
    """What costs depend on, as one name.

    Args:
        files: The models; size and time of change count, so that a replaced file is another one.
        devices: Where they run.
        threads: Of a pass.
        engine: The build of the native library.

    Raises:
        OSError: a file is not there.
    """
    parts: list[object] = [list(devices), threads, engine]
    for file in files:
        facts = file.stat()
        parts.append([str(file.resolve()), facts.st_size, facts.st_mtime_ns])
    return hashlib.sha256(json.dumps(parts).encode("utf-8", "surrogateescape")).hexdigest()[:32]


@dataclass(slots=True)
class CostStore:
    """Reads and writes `path`, on demand."""

    path: Path
    _content: dict[str, Any] | None = field(default=None, init=False)

    def load(self, key: str) -> dict[str, Any] | None:
        """What was stored under this key, None for nothing."""
        value = self._read().get(key)
        return value if isinstance(value, dict) else None

    def save(self, key: str, costs: dict[str, Any]) -> None:
        """Store; the newest `KEEP` keys are kept."""
        others = [(name, value) for name, value in self._read().items() if name != key]
        self._content = {**dict(others[1 - KEEP :]), key: costs}
        part = self.path.with_name(f"{self.path.name}.{os.getpid()}.part")
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            part.write_text(json.dumps({"version": VERSION, "costs": self._content}), encoding="utf-8")
            part.replace(self.path)
        except OSError as error:
            with contextlib.suppress(OSError):
                part.unlink()
            _log.info("costs are not stored: %s", error)

    def _read(self) -> dict[str, Any]:
        if self._content is None:
            self._content = {}
            try:
                body = json.loads(self.path.read_text(encoding="utf-8"))
            except FileNotFoundError:
                return self._content
            except (OSError, ValueError, RecursionError) as error:
                _log.info("stored costs cannot be read: %s", error)
                return self._content
            if isinstance(body, dict) and body.get("version") == VERSION and isinstance(body.get("costs"), dict):
                self._content = body["costs"]
        return self._content
