"""`outpace-cli compare`: the same prompt with speculation off and on, and a verdict one can believe.

Both sides start from empty caches and empty n-gram tables, with the same seed, in changing order. One after the other,
never at once: two answers at a time would slow each other down. `--prove` pads every pass to one shape, so that
rounding cannot tip a near tie: there the texts have to be identical.
"""

import argparse
import json
import statistics
from typing import Any

from app.cli.arms import Pair, Reply, gain
from app.cli.engine_process import EngineProcess
from app.cli.generate import add_answer_options, add_model_options, limits, sampling, speculation
from app.core.errors import UserError
from app.protocol.messages import Generate, Turn
from app.protocol.options import MAX_LOOKAHEAD, LimitOptions, SpeculationOptions

PROOF_ROWS = 8
NOISE = 0.02


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
    if not 1 <= options.repeats <= 1000:
        raise UserError("bad_option", f"{options.repeats} repeats are not possible.", "It must be from 1 to 1000.")
    chosen = speculation(options)
    if chosen.drafter == "off":
        raise UserError(
            "bad_option", "There is nothing to compare with speculation off.", "Name a --draft or --drafter."
        )
    seed = 1 if options.seed is None else options.seed
    options.seed = seed
    limit = limits(options)
    if options.prove:
        rows = PROOF_ROWS if chosen.lookahead == "auto" else min(chosen.lookahead, MAX_LOOKAHEAD) + 1
        limit = LimitOptions(max_tokens=limit.max_tokens, stop=limit.stop, fixed_shape=max(rows, 2))
    turns = (Turn(role="system", content=options.system),) if options.system else ()
    request = Generate(
        id="compare",
        turns=(*turns, Turn(role="user", content=options.prompt)),
        sampling=sampling(options),
        limits=limit,
    )
    with EngineProcess() as engine:
        pair = Pair(engine, options)
        plain, spoken = pair.alternate(request, [SpeculationOptions(drafter="off"), chosen], options.repeats)
    verdict = _verdict(plain, spoken, chosen, seed, prove=options.prove)
    if options.json:
        facts = {"target": pair.loaded.target.path, "draft": pair.loaded.draft.path if pair.loaded.draft else None}
        print(json.dumps({**facts, **verdict}, ensure_ascii=False))
    else:
        _print(verdict)
    return 1 if options.prove and not verdict["identical"] else 0


def _verdict(
    plain: list[Reply], spoken: list[Reply], chosen: SpeculationOptions, seed: int, *, prove: bool
) -> dict[str, Any]:
    against = gain(plain, spoken)
    parts_at = _first_difference(plain[0].tokens, spoken[0].tokens)
    verified = sum(reply.stats.verified for reply in spoken)
    return {
        "drafter": chosen.drafter,
        "lookahead": chosen.lookahead,
        "seed": seed,
        "repeats": len(plain),
        "fixed_shape": prove,
        "plain": _side(plain),
        "speculation": _side(spoken),
        "gain": against.median if against else None,
        "gain_low": against.low if against else None,
        "gain_high": against.high if against else None,
        "acceptance_rate": sum(reply.stats.accepted for reply in spoken) / verified if verified else None,
        "tokens_per_pass": spoken[0].stats.tokens_per_pass,
        "identical": parts_at is None,
        "parts_at_token": parts_at,
        "sentence": _sentence(against.median if against else None, parts_at, prove=prove),
    }


def _side(replies: list[Reply]) -> dict[str, Any]:
    speeds = [reply.stats.speed for reply in replies if reply.stats.speed]
    return {
        "tokens": len(replies[0].tokens),
        "speed": statistics.median(speeds) if speeds else None,
        "ttft_ms": statistics.median(reply.stats.ttft_ms for reply in replies),
        "wait_s": statistics.median(reply.wait_s for reply in replies),
    }


def _first_difference(one: tuple[int, ...], two: tuple[int, ...]) -> int | None:
    for place, (a, b) in enumerate(zip(one, two, strict=False)):
        if a != b:
            return place
    return None if len(one) == len(two) else min(len(one), len(two))


def _sentence(measured: float | None, parts_at: int | None, *, prove: bool) -> str:
    if measured is None:
        speed = "The answer was too short to measure."
    elif measured >= 1 + NOISE:
        speed = f"Speculation was {measured:.2f} times as fast."
    elif measured <= 1 - NOISE:
        speed = f"Speculation was slower: {measured:.2f} times the speed of plain decoding."
    else:
        speed = "Speculation made no difference that could be measured."
    if parts_at is None:
        return f"{speed} The texts are identical, token for token."
    if prove:
        return f"{speed} The texts differ from token {parts_at} on. In fixed shape that is a fault: please report it."
    return (
        f"{speed} The texts part at token {parts_at}: passes of different shape are rounded differently, and two "
        "tokens were nearly equally likely there. --prove compares without that."
    )


def _print(verdict: dict[str, Any]) -> None:
    print(f"{'':12} {'tokens':>7} {'tokens/s':>9} {'first token':>12} {'total':>9}")
    for name, side in (("plain", verdict["plain"]), ("speculation", verdict["speculation"])):
        speed = "-" if side["speed"] is None else f"{side['speed']:.1f}"
        print(f"{name:12} {side['tokens']:7} {speed:>9} {side['ttft_ms']:9.0f} ms {side['wait_s']:7.2f} s")
    if verdict["gain"] is not None:
        print(f"gain {verdict['gain']:.2f} (from {verdict['gain_low']:.2f} to {verdict['gain_high']:.2f})")
    print(verdict["sentence"])
