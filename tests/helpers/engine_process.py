"""A real engine process, and a real command line, as tests use them: started, written to, waited for, ended.

An event is given out with the moment it arrived, so that tests can ask how long something took.
"""

import contextlib
import itertools
import queue
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Self, TypeVar

from app.core.launch import child_command, child_environment
from app.protocol.codec import decode, encode
from app.protocol.messages import (
    Cancel,
    Delta,
    Event,
    Failed,
    Finished,
    Generate,
    Hello,
    Load,
    Loaded,
    Log,
    Message,
    Request,
    Turn,
    Unloaded,
)
from app.protocol.options import DrafterName, LimitOptions, SamplingOptions, SpeculationOptions, TokenSource

PATIENCE_S = 90.0
LAST = (Loaded, Finished, Failed, Unloaded)
DRAFTERS: tuple[DrafterName, ...] = ("off", "draft_model", "ngram", "mixed")
_ids = itertools.count(1)

E = TypeVar("E", bound=Message)


class GoneError(AssertionError):
    """The engine closed its end of the wire."""


@dataclass(frozen=True)
class Answer:
    """The events of one request, in order. `at[i]`: when event i arrived, `time.perf_counter`."""

    events: list[Event]
    at: list[float] = field(default_factory=list)

    @property
    def last(self) -> Event:
        return self.events[-1]

    @property
    def finished(self) -> Finished:
        assert isinstance(self.last, Finished), self.last
        return self.last

    @property
    def failed(self) -> Failed:
        assert isinstance(self.last, Failed), self.last
        return self.last

    @property
    def loaded(self) -> Loaded:
        assert isinstance(self.last, Loaded), self.last
        return self.last

    @property
    def deltas(self) -> list[Delta]:
        return [event for event in self.events if isinstance(event, Delta)]

    @property
    def text(self) -> str:
        return "".join(piece.text for delta in self.deltas for piece in delta.pieces)

    @property
    def tokens(self) -> list[int]:
        return [token for delta in self.deltas for token in delta.tokens]

    @property
    def sources(self) -> list[TokenSource]:
        return [source for delta in self.deltas for source in delta.sources]


