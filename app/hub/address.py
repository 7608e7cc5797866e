"""What people paste when they mean a repository: its id, or the address of one of its pages."""

import re
from dataclasses import dataclass
from urllib.parse import unquote, urlparse

from app.core.errors import UserError

_ID = re.compile(r"[A-Za-z0-9][\w.-]{0,95}/[\w.-]{1,96}", re.ASCII)


@dataclass(frozen=True, slots=True)
class Address:
    """A repository, perhaps at a revision, perhaps one file of it; "" where not said."""

    repo: str
    revision: str = ""
    file: str = ""


def parse(text: str) -> Address:
    """Understand an id ("owner/model", also "owner/model:Q4_K_M" as other tools write it) or a page's address.

    Raises:
        UserError: it is neither.
    """
    text = text.strip().strip("<>\"'")
    if "://" in text or text.lower().startswith(("huggingface.co/", "www.huggingface.co/", "hf.co/")):
        return _from_url(text if "://" in text else f"https://{text}")
    repo, _, _ = text.partition(":")
    if _ID.fullmatch(repo):
        return Address(repo)
    raise _not_understood(text)


def _from_url(text: str) -> Address:
    try:
        path = unquote(urlparse(text).path)
    except ValueError as error:
        raise _not_understood(text) from error
    parts = [part for part in path.split("/") if part]
    repo = "/".join(parts[:2])
    if not _ID.fullmatch(repo) or parts[0] in ("datasets", "spaces", "api", "models", "collections", "docs"):
        raise _not_understood(text)
    rest = parts[2:]
    if len(rest) >= 2 and rest[0] in ("resolve", "blob", "tree", "raw"):
        return Address(repo, rest[1], "/".join(rest[2:]))
    return Address(repo)


def _not_understood(text: str) -> UserError:
    return UserError(
        "bad_repository",
        f'"{text[:80]}" is not the name of a model.' if text else "No model is named.",
        "A name looks like owner/model; the address of its page will do too.",
    )
