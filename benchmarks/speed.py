"""Speculation against plain decoding, on pairs with real costs: paired, alternating, in one run.

Every repetition runs all arms on the same prompt with the same seed, in another order each time, and the plain arm's
time of that repetition is divided by every arm's. A second plain arm (`null`) shows what the machine's noise makes of
nothing: a ratio nearer to 1 than that is no difference. Printed are medians, and the spread (half the distance of the
quartiles) of the null arm.

    python benchmarks/speed.py [--quick] [--size 0.3b] [--types f16,q4_k_m] [--ratio 1/20] [--json FILE]
                               [--reference-bin DIR]
"""

import argparse
import json
import math
import statistics
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pair
import reference

from app.engine.backends.local import LocalBackend
from app.engine.cancel import CancelFlag
from app.protocol.messages import Delta, Finished, Generate, Load, Turn
from app.protocol.options import DrafterName, LimitOptions, SamplingOptions, SpeculationOptions

WORKLOADS: dict[str, tuple[str, ...]] = {
    "json": ("Give me a JSON array of 5 users.", "Write 4 songs as JSON.", "Give me 6 cities as JSON."),
    "count": ("Count from 3 to 30.", "Count from 11 to 31.", "Count from 5 to 40."),
    "table": ("Make a table of 6 people.", "Make a table of 4 people.", "Make a table of 5 people."),
    "code": ("Write Python code for `textwrap.dedent`.", "Show me the source of `shutil.copytree`."),
    "prose": ("Tell me about list comprehensions.", "Write a short guide to regular expressions."),
    "docstring": ("What does `json.dumps` do?", "Explain `asyncio.gather`.", "What does `os.path.join` do?"),
}
REWRITE = ("Give me a JSON array of 5 users.", "Count from 3 to 30.", "Write Python code for `textwrap.dedent`.")
PLAIN = SpeculationOptions(drafter="off")


def fixed(lookahead: int, drafter: DrafterName = "draft_model") -> SpeculationOptions:
    return SpeculationOptions(drafter=drafter, lookahead=lookahead, explicit=True)


ARMS: dict[str, SpeculationOptions] = {
    "plain": PLAIN,
    "null": PLAIN,
    "1": fixed(1),
    "3": fixed(3),
    "5": fixed(5),
    "7": fixed(7),
    "auto": SpeculationOptions(drafter="draft_model", lookahead="auto", explicit=True),
    "mixed": SpeculationOptions(drafter="mixed", lookahead="auto", explicit=True),
    "h3": fixed(3, "heads"),
    "h7": fixed(7, "heads"),
    "heads": SpeculationOptions(drafter="heads", lookahead="auto", explicit=True),
}
REWRITE_ARMS = {
    name: replace(ARMS[name], drafter="ngram" if name not in ("plain", "null", "mixed") else ARMS[name].drafter)
    for name in ("plain", "null", "3", "7", "auto", "mixed")
}


@dataclass(frozen=True)
class Case:
    """One prompt, at one temperature."""

    workload: str
    turns: tuple[Turn, ...]
    temperature: float


class Runner:
    """A loaded pair that answers cases."""

    def __init__(self, target: Path, draft: Path, tokens: int) -> None:
        self._backend = LocalBackend()
        self._tokens = tokens
        load = Load(id="load", target=str(target), draft=str(draft), draft_required=True, context=1024)
        self._backend.load(load, CancelFlag(), lambda event: None)
        while getattr(self._backend, "calibrate_step", lambda: False)():
            pass

    def answer(self, case: Case, speculation: SpeculationOptions, seed: int) -> tuple[str, Finished]:
        request = Generate(
            id="answer",
            turns=case.turns,
            sampling=SamplingOptions(temperature=case.temperature, seed=seed),
            speculation=speculation,
            limits=LimitOptions(max_tokens=self._tokens),
            reuse_cache=False,
        )
        text = ""
        for event in self._backend.generate(request, CancelFlag()):
            if isinstance(event, Delta):
                text += "".join(piece.text for piece in event.pieces)
            elif isinstance(event, Finished):
                return text, event
        raise RuntimeError("no end")

    def close(self) -> None:
        self._backend.close()


def cases(runner: Runner, temperatures: tuple[float, ...]) -> Iterator[Case]:
    for temperature in temperatures:
        for workload, prompts in WORKLOADS.items():
            for prompt in prompts:
                yield Case(workload, (Turn(role="user", content=prompt),), temperature)
        for prompt in REWRITE:
            question = Turn(role="user", content=prompt)
            once = Case("rewrite", (question,), temperature)
            text, _ = runner.answer(once, PLAIN, seed=1)
            yield Case("rewrite", (question, Turn(role="assistant", content=text), question), temperature)


