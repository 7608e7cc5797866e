"""The download process, as the window sees it."""

from collections.abc import Sequence
from typing import Literal

from PySide6.QtCore import QObject, Signal

from app.bridge.line_process import LineProcess
from app.bridge.process_outcome import ProcessOutcome
from app.bridge.timers import single_shot
from app.core import log
from app.protocol.codec import ProtocolError
from app.protocol.download_messages import (
    CancelDownload,
    DownloadProgress,
    DownloadRequest,
    ListDownloads,
    ListRepository,
    RepositoryModels,
    SearchHub,
    SearchResults,
    StartDownload,
    StartPair,
)
from app.protocol.messages import PROTOCOL_VERSION, Failed, Hello, Log, Message

DownloadClientState = Literal["stopped", "starting", "ready"]
PROCESS_GONE = "download_process_gone"
_HELLO_MS = 60_000
_AGAIN_MS = (200, 2_000, 10_000)
"""Until it is started again after it died; after the last one it stays stopped until somebody asks for something."""
_SETTLED_MS = 60_000
"""A process that lived this long is no reason to wait longer the next time."""
_LEVELS = {"info": 20, "warning": 30, "error": 40}


class DownloadClient(QObject):
    """Starts the download process when it is needed, and again when it dies: downloads go on where they were.

    Questions without an answer (listings, searches) are answered by a `Failed` with the code "download_process_gone"
    when it dies; a download that was asked for and not confirmed is asked for again.

    Signals:
        state_changed: A `DownloadClientState`.
        received: An event; `Hello` and `Log` are dealt with here.
        stopped: The `ProcessOutcome` of a process that died too often to be started again.
    """

    state_changed = Signal(str)
    received = Signal(object)
    stopped = Signal(object)

    def __init__(
        self,
        command: Sequence[str],
        parent: QObject | None = None,
        *,
        hello_ms: int = _HELLO_MS,
        again_ms: Sequence[int] = _AGAIN_MS,
    ) -> None:
        """`command`: program and arguments; `again_ms`: see `_AGAIN_MS`."""
        super().__init__(parent)
        self.setObjectName("download client")
        self._command = tuple(command)
        self._again_ms = tuple(again_ms)
        self._process: LineProcess | None = None
        self._state: DownloadClientState = "stopped"
        self._queue: list[DownloadRequest] = []
        self._questions: dict[str, ListRepository | SearchHub] = {}
        self._unconfirmed: dict[str, StartDownload | StartPair] = {}
        self._deaths = 0
        self._replacing = False
        self._closed = False
        self._hello = single_shot(self, "hello", hello_ms, self._no_hello)
        self._again = single_shot(self, "again", 0, self.start)
        self._settled = single_shot(self, "settled", _SETTLED_MS, self._forgive)

    @property
    def state(self) -> DownloadClientState:
        return self._state

    @property
    def pid(self) -> int:
        """Process id, 0 when none runs."""
        return self._process.pid if self._process is not None else 0

    def start(self) -> None:
        """Start the process unless there is one; it goes on with what was left."""
        if self._process is not None or self._closed:
            return
        self._again.stop()
        self._process = process = LineProcess("The download process", self)
        process.started.connect(self._say_hello)
        process.received.connect(self._take)
        process.ended.connect(self._on_ended)
        self._enter("starting")
        self._hello.start()
        process.start(self._command[0], self._command[1:])

    def send(self, request: DownloadRequest) -> None:
        """Send when possible, starting the process if there is none. Trouble comes as a `Failed`, never as a raise."""
        if isinstance(request, ListRepository | SearchHub):
            self._questions[request.id] = request
        elif isinstance(request, StartDownload | StartPair):
            self._unconfirmed[request.id] = request
        elif isinstance(request, CancelDownload):
            self._unconfirmed.pop(request.id, None)
        if self._state == "ready" and not self._replacing:
            self._write(request)
            return
        self._queue.append(request)
        if not self._again.isActive():
            self.start()

    def use(self, command: Sequence[str]) -> None:
        """Run with another command line from now on; a process that runs is replaced and asked again."""
        if tuple(command) == self._command:
            return
        self._command = tuple(command)
        if self._process is not None:
            self._replacing = True
            self._queue = [*self._queue, *(q for q in self._questions.values() if q not in self._queue)]
            self._process.shut_down()

    def wait(self) -> None:
        """End the process and wait for it; what is not done goes on the next time. For the end of the application."""
        self._closed = True
        for timer in (self._hello, self._again, self._settled):
            timer.stop()
        if self._process is not None:
            self._process.wait()

    def _say_hello(self) -> None:
        if self._process is not None:
            self._process.send(Hello(name="window"))

    def _take(self, message: Message) -> None:
        if self._closed:
            return
        if isinstance(message, Hello):
            self._meet(message)
        elif isinstance(message, Log):
            log.get("download").log(_LEVELS[message.level], "%s: %s", message.topic, message.text)
        else:
            if isinstance(message, RepositoryModels | SearchResults | Failed):
                self._questions.pop(message.id, None)
            if isinstance(message, DownloadProgress | Failed):
                self._unconfirmed.pop(message.id, None)
            self.received.emit(message)

    def _meet(self, hello: Hello) -> None:
        self._hello.stop()
        if self._process is None or self._state != "starting":
            return
        if hello.version != PROTOCOL_VERSION:
            reason = f"it speaks version {hello.version} of the protocol and this window version {PROTOCOL_VERSION}"
            self._process.give_up(reason)
            return
        self._settled.start()
        self._enter("ready")
        waiting, self._queue = self._queue, []
        starts = tuple(self._unconfirmed.values())
        for request in (*starts, *(r for r in waiting if not isinstance(r, StartDownload | StartPair))):
            self._write(request)
        self._write(ListDownloads(id="all"))

    def _write(self, request: DownloadRequest) -> None:
        if self._process is None:
            return
        try:
            self._process.send(request)
        except ProtocolError as error:
            self._unconfirmed.pop(request.id, None)
            self._questions.pop(request.id, None)
            self.received.emit(
                Failed(
                    id=request.id,
                    code="bad_request",
                    sentence="This cannot be sent to the download process.",
                    hint="Shorten the text.",
                    detail=str(error),
                )
            )

    def _no_hello(self) -> None:
        if self._process is not None and self._state == "starting":
            self._process.give_up(f"it did not answer within {self._hello.interval() // 1000} seconds")

    def _on_ended(self, outcome: ProcessOutcome) -> None:
        process, self._process = self._process, None
        if process is not None:
            process.deleteLater()
        self._hello.stop()
        self._settled.stop()
        self._enter("stopped")
        if self._closed:
            return
        if self._replacing or outcome.asked:
            self._replacing = False
            self.start()
            return
        log.get("download").warning("%s", outcome.sentence)
        self._answer_questions(outcome)
        if self._deaths < len(self._again_ms):
            self._again.setInterval(self._again_ms[self._deaths])
            self._again.start()
            self._deaths += 1
        else:
            self._deaths = 0
            self._queue.clear()
            self.stopped.emit(outcome)
            starts, self._unconfirmed = self._unconfirmed, {}
            for request_id in starts:
                self._answer_for(request_id, outcome)

    def _answer_questions(self, outcome: ProcessOutcome) -> None:
        questions, self._questions = self._questions, {}
        self._queue = [request for request in self._queue if request.id not in questions]
        for request_id in questions:
            self._answer_for(request_id, outcome)

    def _answer_for(self, request_id: str, outcome: ProcessOutcome) -> None:
        sentence, detail = outcome.sentence, outcome.detail
        self.received.emit(
            Failed(id=request_id, code=PROCESS_GONE, sentence=sentence, hint="Try again.", detail=detail)
        )

    def _forgive(self) -> None:
        self._deaths = 0

    def _enter(self, state: DownloadClientState) -> None:
        if state != self._state:
            self._state = state
            self.state_changed.emit(state)
