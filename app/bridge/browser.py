"""Looking around on the hub: from a text to repositories, from a repository to its models."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from PySide6.QtCore import QObject, Signal

from app.bridge.draft_offer import draft_for_names
from app.bridge.hub_questions import HubQuestions
from app.bridge.item_models.offers import HitsModel, OfferRow, OffersModel
from app.core.errors import AppError, UserError
from app.hub.address import parse
from app.hub.catalogue import Pair, Part
from app.hub.memory_plan import Budget
from app.protocol.download_messages import DownloadProgress, RepositoryModels, SearchResults, StartPair, WantedModel

_WORKING = 1_500_000_000
"""Bytes for caches and buffers beside the weights, before a file's header can tell."""


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """What is looked at. `hits`: a search can be gone back to."""

    kind: Literal["nothing", "asking", "hits", "repository", "failed"] = "nothing"
    text: str = ""
    repo: str = ""
    licence: str = ""
    gated: bool = False
    hits: bool = False
    fault: AppError | None = None


class Browser(QObject):
    """One question at a time.

    Signals:
        changed: The `View`.
        failed: An `AppError`: a download could not be begun.
    """

    changed = Signal(object)
    failed = Signal(object)

    def __init__(
        self,
        questions: HubQuestions,
        find_download: Callable[[str], DownloadProgress | None],
        is_here: Callable[[str, str], bool],
        parent: QObject | None = None,
    ) -> None:
        """`find_download`: the download with an id; `is_here`: is this file of this repository complete?"""
        super().__init__(parent)
        self._questions = questions
        self._find_download = find_download
        self._is_here = is_here
        self._question = ""
        self._last: RepositoryModels | None = None
        self._budget = Budget(1 << 60)
        self._pairs: Sequence[Pair] = ()
        self.view = View()
        self.hits = HitsModel(self)
        self.offers = OffersModel(self)

    def look_up(self, text: str) -> None:
        """Search for `text`, or list it if it names a repository. Blank text looks at nothing."""
        text = text.strip()
        if not text:
            self.leave()
            return
        try:
            parse(text)
        except UserError as fault:
            if "://" in text:
                self._show(View(kind="failed", text=text, fault=fault))
                return
            self._questions.forget(self._question)
            self._question = self._questions.search(text, self._on_hits, self._on_failed)
            self._show(View(kind="asking", text=text))
            return
        self.open_repository(text)

    def open_repository(self, repo: str) -> None:
        """List the models of a repository."""
        self._questions.forget(self._question)
        self._question = self._questions.list_models(repo, self._on_models, self._on_failed)
        hits = self.view.kind == "hits" or self.view.hits
        self._show(View(kind="asking", text=self.view.text if hits else repo, repo=repo, hits=hits))

    def again(self) -> None:
        """Ask the question that failed once more."""
        if self.view.repo:
            self.open_repository(self.view.repo)
        else:
            self.look_up(self.view.text)

    def back(self) -> None:
        """From a repository to the hits it was found among, else to nothing."""
        if self.view.hits and self.view.kind != "hits":
            self._questions.forget(self._question)
            self._show(View(kind="hits", text=self.view.text))
        else:
            self.leave()

    def leave(self) -> None:
        """Look at nothing."""
        self._questions.forget(self._question)
        self._last = None
        self._show(View())

    def get(self, row: OfferRow) -> None:
        """Download a model of the repository."""
        if self._last is not None:
            title = row.model.name.rsplit("/", 1)[-1].removesuffix(".gguf")
            self._questions.fetch_model(self._download_id(row.model.name), title, row.model, self.failed.emit)

    def draft_of(self, row: OfferRow) -> Part | None:
        """A draft model that fits one of these and is not here, None if none is known."""
        part = draft_for_names(self._pairs, row.model.name)
        return None if part is None or self._is_here(part.repo, part.file) else part

    def get_pair(self, row: OfferRow) -> None:
        """Download a model of the repository and its draft, as one."""
        draft = self.draft_of(row)
        if self._last is None or draft is None:
            return
        title = row.model.name.rsplit("/", 1)[-1].removesuffix(".gguf")
        target = WantedModel(repo=self._last.repo, file=row.model.name)
        request = StartPair(id=self._download_id(row.model.name), title=title, models=(target, draft.wanted))
        self._questions.start_pair(request, lambda _progress: None, self.failed.emit)

    def note_catalogue(self, pairs: Sequence[Pair]) -> None:
        """Pairs that are known to fit."""
        self._pairs = pairs
        self.refresh()

    def note_budget(self, budget: Budget) -> None:
        """So much memory is there for a model."""
        self._budget = budget
        self.refresh()

    def refresh(self) -> None:
        """Look at downloads and files again."""
        last = self._last
        if last is None:
            return
        room = self._budget.ram + self._budget.vram - _WORKING
        self.offers.replace(
            [
                OfferRow(
                    model,
                    "fits" if model.size <= room else "too_large",
                    all(self._is_here(file.repo, file.name) for file in model.files),
                    self._find_download(self._download_id(model.name)),
                )
                for model in last.models
            ]
        )

    def _download_id(self, name: str) -> str:
        return f"model:{self._last.repo if self._last is not None else ''}/{name}"

    def _on_hits(self, results: SearchResults) -> None:
        self.hits.replace(results.repositories)
        self._show(replace(self.view, kind="hits", repo="", hits=False))

    def _on_models(self, models: RepositoryModels) -> None:
        self._last = models
        self.refresh()
        self._show(replace(self.view, kind="repository", repo=models.repo, licence=models.licence, gated=models.gated))

    def _on_failed(self, fault: AppError) -> None:
        self._show(replace(self.view, kind="failed", fault=fault))

    def _show(self, view: View) -> None:
        self.view = view
        self.changed.emit(view)