def run_pair(
    target: Path, draft: Path, tokens: int, repeats: int, temperatures: tuple[float, ...]
) -> list[dict[str, Any]]:
    """Rows: workload, temperature, arm, and per repetition ms a token."""
    runner = Runner(target, draft, tokens)
    rows: list[dict[str, Any]] = []
    todo = list(cases(runner, temperatures))
    for repeat in range(repeats):
        for number, case in enumerate(todo):
            arms = list((REWRITE_ARMS if case.workload == "rewrite" else ARMS).items())
            start = (repeat * 3 + number) % len(arms)
            for name, options in arms[start:] + arms[:start]:
                _, finished = runner.answer(case, options, seed=repeat)
                stats = finished.stats
                if stats.generated_tokens > 8:
                    rows.append(
                        {
                            "workload": case.workload,
                            "temperature": case.temperature,
                            "case": number,
                            "repeat": repeat,
                            "arm": name,
                            "ms": stats.decode_ms / (stats.generated_tokens - 1),
                            "tokens": stats.generated_tokens,
                            "acceptance": stats.acceptance_rate,
                            "ttft_ms": stats.ttft_ms,
                            "state": finished.speculation.state,
                        }
                    )
    runner.close()
    return rows


def ratios(rows: list[dict[str, Any]], arm: str, key: str = "ms") -> list[float]:
    """Plain divided by `arm`, pair by pair."""
    plain = {(r["case"], r["repeat"]): r[key] for r in rows if r["arm"] == "plain"}
    return [
        plain[r["case"], r["repeat"]] / r[key] for r in rows if r["arm"] == arm and (r["case"], r["repeat"]) in plain
    ]


def spread(values: list[float]) -> float:
    if len(values) < 4:
        return math.nan
    low, _, high = statistics.quantiles(values, n=4)
    return (high - low) / 2


def print_table(title: str, rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    names = list(ARMS)[1:]
    print(
        f"\n{title}\n{'workload':10} {'T':>4} {'plain tok/s':>11} "
        + " ".join(f"{n:>6}" for n in names)
        + "   null ±  accept@3"
    )
    table = []
    for temperature in sorted({r["temperature"] for r in rows}):
        for workload in dict.fromkeys(r["workload"] for r in rows):
            here = [r for r in rows if r["workload"] == workload and r["temperature"] == temperature]
            if not here:
                continue
            plain = statistics.median(r["ms"] for r in here if r["arm"] == "plain")
            line: dict[str, Any] = {
                "workload": workload,
                "temperature": temperature,
                "plain_tokens_per_s": 1000 / plain,
            }
            for name in names:
                values = ratios(here, name)
                line[name] = statistics.median(values) if values else None
            line["null_spread"] = spread(ratios(here, "null"))
            accepted = [r["acceptance"] for r in here if r["arm"] == "3" and r["acceptance"] is not None]
            line["acceptance_3"] = statistics.mean(accepted) if accepted else None
            table.append(line)
            cells = " ".join("     -" if line[n] is None else f"{line[n]:6.2f}" for n in names)
            acceptance = "-" if line["acceptance_3"] is None else f"{line['acceptance_3']:.2f}"
            print(
                f"{workload:10} {temperature:4} {1000 / plain:11.1f} {cells}   {line['null_spread']:.3f}   {acceptance}"
            )
    ttft = [value for arm in ("auto", "mixed") for value in ratios(rows, arm, "ttft_ms")]
    print(f"time to first token, plain / with speculation: median {statistics.median(ttft):.3f}")
    return table


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="under five minutes: one type, few repeats")
    parser.add_argument("--size", default="0.3b", choices=list(pair.TARGETS))
    parser.add_argument("--types", default="f16,q4_k_m")
    parser.add_argument("--ratio", default="1/20", choices=("1/20", "1/100"))
    parser.add_argument("--tokens", type=int, default=100)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--temperatures", default="0,0.8")
    parser.add_argument("--no-hell", action="store_true", help="leave out the unrelated draft")
    parser.add_argument("--reference-bin", type=Path, help="folder with llama-bench and llama-speculative-simple")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    if options.quick:
        options.types, options.repeats, options.tokens = options.types.split(",")[-1], 1, 60
    temperatures = tuple(float(t) for t in options.temperatures.split(","))
    result: dict[str, Any] = {
        "started": time.strftime("%Y-%m-%d %H:%M"),
        "options": vars(options) | {"json": None},
        "pairs": [],
    }
    for kind in options.types.split(","):
        target = pair.target(options.size, kind)
        for unrelated in (False,) if options.no_hell else (False, True):
            draft = pair.draft(options.size, options.ratio, unrelated=unrelated)
            rows = run_pair(target, draft, options.tokens, options.repeats, temperatures)
            title = f"{options.size} {kind}, draft {options.ratio}{' with unrelated weights' if unrelated else ''}"
            entry = {"title": title, "table": print_table(title, rows), "rows": rows}
            if options.reference_bin and not unrelated:
                entry["reference"] = reference.compare(options.reference_bin, target, draft, WORKLOADS, options)
            result["pairs"].append(entry)
    if options.json:
        options.json.write_text(json.dumps(result, indent=1, default=str), encoding="utf-8")


if __name__ == "__main__":
    main()
