"""The door to httpx2: one asyncio thread, and clients that follow no redirect and trust no proxy near by."""

import asyncio
import concurrent.futures
import ssl
import threading
from collections.abc import Coroutine
from typing import Any, TypeVar

import httpx2

from app import __version__
from app.core.errors import UserError
from app.core.server_address import ServerAddress, parse
from app.protocol.servers import ServerAccess

T = TypeVar("T")
_CLOSE_S = 2.0


class Loop:
    """An asyncio loop on a thread of its own, started when it is first used."""

    def __init__(self) -> None:
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None

    def start(self, work: Coroutine[Any, Any, T]) -> "concurrent.futures.Future[T]":
        """Run a coroutine there."""
        if self._loop is None:
            self._loop = asyncio.new_event_loop()
            self._thread = threading.Thread(target=self._loop.run_forever, name="servers", daemon=True)
            self._thread.start()
        return asyncio.run_coroutine_threadsafe(work, self._loop)

    def close(self) -> None:
        """End the thread. Twice is fine."""
        loop, thread, self._loop, self._thread = self._loop, self._thread, None, None
        if loop is None or thread is None:
            return
        loop.call_soon_threadsafe(loop.stop)
        thread.join(_CLOSE_S)
        if not thread.is_alive():
            loop.close()


class Server:
    """One server with one key. The client is made at its first use, in the loop's thread.

    Attributes:
        access: How it is reached.
        address: The same, parsed.
    """

    def __init__(self, access: ServerAccess) -> None:
        """Raises `UserError` for an address that is none."""
        self.access = access
        self.address: ServerAddress = parse(access.address)
        self._client: httpx2.AsyncClient | None = None

    @property
    def name(self) -> str:
        """What sentences call it."""
        return self.access.name or f"The server at {self.address.origin}"

    def client(self) -> httpx2.AsyncClient:
        """The client for this server and no other.

        Raises:
            UserError: proxy or certificate settings make no sense.
        """
        if self._client is None:
            headers = {"Accept-Encoding": "identity", "User-Agent": f"outpace/{__version__}"}
            if self.access.key:
                headers["Authorization"] = f"Bearer {self.access.key}"
            try:
                verify: ssl.SSLContext | bool = (
                    ssl.create_default_context(cafile=self.access.ca_file) if self.access.ca_file else True
                )
            except (OSError, ssl.SSLError) as error:
                raise UserError(
                    "server_tls", "The certificate file cannot be used.", "Choose a PEM file.", repr(error)
                ) from error
            try:
                self._client = httpx2.AsyncClient(
                    headers=headers,
                    timeout=httpx2.Timeout(None, connect=self.access.connect_s, write=30.0, pool=30.0),
                    follow_redirects=False,
                    trust_env=not self.address.is_near,
                    verify=verify,
                )
            except (ImportError, ValueError, httpx2.HTTPError) as error:
                raise UserError(
                    "server_proxy",
                    "The proxy settings of this system cannot be used.",
                    "Check HTTP_PROXY, HTTPS_PROXY and ALL_PROXY.",
                    repr(error),
                ) from error
        return self._client

    def url(self, path: str) -> str:
        return self.address.base + path

    async def aclose(self) -> None:
        """Let go of the connections."""
        client, self._client = self._client, None
        if client is not None:
            await client.aclose()
