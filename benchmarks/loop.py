"""What a pass costs outside the model: the loop, the choice of tokens, the bookkeeping, the events and their encoding.

A model that costs nothing (its logits are prepared rows) runs through the real loop, so that whatever time passes is
ours. Processor time of this process, median of several answers, so that a busy machine disturbs little.

    python benchmarks/loop.py [--tokens N] [--json FILE]
"""

import argparse
import json
import statistics
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from app.engine.cancel import CancelFlag
from app.engine.costs import PairCosts
from app.engine.drafters.draft_model import DraftModel
from app.engine.drafters.off import Off
from app.engine.generation import Answer, Cached, Task
from app.engine.lookahead import PairHistory, make
from app.engine.ports import Drafter, Logits
from app.engine.sampling import Sampler
from app.protocol.codec import encode
from app.protocol.options import LimitOptions, SamplingOptions, SpeculationOptions


class FreeModel:
    """A `TokenModel` whose passes cost nothing. The next token depends on the position only."""

    can_truncate = True
    end_tokens: frozenset[int] = frozenset()

    def __init__(self, rows: Logits, n_ctx: int) -> None:
        self._rows = rows
        self.n_vocab = rows.shape[1]
        self.n_ctx = n_ctx
        self.length = 0
        self._first = 0

    def decode(self, tokens: Sequence[int], *, every_row: bool = False) -> None:
        self._first = self.length if every_row else self.length + len(tokens) - 1
        self.length += len(tokens)

    def logits(self, row: int) -> Logits:
        at = self.length - 1 if row < 0 else self._first + row
        return self._rows[at % len(self._rows)]

    def truncate(self, keep: int) -> None:
        self.length = min(self.length, keep)

    def clear(self) -> None:
        self.length = 0


def overhead_ms(vocabulary: int, temperature: float, drafter: str, tokens: int) -> float:
    """Milliseconds of processor time per target pass, everything but the model."""
    random = np.random.default_rng(1)
    rows = random.normal(0.0, 3.0, (8, vocabulary)).astype(np.float32)
    target, draft = FreeModel(rows, tokens + 100), FreeModel(rows, tokens + 100)
    passes = 0
    sampling = SamplingOptions(temperature=temperature)
    sampler = Sampler(sampling, 1, [1, 2, 3])
    chosen: Drafter = Off()
    if drafter == "draft_model":
        model = DraftModel(draft, vocabulary)
        model.use(sampler, confident=False)
        chosen = model
    options = SpeculationOptions(drafter="off" if drafter == "off" else "draft_model", lookahead=3)
    task = Task(
        id="1",
        prompt=[1, 2, 3],
        sampling=sampling,
        seed=1,
        limits=LimitOptions(max_tokens=tokens),
        stop=("\nUser:",),
        reuse_cache=False,
        drafter=chosen,
        drafter_name=options.drafter,
        policy=make(options, PairCosts(), PairHistory()),
        piece=lambda token: b"word ",
        cancel=CancelFlag(),
    )
    started = time.process_time()
    for event in Answer(Cached(target), task, sampler).events():
        encode(event)
        passes = getattr(getattr(event, "stats", None), "passes", passes)
    return (time.process_time() - started) * 1000 / passes


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tokens", type=int, default=400)
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    found = []
    print("vocabulary  choice   drafter      ms per pass")
    for vocabulary in (4096, 262144):
        for temperature in (0.0, 0.8):
            for drafter in ("off", "draft_model"):
                runs = [overhead_ms(vocabulary, temperature, drafter, options.tokens) for _ in range(options.repeat)]
                median = statistics.median(runs)
                found.append(
                    {"vocabulary": vocabulary, "temperature": temperature, "drafter": drafter, "ms_per_pass": median}
                )
                choice = "greedy" if temperature == 0 else "sampled"
                print(f"{vocabulary:10}  {choice:8} {drafter:12} {median:7.3f}")
    if options.json:
        options.json.write_text(json.dumps(found, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
