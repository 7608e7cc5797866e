"""The engine process, as the window sees it."""

from collections.abc import Callable, Sequence
from typing import Literal

from PySide6.QtCore import QObject, Signal

from app.bridge.line_process import LineProcess
from app.bridge.process_outcome import ProcessOutcome
from app.bridge.timers import single_shot
from app.core import log
from app.core.errors import AppError
from app.core.launch import child_command
from app.protocol.codec import ProtocolError
from app.protocol.messages import (
    PROTOCOL_VERSION,
    Failed,
    Finished,
    Generate,
    Hello,
    Load,
    Loaded,
    Log,
    Message,
    Request,
    Unload,
    Unloaded,
)
from app.protocol.servers import Probe, Probed

ClientState = Literal["stopped", "starting", "ready"]
ENGINE_GONE = "engine_gone"
# The first start after an installation reads some hundred megabytes from a cold disk.
_HELLO_MS = 60_000
_LEVELS = {"info": 20, "warning": 30, "error": 40}


def engine_command() -> tuple[str, ...]:
    """Program and arguments of the engine."""
    return tuple(child_command("engine"))


class EngineClient(QObject):
    """Starts the engine, sends requests, receives events. One process at a time.

    Requests wait until the engine has said hello. When it dies, every request without an answer, and every later one,
    is answered by a `Failed` with the code "engine_gone".

    `prepare`: what a request becomes right before it is sent; an `AppError` it raises answers the request.

    Signals:
        state_changed: A `ClientState`.
        received: An event; `Hello` and `Log` are dealt with here.
        garbled: The engine printed something that is no event; says what.
        stopped: The `ProcessOutcome` of an engine that was not asked to stop. Comes before the `Failed` events.
    """

    state_changed = Signal(str)
    received = Signal(object)
    garbled = Signal(str)
    stopped = Signal(object)

    def __init__(
        self, parent: QObject | None = None, *, command: Sequence[str] | None = None, hello_ms: int = _HELLO_MS
    ) -> None:
        super().__init__(parent)
        self.setObjectName("engine client")
        self._command = tuple(command or engine_command())
        self._process: LineProcess | None = None
        self._state: ClientState = "stopped"
        self._queue: list[Request] = []
        self._open: dict[str, None] = {}
        self._refused: list[Failed] = []
        self._outcome: ProcessOutcome | None = None
        self._start_again = False
        self.prepare: Callable[[Request], Request] = lambda request: request
        self._hello_timer = single_shot(self, "hello", hello_ms, self._no_hello)
        self._refusals = single_shot(self, "refusals", 0, self._refuse)

    @property
    def state(self) -> ClientState:
        return self._state

    @property
    def pid(self) -> int:
        """Process id of the engine, 0 when none runs."""
        return self._process.pid if self._process is not None else 0

    def start(self) -> None:
        """Start the engine unless there is one."""
        if self._process is not None:
            self._start_again = self._state == "stopped"
            return
        self._outcome = None
        self._process = process = LineProcess("The engine", self)
        process.started.connect(self._say_hello)
        process.received.connect(self._take)
        process.garbled.connect(self.garbled)
        process.ended.connect(self._on_ended)
        self._enter("starting")
        self._hello_timer.start()
        process.start(self._command[0], self._command[1:])

    def send(self, request: Request) -> None:
        """Send when possible. Never raises because the engine is gone: the answer is then a `Failed` event."""
        request_id = getattr(request, "id", "")
        expects_answer = isinstance(request, (Load, Generate, Unload, Probe))
        if self._state == "stopped" and not self._start_again:
            if expects_answer:
                self._refused.append(self._failure(request_id))
                self._refusals.start()
            return
        if expects_answer:
            self._open[request_id] = None
        if self._state == "ready":
            self._write(request)
        else:
            self._queue.append(request)

    def restart(self) -> None:
        """End the engine at once if it runs, and start another one. Requests without an answer are forgotten."""
        self._forget()
        if self._process is None:
            self.start()
            return
        self._start_again = True
        self._enter("stopped")
        self._process.kill()

    def shut_down(self) -> None:
        """Ask the engine to end; returns at once."""
        self._forget()
        self._start_again = False
        self._hello_timer.stop()
        self._enter("stopped")
        if self._process is not None:
            self._process.shut_down()

    def wait(self) -> None:
        """Shut down and wait until the process is gone. For the end of the application."""
        self.shut_down()
        if self._process is not None:
            self._process.wait()

    def _say_hello(self) -> None:
        if self._process is not None:
            self._process.send(Hello(name="window"))

    def _take(self, message: Message) -> None:
        if self._state == "stopped":
            return
        if isinstance(message, Hello):
            self._meet(message)
        elif isinstance(message, Log):
            log.get("engine").log(_LEVELS[message.level], "%s: %s", message.topic, message.text)
        else:
            if isinstance(message, (Loaded, Finished, Failed, Unloaded, Probed)):
                self._open.pop(message.id, None)
            self.received.emit(message)

    def _meet(self, hello: Hello) -> None:
        self._hello_timer.stop()
        if self._process is None or self._state != "starting":
            return
        if hello.version != PROTOCOL_VERSION:
            reason = f"it speaks version {hello.version} of the protocol and this window version {PROTOCOL_VERSION}"
            self._process.give_up(reason)
            return
        self._enter("ready")
        waiting, self._queue = self._queue, []
        for request in waiting:
            self._write(request)

    def _write(self, request: Request) -> None:
        if self._process is None:
            return
        try:
            self._process.send(self.prepare(request))
        except AppError as error:
            self._open.pop(getattr(request, "id", ""), None)
            self._refused.append(
                Failed(id=getattr(request, "id", ""), code=error.code, sentence=error.sentence, hint=error.hint)
            )
            self._refusals.start()
        except ProtocolError as error:
            self._open.pop(getattr(request, "id", ""), None)
            self.received.emit(
                Failed(
                    id=getattr(request, "id", ""),
                    code="bad_request",
                    sentence="The request cannot be sent to the engine.",
                    hint="Shorten the text.",
                    detail=str(error),
                )
            )

    def _no_hello(self) -> None:
        if self._process is not None and self._state == "starting":
            self._process.give_up(f"it did not answer within {self._hello_timer.interval() // 1000} seconds")

    def _on_ended(self, outcome: ProcessOutcome) -> None:
        process, self._process = self._process, None
        if process is not None:
            process.deleteLater()
        self._hello_timer.stop()
        if self._start_again:
            self._start_again = False
            self.start()
            return
        if outcome.asked:
            self._enter("stopped")
            return
        log.get("engine").warning("%s", outcome.sentence)
        self._outcome = outcome
        self._refused += [self._failure(request_id) for request_id in self._open]
        self._forget()
        self._enter("stopped")
        self.stopped.emit(outcome)
        self._refuse()

    def _failure(self, request_id: str) -> Failed:
        if self._outcome is None:
            return Failed(id=request_id, code=ENGINE_GONE, sentence="The engine is not running.", hint="Restart it.")
        sentence, detail = self._outcome.sentence, self._outcome.detail
        return Failed(id=request_id, code=ENGINE_GONE, sentence=sentence, hint="Restart it.", detail=detail)

    def _refuse(self) -> None:
        refused, self._refused = self._refused, []
        for failure in refused:
            self.received.emit(failure)

    def _forget(self) -> None:
        self._queue.clear()
        self._open.clear()

    def _enter(self, state: ClientState) -> None:
        if state != self._state:
            self._state = state
            self.state_changed.emit(state)
