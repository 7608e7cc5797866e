"""The only door to huggingface_hub: listings, search, and the bytes of a file from any position.

huggingface_hub's own download forgets what it has between runs and does not check checksums (it changed with 1.18), so
only its public helpers are used: addresses, headers, sessions, errors. Transfer is plain HTTPS.
"""

import contextlib
import os
import socket
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol
from urllib.parse import urlparse

from app import __version__
from app.core.errors import AppError
from app.hub.causes import is_from_the_library, trouble_from
from app.hub.faults import Interrupted, LinkExpired, RangeRefused, Trouble, explain
from app.hub.remote import Found, Listing, Location, RemoteFile

if TYPE_CHECKING:
    import httpx2

DEFAULT_ENDPOINT = "https://huggingface.co"
CONNECT_S = 4.0
READ_S = 20.0
_ENVIRONMENT = {
    # Read once, when huggingface_hub is imported.
    "HF_HUB_DISABLE_XET": "1",
    "HF_HUB_DISABLE_TELEMETRY": "1",
    "HF_HUB_DISABLE_IMPLICIT_TOKEN": "1",
    "HF_HUB_DISABLE_UPDATE_CHECK": "1",
    "HF_HUB_DISABLE_PROGRESS_BARS": "1",
}


@dataclass(frozen=True, slots=True)
class HubSettings:
    """`endpoint`: address of the hub or of a mirror. `offline`: nothing may be sent at all."""

    endpoint: str = DEFAULT_ENDPOINT
    offline: bool = False


class Body(Protocol):
    """The rest of a file, being received. `start`: where it begins, 0 if the server did not go by what was asked."""

    @property
    def start(self) -> int: ...

    def chunks(self) -> Iterator[bytes]:
        """The bytes as they come.

        Raises:
            Interrupted: the connection broke.
        """
        ...

    def abort(self) -> None:
        """Wake up whoever waits in `chunks`; from another thread."""
        ...


class Hub:
    """A hub, or a mirror of one. Safe to use from several threads.

    Every method raises `AppError` with a sentence, and nothing else, unless it says so.

    Args:
        settings: Which hub.
        token_for: The access token for an endpoint, "" for none. It is sent to this endpoint's own host only.
    """

    def __init__(self, settings: HubSettings, token_for: Callable[[str], str] = lambda endpoint: "") -> None:
        self._endpoint = settings.endpoint.rstrip("/") or DEFAULT_ENDPOINT
        self._offline = settings.offline
        self._token_for = token_for

    @property
    def endpoint(self) -> str:
        return self._endpoint

    def listing(self, repo: str, revision: str = "main") -> Listing:
        """The files of a repository, pinned to a commit."""
        with self._explained(repo) as (library, token):
            api = library.HfApi(endpoint=self._endpoint, token=token or False, library_name="outpace")
            info = api.model_info(repo, revision=revision, files_metadata=True, timeout=_timeout())
            return Listing(
                repo=info.id or repo,
                revision=info.sha or revision,
                gated=bool(info.gated),
                licence=_licence(info),
                files=tuple(_remote_file(sibling) for sibling in info.siblings or ()),
            )

    def search(self, text: str, limit: int = 30) -> tuple[Found, ...]:
        """Repositories with GGUF files whose names contain `text`, the most downloaded first."""
        with self._explained("") as (library, token):
            api = library.HfApi(endpoint=self._endpoint, token=token or False, library_name="outpace")
            hits = api.list_models(search=text, filter="gguf", sort="downloads", limit=limit)
            return tuple(Found(repo=hit.id, downloads=hit.downloads or 0, gated=bool(hit.gated)) for hit in hits)

    def locate(self, repo: str, file: str, revision: str) -> Location:
        """Where to get a file.

        Raises:
            Interrupted: the hub is busy or cannot be reached right now.
        """
        try:
            with self._request(repo, file) as (library, token):
                url = library.hf_hub_url(repo, file, revision=revision, endpoint=self._endpoint)
                found = library.get_hf_file_metadata(
                    url, token=token or False, timeout=_timeout(), endpoint=self._endpoint, library_name="outpace"
                )
                return Location(url=found.location, etag=found.etag or "", size=found.size)
        except _Failed as failure:
            raise _again_or_never(failure.trouble) from failure

    @contextlib.contextmanager
    def receive(self, location: Location, position: int, repo: str, file: str) -> Iterator[Body]:
        """The bytes of a file from `position` on.

        Raises:
            Interrupted: worth another try.
            LinkExpired: a new location is needed.
            RangeRefused: the file has nothing at this position.
        """
        with contextlib.ExitStack() as stack:
            try:
                with self._request(repo, file) as (library, token):
                    headers = self._headers(library, token, location, position)
                    session = library.utils.get_session()
                    stream = session.stream("GET", location.url, headers=headers, timeout=_timeout())
                    response = stack.enter_context(stream)
                    start = self._check(response, library, position, repo, file)
            except _Failed as failure:
                raise _again_or_never(failure.trouble) from failure
            # Outside of the `try`: what the caller does with the bytes is not the hub's fault.
            yield _Response(
                response, start, lambda error: trouble_from(error, self._endpoint, repo, file, with_token=bool(token))
            )

    def _headers(self, library: Any, token: str, location: Location, position: int) -> dict[str, str]:
        headers: dict[str, str] = library.utils.build_hf_headers(
            token=token or False, library_name="outpace", library_version=__version__
        )
        if not _same_origin(location.url, self._endpoint):
            headers.pop("authorization", None)
        headers["accept-encoding"] = "identity"
        if position:
            headers["range"] = f"bytes={position}-"
        return headers

    def _check(self, response: "httpx2.Response", library: Any, position: int, repo: str, file: str) -> int:
        """Where the body starts; raises where there is none."""
        status = response.status_code
        if status == 416:
            raise RangeRefused
        if status in (401, 403, 404, 410) and not _same_origin(str(response.url), self._endpoint):
            raise LinkExpired(explain(Trouble("forbidden", self._endpoint, repo, file, status)))
        library.utils.hf_raise_for_status(response)
        if status == 200 and "text/html" in response.headers.get("content-type", ""):
            raise _Failed(Trouble("garbage", self._endpoint, repo, file))
        if status != 206:
            return 0
        start = response.headers.get("content-range", "").removeprefix("bytes ").partition("-")[0]
        return int(start) if start.isdecimal() and int(start) <= position else 0

    @contextlib.contextmanager
    def _explained(self, repo: str) -> Iterator[tuple[Any, str]]:
        try:
            with self._request(repo, "") as request:
                yield request
        except _Failed as failure:
            raise explain(failure.trouble) from failure

    @contextlib.contextmanager
    def _request(self, repo: str, file: str) -> Iterator[tuple[Any, str]]:
        if self._offline:
            raise _Failed(Trouble("offline", self._endpoint, repo, file))
        token = self._token_for(self._endpoint)
        try:
            yield _library(), token
        except Exception as error:
            if isinstance(error, AppError) or not is_from_the_library(error):
                raise
            raise _Failed(trouble_from(error, self._endpoint, repo, file, with_token=bool(token))) from error


