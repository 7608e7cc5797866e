"""`outpace-cli compare`: the same prompt with speculation off and on, and a verdict one can believe.

Both sides start from empty caches and empty n-gram tables, with the same seed, in changing order. One after the other,
never at once: two answers at a time would slow each other down. `--prove` pads every pass to one shape, so that
rounding cannot tip a near tie: there the texts have to be identical.
"""

import argparse
import contextlib
import json
from pathlib import PurePath
from typing import Any

from app.cli import servers
from app.cli.arms import Guest, Pair
from app.cli.engine_process import EngineProcess
from app.cli.generate import add_answer_options, add_model_options, limits, sampling, speculation
from app.comparison.made import proof_of, result
from app.comparison.run import PLAIN, Place, Plan, Run
from app.comparison.words import summary
from app.core.errors import UserError
from app.protocol.messages import Load, Turn


def add_to(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Register the command."""
    parser = commands.add_parser("compare", help="answer with speculation off and on, and compare")
    parser.set_defaults(run=run)
    add_model_options(parser)
    servers.add_options(parser)
    servers.add_against(parser)
    add_answer_options(parser)
    parser.add_argument("--prompt", required=True, metavar="TEXT")
    parser.add_argument("--repeats", type=int, default=3, metavar="N")
    parser.add_argument("--prove", action="store_true", help="fixed shape: the texts must be identical")
    parser.add_argument("--json", action="store_true", help="print one JSON line")


def run(options: argparse.Namespace) -> int:
    """Compare; 1 if a proof fails."""
    chosen = speculation(options)
    other = servers.against(options)
    if options.prove and (other is not None or options.server):
        raise UserError("bad_option", "A server cannot bring its passes into one shape.", "Leave out --prove.")
    if chosen.drafter == "off" and other is None:
        text = "There is nothing to compare with speculation off."
        raise UserError("bad_option", text, "Name a --draft or --drafter.")
    options.seed = 1 if options.seed is None else options.seed
    turns = (Turn(role="system", content=options.system),) if options.system else ()
    plan = Plan(
        turns=(*turns, Turn(role="user", content=options.prompt)),
        sampling=sampling(options),
        limits=limits(options),
        arms=(PLAIN, chosen) if other is None else (chosen, chosen),
        repeats=options.repeats,
        places=() if other is None else places(options, other),
        warm_up=other is not None or bool(options.server),
    )
    plan.check()
    if options.prove:
        plan = proof_of(plan, options.repeats)
    done = Run(plan, "compare")
    with EngineProcess() as engine, contextlib.ExitStack() as stack:
        pair = Pair(engine, options)
        if other is None:
            can_switch(pair)
            pair.answer(done)
        else:
            pair.answer(done, Guest(stack.enter_context(EngineProcess()), other))
    draft = pair.loaded.draft.path if pair.loaded.draft else ""
    found = result(done, pair.loaded.target.path, draft)
    verdict = summary(found, found.others[0])
    if options.json:
        print(json.dumps({"target": found.target, "draft": draft or None, **verdict}, ensure_ascii=False))
    else:
        names = (plan.places[0].name, plan.places[1].name) if plan.places else ("plain", "speculation")
        _print(verdict, names)
    return 1 if options.prove and not verdict["identical"] else 0


def places(options: argparse.Namespace, other: Load) -> tuple[Place, Place]:
    """The two models by name."""
    server = servers.access(options)
    return (
        Place(target=options.model, name=place_name(options.model, server.address if server else "")),
        Place(target=other.target, name=place_name(other.target, other.server.address if other.server else "")),
    )


def place_name(model: str, address: str) -> str:
    """A model and where it is."""
    return f"{model} @ {address}" if address else PurePath(model).name


def can_switch(pair: Pair) -> None:
    """Raise `UserError` where a request cannot choose whether the server speculates."""
    server = pair.loaded.server
    if server is not None and not server.can_switch:
        text = f"{server.name} cannot choose speculation for a message."
        raise UserError("no_switch", text, "Compare two models: --against NAME, with --against-server if need be.")


def _print(verdict: dict[str, Any], names: tuple[str, str]) -> None:
    width = max(12, *map(len, names))
    print(f"{'':{width}} {'tokens':>7} {'tokens/s':>9} {'first token':>12} {'total':>9}")
    for name, side in zip(names, (verdict["plain"], verdict["speculation"]), strict=True):
        speed = "-" if side["speed"] is None else f"{side['speed']:.1f}"
        print(f"{name:{width}} {side['tokens']:7} {speed:>9} {side['ttft_ms']:9.0f} ms {side['wait_s']:7.2f} s")
    if verdict["gain"] is not None:
        print(f"gain {verdict['gain']:.2f} (from {verdict['gain_low']:.2f} to {verdict['gain_high']:.2f})")
    if verdict["acceptance_rate"] is not None:
        rate, per_pass = verdict["acceptance_rate"], verdict["tokens_per_pass"]
        shown = "-" if per_pass is None else f"{per_pass:.2f}"
        print(f"accepted {rate:.0%} of what was checked, {shown} tokens per pass")
    print(verdict["sentence"])