class Engine:
    """`python -m app --role engine`, or `command` instead; use as a context manager."""

    def __init__(self, command: Sequence[str] = (), cwd: Path | None = None) -> None:
        self.started = time.perf_counter()
        self.process = subprocess.Popen(
            list(command) or child_command("engine"),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=child_environment(),
            cwd=cwd,
        )
        self.logs: list[Log] = []
        self._events: queue.SimpleQueue[tuple[float, bytes]] = queue.SimpleQueue()
        self._errors: list[bytes] = []
        self._threads = [
            threading.Thread(target=self._listen, name="test-engine-stdout"),
            threading.Thread(target=self._collect, name="test-engine-stderr"),
        ]
        for thread in self._threads:
            thread.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close_stdin()
        try:
            self.process.wait(timeout=5)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self._join()

    # writing

    def send(self, *messages: Request) -> None:
        self.send_bytes(b"".join(map(encode, messages)))

    def send_bytes(self, data: bytes) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def close_stdin(self) -> None:
        assert self.process.stdin is not None
        with contextlib.suppress(OSError):  # what was still buffered cannot reach a process that is gone
            self.process.stdin.close()

    # reading

    def next_at(self, timeout: float = PATIENCE_S) -> tuple[float, Event]:
        """The next event that is no log line, and when it came."""
        while True:
            try:
                at, line = self._events.get(timeout=timeout)
            except queue.Empty:
                raise AssertionError(f"no event within {timeout:g} s; stderr:\n{self.stderr[-2000:]}") from None
            if not line:
                self._events.put((at, b""))
                raise GoneError(f"the engine is gone ({self.process.wait(5)}); stderr:\n{self.stderr[-2000:]}")
            event = decode(line)
            if not isinstance(event, Log):
                return at, event  # type: ignore[return-value]  # what comes out of an engine is an event
            self.logs.append(event)

    def next(self, kind: type[E], timeout: float = PATIENCE_S) -> E:
        """The next event of this kind; others are passed over."""
        deadline = time.perf_counter() + timeout
        while True:
            event = self.next_at(max(0.01, deadline - time.perf_counter()))[1]
            if isinstance(event, kind):
                return event

    def answer(self, request_id: str, timeout: float = PATIENCE_S) -> Answer:
        """All events of a request, up to its last. Nothing of another request may come in between."""
        result = Answer([])
        deadline = time.perf_counter() + timeout
        while True:
            at, event = self.next_at(max(0.01, deadline - time.perf_counter()))
            if isinstance(event, Hello):
                continue
            assert getattr(event, "id", None) == request_id, event
            result.events.append(event)
            result.at.append(at)
            if isinstance(event, LAST):
                return result

    def pending(self) -> list[Event]:
        """Events that came and that nobody has taken."""
        found = []
        while not self._events.empty():
            found.append(self.next_at()[1])
        return found

    def expect_end(self, within_s: float) -> int:
        """The exit code of a process that has to end now."""
        code = self.process.wait(timeout=within_s)
        self._join()
        return code

    @property
    def stderr(self) -> str:
        return b"".join(self._errors).decode("utf-8", "replace")

    # requests

    def load(self, target: Path | str, draft: Path | str = "", **settings: object) -> Answer:
        request = Load(id=new_id("load"), target=str(target), draft=str(draft), **settings)  # type: ignore[arg-type]
        self.send(request)
        return self.answer(request.id)

    def generate(self, prompt: str, **settings: object) -> Answer:
        request = question(prompt, **settings)  # type: ignore[arg-type]
        self.send(request)
        return self.answer(request.id)

    def cancel(self, request_id: str) -> None:
        self.send(Cancel(id=request_id))

    def _listen(self) -> None:
        assert self.process.stdout is not None
        with self.process.stdout as stdout:
            for line in stdout:
                self._events.put((time.perf_counter(), line))
        self._events.put((time.perf_counter(), b""))

    def _collect(self) -> None:
        assert self.process.stderr is not None
        with self.process.stderr as stderr:
            self._errors.extend(stderr)

    def _join(self) -> None:
        for thread in self._threads:
            thread.join(timeout=5)
            assert not thread.is_alive(), f"{thread.name} still reads: a grandchild holds the pipe?"


def new_id(stem: str) -> str:
    return f"{stem}-{next(_ids)}"


def question(
    prompt: str,
    *,
    raw: bool = False,
    drafter: DrafterName = "off",
    lookahead: int = 4,
    explicit: bool = True,
    min_confidence: float = 0.0,
    temperature: float = 0.8,
    seed: int | None = 1,
    max_tokens: int = 48,
    stop: tuple[str, ...] = (),
    fixed_shape: int = 0,
    chat: str = "chat",
    reuse_cache: bool = True,
) -> Generate:
    """One question, or with `raw` a text to go on with."""
    return Generate(
        id=new_id("answer"),
        chat=chat,
        turns=() if raw else (Turn(role="user", content=prompt),),
        prompt=prompt if raw else None,
        sampling=SamplingOptions(temperature=temperature, seed=seed),
        speculation=SpeculationOptions(
            drafter=drafter, lookahead=lookahead, min_confidence=min_confidence, explicit=explicit
        ),
        limits=LimitOptions(max_tokens=max_tokens, stop=stop, fixed_shape=fixed_shape),
        reuse_cache=reuse_cache,
    )


@dataclass(frozen=True)
class Run:
    """What a finished command line left. Nothing on either stream may look like a program error."""

    code: int
    out: str
    err: str


def cli_command(*arguments: object) -> list[str]:
    return [sys.executable, "-m", "app", "--role", "cli", *map(str, arguments)]


def cli(*arguments: object, stdin: bytes = b"", timeout: float = PATIENCE_S, cwd: Path | None = None) -> Run:
    """Run `outpace-cli` to its end."""
    done = subprocess.run(
        cli_command(*arguments),
        input=stdin,
        capture_output=True,
        timeout=timeout,
        check=False,
        env=child_environment(),
        cwd=cwd,
    )
    run = Run(done.returncode, done.stdout.decode("utf-8"), done.stderr.decode("utf-8"))
    assert "Traceback" not in run.out + run.err, run
    return run
