"""`outpace-cli compare`: the same prompt with speculation off and on, and a verdict one can believe.

Both sides start from empty caches and empty n-gram tables, with the same seed, in changing order. One after the other,
never at once: two answers at a time would slow each other down. `--prove` pads every pass to one shape, so that
rounding cannot tip a near tie: there the texts have to be identical.
"""

import argparse
import json
from typing import Any

from app.cli.arms import Pair
from app.cli.engine_process import EngineProcess
from app.cli.generate import add_answer_options, add_model_options, limits, sampling, speculation
from app.comparison.made import proof_of, result
from app.comparison.run import PLAIN, Plan, Run
from app.comparison.words import summary
from app.core.errors import UserError
from app.protocol.messages import Turn


def add_to(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Register the command."""
    parser = commands.add_parser("compare", help="answer with speculation off and on, and compare")
    parser.set_defaults(run=run)
    add_model_options(parser)
    add_answer_options(parser)
    parser.add_argument("--prompt", required=True, metavar="TEXT")
    parser.add_argument("--repeats", type=int, default=3, metavar="N")
    parser.add_argument("--prove", action="store_true", help="fixed shape: the texts must be identical")
    parser.add_argument("--json", action="store_true", help="print one JSON line")


def run(options: argparse.Namespace) -> int:
    """Compare; 1 if a proof fails."""
    chosen = speculation(options)
    if chosen.drafter == "off":
        text = "There is nothing to compare with speculation off."
        raise UserError("bad_option", text, "Name a --draft or --drafter.")
    options.seed = 1 if options.seed is None else options.seed
    turns = (Turn(role="system", content=options.system),) if options.system else ()
    plan = Plan(
        turns=(*turns, Turn(role="user", content=options.prompt)),
        sampling=sampling(options),
        limits=limits(options),
        arms=(PLAIN, chosen),
        repeats=options.repeats,
    )
    plan.check()
    if options.prove:
        plan = proof_of(plan, options.repeats)
    done = Run(plan, "compare")
    with EngineProcess() as engine:
        pair = Pair(engine, options)
        pair.answer(done)
    draft = pair.loaded.draft.path if pair.loaded.draft else ""
    found = result(done, pair.loaded.target.path, draft)
    verdict = summary(found, found.others[0])
    if options.json:
        print(json.dumps({"target": found.target, "draft": draft or None, **verdict}, ensure_ascii=False))
    else:
        _print(verdict)
    return 1 if options.prove and not verdict["identical"] else 0


def _print(verdict: dict[str, Any]) -> None:
    print(f"{'':12} {'tokens':>7} {'tokens/s':>9} {'first token':>12} {'total':>9}")
    for name, side in (("plain", verdict["plain"]), ("speculation", verdict["speculation"])):
        speed = "-" if side["speed"] is None else f"{side['speed']:.1f}"
        print(f"{name:12} {side['tokens']:7} {speed:>9} {side['ttft_ms']:9.0f} ms {side['wait_s']:7.2f} s")
    if verdict["gain"] is not None:
        print(f"gain {verdict['gain']:.2f} (from {verdict['gain_low']:.2f} to {verdict['gain_high']:.2f})")
    if verdict["acceptance_rate"] is not None:
        rate, per_pass = verdict["acceptance_rate"], verdict["tokens_per_pass"]
        print(f"accepted {rate:.0%} of what was verified, {per_pass:.2f} tokens per pass")
    print(verdict["sentence"])
