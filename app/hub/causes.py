"""From an exception of huggingface_hub or its HTTP library to the cause of the trouble.

Classes are recognised by name, so that neither library has to be imported for it.
"""

import socket
import ssl
from typing import Any

from app.hub.faults import Cause, Trouble

_LIBRARIES = ("httpx2", "httpcore2", "huggingface_hub")
# In order: to the library, "gated" is a kind of "not found".
_BY_NAME: tuple[tuple[str, Cause], ...] = (
    ("OfflineModeIsEnabled", "offline"),
    ("GatedRepoError", "gated"),
    ("DisabledRepoError", "disabled"),
    ("RepositoryNotFoundError", "repository"),
    ("RevisionNotFoundError", "revision"),
    ("EntryNotFoundError", "file"),
    ("HFValidationError", "bad_name"),
    ("ProxyError", "proxy"),
    ("TooManyRedirects", "redirects"),
    ("ConnectTimeout", "refused"),
    ("PoolTimeout", "refused"),
    ("TimeoutException", "slow"),
)


def is_from_the_library(error: Exception) -> bool:
    """Whether `error` is about the request, and not a fault of ours."""
    return isinstance(error, (OSError, ValueError)) or type(error).__module__.split(".")[0] in _LIBRARIES


def trouble_from(error: Exception, endpoint: str, repo: str, file: str, *, with_token: bool) -> Trouble:
    """All that is known about a failed request."""
    response: Any = getattr(error, "response", None)
    status = int(response.status_code) if response is not None else 0
    headers = response.headers if response is not None else {}
    wait = headers.get("retry-after", "")
    return Trouble(
        cause=_cause(error, status, headers.get("x-error-message", ""), file),
        endpoint=endpoint,
        repo=repo,
        file=file,
        status=status,
        wait_s=int(wait) if wait.isdecimal() else 0,
        with_token=with_token,
        detail=f"{type(error).__name__}: {str(error).strip()[:2000]}",
    )


def _cause(error: Exception, status: int, message: str, file: str) -> Cause:
    names = {kind.__name__ for kind in type(error).__mro__}
    for name, cause in _BY_NAME:
        if name in names:
            return cause
    if status == 404:
        return "file" if file else "repository"
    if status:
        return _cause_of_status(status, message)
    if "ConnectError" in names:
        return _cause_of_refusal(error)
    if "TransportError" in names or isinstance(error, ConnectionError):
        return "broken"
    return "garbage" if isinstance(error, ValueError) or "DecodingError" in names else "other"


def _cause_of_status(status: int, message: str) -> Cause:
    if status == 401:
        return "token" if "credentials" in message.lower() else "forbidden"
    known: dict[int, Cause] = {403: "forbidden", 407: "proxy", 429: "rate"}
    return "server" if status >= 500 else known.get(status, "other")


def _cause_of_refusal(error: BaseException) -> Cause:
    seen: BaseException | None = error
    while seen is not None:
        if isinstance(seen, ssl.SSLError):
            return "certificate"
        if isinstance(seen, socket.gaierror):
            return "name"
        seen = seen.__cause__ or seen.__context__
    return "refused"
