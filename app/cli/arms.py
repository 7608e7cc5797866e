"""Answers of one loaded pair with different drafters, paired and in changing order; shared by `bench` and `compare`."""

import argparse
import time

from app.cli.engine_process import EngineProcess
from app.cli.generate import load_request
from app.comparison.run import Run
from app.protocol.messages import Load, Loaded

CALIBRATION_S = 2.5
"""The engine measures its costs while nobody asks; so long does that take at most."""


class Guest:
    """Another model, in an engine process of its own."""

    def __init__(self, engine: EngineProcess, load: Load) -> None:
        self.engine = engine
        engine.send(load)
        self.loaded = next(event for event in engine.answers(load.id) if isinstance(event, Loaded))


class Pair:
    """A loaded pair that answers one request after the other, each from empty caches."""

    def __init__(self, engine: EngineProcess, options: argparse.Namespace) -> None:
        self._engine = engine
        load: Load = load_request(options)
        engine.send(load)
        self.loaded = next(event for event in engine.answers(load.id) if isinstance(event, Loaded))
        if load.server is None:
            time.sleep(CALIBRATION_S)

    def answer(self, run: Run, guest: Guest | None = None) -> None:
        """Give `run` all its answers; `guest` gives those of the second arm.

        Raises:
            AppError: an answer was refused, or the engine is gone.
        """
        while (request := run.next()) is not None:
            engine = guest.engine if guest is not None and run.arm else self._engine
            engine.send(request)
            for event in engine.answers(request.id):
                if run.take(event):
                    break
