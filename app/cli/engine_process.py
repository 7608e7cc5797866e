"""The engine process as the command line uses it: blocking, one request after the other."""

import contextlib
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from types import TracebackType
from typing import IO, Self

from app.core import log
from app.core.errors import EngineFault, EnvironmentFault, UserError
from app.core.launch import child_command, child_environment
from app.protocol.codec import ProtocolError, decode, encode
from app.protocol.messages import (
    Cancel,
    Delta,
    Failed,
    Finished,
    Loaded,
    Log,
    Progress,
    Request,
    Shutdown,
    Stats,
    Unloaded,
)
from app.protocol.servers import Probed

_log = log.get("cli")

Answer = Progress | Loaded | Delta | Stats | Finished | Unloaded | Probed
ANSWERS = (Progress, Loaded, Delta, Stats, Finished, Unloaded, Probed)


class EngineProcess:
    """A child that runs the engine; use as a context manager."""

    def __enter__(self) -> Self:
        try:
            self._process = subprocess.Popen(
                child_command("engine"),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                env=child_environment(),
                # Ctrl+C goes to the whole terminal; the engine must get a cancel instead, and finish its answer.
                start_new_session=sys.platform != "win32",
            )
        except OSError as error:
            raise EnvironmentFault("engine_start", f"The engine could not be started: {error}.") from error
        if self._process.stdin is None or self._process.stdout is None or self._process.stderr is None:
            raise EnvironmentFault("engine_start", "The engine could not be started: no pipes.")
        self._stdin: IO[bytes] = self._process.stdin
        self._stdout: IO[bytes] = self._process.stdout
        self._stderr: IO[bytes] = self._process.stderr
        self._last_words: list[str] = []
        self._listener = threading.Thread(target=self._listen, name="engine-stderr", daemon=True)
        self._listener.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with contextlib.suppress(EngineFault):
            self.send(Shutdown())
        with contextlib.suppress(OSError):
            self._stdin.close()
        try:
            self._process.wait(timeout=3)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._stdout.close()
        self._listener.join(timeout=1)

    def send(self, request: Request) -> None:
        """Send one request.

        Raises:
            EngineFault: the engine is gone.
        """
        try:
            self._stdin.write(encode(request))
            self._stdin.flush()
        except (OSError, ValueError) as error:
            raise self._died() from error

    def answers(self, request_id: str) -> Iterator[Answer]:
        """Events of a request, until one of them is not followed by another (the caller stops there).

        Raises:
            UserError: the engine refused the request.
            EngineFault: the engine failed or is gone.
        """
        for line in self._stdout:
            try:
                event = decode(line)
            except ProtocolError as error:
                _log.warning("the engine sent a line that is no event: %s", error)
                continue
            if isinstance(event, Log):
                _log.info("%s: %s", event.topic, event.text)
            elif isinstance(event, Failed):
                kind = UserError if event.code == "bad_option" else EngineFault
                raise kind(event.code, event.sentence, event.hint, event.detail)
            elif isinstance(event, ANSWERS) and event.id == request_id:
                yield event
        raise self._died()

    def cancel(self, request_id: str) -> None:
        """Ask for an early end; the answer finishes with "cancelled"."""
        with contextlib.suppress(EngineFault):
            self.send(Cancel(id=request_id))

    def _listen(self) -> None:
        with self._stderr as stderr:
            for line in stderr:
                text = line.decode("utf-8", "replace").rstrip()
                self._last_words = [*self._last_words[-19:], text]
                _log.info("engine: %s", text)

    def _died(self) -> EngineFault:
        code = self._process.wait()
        if code < 0:
            try:
                how = f"it was ended by {signal.Signals(-code).name}"
            except ValueError:
                how = f"it was ended by signal {-code}"
        else:
            how = f"it ended with code {code}"
        return EngineFault(
            "engine_died",
            f"The engine stopped unexpectedly: {how}.",
            "Try again, with fewer GPU layers or another model if it happens again.",
            "\n".join(self._last_words),
        )
