"""What the window and the download process say to each other, besides hello, failed, log and shutdown.

`id` names the download in everything about one; listings and searches carry the id of their request.
"""

from dataclasses import dataclass
from typing import Literal

DownloadState = Literal["queued", "running", "waiting", "paused", "failed", "done"]


@dataclass(frozen=True, slots=True, kw_only=True)
class WantedFile:
    """A file to get. `revision`: a commit or a branch. `size`, `sha256`: as the listing said, 0 or "" if it did not."""

    repo: str
    name: str
    revision: str = "main"
    size: int = 0
    sha256: str = ""


# --- requests -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class StartDownload:
    """Get `files`, one after the other, as one download called `title`. One with this id that exists is resumed."""

    id: str
    title: str
    files: tuple[WantedFile, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class WantedModel:
    """A model to get: the file of this name, else the first of these quantisations its repository has."""

    repo: str
    file: str
    quantisations: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class StartPair:
    """Look up what these models are now, then get them as one download called `title`."""

    id: str
    title: str
    models: tuple[WantedModel, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class PauseDownload:
    """Stop, keep what is there, also over restarts."""

    id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ResumeDownload:
    """Go on with one that is paused, waiting or failed."""

    id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CancelDownload:
    """Forget it and remove its incomplete files; complete ones stay."""

    id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ListDownloads:
    """Tell about all downloads."""

    id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ListRepository:
    """Which model files has this repository? `repo` may also be the address of its page."""

    id: str
    repo: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchHub:
    """Which repositories with models match this text?"""

    id: str
    text: str


# --- events ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class DownloadProgress:
    """How far a download is.

    `state`: "waiting" tries again by itself, "failed" does not. `file`: the one in work. `done`, `total`: bytes of all
    files. `speed`: bytes/s, `seconds_left`: both None if unknown. `code`, `sentence`, `hint`: what is wrong, or "".
    `paths`: where the files are, as soon as they are complete.
    """

    id: str
    title: str
    state: DownloadState
    file: str
    done: int
    total: int
    speed: float | None = None
    seconds_left: float | None = None
    code: str = ""
    sentence: str = ""
    hint: str = ""
    paths: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class DownloadCancelled:
    """It is gone, with its incomplete files."""

    id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Downloads:
    """All downloads there are, in the order of the queue."""

    id: str
    downloads: tuple[DownloadProgress, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class OfferedModel:
    """A model in a repository: a file or a split set. `quantisation`: by its name, "" if the name does not say."""

    name: str
    quantisation: str
    size: int
    files: tuple[WantedFile, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class RepositoryModels:
    """What a repository offers."""

    id: str
    repo: str
    revision: str
    gated: bool
    licence: str
    models: tuple[OfferedModel, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundRepository:
    """A search hit."""

    repo: str
    downloads: int
    gated: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchResults:
    """What a search found."""

    id: str
    repositories: tuple[FoundRepository, ...]


DownloadRequest = (
    StartDownload
    | StartPair
    | PauseDownload
    | ResumeDownload
    | CancelDownload
    | ListDownloads
    | ListRepository
    | SearchHub
)
DownloadEvent = DownloadProgress | DownloadCancelled | Downloads | RepositoryModels | SearchResults

DOWNLOAD_KINDS: dict[str, type[DownloadRequest | DownloadEvent]] = {
    "start_download": StartDownload,
    "start_pair": StartPair,
    "pause_download": PauseDownload,
    "resume_download": ResumeDownload,
    "cancel_download": CancelDownload,
    "list_downloads": ListDownloads,
    "list_repository": ListRepository,
    "search_hub": SearchHub,
    "download_progress": DownloadProgress,
    "download_cancelled": DownloadCancelled,
    "downloads": Downloads,
    "repository_models": RepositoryModels,
    "search_results": SearchResults,
}
