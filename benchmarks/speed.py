"""Speculation against plain decoding, on pairs with real costs: paired, alternating, in one run.

Every case (a prompt at a temperature) is answered by all arms one after the other, in another order each time, and the
time of a token in the plain arm is divided by that of every arm. A second plain arm (`null`) shows what the noise of
the machine makes of nothing: a ratio nearer to 1 than that is no difference. Printed are medians over the cases, the
spread of the null arm (half the distance of its quartiles), and at last which bars hold (benchmarks/README.md).

    python benchmarks/speed.py [--quick | --bars] [--runs 3] [--types f16,q4_k_m] [--reference-bin DIR] [--json FILE]
"""

import argparse
import json
import sys
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pair
import reference
import speed_tables
from speed_prompts import REWRITE, WORKLOADS

from app.engine.backends.local import LocalBackend
from app.engine.cancel import CancelFlag
from app.protocol.messages import Delta, Finished, Generate, Load, Turn
from app.protocol.options import DrafterName, LimitOptions, SamplingOptions, SpeculationOptions

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
COPIES: dict[str, SpeculationOptions] = {
    name: replace(ARMS[name], drafter=ARMS[name].drafter if name in ("plain", "null", "mixed") else "ngram")
    for name in ("plain", "null", "3", "7", "auto", "mixed")
}
"""Arms where the answer repeats its prompt."""
REFERENCES = {"simple 3": 3, "simple 7": 7, "simple default": None}


@dataclass(frozen=True)
class Case:
    """One prompt, at one temperature."""

    workload: str
    turns: tuple[Turn, ...]
    temperature: float


@dataclass(frozen=True)
class Section:
    """A pair, and which arms answer what with it. `workloads`: of which it answers a prompt each; empty for all."""

    kind: str
    ratio: str
    unrelated: bool = False
    workloads: tuple[str, ...] = ()
    references: bool = False

    @property
    def title(self) -> str:
        return f"{self.kind}, draft {self.ratio}{', unrelated weights' if self.unrelated else ''}"

    def arms(self, workload: str, temperature: float, *, only_bars: bool) -> Mapping[str, SpeculationOptions]:
        """The arms of a case; `only_bars` leaves out those no bar is about."""
        if workload == "rewrite":
            wanted = ("plain", "null", "auto", "mixed") if only_bars else tuple(COPIES)
            return {name: COPIES[name] for name in wanted}
        names = tuple(ARMS)
        if self.unrelated or self.workloads:
            names = ("plain", "null", "auto")
        elif only_bars:
            names = ("plain", "null", *(("3", "7") if temperature == 0 else ()), "auto", "heads")
        return {name: ARMS[name] for name in names}


class Runner:
    """A loaded pair that answers cases."""

    def __init__(self, target: Path, draft: Path | None, tokens: int) -> None:
        """`draft`: None for the target alone, without its heads, as `llama-bench` loads it."""
        self.target, self.draft = target, draft
        self._backend = LocalBackend()
        self._tokens = tokens
        load = Load(id="load", target=str(target), context=1024, heads="off")
        if draft is not None:
            load = replace(load, draft=str(draft), draft_required=True, heads="auto")
        self._backend.load(load, CancelFlag(), lambda event: None)
        while self._backend.idle(CancelFlag()):
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


def cases(runner: Runner, section: Section, temperatures: tuple[float, ...], number: int) -> Iterator[Case]:
    """A prompt of every workload, another one in every run."""
    for temperature in temperatures:
        for workload, prompts in WORKLOADS.items():
            if workload in section.workloads or not section.workloads:
                yield Case(workload, (Turn(role="user", content=prompts[number % len(prompts)]),), temperature)
        if not section.workloads and not section.unrelated:
            question = Turn(role="user", content=REWRITE[number % len(REWRITE)])
            text, _ = runner.answer(Case("rewrite", (question,), temperature), PLAIN, seed=1)
            yield Case("rewrite", (question, Turn(role="assistant", content=text), question), temperature)


