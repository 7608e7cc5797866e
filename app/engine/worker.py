"""The engine process: requests on stdin, events on a private copy of stdout.

File descriptor 1 is pointed at stderr before anything native runs, so that no print can corrupt the wire. A reader
thread takes the lines: a cancel sets its flag at once, everything else waits its turn in the main thread. The end of
stdin means that the window is gone: running work is cancelled, and the process ends within two seconds whatever native
code is doing.
"""

import logging
import os
import queue
import signal
import sys
import threading
from typing import BinaryIO

from app import __version__
from app.core import log, paths
from app.engine.cancel import CancelFlag
from app.engine.service import Job, Service, engine_backend
from app.protocol.codec import MAX_LINE_BYTES, ProtocolError, decode
from app.protocol.messages import (
    PROTOCOL_VERSION,
    Cancel,
    Count,
    Failed,
    Generate,
    Hello,
    Load,
    Message,
    Shutdown,
    Unload,
)
from app.protocol.servers import Probe
from app.protocol.wire import Wire, WireHandler, private_stdout

GRACE_S = 2.0
_log = log.get("wire")


class Worker:
    """Connects a wire with a service."""

    def __init__(self, requests: BinaryIO, wire: Wire, service: Service) -> None:
        self._requests = requests
        self._wire = wire
        self._service = service
        self._jobs: queue.SimpleQueue[tuple[Job, CancelFlag] | None] = queue.SimpleQueue()
        self._flags: dict[str, CancelFlag] = {}
        self._lock = threading.Lock()
        self._idle = CancelFlag()

    def run(self) -> None:
        """Serve until Shutdown or the end of stdin."""
        reader = threading.Thread(target=self._read, name="wire-reader", daemon=True)
        reader.start()
        self._wire.send(Hello(name="engine", detail=__version__))
        while (item := self._next()) is not None:
            job, flag = item
            self._service.run(job, flag)
            with self._lock:
                if self._flags.get(job.id) is flag:  # an id that was used twice belongs to the later request
                    del self._flags[job.id]
        self._service.close()

    def _next(self) -> tuple[Job, CancelFlag] | None:
        """The next job; until there is one, idle work."""
        busy = True
        while True:
            try:
                return self._jobs.get(block=not busy)
            except queue.Empty:
                self._idle = CancelFlag()
                # A job that came before the flag was new has set the old one.
                busy = not self._jobs.empty() or self._service.idle(self._idle)

    def _read(self) -> None:
        try:
            while line := self._requests.readline(MAX_LINE_BYTES + 1):
                if not self._take(line):
                    break
        finally:
            self._stop()

    def _take(self, line: bytes) -> bool:
        """Handle one line; False ends the process."""
        if not line.strip():
            return True
        try:
            message = decode(line)
        except ProtocolError as error:
            _log.warning("a line that is no request was ignored: %s", error)
            self._wire.send(
                Failed(
                    id="", code="protocol", sentence="The engine got a line it does not understand.", detail=str(error)
                )
            )
            return True
        return self._dispatch(message)

    def _dispatch(self, message: Message) -> bool:
        if isinstance(message, Load | Generate | Count | Unload | Probe):
            flag = CancelFlag()
            with self._lock:
                self._flags[message.id] = flag
            self._jobs.put((message, flag))
            self._idle.set()
        elif isinstance(message, Cancel):
            with self._lock:
                running = self._flags.get(message.id)
            if running is not None:
                running.set()
        elif isinstance(message, Shutdown):
            return False
        elif isinstance(message, Hello):
            if message.version != PROTOCOL_VERSION:
                sentence = (
                    f"Window and engine are of different versions (protocol {message.version}, {PROTOCOL_VERSION})."
                )
                self._wire.send(Failed(id="", code="version", sentence=sentence, hint="Install Outpace again."))
                return False
        else:
            self._wire.send(
                Failed(id="", code="protocol", sentence=f"The engine does not take {type(message).__name__} messages.")
            )
        return True

    def _stop(self) -> None:
        with self._lock:
            for flag in self._flags.values():
                flag.set()
        self._jobs.put(None)
        self._idle.set()
        # Native code that does not look at its flag (reading a huge file, a GPU kernel) must not keep the process.
        timer = threading.Timer(GRACE_S, os._exit, args=(0,))
        timer.daemon = True
        timer.start()


def main(arguments: list[str]) -> int:
    """Run the engine process."""
    if arguments:
        print(f"the engine takes no arguments, got {arguments}", file=sys.stderr)  # noqa: T201 (no log exists yet)
        return 2
    out = private_stdout()
    # Ctrl+C in a terminal goes to every process in it; whoever started us says when to stop.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    wire = Wire(out)
    log.configure(paths.find().logs, "engine", stream=None)
    logging.getLogger(log.ROOT).addHandler(WireHandler(wire))
    Worker(sys.stdin.buffer, wire, Service(engine_backend, wire.send)).run()
    return 0
