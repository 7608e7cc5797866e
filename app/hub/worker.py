"""The download process: requests on stdin, events on a private copy of stdout, like the engine process.

Downloads run in a thread of the queue, listings and searches in a second one, so that a slow hub holds up neither. The
end of stdin means that the window is gone: what is not done is kept for the next time.
"""

import argparse
import logging
import os
import queue
import sys
import threading
from pathlib import Path
from typing import BinaryIO

from app import __version__
from app.core import log, paths
from app.core.errors import AppError
from app.hub.address import parse
from app.hub.catalogue import resolve
from app.hub.credentials import Credentials
from app.hub.download import DEFAULT_ENDPOINT, Hub, HubSettings
from app.hub.download_queue import DownloadQueue
from app.hub.keychain import SystemKeychain
from app.hub.quantisation import Offer, offers
from app.hub.remote import Listing
from app.protocol.codec import MAX_LINE_BYTES, ProtocolError, decode
from app.protocol.download_messages import (
    CancelDownload,
    Downloads,
    FoundRepository,
    ListDownloads,
    ListRepository,
    OfferedModel,
    PauseDownload,
    RepositoryModels,
    ResumeDownload,
    SearchHub,
    SearchResults,
    StartDownload,
    StartPair,
    WantedFile,
)
from app.protocol.messages import PROTOCOL_VERSION, Failed, Hello, Message, Shutdown
from app.protocol.wire import Wire, WireHandler, private_stdout

GRACE_S = 2.0
_log = log.get("wire")


class Worker:
    """Connects a wire with a queue and a hub."""

    def __init__(self, requests: BinaryIO, wire: Wire, hub: Hub, downloads: DownloadQueue) -> None:
        self._requests = requests
        self._wire = wire
        self._hub = hub
        self._downloads = downloads
        self._questions: queue.SimpleQueue[ListRepository | SearchHub | StartPair | None] = queue.SimpleQueue()

    def run(self) -> None:
        """Serve until Shutdown or the end of stdin."""
        asking = threading.Thread(target=self._answer_questions, name="questions", daemon=True)
        asking.start()
        self._wire.send(Hello(name="download", detail=__version__))
        self._downloads.start_thread()
        while line := self._requests.readline(MAX_LINE_BYTES + 1):
            if line.strip() and not self._take(line):
                break
        # A hub that hangs must not keep the process.
        timer = threading.Timer(GRACE_S, os._exit, args=(0,))
        timer.daemon = True
        timer.start()
        self._questions.put(None)
        self._downloads.close()

    def _take(self, line: bytes) -> bool:
        """Handle one line; False ends the process."""
        try:
            message = decode(line)
        except ProtocolError as error:
            _log.warning("a line that is no request was ignored: %s", error)
            self._refuse("The download process got a line it does not understand.", str(error))
            return True
        try:
            return self._dispatch(message)
        except AppError as error:
            self._fail(getattr(message, "id", ""), error)
            return True

    def _dispatch(self, message: Message) -> bool:
        if isinstance(message, StartDownload):
            self._downloads.start(message)
        elif isinstance(message, PauseDownload):
            self._downloads.pause(message.id)
        elif isinstance(message, ResumeDownload):
            self._downloads.resume(message.id)
        elif isinstance(message, CancelDownload):
            self._downloads.cancel(message.id)
        elif isinstance(message, ListDownloads):
            self._wire.send(Downloads(id=message.id, downloads=self._downloads.statuses()))
        elif isinstance(message, ListRepository | SearchHub | StartPair):
            self._questions.put(message)
        elif isinstance(message, Shutdown):
            return False
        elif not isinstance(message, Hello):
            self._refuse(f"The download process does not take {type(message).__name__} messages.")
        elif message.version != PROTOCOL_VERSION:
            self._refuse(
                f"Window and download process are of different versions ({message.version}, {PROTOCOL_VERSION})."
            )
            return False
        return True

    def _answer_questions(self) -> None:
        while (question := self._questions.get()) is not None:
            try:
                if isinstance(question, SearchHub):
                    found = self._hub.search(question.text)
                    hits = tuple(
                        FoundRepository(repo=hit.repo, downloads=hit.downloads, gated=hit.gated) for hit in found
                    )
                    self._wire.send(SearchResults(id=question.id, repositories=hits))
                elif isinstance(question, StartPair):
                    self._start_pair(question)
                else:
                    self._wire.send(self._models_of(question))
            except AppError as error:
                self._fail(question.id, error)

    def _start_pair(self, request: StartPair) -> None:
        files: list[WantedFile] = []
        for wanted in request.models:
            listing = self._hub.listing(wanted.repo)
            files += _wanted(listing, resolve(wanted, listing))
        self._downloads.start(StartDownload(id=request.id, title=request.title, files=tuple(files)))

    def _models_of(self, question: ListRepository) -> RepositoryModels:
        address = parse(question.repo)
        listing = self._hub.listing(address.repo, address.revision or "main")
        models = tuple(
            OfferedModel(
                name=offer.name,
                quantisation=offer.quantisation,
                size=offer.size,
                files=tuple(_wanted(listing, offer)),
            )
            for offer in offers(listing.files)
        )
        return RepositoryModels(
            id=question.id,
            repo=listing.repo,
            revision=listing.revision,
            gated=listing.gated,
            licence=listing.licence,
            models=models,
        )

    def _refuse(self, sentence: str, detail: str = "") -> None:
        self._wire.send(Failed(id="", code="protocol", sentence=sentence, detail=detail))

    def _fail(self, request: str, error: AppError) -> None:
        self._wire.send(
            Failed(id=request, code=error.code, sentence=error.sentence, hint=error.hint, detail=error.detail)
        )


def _wanted(listing: Listing, offer: Offer) -> list[WantedFile]:
    return [
        WantedFile(repo=listing.repo, name=file.name, revision=listing.revision, size=file.size, sha256=file.sha256)
        for file in offer.files
    ]


def main(arguments: list[str]) -> int:
    """Run the download process."""
    found = paths.find()
    parser = argparse.ArgumentParser(prog="outpace --role download", add_help=False)
    parser.add_argument("--models", type=Path, default=found.models)
    parser.add_argument("--endpoint", default=DEFAULT_ENDPOINT)
    parser.add_argument("--offline", action="store_true")
    options = parser.parse_args(arguments)
    wire = Wire(private_stdout())
    log.configure(found.logs, "download", stream=None)
    logging.getLogger(log.ROOT).addHandler(WireHandler(wire))
    credentials = Credentials(found.config / "tokens.json", SystemKeychain())
    hub = Hub(HubSettings(options.endpoint, options.offline), credentials.token_for)
    downloads = DownloadQueue(hub, options.models, found.data / "downloads.json", wire.send)
    Worker(sys.stdin.buffer, wire, hub, downloads).run()
    return 0
