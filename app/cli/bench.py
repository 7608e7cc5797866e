"""`outpace-cli bench`: what speculation gains with your models, on your machine, with your prompts."""

import argparse
import json
import statistics
import sys
from typing import Any

from app.cli.arms import Pair
from app.cli.engine_process import EngineProcess
from app.cli.generate import add_model_options
from app.comparison.reply import Reply
from app.comparison.result import gain, sample
from app.comparison.run import PLAIN, Plan, Run
from app.core.errors import UserError
from app.protocol.messages import Loaded, Turn
from app.protocol.options import DrafterName, LimitOptions, SamplingOptions, SpeculationOptions

_PROMPTS = (
    "Give me a JSON array of 5 users with id, name and city.",
    "Write a Python function that reverses the words of a sentence.",
    "Explain in one paragraph why the sky is blue.",
)
WORTH_IT = 1.03
"""A gain below this is within the noise of most machines."""


def add_to(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Register the command."""
    parser = commands.add_parser("bench", help="measure what speculation gains with your models")
    parser.set_defaults(run=run)
    add_model_options(parser)
    parser.add_argument("--prompt", action="append", metavar="TEXT", help="may be repeated; default: three of ours")
    parser.add_argument("--max-tokens", type=int, default=100, metavar="N")
    parser.add_argument("--temperature", type=float, default=0.0)
    parser.add_argument("--repeats", type=int, default=3, metavar="N")
    parser.add_argument("--json", action="store_true", help="print one JSON line instead of a table")


def run(options: argparse.Namespace) -> int:
    """Measure every drafter these models allow."""
    if not 1 <= options.repeats <= 1000:
        raise UserError("bad_option", f"{options.repeats} repeats are not possible.", "It must be from 1 to 1000.")
    sampling = SamplingOptions(temperature=options.temperature, seed=1)
    limits = LimitOptions(max_tokens=options.max_tokens)
    sampling.check()
    limits.check()
    prompts = options.prompt or list(_PROMPTS)
    with EngineProcess() as engine:
        pair = Pair(engine, options)
        arms = _arms(pair.loaded)
        replies: dict[str, list[Reply]] = {name: [] for name in arms}
        for number, prompt in enumerate(prompts):
            if not options.json:
                print(f"prompt {number + 1} of {len(prompts)} ...", file=sys.stderr, flush=True)
            plan = Plan(
                turns=(Turn(role="user", content=prompt),),
                sampling=sampling,
                limits=limits,
                arms=tuple(arms.values()),
                repeats=options.repeats,
                isolated=False,
            )
            done = Run(plan, f"bench {number}")
            pair.answer(done)
            for name, got in zip(arms, done.replies, strict=True):
                replies[name] += got
    rows = [_row(name, replies) for name in arms]
    advice = _advice(rows)
    if options.json:
        facts = {"target": pair.loaded.target.path, "draft": pair.loaded.draft.path if pair.loaded.draft else None}
        print(json.dumps({**facts, "threads": pair.loaded.threads, "arms": rows, "advice": advice}, ensure_ascii=False))
        return 0
    _print(rows)
    print(advice)
    return 0


def _arms(loaded: Loaded) -> dict[str, SpeculationOptions]:
    arms = {"plain": PLAIN}
    drafters: tuple[DrafterName, ...] = ("ngram", "draft_model", "heads", "mixed")
    for drafter in drafters:
        if drafter in loaded.why_not:
            continue
        label = drafter.replace("_", " ")
        if drafter in ("draft_model", "heads"):
            for lookahead in (3, 7):
                arms[f"{label} {lookahead}"] = SpeculationOptions(drafter=drafter, lookahead=lookahead, explicit=True)
        arms[f"{label} auto"] = SpeculationOptions(drafter=drafter, explicit=True)
    return arms


def _row(name: str, replies: dict[str, list[Reply]]) -> dict[str, Any]:
    mine = replies[name]
    samples = [sample(reply) for reply in mine]
    against = gain([sample(reply) for reply in replies["plain"]], samples)
    speeds = [one.speed for one in samples if one.speed]
    verified = sum(reply.stats.verified for reply in mine)
    passes = sum(reply.stats.passes for reply in mine)
    return {
        "arm": name,
        "speed": statistics.median(speeds) if speeds else None,
        "gain": against.median if against else None,
        "gain_low": against.low if against else None,
        "gain_high": against.high if against else None,
        "acceptance_rate": sum(reply.stats.accepted for reply in mine) / verified if verified else None,
        "tokens_per_pass": sum(reply.stats.generated_tokens for reply in mine) / passes if passes else None,
    }


def _advice(rows: list[dict[str, Any]]) -> str:
    ranked = [row for row in rows[1:] if row["gain"] is not None]
    if not ranked:
        return "The answers were too short to compare. Try longer prompts or a larger --max-tokens."
    best = max(ranked, key=lambda row: row["gain"])
    if best["gain"] < WORTH_IT:
        return "Nothing beats plain decoding here by more than noise. Leave the lookahead on auto, or speculation off."
    if best["arm"].endswith("auto"):
        return f"Best: {best['arm']}, {best['gain']:.2f} times the speed of plain decoding."
    auto = max((row["gain"] for row in ranked if row["arm"].endswith("auto")), default=0.0)
    return (
        f"Best on these prompts: {best['arm']} tokens ahead, {best['gain']:.2f} times the speed of plain decoding; "
        f"auto reaches {auto:.2f} and adapts to other texts."
    )


def _print(rows: list[dict[str, Any]]) -> None:
    print(f"{'':18} {'tokens/s':>9} {'x plain':>8} {'range':>13} {'accepted':>9} {'per pass':>9}")
    for row in rows:
        span = "-" if row["gain"] is None else f"{row['gain_low']:.2f} - {row['gain_high']:.2f}"
        accepted = "-" if row["acceptance_rate"] is None else f"{row['acceptance_rate']:.0%}"
        print(
            f"{row['arm']:18} {_number(row['speed'], '9.1f')} {_number(row['gain'], '8.2f')} {span:>13} "
            f"{accepted:>9} {_number(row['tokens_per_pass'], '9.2f')}"
        )


def _number(value: float | None, form: str) -> str:
    return f"{'-':>{form.partition('.')[0]}}" if value is None else format(value, form)
