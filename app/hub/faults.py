"""What went wrong between here and a hub, as sentences."""

import errno
from dataclasses import dataclass
from typing import Literal
from urllib.parse import urlparse

from app.core.errors import AppError, EnvironmentFault, UserError

Cause = Literal[
    "offline",
    "name",
    "refused",
    "slow",
    "certificate",
    "proxy",
    "broken",
    "gated",
    "token",
    "repository",
    "revision",
    "file",
    "bad_name",
    "disabled",
    "forbidden",
    "rate",
    "server",
    "garbage",
    "redirects",
    "other",
]


class Interrupted(Exception):  # noqa: N818 (not yet a failure: worth another try)
    """The connection ended early, or the server is busy. `fault` says it if trying again does not help."""

    def __init__(self, fault: AppError, wait_s: float = 0.0) -> None:
        super().__init__(fault.sentence)
        self.fault = fault
        self.wait_s = wait_s


class LinkExpired(Exception):  # noqa: N818 (not a failure: a new link is needed)
    """The storage host refuses the link; `fault` is for the case that a new one does not help."""

    def __init__(self, fault: AppError) -> None:
        super().__init__(fault.sentence)
        self.fault = fault


class RangeRefused(Exception):  # noqa: N818 (not a failure: start over)
    """The server has nothing at the position asked for."""


@dataclass(frozen=True, slots=True)
class Trouble:
    """What is known when a request fails. `status` 0: no answer. `wait_s`: what the server asked for."""

    cause: Cause
    endpoint: str
    repo: str = ""
    file: str = ""
    status: int = 0
    wait_s: int = 0
    with_token: bool = False
    detail: str = ""


def explain(trouble: Trouble) -> AppError:
    """The sentence for it."""
    host = urlparse(trouble.endpoint).netloc or trouble.endpoint
    page = f"{trouble.endpoint}/{trouble.repo}"
    code, sentence, hint = _about_access(trouble, host, page) or _about_connection(trouble, host)
    kind = UserError if trouble.cause in _USERS else EnvironmentFault
    return kind(code, sentence, hint, trouble.detail)


_USERS = frozenset({"offline", "gated", "token", "repository", "revision", "file", "bad_name", "disabled", "forbidden"})


def _about_access(trouble: Trouble, host: str, page: str) -> tuple[str, str, str] | None:
    repo, file = trouble.repo, trouble.file
    if trouble.cause == "gated" and not trouble.with_token:
        return (
            "gated_no_token",
            f'"{repo}" is open only to people who accepted its terms, and no access token is set.',
            f"Open {page}, accept the terms, then enter a token in the settings.",
        )
    if trouble.cause == "gated":
        return (
            "gated_no_access",
            f'Your access token has no access to "{repo}" yet.',
            f"Open {page} with the same account and accept the terms; some are granted only after a while.",
        )
    answers: dict[str, tuple[str, str, str]] = {
        "token": (
            "token_refused",
            f"{host} does not accept your access token.",
            f"It may be mistyped or withdrawn: enter a new one from {trouble.endpoint}/settings/tokens.",
        ),
        "repository": (
            "repository_not_found",
            f'There is no model "{repo}" on {host}, or it is private.',
            "Check the spelling." if trouble.with_token else "Check the spelling; a private model needs a token.",
        ),
        "revision": ("revision_not_found", f'"{repo}" has no such version.', "Leave the version out."),
        "file": (
            "file_not_found",
            f'There is no file "{file}" in "{repo}".',
            "It may have been renamed: list it again.",
        ),
        "bad_name": ("bad_repository", f'"{repo}" is not the name of a model.', "A name looks like owner/model."),
        "disabled": ("repository_disabled", f'{host} has closed access to "{repo}".', f"Open {page} to see why."),
        "forbidden": ("forbidden", f'{host} does not let you read "{repo}".', f"Open {page} to see why."),
    }
    return answers.get(trouble.cause)


def _about_connection(trouble: Trouble, host: str) -> tuple[str, str, str]:
    later = "Try again later."
    answers: dict[str, tuple[str, str, str]] = {
        "offline": ("offline", "Offline mode is on, so nothing is downloaded.", "Switch it off in the settings."),
        "name": (
            "no_network",
            f"{host} cannot be found: there is no network, or the address is wrong.",
            "Check the connection.",
        ),
        "refused": ("hub_down", f"{host} does not answer.", "Check the connection, or try again later."),
        "slow": ("hub_slow", f"{host} takes too long to answer.", "Check the connection, or try again later."),
        "certificate": (
            "certificate",
            f"The certificate of {host} is not trusted, so the connection is not safe.",
            "Check the date of this computer. Where a company inspects the traffic, its certificate must be installed.",
        ),
        "proxy": ("proxy", "The proxy server does not let the connection through.", "Check the proxy settings."),
        "broken": ("connection_lost", f"The connection to {host} was lost.", "Check the connection, then resume."),
        "rate": (
            "rate_limited",
            f"{host} asks for a pause: too many requests.",
            f"Try again in {trouble.wait_s} seconds." if trouble.wait_s else "Try again in some minutes.",
        ),
        "server": ("hub_error", f"{host} has a problem of its own (error {trouble.status}).", later),
        "garbage": (
            "hub_garbled",
            f"{host} answers with something else than data.",
            "A login page of the network may be in between: open a page in the browser first.",
        ),
        "redirects": ("hub_garbled", f"{host} sends the request around in circles.", later),
    }
    status = f" (error {trouble.status})" if trouble.status else ""
    return answers.get(trouble.cause) or ("hub_error", f"{host} refuses the request{status}.", later)


def explain_disk(error: OSError, path: str, needed: int = 0) -> AppError:
    """The sentence for a write that failed."""
    detail = f"{path}: {error!r}"
    if error.errno in (errno.ENOSPC, getattr(errno, "EDQUOT", -1)):
        more = f"About {needed / 1e9:.1f} GB more are needed. " if needed >= 5e7 else ""
        return EnvironmentFault("disk_full", "The disk is full.", f"{more}Make room, then resume.", detail)
    if error.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
        return EnvironmentFault(
            "folder_read_only",
            f'Nothing can be written to "{path}".',
            "Change the permissions of the folder, or choose another one in the settings.",
            detail,
        )
    if error.errno == errno.EFBIG:
        return EnvironmentFault(
            "file_too_large",
            "The disk cannot hold a file of this size (a FAT32 disk ends at 4 GB).",
            "Choose a models folder on another disk.",
            detail,
        )
    return EnvironmentFault(
        "disk_error", f'Writing to "{path}" failed: {error.strerror or error}.', "Check the disk.", detail
    )
