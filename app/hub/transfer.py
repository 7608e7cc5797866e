"""One file from a hub to its place, whatever happens on the way."""

import contextlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Protocol

from app.core import log
from app.core.errors import EnvironmentFault
from app.hub.control import Control
from app.hub.disk import RESERVE
from app.hub.download import Body
from app.hub.faults import Interrupted, LinkExpired, RangeRefused, explain_disk
from app.hub.part_file import PartFile, WrongContents, only_one
from app.hub.remote import Location

BATCH = 256 << 10
"""Bytes gathered before they are written: what is lost at most when the process is killed."""
RETRY_DELAYS_S = (0.5, 1.0, 2.0, 4.0, 8.0)
_SPACE_CHECK = 64 << 20
_MAX_NEW_LINKS = 3
_log = log.get("download")

Report = Callable[[int, int], None]
"""Told bytes done and bytes in all. Done goes back only when a file has to start over."""


class Source(Protocol):
    """What a transfer needs of a hub."""

    def locate(self, repo: str, file: str, revision: str) -> Location: ...

    def receive(
        self, location: Location, position: int, repo: str, file: str
    ) -> contextlib.AbstractContextManager[Body]: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """A file to get. `size` and `sha256` as the listing said, 0 or "" if it did not."""

    repo: str
    name: str
    revision: str = "main"
    size: int = 0
    sha256: str = ""


def fetch(
    hub: Source,
    wanted: Wanted,
    destination: Path,
    control: Control,
    report: Report,
    *,
    delays: tuple[float, ...] = RETRY_DELAYS_S,
    reserve: int = RESERVE,
) -> None:
    """Get a file.

    Args:
        hub: Where from.
        wanted: What.
        destination: Its final name; folders are made.
        control: Stops it, from another thread.
        report: Told about progress.
        delays: Seconds between tries that bring nothing; after the last one it fails.
        reserve: Bytes to leave free on the disk.

    Raises:
        Stopped: `control` said so; the part stays.
        AppError: it failed; the part stays unless its contents were wrong. Trying again goes on where it was.
    """
    try:
        if wanted.size and destination.exists() and destination.stat().st_size == wanted.size:
            report(wanted.size, wanted.size)
            return
        destination.parent.mkdir(parents=True, exist_ok=True)
        with only_one(destination):
            _Transfer(hub, wanted, PartFile(destination), control, report, delays, reserve).run()
    except OSError as error:
        raise explain_disk(error, str(destination.parent)) from error


class _Transfer:
    def __init__(
        self,
        hub: Source,
        wanted: Wanted,
        part: PartFile,
        control: Control,
        report: Report,
        delays: tuple[float, ...],
        reserve: int,
    ) -> None:
        self._hub = hub
        self._wanted = wanted
        self._part = part
        self._control = control
        self._report = report
        self._delays = delays
        self._reserve = reserve

    def run(self) -> None:
        try:
            self._attempt()
        except WrongContents as first:
            _log.info("%s starts over: %s", self._wanted.name, first)
            self._part.drop()
            try:
                self._attempt()
            except WrongContents as second:
                self._part.drop()
                raise EnvironmentFault(
                    "checksum",
                    f'"{self._wanted.name}" arrived damaged twice: its checksum is wrong.',
                    "Something between here and the hub changes files (a proxy?), or the disk is failing.",
                    str(second),
                ) from second
        self._tell()

    def _attempt(self) -> None:
        location = self._locate()
        size = location.size if location.size is not None else self._wanted.size or None
        self._part.begin(location, size, self._control.check)
        self._part.check_room(self._reserve)
        self._tell()
        with self._part.open() as file:
            self._receive_all(location, file)
        self._part.finish(location.sha256 or self._wanted.sha256)

    def _locate(self) -> Location:
        for delay in self._delays:
            self._control.check()
            try:
                return self._hub.locate(self._wanted.repo, self._wanted.name, self._wanted.revision)
            except Interrupted as interruption:
                self._control.wait(max(delay, interruption.wait_s))
        try:
            return self._hub.locate(self._wanted.repo, self._wanted.name, self._wanted.revision)
        except Interrupted as interruption:
            raise interruption.fault from interruption

    def _receive_all(self, location: Location, file: BinaryIO) -> None:
        part = self._part
        new_links = fruitless = 0
        while part.size is None or part.have < part.size:
            before = part.have
            self._control.check()
            try:
                self._receive(location, file)
                if part.have == before:
                    raise Interrupted(_stopped_short(self._wanted))
            except LinkExpired as expired:
                new_links += 1
                if new_links > _MAX_NEW_LINKS:
                    raise expired.fault from expired
                location = self._same_file(location)
            except RangeRefused as error:
                self._same_file(location)
                raise WrongContents("the server has nothing where the rest should be") from error
            except Interrupted as interruption:
                self._control.check()
                fruitless = 1 if part.have > before else fruitless + 1
                if fruitless > len(self._delays):
                    raise interruption.fault from interruption
                self._control.wait(max(self._delays[fruitless - 1], interruption.wait_s))
            else:
                new_links = fruitless = 0
                part.size = part.have if part.size is None else part.size

    def _same_file(self, old: Location) -> Location:
        """A fresh link to the same contents."""
        new = self._locate()
        if (new.etag, new.size) != (old.etag, old.size):
            raise WrongContents("the file was replaced on the hub")
        return new

    def _receive(self, location: Location, file: BinaryIO) -> None:
        """Append what one request brings."""
        gathered = bytearray()
        checked = self._part.have
        with (
            self._hub.receive(location, self._part.have, self._wanted.repo, self._wanted.name) as body,
            self._control.interrupting(body.abort),
        ):
            # A server that does not go by the position sends what is here already: it is read past.
            skip = self._part.have - body.start
            try:
                for chunk in body.chunks():
                    self._control.check()
                    gathered += chunk[skip:]
                    skip = max(skip - len(chunk), 0)
                    if len(gathered) >= BATCH:
                        self._append(file, gathered)
                    if self._part.have - checked >= _SPACE_CHECK:
                        checked = self._part.have
                        self._part.check_room(self._reserve)
            finally:
                self._append(file, gathered)

    def _append(self, file: BinaryIO, gathered: bytearray) -> None:
        if gathered:
            self._part.append(file, gathered)
            self._tell()

    def _tell(self) -> None:
        self._report(self._part.have, self._part.size or self._part.have)


def _stopped_short(wanted: Wanted) -> EnvironmentFault:
    return EnvironmentFault(
        "connection_lost", f'The hub stopped sending "{wanted.name}".', "Check the connection, then resume."
    )
