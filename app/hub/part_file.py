"""An incomplete file on disk: NAME.part with its bytes, NAME.part.json with what they are a part of.

The checksum is computed as the bytes come; when a download goes on, what is there is read again first. Nothing is ever
called NAME whose checksum was not compared.
"""

import contextlib
import errno
import hashlib
import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import BinaryIO

import filelock

from app.core.errors import EnvironmentFault
from app.hub.disk import free_bytes
from app.hub.faults import explain_disk
from app.hub.remote import Location

_READ = 1 << 20


class WrongContents(Exception):  # noqa: N818 (not a failure: start over)
    """The bytes are not those of the file."""


def part_path(destination: Path) -> Path:
    """Where the bytes are until the file is complete."""
    return destination.with_name(destination.name + ".part")


def side_path(destination: Path) -> Path:
    """What the part is a part of."""
    return destination.with_name(destination.name + ".part.json")


def have_bytes(destination: Path) -> int:
    """Bytes of the file that are here already, complete or not."""
    for path in (destination, part_path(destination)):
        with contextlib.suppress(OSError):
            return path.stat().st_size
    return 0


def discard(destination: Path) -> None:
    """Remove what an incomplete download left.

    Raises:
        AppError: it cannot be removed.
    """
    try:
        for path in (part_path(destination), side_path(destination), _lock_path(destination)):
            path.unlink(missing_ok=True)
    except OSError as error:
        raise explain_disk(error, str(destination)) from error


@contextlib.contextmanager
def only_one(destination: Path) -> Iterator[None]:
    """Keep other processes from downloading the same file; a killed one does not hold it.

    Raises:
        EnvironmentFault: another one does.
    """
    lock = filelock.FileLock(_lock_path(destination))
    try:
        lock.acquire(timeout=0)
    except filelock.Timeout as error:
        raise EnvironmentFault(
            "downloading_elsewhere",
            f'"{destination.name}" is being downloaded by another Outpace.',
            "Wait for it, or close the other one.",
        ) from error
    try:
        yield
    finally:
        lock.release()
        if destination.exists():
            with contextlib.suppress(OSError):
                _lock_path(destination).unlink()


class PartFile:
    """The part of one file. `have`: bytes in it; `size`: bytes of the whole, None if unknown."""

    def __init__(self, destination: Path) -> None:
        self._destination = destination
        self._path = part_path(destination)
        self._hasher = hashlib.sha256()
        self.have = 0
        self.size: int | None = None

    def begin(self, location: Location, size: int | None, check: Callable[[], None]) -> None:
        """Find out what is there already and hash it; what belongs to another file, or an older one, is thrown away.

        Args:
            location: Of the file now.
            size: Of the whole, None if unknown.
            check: Called between blocks; may raise.

        Raises:
            OSError: the disk.
        """
        side = side_path(self._destination)
        identity = {"name": self._destination.name, "etag": location.etag, "size": size}
        there = _size(self._path)
        if _read_json(side) != identity or (size is not None and there > size):
            self._path.unlink(missing_ok=True)
            side.write_text(json.dumps(identity), encoding="ascii")
            there = -1
        self.have, self.size, self._hasher = 0, size, hashlib.sha256()
        if there > 0:
            with self._path.open("rb", buffering=0) as file:
                while block := file.read(_READ):
                    check()
                    self._hasher.update(block)
                    self.have += len(block)

    def open(self) -> BinaryIO:
        """For appending, unbuffered: what was written survives the death of the process."""
        return self._path.open("ab", buffering=0)

    def append(self, file: BinaryIO, data: bytearray) -> None:
        """Write `data` and empty it.

        Raises:
            WrongContents: more came than the file has.
            OSError: the disk.
        """
        if self.size is not None and self.have + len(data) > self.size:
            data.clear()
            raise WrongContents(f"more than {self.size} bytes came")
        with memoryview(data) as view:
            written = 0
            while written < len(view):
                written += file.write(view[written:])
            self._hasher.update(view)
        self.have += len(data)
        data.clear()

    def drop(self) -> None:
        """Throw the bytes away."""
        self._path.unlink(missing_ok=True)

    def finish(self, sha256: str) -> None:
        """Give the file its name.

        Args:
            sha256: What it must be, "" if unknown.

        Raises:
            WrongContents: it is not.
            OSError: the disk.
        """
        if sha256 and self._hasher.hexdigest() != sha256:
            raise WrongContents(f"checksum {self._hasher.hexdigest()}, expected {sha256}")
        with self._path.open("rb+", buffering=0) as file:
            os.fsync(file.fileno())
        self._path.replace(self._destination)
        side_path(self._destination).unlink(missing_ok=True)

    def check_room(self, reserve: int) -> None:
        """Make sure that the rest fits on the disk with `reserve` bytes left over.

        Raises:
            AppError: it does not.
        """
        check_room_for(self._destination.parent, max((self.size or 0) - self.have, 0), reserve)


def check_room_for(folder: Path, missing: int, reserve: int) -> None:
    """Make sure that `missing` bytes fit on the disk of `folder` with `reserve` bytes left over.

    Raises:
        AppError: they do not.
    """
    free = free_bytes(folder)
    if missing > 0 and free is not None and free < missing + reserve:
        raise explain_disk(OSError(errno.ENOSPC, f"{free} bytes are free"), str(folder), missing + reserve - free)


def _lock_path(destination: Path) -> Path:
    return destination.with_name(destination.name + ".part.lock")


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return -1


def _read_json(path: Path) -> object:
    try:
        return json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError):
        return None
