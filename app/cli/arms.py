"""Answers of one loaded pair with different drafters, paired and in changing order; shared by `bench` and `compare`."""

import argparse
import statistics
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace

from app.cli.engine_process import EngineProcess
from app.cli.generate import load_request
from app.protocol.messages import Delta, Finished, Generate, Load, Loaded
from app.protocol.options import SpeculationOptions
from app.protocol.stats import GenerationStats

CALIBRATION_S = 2.5
"""The engine measures its costs while nobody asks; so long does that take at most."""


@dataclass(frozen=True, slots=True)
class Reply:
    """One answer. `wait_s`: from sending the request to its end, as a person waits."""

    text: str
    tokens: tuple[int, ...]
    stats: GenerationStats
    reason: str
    state: str
    wait_s: float


class Pair:
    """A loaded pair that answers one request after the other, each from empty caches."""

    def __init__(self, engine: EngineProcess, options: argparse.Namespace) -> None:
        self._engine = engine
        load: Load = load_request(options)
        engine.send(load)
        self.loaded = next(event for event in engine.answers(load.id) if isinstance(event, Loaded))
        time.sleep(CALIBRATION_S)

    def answer(self, request: Generate, speculation: SpeculationOptions) -> Reply:
        """Answer with this drafter; nothing of earlier answers is reused."""
        request = replace(request, speculation=speculation, reuse_cache=False)
        started = time.perf_counter()
        self._engine.send(request)
        text: list[str] = []
        tokens: list[int] = []
        for event in self._engine.answers(request.id):
            if isinstance(event, Delta):
                text += [piece.text for piece in event.pieces]
                tokens += event.tokens
            elif isinstance(event, Finished):
                wait = time.perf_counter() - started
                return Reply("".join(text), tuple(tokens), event.stats, event.reason, event.speculation.state, wait)
        raise AssertionError("answers() ends with an error or with Finished")

    def alternate(self, request: Generate, arms: Sequence[SpeculationOptions], repeats: int) -> list[list[Reply]]:
        """Every arm once a repetition, in another order each time; a list of replies for each arm."""
        replies: list[list[Reply]] = [[] for _ in arms]
        for repeat in range(repeats):
            for place in range(len(arms)):
                number = (place + repeat) % len(arms)
                replies[number].append(self.answer(request, arms[number]))
        return replies


@dataclass(frozen=True, slots=True)
class Gain:
    """Speed against plain: the median of the paired ratios, and their range."""

    median: float
    low: float
    high: float


def gain(plain: Sequence[Reply], other: Sequence[Reply]) -> Gain | None:
    """None where no answer had two tokens."""
    ratios = [
        two.stats.speed / one.stats.speed
        for one, two in zip(plain, other, strict=True)
        if one.stats.speed and two.stats.speed
    ]
    return Gain(statistics.median(ratios), min(ratios), max(ratios)) if ratios else None


def median_speed(replies: Sequence[Reply]) -> float | None:
    """Tokens/s, None where no answer had two tokens."""
    speeds = [reply.stats.speed for reply in replies if reply.stats.speed]
    return statistics.median(speeds) if speeds else None
