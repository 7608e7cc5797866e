"""Questions to the hub, and downloads that begin with one."""

from collections.abc import Callable
from uuid import uuid4

from PySide6.QtCore import QObject

from app.bridge.download_client import DownloadClient
from app.core.errors import AppError, EnvironmentFault
from app.protocol.download_messages import (
    DownloadProgress,
    ListRepository,
    OfferedModel,
    RepositoryModels,
    SearchHub,
    SearchResults,
    StartDownload,
    StartPair,
)
from app.protocol.messages import Failed

Failure = Callable[[AppError], object]
_Question = ListRepository | SearchHub | StartDownload | StartPair
_Answer = RepositoryModels | SearchResults | DownloadProgress


class HubQuestions(QObject):
    """Asks the download process and gives the answer to whoever asked."""

    def __init__(self, client: DownloadClient, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._client = client
        self._open: dict[str, tuple[Callable[..., object], Failure]] = {}
        client.received.connect(self._take)

    def list_models(self, repo: str, then: Callable[[RepositoryModels], object], failed: Failure) -> str:
        """What does a repository (an id, or the address of its page) offer? Returns the id of the question."""
        return self._ask(ListRepository(id=uuid4().hex, repo=repo), then, failed)

    def search(self, text: str, then: Callable[[SearchResults], object], failed: Failure) -> str:
        """Which repositories match? Returns the id of the question."""
        return self._ask(SearchHub(id=uuid4().hex, text=text), then, failed)

    def fetch_model(self, download_id: str, title: str, model: OfferedModel, failed: Failure) -> None:
        """Download a model of a listing."""
        self._ask(StartDownload(id=download_id, title=title, files=model.files), lambda _progress: None, failed)

    def start_pair(self, request: StartPair, then: Callable[[DownloadProgress], object], failed: Failure) -> None:
        """Look up the files of a pair and download them; `then` is called when that begins."""
        self._ask(request, then, failed)

    def forget(self, question: str) -> None:
        """The answer is not of interest any more."""
        self._open.pop(question, None)

    def _ask(self, question: _Question, then: Callable[..., object], failed: Failure) -> str:
        self._open[question.id] = then, failed
        self._client.send(question)
        return question.id

    def _take(self, message: object) -> None:
        if not isinstance(message, _Answer | Failed) or message.id not in self._open:
            return
        then, failed = self._open.pop(message.id)
        if isinstance(message, Failed):
            failed(EnvironmentFault(message.code, message.sentence, message.hint, message.detail))
        else:
            then(message)
