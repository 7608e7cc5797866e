"""Addresses of servers: what is one, whom a key belongs to, and which of them are near."""

import ipaddress
from dataclasses import dataclass
from urllib.parse import urlsplit

from app.core.errors import UserError

_PORTS = {"http": 80, "https": 443}
_NEAR_ENDINGS = (".local", ".lan", ".internal", ".home", ".home.arpa", ".localdomain")


@dataclass(frozen=True, slots=True)
class ServerAddress:
    """Where a server is. `path`: what stands before `/v1`, "" mostly; it begins with a slash and ends in none."""

    scheme: str
    host: str
    port: int
    path: str = ""

    @property
    def origin(self) -> str:
        """Scheme, host and port: what a key is bound to."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{self.scheme}://{host}:{self.port}"

    @property
    def base(self) -> str:
        """What paths are appended to."""
        return self.origin + self.path

    @property
    def is_loopback(self) -> bool:
        """Is it this machine?"""
        return self.host == "localhost" or bool((ip := _ip(self.host)) and ip.is_loopback)

    @property
    def is_near(self) -> bool:
        """Is it this machine or, by its address or name, one in the same network?"""
        ip = _ip(self.host)
        if ip is not None:
            return ip.is_loopback or ip.is_private or ip.is_link_local
        return self.is_loopback or "." not in self.host or self.host.endswith(_NEAR_ENDINGS)

    @property
    def is_open(self) -> bool:
        """Can others on the way read along? Plain HTTP to a machine that is not near."""
        return self.scheme == "http" and not self.is_near


def parse(text: str) -> ServerAddress:
    """The address in `text`; with or without `/v1`, with or without a scheme.

    Raises:
        UserError: it is none, with a sentence.
    """
    text = text.strip()
    problem = UserError(
        "bad_address",
        f'"{text[:80]}" is not the address of a server.',
        "It looks like http://192.168.1.20:8080 or https://models.example.org.",
    )
    if not text or any(sign.isspace() or not sign.isprintable() for sign in text):
        raise problem
    has_scheme = "://" in text
    try:
        parts = urlsplit(text if has_scheme else f"//{text}")
        host, port = (parts.hostname or "").rstrip("."), parts.port
    except ValueError:
        raise problem from None
    if parts.username is not None or parts.password is not None:
        raise UserError(
            "bad_address", "The address has a name or password in it.", "Put the key into its own field instead."
        )
    if not host or parts.query or parts.fragment or (has_scheme and parts.scheme not in _PORTS) or port == 0:
        raise problem
    scheme = parts.scheme if has_scheme else ("http" if ServerAddress("http", host, 80).is_near else "https")
    path = parts.path.rstrip("/")
    path = path.removesuffix("/v1").rstrip("/")
    return ServerAddress(scheme, host, port or _PORTS[scheme], path)


def _ip(host: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        return ipaddress.ip_address(host.partition("%")[0])
    except ValueError:
        return None
