"""A server on this machine that answers as it was told: recorded streams in several cuttings, and faults.

Use it as a context manager. Every connection gets one answer and is closed.
"""

import gzip
import json
import select
import socket
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, Self

from app.protocol.servers import ServerAccess, ServerKind

RECORDED = Path(__file__).resolve().parent.parent / "transcripts" / "servers.json.gz"
Cutting = Literal["original", "bytes", "whole"]
CUTTINGS: tuple[Cutting, ...] = ("original", "bytes", "whole")
Ending = Literal["clean", "torn", "hang", "pings"]


@dataclass(frozen=True)
class Reply:
    """An answer. `ending`: what follows the pieces: the end, a torn connection, silence, or comments without end."""

    pieces: tuple[bytes, ...] = ()
    status: int = 200
    kind: str = "application/json"
    headers: dict[str, str] = field(default_factory=dict)
    ending: Ending = "clean"
    pause_s: float = 0.0


@dataclass(frozen=True)
class Asked:
    """A request that came."""

    method: str
    path: str
    headers: dict[str, str]
    body: dict[str, Any]


Answer = Reply | Callable[[Asked], Reply]


def recordings() -> dict[str, dict[str, Any]]:
    """All recorded answers by name."""
    found: dict[str, dict[str, Any]] = json.loads(gzip.decompress(RECORDED.read_bytes()))
    return found


def streams() -> list[str]:
    """Names of the recorded streams of chats that came to their end."""
    return [
        name
        for name, entry in recordings().items()
        if entry["type"].startswith("text/event-stream")
        and entry["path"] == "/v1/chat/completions"
        and not entry["truncated"]
        and "err-" not in name
    ]


def recorded(name: str, cutting: Cutting = "original") -> Reply:
    """A recorded answer, in pieces."""
    entry = recordings()[name]
    cuts = [text.encode() for text in entry["cuts"]]
    headers = {"Server": entry["server"]} if entry["server"] else {}
    return Reply(
        pieces=tuple(recut(b"".join(cuts), cutting)) if cutting != "original" else tuple(cuts),
        status=entry["status"],
        kind=entry["type"],
        headers=headers,
        ending="torn" if entry["truncated"] else "clean",
    )


def recut(text: bytes, cutting: Cutting) -> Iterator[bytes]:
    """One piece, or single bytes; the middle of a long text comes in pieces that fit no line, which saves time."""
    if cutting == "whole" or not text:
        yield text
        return
    start, end = 600, max(len(text) - 1600, 600)
    for byte in text[:start]:
        yield bytes([byte])
    yield from (text[place : min(place + 61, end)] for place in range(start, end, 61))
    for byte in text[end:]:
        yield bytes([byte])


def as_json(body: object, status: int = 200, **headers: str) -> Reply:
    return Reply((json.dumps(body).encode(),), status, headers=headers)


def as_stream(*events: object, ending: Ending = "clean", pause_s: float = 0.0) -> Reply:
    """Events as JSON; text is sent as it stands."""
    pieces = (event if isinstance(event, str) else json.dumps(event) for event in events)
    return Reply(
        tuple(f"data: {piece}\n\n".encode() for piece in pieces), 200, "text/event-stream", {}, ending, pause_s
    )


def delta(text: str | None, finish: str | None = None, **more: Any) -> dict[str, Any]:
    """A chunk as every server sends it."""
    return {"model": "m", "choices": [{"index": 0, "delta": {"content": text}, "finish_reason": finish}], **more}


