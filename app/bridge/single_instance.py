"""One window for one profile: a second start shows the first window instead."""

import hashlib
import json
from pathlib import Path

from PySide6.QtCore import QLockFile, QObject, Signal
from PySide6.QtNetwork import QLocalServer, QLocalSocket

from app.chat.settings import Pair
from app.core import log

_CONNECT_MS = 2000
_ANSWER_MS = 10_000
"""The first window may still be starting, with a cold disk."""
_MOST_BYTES = 64 * 1024
_log = log.get("window")


class SingleInstance(QObject):
    """Held by the first window of a profile.

    Signals:
        asked: The program was started again; carries the `Pair` it was started with, or None.
    """

    asked = Signal(object)

    def __init__(self, folder: Path, parent: QObject | None = None) -> None:
        """`folder`: where the settings of the profile are."""
        super().__init__(parent)
        self.setObjectName("single instance")
        self._folder = folder
        # Locks of programs that died are recognised by their process, not by their age.
        self._lock = QLockFile(str(folder / "window.lock"))
        self._lock.setStaleLockTime(0)
        name = hashlib.sha256(str(folder.absolute()).encode("utf-8", "surrogateescape")).hexdigest()[:24]
        self._name = f"outpace-{name}"
        self._server = QLocalServer(self)
        self._server.setObjectName("second starts")
        self._server.setSocketOptions(QLocalServer.SocketOption.UserAccessOption)
        self._server.newConnection.connect(self._on_connection)

    def claim(self) -> bool:
        """True if this is the first window. Where no lock can be made, nobody is kept out."""
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
        except OSError:
            return True
        if not self._lock.tryLock(0):
            return self._lock.error() != QLockFile.LockError.LockFailedError
        # A socket that a killed program left behind is in the way.
        QLocalServer.removeServer(self._name)
        if not self._server.listen(self._name):
            _log.info("second starts are not heard: %s", self._server.errorString())
        return True

    def ask_first(self, pair: Pair | None) -> bool:
        """Ask the first window to come to the front, and to load a pair; False if it does not answer."""
        socket = QLocalSocket()
        socket.connectToServer(self._name)
        if not socket.waitForConnected(_CONNECT_MS):
            return False
        body = {"target": pair.target, "draft": pair.draft} if pair is not None else {}
        socket.write(json.dumps(body).encode("ascii") + b"\n")
        heard = socket.waitForReadyRead(_ANSWER_MS)
        socket.disconnectFromServer()
        return heard

    def release(self) -> None:
        """Let the next start be a first one."""
        self._server.close()
        self._lock.unlock()

    def _on_connection(self) -> None:
        while (socket := self._server.nextPendingConnection()) is not None:
            socket.readyRead.connect(lambda socket=socket: self._on_line(socket))
            socket.disconnected.connect(socket.deleteLater)
            if socket.bytesAvailable():
                self._on_line(socket)

    def _on_line(self, socket: QLocalSocket) -> None:
        if not socket.canReadLine():
            if socket.bytesAvailable() > _MOST_BYTES:
                socket.abort()
            return
        line = bytes(socket.readLine().data())
        socket.write(b"ok\n")
        socket.flush()
        self.asked.emit(_pair(line))


def _pair(line: bytes) -> Pair | None:
    try:
        body = json.loads(line)
        target, draft = body.get("target", ""), body.get("draft", "")
    except (ValueError, AttributeError, RecursionError):
        return None
    if not isinstance(target, str) or not isinstance(draft, str) or not target:
        return None
    return Pair(target=target, draft=draft)