def run_section(
    runner: Runner,
    bare: Runner | None,
    section: Section,
    number: int,
    options: argparse.Namespace,
    temperatures: tuple[float, ...],
) -> list[dict[str, Any]]:
    """Rows: run, section, workload, temperature, arm, and the ms a token took."""
    rows: list[dict[str, Any]] = []
    folder: Path | None = options.reference_bin if section.references else None
    for place, case in enumerate(cases(runner, section, temperatures, number)):
        print(f"{section.title}: {case.workload}, T {case.temperature} ...", file=sys.stderr, flush=True)
        arms = list(section.arms(case.workload, case.temperature, only_bars=options.bars).items())
        if options.only:
            arms = [arm for arm in arms if arm[0] in ("plain", "null", *options.only.split(","))]
        start = (number * 3 + place) % len(arms)
        common = {
            "run": number,
            "section": section.title,
            "workload": case.workload,
            "temperature": case.temperature,
            "case": place,
        }
        turns = [(name, runner, speculation) for name, speculation in arms[start:] + arms[:start]]
        if bare and case.temperature == 0:
            turns.append(("bare", bare, PLAIN))  # right before the reference programs
        prompt_tokens = 0
        for name, answering, speculation in turns:
            _, finished = answering.answer(case, speculation, seed=number)
            stats = finished.stats
            prompt_tokens = stats.prompt_tokens
            if stats.generated_tokens > 8:
                row = {
                    "arm": name,
                    "ms": stats.decode_ms / (stats.generated_tokens - 1),
                    "tokens": stats.generated_tokens,
                    "acceptance": stats.acceptance_rate,
                    "ttft_ms": stats.ttft_ms,
                    "state": finished.speculation.state,
                }
                rows.append(common | row)
        if folder and runner.draft and case.workload in WORKLOADS and case.temperature == 0:
            speed = reference.plain_speed(folder, runner.target, options.tokens, prompt_tokens)
            rows.append(common | {"arm": "llama-bench", "ms": 1000 / speed})
            prompt = case.turns[0].content
            for name, lookahead in REFERENCES.items():
                speed = reference.speculative_speed(
                    folder, runner.target, runner.draft, prompt, options.tokens, lookahead
                )
                if speed is not None:
                    rows.append(common | {"arm": name, "ms": 1000 / speed})
    return rows


def sections(options: argparse.Namespace) -> list[Section]:
    found = []
    for kind in options.types.split(","):
        found.append(Section(kind, options.ratio, references=True))
        if not options.no_hell:
            found.append(Section(kind, options.ratio, unrelated=True))
        if options.ratio == "1/20" and not options.quick:
            found.append(Section(kind, "1/100", workloads=("json",)))
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="under five minutes: one type, one run, no 1/100 draft")
    parser.add_argument("--bars", action="store_true", help="only the arms that the bars are about")
    parser.add_argument("--only", default="", help="of those only these, with commas, besides plain and null")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--first", type=int, default=0, help="prompts to leave out at the start")
    parser.add_argument("--size", default="0.3b", choices=[*pair.TARGETS, pair.AS_IT_IS], help="demo: to try this out")
    parser.add_argument("--types", default="q4_k_m,f16")
    parser.add_argument("--ratio", default="1/20", choices=("1/20", "1/100"))
    parser.add_argument("--tokens", type=int, default=100)
    parser.add_argument("--temperatures", default="0,0.8")
    parser.add_argument("--no-hell", action="store_true", help="leave out the unrelated draft")
    parser.add_argument("--reference-bin", type=Path, help="folder with llama-bench and llama-speculative-simple")
    parser.add_argument(
        "--minutes", type=float, default=0.0, help="start no further run that would not fit into so many"
    )
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    unknown = {arm for arm in options.only.split(",") if arm} - {*ARMS, *COPIES}
    if unknown:
        parser.error(f"no such arm: {', '.join(sorted(unknown))}; there are {', '.join({**ARMS, **COPIES})}")
    sys.stdout.reconfigure(line_buffering=True)
    if options.quick:
        options.types, options.runs, options.tokens = options.types.split(",")[0], 1, min(options.tokens, 60)
    temperatures = tuple(float(t) for t in options.temperatures.split(","))
    started = time.monotonic()
    plan = sections(options)
    runners = {
        section: Runner(
            pair.target(options.size, section.kind),
            pair.draft(options.size, section.ratio, unrelated=section.unrelated),
            options.tokens,
        )
        for section in plan
    }
    bare = {
        section: Runner(runner.target, None, options.tokens)
        for section, runner in runners.items()
        if section.references and options.reference_bin
    }
    rows: list[dict[str, Any]] = []
    longest = 0.0
    for number in range(options.first, options.first + options.runs):
        run_started = time.monotonic()
        if options.minutes and rows and run_started - started + longest > options.minutes * 60:
            print(f"\nno time for run {number + 1}")
            break
        for section, runner in runners.items():
            rows += run_section(runner, bare.get(section), section, number, options, temperatures)
            speed_tables.show(f"run {number + 1}: {section.title}", rows, section.title, {number})
        longest = max(longest, time.monotonic() - run_started)
    for runner in (*runners.values(), *bare.values()):
        runner.close()
    runs = {row["run"] for row in rows}
    tables = {
        section.title: speed_tables.show(f"all runs: {section.title}", rows, section.title, runs) for section in plan
    }
    bars = speed_tables.judge(rows)
    print(f"\n{(time.monotonic() - started) / 60:.1f} minutes")
    if options.json:
        body = {
            "started": time.strftime("%Y-%m-%d %H:%M"),
            "options": vars(options) | {"json": None},
            "tables": tables,
            "bars": bars,
            "rows": rows,
        }
        options.json.write_text(json.dumps(body, indent=1, default=str), encoding="utf-8")


if __name__ == "__main__":
    main()
