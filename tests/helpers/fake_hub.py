"""A model hub on real sockets, with a queue of faults: what huggingface_hub asks is answered as the real one does.

Files are served by a second server on a port of its own, as from a storage host, behind links that can expire.
Everything that was asked for is in `log`.
"""

import contextlib
import hashlib
import json
import re
import socket
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self
from urllib.parse import parse_qs, unquote, urlparse

COMMIT = "a" * 40
GOOD, POOR = "good-token", "token-without-access"
STEP = 256 * 1024


@dataclass(frozen=True)
class Drop:
    """Announce everything, close the connection after `after` bytes of the answer."""

    after: int


@dataclass(frozen=True)
class Short:
    """Announce and send only `length` bytes, as if that were all."""

    length: int


@dataclass(frozen=True)
class Stall:
    """Send `after` bytes, then nothing for `seconds`."""

    after: int
    seconds: float


@dataclass(frozen=True)
class Status:
    """Answer with this status."""

    code: int
    headers: tuple[tuple[str, str], ...] = ()


CORRUPT = "corrupt"
IGNORE_RANGE = "ignore range"
WRONG_RANGE = "wrong range"
LOGIN_PAGE = "login page"
Fault = Drop | Short | Stall | Status | str


@dataclass
class Repo:
    files: dict[str, bytes]
    gated: bool = False
    private: bool = False
    licence: str = "apache-2.0"


@dataclass(frozen=True)
class Asked:
    """One request. `authorised`: it carried a token."""

    server: str
    method: str
    path: str
    range: str
    authorised: bool


@dataclass
class FakeHub:
    """Start with `with FakeHub() as hub:`; put repositories into `repos`."""

    repos: dict[str, Repo] = field(default_factory=dict)
    log: list[Asked] = field(default_factory=list)
    body_faults: list[Fault | None] = field(default_factory=list)
    api_faults: list[Fault | None] = field(default_factory=list)
    bytes_per_second: float = 0.0
    sent: int = 0
    link_number: int = 0

    def __enter__(self) -> Self:
        self._lock = threading.Lock()
        self._closing = threading.Event()
        self._blobs: dict[str, bytes] = {}
        self._servers = [_Server(self, "hub"), _Server(self, "storage")]
        self._threads = [threading.Thread(target=server.serve_forever, args=(0.02,)) for server in self._servers]
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._closing.set()
        for server in self._servers:
            server.shutdown()
            server.server_close()
        for thread in self._threads:
            thread.join()

    @property
    def url(self) -> str:
        return self._servers[0].url

    @property
    def storage_url(self) -> str:
        return self._servers[1].url

    @property
    def storage_requests(self) -> list[Asked]:
        return [asked for asked in self.log if asked.server == "storage"]

    def add(self, repo: str, files: dict[str, bytes], **settings: Any) -> Repo:
        self.repos[repo] = Repo(dict(files), **settings)
        return self.repos[repo]

    def expire_links(self) -> None:
        """Links given out so far are answered with 403 from now on."""
        self.link_number += 1

    # for the handlers

    def blob(self, data: bytes) -> str:
        digest = hashlib.sha256(data).hexdigest()
        self._blobs[digest] = data
        return digest

    def find_blob(self, digest: str) -> bytes | None:
        return self._blobs.get(digest)

    def take(self, queue: list[Fault | None]) -> Fault | None:
        with self._lock:
            return queue.pop(0) if queue else None

    def note_sent(self, count: int) -> None:
        with self._lock:
            self.sent += count

    def pause(self, seconds: float) -> None:
        self._closing.wait(seconds)