class ReplayServer:
    """Attributes:
    asked: Every request that came.
    closed_at: Monotonic time at which a client was seen to close in the middle of an answer, None before.
    """

    def __init__(self, chat: Answer | None = None, **routes: Answer) -> None:
        """`chat`: the answer to chats. `routes`: by path, with "_" for "/" ("v1_models")."""
        self.routes: dict[str, Answer] = {
            "/v1/models": as_json({"object": "list", "data": [{"id": "m", "owned_by": "someone"}]})
        }
        if chat is not None:
            self.routes["/v1/chat/completions"] = self.routes["/api/v0/chat/completions"] = chat
        self.routes |= {f"/{name.replace('_', '/')}": answer for name, answer in routes.items()}
        self.asked: list[Asked] = []
        self.closed_at: float | None = None
        self._stop = threading.Event()
        self._threads: list[threading.Thread] = []

    def __enter__(self) -> Self:
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._listener.settimeout(0.05)
        self._spawn(self._accept)
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        for thread in self._threads:
            thread.join(10)
        self._listener.close()

    @property
    def port(self) -> int:
        return int(self._listener.getsockname()[1])

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def access(self, model: str = "m", kind: ServerKind = "auto", **more: Any) -> ServerAccess:
        return ServerAccess(address=self.address, name="The box", model=model, kind=kind, **more)

    @property
    def chats(self) -> list[Asked]:
        """The chats that were asked for."""
        return [asked for asked in self.asked if asked.method == "POST"]

    def _spawn(self, work: Callable[[], None]) -> None:
        thread = threading.Thread(target=work, name="replay server", daemon=True)
        self._threads.append(thread)
        thread.start()

    def _accept(self) -> None:
        while not self._stop.is_set():
            try:
                connection, _ = self._listener.accept()
            except TimeoutError:
                continue
            self._spawn(lambda connection=connection: self._serve(connection))  # type: ignore[misc]

    def _serve(self, connection: socket.socket) -> None:
        with connection:
            connection.settimeout(10)
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            try:
                asked = _read(connection)
                if asked is None:
                    return
                self.asked.append(asked)
                answer = self.routes.get(asked.path.partition("?")[0], as_json({"detail": "Not Found"}, 404))
                self._write(connection, answer if isinstance(answer, Reply) else answer(asked))
            except OSError:
                self.closed_at = time.monotonic()

    def _write(self, connection: socket.socket, reply: Reply) -> None:
        headers = {"Content-Type": reply.kind, "Transfer-Encoding": "chunked", "Connection": "close"} | reply.headers
        head = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
        connection.sendall(f"HTTP/1.1 {reply.status} Replay\r\n{head}\r\n".encode("latin-1"))
        for piece in reply.pieces:
            if piece:
                connection.sendall(b"%x\r\n%s\r\n" % (len(piece), piece))
            if reply.pause_s and self._closed(connection, reply.pause_s):
                return
        if reply.ending == "clean":
            connection.sendall(b"0\r\n\r\n")
        while reply.ending in ("hang", "pings") and not self._stop.is_set():
            if reply.ending == "pings":
                connection.sendall(b"4\r\n:\r\n\n\r\n")
            if self._closed(connection, 0.02):
                return

    def _closed(self, connection: socket.socket, wait_s: float) -> bool:
        """Has the client gone? Looks for so long."""
        until = time.monotonic() + wait_s
        while not self._stop.is_set():
            readable, _, _ = select.select([connection], [], [], max(min(0.02, until - time.monotonic()), 0))
            if readable and not connection.recv(1024):
                self.closed_at = time.monotonic()
                return True
            if time.monotonic() >= until:
                return False
        return True


def _read(connection: socket.socket) -> Asked | None:
    received = b""
    while b"\r\n\r\n" not in received:
        more = connection.recv(65536)
        if not more:
            return None
        received += more
        if received[:1] == b"\x16":  # TLS, which a plain server answers in plain text
            connection.sendall(b"HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n")
            return None
    head, _, body = received.partition(b"\r\n\r\n")
    first, *lines = head.decode("latin-1").split("\r\n")
    headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
    while len(body) < int(headers.get("content-length", 0)):
        body += connection.recv(65536)
    method, path, _ = first.split(" ")
    return Asked(method, path, headers, json.loads(body) if body else {})
