"""Kept comparisons: a file with one JSON object a line, the newest last. One thread at a time."""

import json
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from app.core.errors import EnvironmentFault

MOST = 200
Record = dict[str, Any]


class ComparisonFile:
    """Lines that make no sense are skipped when reading and stay where they are until something is removed."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def read(self) -> list[Record]:
        """Every record that can be read, the newest last.

        Raises:
            EnvironmentFault: the file is there and cannot be read.
        """
        try:
            content = self._path.read_bytes()
        except FileNotFoundError:
            return []
        except OSError as error:
            raise _fault("read", error) from error
        records = []
        for line in content.splitlines():
            try:
                record = json.loads(line)
            except (ValueError, RecursionError):
                continue
            if isinstance(record, dict) and isinstance(record.get("id"), str):
                records.append(record)
        # A line that was written again takes the place of the earlier one.
        latest = {record["id"]: record for record in records}
        return list(latest.values())[-MOST:]

    def append(self, record: Record) -> None:
        """Keep one more, or a newer state of one.

        Raises:
            EnvironmentFault: it cannot be written.
        """
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            with self._path.open("a+b") as file:
                size = file.seek(0, os.SEEK_END)
                if size:
                    file.seek(size - 1)
                    if file.read(1) != b"\n":
                        file.write(b"\n")  # the program ended in the middle of a line
                file.write(_line(record))
                file.flush()
                os.fsync(file.fileno())
        except OSError as error:
            raise _fault("written", error) from error

    def keep_only(self, records: Iterable[Record]) -> None:
        """Write these and forget the others.

        Raises:
            EnvironmentFault: it cannot be written; what was there is as it was.
        """
        part = self._path.with_name(f"{self._path.name}.part")
        try:
            with part.open("wb") as file:
                file.writelines(map(_line, records))
                file.flush()
                os.fsync(file.fileno())
            part.replace(self._path)
        except OSError as error:
            part.unlink(missing_ok=True)
            raise _fault("written", error) from error


def _line(record: Record) -> bytes:
    # ASCII keeps every text on one line, U+2028 and halves of characters included.
    return json.dumps(record, separators=(",", ":")).encode("ascii") + b"\n"


def _fault(what: str, error: OSError) -> EnvironmentFault:
    reason = error.strerror or str(error)
    sentence = f"The kept comparisons could not be {what} ({reason})."
    return EnvironmentFault("comparisons", sentence, "New ones are lost when the window closes.", repr(error))
