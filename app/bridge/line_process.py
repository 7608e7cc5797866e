"""A child process that speaks one message a line."""

import os
import shutil
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import QObject, QProcess, QProcessEnvironment, Signal

from app.bridge.child_log import ChildLog
from app.bridge.process_outcome import ProcessOutcome
from app.bridge.timers import single_shot
from app.core import log
from app.protocol.codec import MAX_LINE_BYTES, ProtocolError, decode, encode
from app.protocol.messages import Request, Shutdown

_SHUTDOWN_MS = 1500
_TERMINATE_MS = 1500
_MAX_LOGGED_GARBAGE = 20
# A backlog is read in slices, so that painting and typing go on in between.
_SLICE_S = 0.008

_log = log.get("wire")


class LineProcess(QObject):
    """One child process, started once.

    Its stderr goes to the log. What it prints on stdout that is no message is counted, logged and signalled. When its
    stdin closes it has to end, so that no child outlives the window.

    Signals:
        started: It runs.
        received: A `Message` it sent.
        garbled: A line that is no message; says why.
        ended: A `ProcessOutcome`; after everything it sent was received, and also if it never started.
    """

    started = Signal()
    received = Signal(object)
    garbled = Signal(str)
    ended = Signal(object)

    def __init__(self, name: str, parent: QObject | None = None, *, max_line: int = MAX_LINE_BYTES) -> None:
        """`name` starts sentences about it, "The engine"; `max_line` in bytes."""
        super().__init__(parent)
        self.setObjectName(f"process of {name}")
        self._name = name
        self._max_line = max_line
        self._asked = False
        self._over = False
        self._outcome: ProcessOutcome | None = None
        self._skipping = False
        self.garbled_lines = 0
        self._stderr = ChildLog(name)
        self._process = QProcess(self)
        self._process.setObjectName(name)
        self._process.setProcessEnvironment(_environment())
        self._process.setWorkingDirectory(str(_package_root()))
        self._process.started.connect(self.started)
        self._process.readyReadStandardOutput.connect(self._on_readable)
        self._process.readyReadStandardError.connect(self._read_stderr)
        self._process.errorOccurred.connect(self._on_error)
        self._process.finished.connect(self._on_finished)
        self._more = single_shot(self, "backlog", 0, self._read)
        self._patience = single_shot(self, "patience", _SHUTDOWN_MS, self._terminate)
        self._last_patience = single_shot(self, "last patience", _TERMINATE_MS, self._kill_stubborn)

    @property
    def running(self) -> bool:
        """Is there a process, starting or started?"""
        return self._process.state() != QProcess.ProcessState.NotRunning

    @property
    def pid(self) -> int:
        """The process id, 0 when nothing runs."""
        return int(self._process.processId())

    def start(self, program: str, arguments: Sequence[str]) -> None:
        """Start `program`. A failure is told by `ended`, never before this returns."""
        # Qt does not say why a program cannot be started.
        reason = _why_not(program)
        if reason:
            self._conclude(ProcessOutcome(self._name, "not_started", reason=reason))
            return
        self._process.start(program, list(arguments))

    def send(self, message: Request) -> bool:
        """Write a message; False if nobody is there to read it.

        Raises:
            ProtocolError: it cannot be written as a line, or not as one of the length the child takes.
        """
        line = encode(message)
        if len(line) > self._max_line:
            raise ProtocolError(f"a line of {len(line)} bytes is over the limit of {self._max_line}")
        if not self.running or self._asked:
            return False
        self._process.write(line)
        return True

    def shut_down(self) -> None:
        """Ask it to end, and make it end if it does not. Returns at once; `ended` follows. Twice is fine."""
        if self._asked or not self.running:
            return
        if self._process.state() == QProcess.ProcessState.Running:
            self._process.write(encode(Shutdown()))
        self._asked = True
        self._process.closeWriteChannel()
        self._patience.start()

    def kill(self) -> None:
        """End it at once; `ended` follows."""
        self._asked = True
        self._process.kill()

    def give_up(self, reason: str) -> None:
        """End it at once because of something it did or did not do, which `ended` will say."""
        if self._outcome is None:
            self._outcome = ProcessOutcome(self._name, "silent", reason=reason)
        self._process.kill()

    def wait(self) -> None:
        """Shut down and wait for the end, three seconds at most and usually none. For the end of the application."""
        self.shut_down()
        if self.running and not self._process.waitForFinished(_SHUTDOWN_MS):
            self._process.terminate()
            if not self._process.waitForFinished(_TERMINATE_MS):
                self._process.kill()
                self._process.waitForFinished(-1)
        self._stop_patience()
        if self._over:
            self._more.stop()
            self._process.readAllStandardOutput()
            self._finish_reading()

    def _stop_patience(self) -> None:
        self._patience.stop()
        self._last_patience.stop()

    def _terminate(self) -> None:
        _log.info("%s did not end when asked to; terminating it", self._name)
        self._process.terminate()
        self._last_patience.start()

    def _kill_stubborn(self) -> None:
        _log.info("%s did not end when terminated; killing it", self._name)
        self._process.kill()

    def _on_readable(self) -> None:
        if not self._more.isActive():
            self._read()

    def _read(self) -> None:
        until = time.monotonic() + _SLICE_S
        while self._process.canReadLine():
            line = bytes(self._process.readLine().data())
            if self._skipping:
                self._skipping = False
            else:
                self._take(line)
            if time.monotonic() > until:
                self._more.start()
                return
        if self._process.bytesAvailable() > self._max_line:
            self._process.readAllStandardOutput()
            if not self._skipping:
                self._complain(f"a line of more than {self._max_line} bytes")
            self._skipping = True
        if self._over:
            self._finish_reading()

    def _take(self, line: bytes) -> None:
        try:
            message = decode(line)
        except ProtocolError as error:
            self._complain(f"{error} in {_excerpt(line)}")
            return
        self.received.emit(message)

    def _complain(self, what: str) -> None:
        self.garbled_lines += 1
        if self.garbled_lines <= _MAX_LOGGED_GARBAGE:
            _log.warning("%s sent no message: %s", self._name, what)
        self.garbled.emit(what)

    def _finish_reading(self) -> None:
        if self._process.isOpen():
            rest = bytes(self._process.readAllStandardOutput().data())
            if rest and not self._skipping:
                self._complain(f"a line without its end, {_excerpt(rest)}")
            self._read_stderr()
        self._stderr.finish()
        outcome, self._outcome = self._outcome, None
        if outcome is not None:
            self._over = False
            self.ended.emit(replace(outcome, tail=self._stderr.tail, asked=self._asked))

    def _read_stderr(self) -> None:
        self._stderr.feed(bytes(self._process.readAllStandardError().data()))

    def _on_error(self, error: QProcess.ProcessError) -> None:
        if error == QProcess.ProcessError.FailedToStart:
            self._conclude(ProcessOutcome(self._name, "not_started", reason=self._process.errorString().rstrip(".")))

    def _on_finished(self, code: int, status: QProcess.ExitStatus) -> None:
        self._stop_patience()
        crashed = status == QProcess.ExitStatus.CrashExit
        self._conclude(self._outcome or ProcessOutcome(self._name, "crashed" if crashed else "exited", code))

    def _conclude(self, outcome: ProcessOutcome) -> None:
        self._outcome, self._over = outcome, True
        self._more.start()


def _package_root() -> Path:
    return Path(__file__).resolve().parents[2]


def _environment() -> QProcessEnvironment:
    """Lets `python -m app` find this package wherever the window was started, and makes the child's stderr UTF-8."""
    environment = QProcessEnvironment.systemEnvironment()
    environment.remove("PYTHONSAFEPATH")
    root, others = str(_package_root()), environment.value("PYTHONPATH", "")
    if os.pathsep not in root:
        environment.insert("PYTHONPATH", os.pathsep.join(filter(None, (root, others))))
    environment.insert("PYTHONUTF8", "1")
    return environment


def _why_not(program: str) -> str:
    if not program:
        return "its program is unknown"
    if shutil.which(program):
        return ""
    path = Path(program)
    if path.is_dir():
        return f"{program} is a folder"
    if path.exists():
        return f"{program} may not be executed"
    return f"{program} does not exist"


def _excerpt(line: bytes) -> str:
    return repr(line[:80]) + ("..." if len(line) > 80 else "")
