"""How soon does the window show what a server sends, and how soon does a server see that somebody pressed Stop?

A server in a process of its own (no model; it sends tokens at a rate) answers the real window through the real engine
process. The clocks of both are the system's monotonic one. Prints, in ms: from the sending of the first token to its
being painted; the longest time the event loop stood still while 300 tokens/s came ("busy" is the processor time of the
window in it, which does not grow when other programs use the machine); and from Stop to the closed connection the
server saw. Run it on a quiet machine.

    python -m benchmarks.remote_latency            ten first tokens, 20 s of tokens, ten stops
    python -m benchmarks.remote_latency --quick    two, 3 s, two
"""

import argparse
import json
import os
import select
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path

FIRST_MS, GAP_MS, STOP_MS = 20.0, 50.0, 200.0
RATE = 300
_HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: %s\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n"


def serve() -> None:
    """The server process: prints its port, then a JSON line for each answer. A prompt "N" asks for N tokens."""
    listener = socket.create_server(("127.0.0.1", 0))
    print(listener.getsockname()[1], flush=True)
    while True:
        connection, _ = listener.accept()
        threading.Thread(target=_answer, args=(connection,), daemon=True).start()


def _answer(connection: socket.socket) -> None:
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    with connection:
        received = b""
        while b"\r\n\r\n" not in received:
            received += connection.recv(65536)
        head, _, body = received.partition(b"\r\n\r\n")
        if head.startswith(b"GET /v1/models "):
            _send(connection, _HEAD % b"application/json", json.dumps({"data": [{"id": "m"}]}).encode(), b"")
            return
        if not head.startswith(b"POST"):
            connection.sendall(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
            return
        length = next(int(line.split(b":")[1]) for line in head.split(b"\r\n") if line.lower().startswith(b"content-l"))
        while len(body) < length:
            body += connection.recv(65536)
        wanted = int(json.loads(body)["messages"][-1]["content"])
        connection.sendall(_HEAD % b"text/event-stream")
        began = time.monotonic()
        first = closed = 0.0
        for number in range(wanted):
            due = began + number / RATE
            while (now := time.monotonic()) < due:
                readable, _, _ = select.select([connection], [], [], max(due - now, 0))
                if readable and not connection.recv(1024):
                    closed = time.monotonic()
                    break
            if closed:
                break
            event = {"choices": [{"index": 0, "delta": {"content": f"word{number} "}, "finish_reason": None}]}
            first = first or time.monotonic()
            try:
                _send(connection, f"data: {json.dumps(event)}\n\n".encode())
            except OSError:
                closed = time.monotonic()
                break
        if not closed:
            end = {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}
            _send(connection, f"data: {json.dumps(end)}\n\ndata: [DONE]\n\n".encode(), b"")
        print(json.dumps({"first": first, "closed": closed}), flush=True)


def _send(connection: socket.socket, *parts: bytes) -> None:
    """Chunks; the head of an answer goes as it is, an empty part is the last chunk."""
    for part in parts:
        raw = part.startswith(b"HTTP/")
        connection.sendall(part if raw else b"%x\r\n%s\r\n" % (len(part), part))


def measure(first: int, seconds: float, stops: int) -> dict[str, object]:
    """Run the window against the server."""
    with tempfile.TemporaryDirectory() as home:
        os.environ["OUTPACE_HOME"] = home
        os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
        server = subprocess.Popen(
            [sys.executable, "-m", "benchmarks.remote_latency", "--serve"], stdout=subprocess.PIPE, text=True
        )
        try:
            return _with_window(server, Path(home), first, seconds, stops)
        finally:
            server.kill()
            server.wait()


def _with_window(
    server: "subprocess.Popen[str]", home: Path, first: int, seconds: float, stops: int
) -> dict[str, object]:
    from PySide6.QtCore import Qt, QTimer
    from PySide6.QtTest import QTest
    from PySide6.QtWidgets import QApplication

    from app.bridge.chat_controller import ChatController
    from app.bridge.connections import ConnectionsDesk
    from app.bridge.engine_client import EngineClient
    from app.bridge.settings_store import SettingsStore
    from app.chat.connections import Connection, Connections, target_of
    from app.chat.settings import Pair, Settings, WindowState
    from app.core import paths
    from app.core.settings import SettingsFile
    from app.hub.server_keys import ServerKeys
    from app.ui.appearance import Appearance
    from app.ui.main_window import MainWindow
    from app.ui.presenter import Presenter

    assert server.stdout is not None
    port = int(server.stdout.readline())
    qt = QApplication([])
    appearance = Appearance(qt, "light")
    client = EngineClient()
    target, draft = (str(path) for path in paths.demo_pair())
    store = SettingsStore(SettingsFile(home / "settings.json", Settings), Settings())
    chat = ChatController(client, store, Pair(target=target, draft=draft))
    window = MainWindow(appearance.theme, WindowState())
    Presenter(window, chat, appearance)
    file = SettingsFile(home / "connections.json", Connections)
    known = Connections(servers=(Connection(id="c", name="Bench", address=f"127.0.0.1:{port}"),))
    desk = ConnectionsDesk(SettingsStore(file, known), ServerKeys(None), EngineClient())
    client.prepare, chat.unlock = desk.prepare, desk.unlock
    window.resize(1000, 700)
    window.show()

    def until(condition: Callable[[], object]) -> None:
        end = time.monotonic() + 120
        while not condition():
            if time.monotonic() > end:
                raise SystemExit("the window did not get there")
            QTest.qWait(1)

    chat.start(Pair(target=target_of("c", "m")))
    until(lambda: chat.phase == "idle" and chat.loaded and chat.loaded.server)
    shown: list[float] = []

    def note() -> None:
        if chat.conversation.messages[-1].text and not shown:
            window.repaint()  # the token is on the screen when this returns
            shown.append(time.monotonic())

    chat.message_changed.connect(lambda _message: note())

    def ask(tokens: int) -> None:
        shown.clear()
        chat.send_text(str(tokens))

    firsts, gaps, busies, ends = [], [], [], []
    for _ in range(first):
        ask(5)
        until(lambda: chat.phase == "idle")
        firsts.append((shown[0] - json.loads(server.stdout.readline())["first"]) * 1000)
    last, last_busy = time.perf_counter(), time.thread_time()

    def beat() -> None:
        nonlocal last, last_busy
        now, busy = time.perf_counter(), time.thread_time()
        gaps.append((now - last) * 1000)
        busies.append((busy - last_busy) * 1000)
        last, last_busy = now, busy

    timer = QTimer(window)
    timer.setObjectName("beat")
    timer.setTimerType(Qt.TimerType.PreciseTimer)
    timer.timeout.connect(beat)
    timer.start(1)
    ask(int(seconds * RATE))
    until(lambda: chat.phase == "idle")
    timer.stop()
    server.stdout.readline()
    for _ in range(stops):
        ask(100_000)
        until(lambda: shown)
        stopped = time.monotonic()
        chat.stop()
        until(lambda: chat.phase == "idle")
        ends.append((json.loads(server.stdout.readline())["closed"] - stopped) * 1000)
    chat.shut_down()
    desk.shut_down()
    return {
        "first_token_ms": {"median": statistics.median(firsts), "worst": max(firsts), "limit": FIRST_MS},
        "gap_ms": {"worst": max(gaps), "busy": max(busies), "limit": GAP_MS, "tokens_per_s": RATE},
        "stop_ms": {"median": statistics.median(ends), "worst": max(ends), "limit": STOP_MS},
    }


def main() -> int:
    """Measure and print; 1 if a limit is passed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.serve:
        serve()
        return 0
    found = measure(2, 3.0, 2) if options.quick else measure(10, 20.0, 10)
    print(json.dumps(found, indent=1))
    return int(any(part["worst"] > part["limit"] for part in found.values()))  # type: ignore[index]  # parts are of one shape


if __name__ == "__main__":
    sys.exit(main())
