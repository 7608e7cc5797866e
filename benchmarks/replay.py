"""Policies of the lookahead on recorded texts, with any cost curve: exact, no clock.

Per curve, workload and temperature: speed against plain of the automatic lookahead, of the best fixed length in
hindsight, and of the oracle (the best choice at every position, knowing all that comes), and whether the bars hold.

    python benchmarks/replay.py [--split held_out] [--orders N] [--curve WORD] [--tokens N] [--prompts] [--table]
                                [--json FILE]

`tests/traces` holds the recorded texts; benchmarks/record_traces.py makes others (`--help` says how).
"""

import argparse
import json
import math
import random
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from app.engine.lookahead.auto import Auto
from app.engine.lookahead.history import PairHistory
from tests.helpers.curves import CURVES, Curve, calibrated
from tests.helpers.replay import fixed_ms, ms, oracle_ms, plain_ms, replay
from tests.helpers.traces import FILES, Text, beginning, load

LENGTHS = range(1, 17)
BARS = {"plain": 0.99, "fixed": 0.97, "mean": 1.03, "oracle": 0.85}


@dataclass(frozen=True)
class Cell:
    """Speeds against plain decoding of one workload at one temperature on one curve."""

    curve: str
    workload: str
    temperature: float
    order: int
    texts: int
    auto: float
    fixed: float
    length: int
    oracle: float


def cells(texts: Sequence[Text], curve: Curve, order: int, *, prompts: bool = False) -> Iterator[Cell]:
    """All workloads, one policy for all texts, in an order of their own; `prompts`: the draft has to read them too."""
    shuffled = list(texts)
    random.Random(order).shuffle(shuffled)
    policy = Auto("draft_model", 0.0, calibrated(curve), PairHistory())
    spent: dict[tuple[str, float], list[tuple[Text, float]]] = {}
    for text in shuffled:
        rounds = replay(policy, text, curve, behind=len(text.prompt) if prompts else 0)
        spent.setdefault((text.workload, text.temperature), []).append((text, ms(rounds)))
    for (workload, temperature), done in spent.items():
        plain = sum(plain_ms(text, curve) for text, _ in done)
        fixed = {n: sum(fixed_ms(text, curve, n) for text, _ in done) for n in LENGTHS} | {0: plain}
        best = min(fixed, key=lambda n: fixed[n])
        yield Cell(
            curve=curve.name,
            workload=workload,
            temperature=temperature,
            order=order,
            texts=len(done),
            auto=plain / sum(time for _, time in done),
            fixed=plain / fixed[best],
            length=best,
            oracle=plain / sum(oracle_ms(text, curve) for text, _ in done),
        )


def geometric(values: Sequence[float]) -> float:
    return math.exp(sum(map(math.log, values)) / len(values)) if values else math.nan


def judged(found: Sequence[Cell]) -> dict[str, float]:
    """What the bars are about: the worst cells, and the means where anything pays."""
    paying = [cell for cell in found if cell.fixed > 1.0]
    return {
        "plain": min(cell.auto for cell in found),
        "fixed": min(cell.auto / cell.fixed for cell in found),
        "mean": geometric([cell.auto / cell.fixed for cell in paying]),
        "oracle": geometric([cell.auto / cell.oracle for cell in paying]),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--split", default="held_out", choices=("held_out", "tuning", "unseen", "all"))
    parser.add_argument("--traces", type=Path, nargs="+", default=list(FILES))
    parser.add_argument("--orders", type=int, default=1, help="how many orders of the texts")
    parser.add_argument("--curve", default="", help="only curves whose name has this word")
    parser.add_argument("--tokens", type=int, default=0, help="cut the answers after so many")
    parser.add_argument(
        "--prompts", action="store_true", help="the draft has to process the prompt first, as in a chat"
    )
    parser.add_argument("--table", action="store_true", help="every cell, not only the bars")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    texts = [text for file in options.traces for text in load(file) if options.split in ("all", text.split)]
    if options.tokens:
        texts = [beginning(text, options.tokens) for text in texts]
    started = time.process_time()
    found: list[Cell] = []
    for curve in CURVES:
        if options.curve not in curve.name:
            continue
        for order in range(options.orders):
            found += cells(texts, curve, 3 + order, prompts=options.prompts)
    if options.table:
        print(f"{'curve':30} {'workload':10} {'T':>4} {'order':>5}  auto  fixed (best)  oracle  auto/fixed")
        for cell in sorted(found, key=lambda cell: cell.auto / cell.fixed):
            print(
                f"{cell.curve:30} {cell.workload:10} {cell.temperature:4} {cell.order:5} {cell.auto:5.3f} "
                f"{cell.fixed:6.3f} ({cell.length:4}) {cell.oracle:7.3f} {cell.auto / cell.fixed:11.3f}"
            )
    verdict = judged(found)
    words = {
        "plain": "worst against plain",
        "fixed": "worst against the best fixed length",
        "mean": "mean against it where anything pays",
        "oracle": "mean against the oracle there",
    }
    for name, least in BARS.items():
        mark = "ok" if verdict[name] >= least else "MISSED"
        print(f"{words[name]:36} {verdict[name]:.3f}  bar {least:.2f}  {mark}")
    missed = sum(cell.auto < BARS["plain"] or cell.auto < BARS["fixed"] * cell.fixed for cell in found)
    print(f"{missed} of {len(found)} cells below a bar; {len(texts)} texts, {time.process_time() - started:.0f} s")
    if options.json:
        body = {"bars": BARS, "reached": verdict, "cells": [asdict(cell) for cell in found]}
        options.json.write_text(json.dumps(body, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