class _Failed(Exception):  # noqa: N818 (on its way to becoming a sentence)
    def __init__(self, trouble: Trouble) -> None:
        super().__init__(trouble.cause)
        self.trouble = trouble


def _again_or_never(trouble: Trouble) -> Exception:
    fault = explain(trouble)
    return Interrupted(fault, trouble.wait_s) if trouble.cause in _PASSING else fault


class _Response:
    def __init__(self, response: "httpx2.Response", start: int, lost: Callable[[Exception], Trouble]) -> None:
        self._response = response
        self._start = start
        self._lost = lost

    @property
    def start(self) -> int:
        return self._start

    def chunks(self) -> Iterator[bytes]:
        import httpx2

        try:
            yield from self._response.iter_raw()
        except httpx2.TransportError as error:
            raise _again_or_never(self._lost(error)) from error

    def abort(self) -> None:
        stream = self._response.extensions.get("network_stream")
        connection = stream.get_extra_info("socket") if stream else None
        if connection is not None:
            # Closing alone would not wake up a thread that waits for data.
            with contextlib.suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)


_PASSING = frozenset({"name", "refused", "slow", "broken", "rate", "server"})
_import_lock = threading.Lock()


def _library() -> Any:
    """huggingface_hub, imported at first use: it takes a third of a second, and reads the environment then."""
    with _import_lock:
        os.environ.update(_ENVIRONMENT)
        import huggingface_hub.utils

        library: Any = huggingface_hub
        # Calls without a timeout of their own must not wait for ever.
        library.utils.get_session().timeout = _timeout()
        return library


def _timeout() -> Any:
    import httpx2

    return httpx2.Timeout(READ_S, connect=CONNECT_S)


def _same_origin(url: str, endpoint: str) -> bool:
    one, other = urlparse(url), urlparse(endpoint)
    return (one.scheme, one.hostname, one.port) == (other.scheme, other.hostname, other.port)


def _remote_file(sibling: Any) -> RemoteFile:
    lfs = sibling.lfs
    return RemoteFile(name=sibling.rfilename, size=sibling.size or 0, sha256=(lfs.sha256 or "").lower() if lfs else "")


def _licence(info: Any) -> str:
    named = [tag.removeprefix("license:") for tag in info.tags or () if tag.startswith("license:")]
    return named[0] if named else ""
