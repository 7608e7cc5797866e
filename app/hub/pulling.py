"""Downloading from the command line: the same transfer as the window's, in this process."""

import signal
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from types import FrameType
from typing import TextIO

from app.core import paths
from app.core.errors import UserError
from app.hub import catalogue
from app.hub.address import Address, parse
from app.hub.control import Control, Stopped
from app.hub.credentials import Credentials
from app.hub.disk import RESERVE, place
from app.hub.download import DEFAULT_ENDPOINT, Hub, HubSettings
from app.hub.keychain import SystemKeychain
from app.hub.part_file import check_room_for, have_bytes
from app.hub.quantisation import Offer, offers
from app.hub.remote import Listing
from app.hub.speed import Speedometer
from app.hub.texts import amount, duration
from app.hub.transfer import Wanted, fetch

DEFAULT_QUANTISATIONS = ("Q4_K_M", "Q4_0", "Q5_K_M", "Q8_0", "MXFP4", "F16", "BF16")


def pull(what: str, file: str, models: Path, endpoint: str, progress: TextIO) -> list[Path]:
    """Download a pair of the catalogue, or a model of a repository, and return where the files are.

    Args:
        what: The id of a pair, a repository id, or the address of a page.
        file: A file name or a quantisation; "" for the usual one. Only for repositories.
        models: The models folder.
        endpoint: The hub, "" for the usual one.
        progress: Where lines about progress go.

    Raises:
        AppError: it failed; running it again goes on where it was.
        KeyboardInterrupt: interrupted; what is there is kept.
    """
    found = paths.find()
    credentials = Credentials(found.config / "tokens.json", SystemKeychain())
    hub = Hub(HubSettings(endpoint or DEFAULT_ENDPOINT), credentials.token_for)
    wanted = _wanted(hub, what, file)
    places = [place(models, one.repo, one.name) for one in wanted]
    total = sum(one.size for one in wanted)
    check_room_for(models, total - sum(map(have_bytes, places)), RESERVE)
    control = Control()
    with _interruptible(control):
        line = _Line(progress, total, places)
        try:
            for one, destination in zip(wanted, places, strict=True):
                fetch(hub, one, destination, control, line.reporter(destination))
        except Stopped as stopped:
            raise KeyboardInterrupt from stopped
        finally:
            line.end()
    return places


def _wanted(hub: Hub, what: str, file: str) -> list[Wanted]:
    pairs = catalogue.load(paths.resources() / "catalogue.toml")
    pair = catalogue.find(pairs, what)
    if pair is not None:
        chosen = []
        for part in (pair.target, *pair.draft[:1]):
            listing = hub.listing(part.repo)
            chosen += _files(listing, catalogue.resolve(part.wanted, listing))
        return chosen
    try:
        address = parse(what)
    except UserError as error:
        known = ", ".join(pair.id for pair in pairs)
        raise UserError(error.code, error.sentence, f"{error.hint} Known pairs: {known}.") from error
    listing = hub.listing(address.repo, address.revision or "main")
    return _files(listing, _choose(listing, file or address.file, address))


def _choose(listing: Listing, file: str, address: Address) -> Offer:
    available = offers(listing.files)
    if not available:
        raise UserError("file_not_found", f'"{address.repo}" has no GGUF model.', "Choose another repository.")
    for offer in available:
        if file and file in (offer.name, *(part.name for part in offer.files)):
            return offer
    for quantisation in (file,) if file else DEFAULT_QUANTISATIONS:
        for offer in available:
            if offer.quantisation.upper() == quantisation.upper():
                return offer
    if not file and len(available) == 1:
        return available[0]
    there = ", ".join(f"{offer.name} ({amount(offer.size)})" for offer in available)
    raise UserError(
        "file_not_found",
        f'There is no "{file}" in "{address.repo}".' if file else f'"{address.repo}" has several models.',
        f"Add --file with one of: {there}",
    )


def _files(listing: Listing, offer: Offer) -> list[Wanted]:
    return [
        Wanted(repo=listing.repo, name=file.name, revision=listing.revision, size=file.size, sha256=file.sha256)
        for file in offer.files
    ]


class _interruptible:  # noqa: N801 (used as a statement)
    """Ctrl+C stops the transfer in an orderly way; only in the main thread, where Python allows it."""

    def __init__(self, control: Control) -> None:
        self._control = control
        self._before: Callable[[int, FrameType | None], object] | int | None = None

    def __enter__(self) -> None:
        if threading.current_thread() is threading.main_thread():
            self._before = signal.signal(signal.SIGINT, lambda *_: self._control.stop())

    def __exit__(self, *_: object) -> None:
        if self._before is not None:
            signal.signal(signal.SIGINT, self._before)


class _Line:
    """One line that is written over on a terminal, a line every few seconds elsewhere."""

    def __init__(self, stream: TextIO, total: int, places: Sequence[Path]) -> None:
        self._stream = stream
        self._total = total
        self._places = places
        self._meter = Speedometer()
        self._terminal = stream.isatty()
        self._every = 0.2 if self._terminal else 5.0
        self._last = 0.0

    def reporter(self, destination: Path) -> Callable[[int, int], None]:
        """The report function of one of the files."""
        others = sum(have_bytes(path) for path in self._places if path != destination)

        def report(done: int, _size: int) -> None:
            everything = others + done
            self._meter.note(everything)
            now = time.monotonic()
            if now - self._last >= self._every or everything >= self._total:
                self._last = now
                self._write(destination.name, everything)

        return report

    def _write(self, name: str, done: int) -> None:
        speed = self._meter.speed()
        left = duration(self._meter.seconds_left(max(self._total - done, 0)))
        rate = f"{amount(round(speed))}/s" if speed else "-"
        text = f"{name}: {amount(done)} of {amount(self._total)}, {rate}, {left} left"
        self._stream.write(f"\r{text}\x1b[K" if self._terminal else f"{text}\n")
        self._stream.flush()

    def end(self) -> None:
        """Leave the line."""
        if self._terminal and self._last:
            self._stream.write("\n")
