"""What a stream told about itself, and the clock on this side."""

import time
from collections.abc import Callable
from typing import Any

from app.engine.backends.openai_http.chunks import Chunk


class Evidence:
    """Collects the newest of everything that may hold figures.

    Attributes:
        usage, timings, metrics, stats, meta: Objects of the stream, empty where it had none.
        step_stats: What earlier builds of vLLM call `speculative_decoding_stats`.
        per_pass: Mean tokens per pass, as TensorRT-LLM tells it.
        model, fingerprint: As the server named them, "".
        first, last: Times of the first and last text, seconds of `clock`, None without text.
    """

    def __init__(self, clock: Callable[[], float] = time.perf_counter) -> None:
        self._clock = clock
        self.began = clock()
        self.usage: dict[str, Any] = {}
        self.timings: dict[str, Any] = {}
        self.metrics: dict[str, Any] = {}
        self.stats: dict[str, Any] = {}
        self.meta: dict[str, Any] = {}
        self.step_stats: dict[str, Any] = {}
        self.per_pass: float | None = None
        self.model = ""
        self.fingerprint = ""
        self.first: float | None = None
        self.last: float | None = None

    def note(self, chunk: Chunk) -> None:
        """Take what a chunk says."""
        if chunk.text or chunk.reasoning:
            self.last = self._clock()
            self.first = self.last if self.first is None else self.first
        body, choice = chunk.body, chunk.choice
        self.usage = _object(body.get("usage")) or self.usage
        self.timings = _object(body.get("timings")) or self.timings
        self.metrics = _object(body.get("metrics")) or self.metrics
        self.stats = _object(body.get("stats")) or self.stats
        self.meta = _object(choice.get("meta_info")) or self.meta
        self.step_stats = _object(choice.get("speculative_decoding_stats")) or self.step_stats
        self.per_pass = number(choice, "avg_decoded_tokens_per_iter") or self.per_pass
        self.model = body["model"] if isinstance(body.get("model"), str) else self.model
        print_ = body.get("system_fingerprint")
        self.fingerprint = print_ if isinstance(print_, str) else self.fingerprint

    @property
    def wait_ms(self) -> float:
        """From the request to the first text."""
        return (self.first - self.began) * 1000 if self.first is not None else 0.0

    @property
    def span_ms(self) -> float:
        """From the first to the last text."""
        return (self.last - self.first) * 1000 if self.first is not None and self.last is not None else 0.0


def count(source: dict[str, Any], *names: str) -> int | None:
    """The first of these that is a whole number of 0 or more."""
    for name in names:
        value = source.get(name)
        if (
            isinstance(value, (int, float))
            and not isinstance(value, bool)
            and 0 <= value < 1e15
            and value == int(value)
        ):
            return int(value)
    return None


def number(source: dict[str, Any], name: str) -> float | None:
    """A finite number of 0 or more."""
    value = source.get(name)
    if isinstance(value, (int, float)) and not isinstance(value, bool) and 0 <= value < 1e15:
        return float(value)
    return None


def _object(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}