class _Server(ThreadingHTTPServer):
    daemon_threads = False
    block_on_close = True
    request_queue_size = 64

    def __init__(self, hub: FakeHub, name: str) -> None:
        self.hub = hub
        self.name = name
        self._open: set[socket.socket] = set()
        super().__init__(("127.0.0.1", 0), _Handler)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"

    def get_request(self) -> tuple[socket.socket, Any]:
        connection, address = super().get_request()
        self._open.add(connection)
        return connection, address

    def close_request(self, request: Any) -> None:
        self._open.discard(request)
        super().close_request(request)

    def server_close(self) -> None:
        # Clients keep connections alive; their handlers would wait for the next request for ever.
        for connection in list(self._open):
            with contextlib.suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)
        super().server_close()

    def handle_error(self, *_: object) -> None:
        """Clients that go away in the middle are what the tests are about."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server

    def log_message(self, *_: object) -> None:
        pass

    def do_GET(self) -> None:
        self._answer()

    def do_HEAD(self) -> None:
        self._answer()

    def _answer(self) -> None:
        hub = self.server.hub
        parts = urlparse(self.path)
        token = (self.headers.get("Authorization") or "").removeprefix("Bearer ")
        hub.log.append(Asked(self.server.name, self.command, self.path, self.headers.get("Range") or "", bool(token)))
        if self.server.name == "storage":
            self._storage(parts.path, parse_qs(parts.query))
            return
        fault = hub.take(hub.api_faults)
        if isinstance(fault, Status):
            self._reply(fault.code, {"error": "injected"}, dict(fault.headers))
        elif fault == LOGIN_PAGE:
            self._reply(200, b"<html>please sign in</html>", {"Content-Type": "text/html"})
        elif isinstance(fault, Stall):
            hub.pause(fault.seconds)
        else:
            self._route(unquote(parts.path), parse_qs(parts.query), token)

    def _route(self, path: str, query: dict[str, list[str]], token: str) -> None:
        if token and token not in (GOOD, POOR):
            self._error(401, "", "Invalid credentials in Authorization header")
        elif path == "/api/models":
            self._search(query)
        elif match := re.fullmatch(r"/api/models/([^/]+/[^/]+)(?:/revision/([^/]+))?", path):
            self._with_repo(match[1], match[2], token, lambda repo: self._info(match[1], repo))
        elif match := re.fullmatch(r"/([^/]+/[^/]+)/resolve/([^/]+)/(.+)", path):
            self._with_repo(match[1], match[2], token, lambda repo: self._resolve(match[1], repo, match[3], token))
        else:
            self._error(404, "", "no such page")

    def _with_repo(self, name: str, revision: str | None, token: str, serve: Callable[[Repo], None]) -> None:
        repo = self.server.hub.repos.get(name)
        if repo is None or (repo.private and token != GOOD):
            self._error(401, "RepoNotFound", "Repository not found")
        elif revision not in (None, "main", COMMIT):
            self._error(404, "RevisionNotFound", "Invalid rev id")
        else:
            serve(repo)

    def _info(self, name: str, repo: Repo) -> None:
        self._reply(200, self._describe(name, repo, with_files=True))

    def _search(self, query: dict[str, list[str]]) -> None:
        wanted = query.get("search", [""])[0].lower()
        found = [(name, repo) for name, repo in self.server.hub.repos.items() if wanted in name.lower()]
        limit = int(query.get("limit", ["100"])[0])
        self._reply(200, [self._describe(name, repo, with_files=False) for name, repo in found[:limit]])

    def _describe(self, name: str, repo: Repo, *, with_files: bool) -> dict[str, Any]:
        siblings = []
        for path, data in repo.files.items():
            lfs = {"sha256": hashlib.sha256(data).hexdigest(), "size": len(data), "pointerSize": 135}
            sibling: dict[str, Any] = {"rfilename": path, "size": len(data), "blobId": _git_id(data)}
            siblings.append(sibling | ({"lfs": lfs} if path.endswith(".gguf") else {}))
        return {
            "_id": "1",
            "id": name,
            "sha": COMMIT,
            "private": repo.private,
            "gated": "manual" if repo.gated else False,
            "disabled": False,
            "downloads": 10,
            "likes": 1,
            "tags": ["gguf", f"license:{repo.licence}"],
            "createdAt": "2024-01-01T00:00:00.000Z",
            "lastModified": "2024-01-01T00:00:00.000Z",
            **({"siblings": siblings} if with_files else {}),
        }

    def _resolve(self, name: str, repo: Repo, path: str, token: str) -> None:
        if repo.gated and token != GOOD:
            self._error(403 if token else 401, "GatedRepo", f"Access to model {name} is restricted.")
            return
        data = repo.files.get(path)
        if data is None:
            self._reply(404, {"error": "Entry not found"}, {"X-Error-Code": "EntryNotFound", "X-Repo-Commit": COMMIT})
            return
        digest = self.server.hub.blob(data)
        link = f"{self.server.hub.storage_url}/{digest}?link={self.server.hub.link_number}"
        headers = {"Location": link, "X-Repo-Commit": COMMIT, "X-Linked-ETag": f'"{digest}"'}
        self._reply(302, b"", headers | {"X-Linked-Size": str(len(data)), "Accept-Ranges": "bytes"})

    def _storage(self, path: str, query: dict[str, list[str]]) -> None:
        hub = self.server.hub
        data = hub.find_blob(path.strip("/"))
        if data is None:
            self._reply(404, b"", {})
            return
        if query.get("link") != [str(hub.link_number)]:
            self._reply(403, b"<?xml version='1.0'?><Error><Code>AccessDenied</Code></Error>", {})
            return
        fault = hub.take(hub.body_faults)
        if isinstance(fault, Status):
            self._reply(fault.code, b"", dict(fault.headers))
        elif fault == LOGIN_PAGE:
            self._reply(200, b"<html>please sign in</html>", {"Content-Type": "text/html"})
        else:
            self._send_file(data, fault)

    def _send_file(self, data: bytes, fault: Fault | None) -> None:
        start, status, headers = 0, 200, {"Accept-Ranges": "bytes", "ETag": '"of-the-storage"'}
        asked = re.fullmatch(r"bytes=(\d+)-", self.headers.get("Range") or "")
        if asked and fault != IGNORE_RANGE:
            start, status = int(asked[1]), 206
            if start >= len(data):
                self._reply(416, b"", {"Content-Range": f"bytes */{len(data)}"})
                return
            if fault == WRONG_RANGE:
                start = 0
            headers["Content-Range"] = f"bytes {start}-{len(data) - 1}/{len(data)}"
        body = memoryview(data)[start:]
        if fault == CORRUPT:
            body = memoryview(bytes([body[0] ^ 1]) + bytes(body[1:]))
        if isinstance(fault, Short):
            body = body[: fault.length]
        self.send_response(status)
        for key, value in headers.items():
            self.send_header(key, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self._send_body(body, fault)

    def _send_body(self, body: memoryview, fault: Fault | None) -> None:
        hub = self.server.hub
        stop = min(fault.after, len(body)) if isinstance(fault, Drop | Stall) else len(body)
        start = time.monotonic()
        at = 0
        while at < len(body):
            if at == stop:
                if isinstance(fault, Drop):
                    self.close_connection = True
                    return
                if isinstance(fault, Stall):
                    hub.pause(fault.seconds)
                stop = len(body)
            end = min(at + STEP, stop)
            try:
                self.connection.sendall(body[at:end])
            except OSError:
                self.close_connection = True
                return
            hub.note_sent(end - at)
            at = end
            if hub.bytes_per_second:
                hub.pause(at / hub.bytes_per_second - (time.monotonic() - start))

    def _error(self, status: int, code: str, message: str) -> None:
        headers = {"X-Error-Message": message, "X-Request-Id": "request-1"}
        self._reply(status, {"error": message}, headers | ({"X-Error-Code": code} if code else {}))

    def _reply(self, status: int, body: Any, headers: dict[str, str] | None = None) -> None:
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.send_response(status)
        for key, value in (headers or {}).items():
            self.send_header(key, value)
        if not isinstance(body, bytes):
            self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(data)


def _git_id(data: bytes) -> str:
    return hashlib.sha1(b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest()
