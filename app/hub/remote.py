"""What a hub tells about its files."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class RemoteFile:
    """A file in a repository. `size` in bytes, `sha256` in lower-case hex, both 0 or "" where the hub does not say."""

    name: str
    size: int
    sha256: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Listing:
    """A repository at one commit (`revision`). `licence`: as its card names it, or ""."""

    repo: str
    revision: str
    gated: bool
    licence: str
    files: tuple[RemoteFile, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """A search hit."""

    repo: str
    downloads: int
    gated: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Location:
    """Where the bytes of a file are right now; the link may expire. `etag` changes when the contents do. `size`: in
    bytes, None if the hub does not say.
    """

    url: str
    etag: str
    size: int | None

    @property
    def sha256(self) -> str:
        """The checksum, where the etag is one; else ""."""
        etag = self.etag.lower()
        return etag if len(etag) == 64 and all(digit in "0123456789abcdef" for digit in etag) else ""
