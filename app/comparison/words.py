"""The verdict in words, and as one JSON line."""

import json
from pathlib import PurePath
from typing import Any

from app.comparison.result import NOISE, Comparison, Side
from app.core.plain import to_plain
from app.core.translation import translate


def speed_sentence(comparison: Comparison, side: Side) -> str:
    """Faster, slower or neither."""
    spread = comparison.gain(side)
    if spread is None:
        return translate("comparison", "The answer was too short to measure.")
    if comparison.plan.places:
        return _places_sentence(comparison, side, spread.median)
    if spread.median >= 1 + NOISE:
        return translate("comparison", "Speculation was {0} times as fast.").format(f"{spread.median:.2f}")
    if spread.median <= 1 - NOISE:
        return translate("comparison", "Speculation was slower: {0} times the speed of plain decoding.").format(
            f"{spread.median:.2f}"
        )
    return translate("comparison", "Speculation made no difference that could be measured.")


def text_sentence(comparison: Comparison, side: Side) -> str:
    """Identical, or where the texts part and why."""
    if side.by_character:
        return _characters_sentence(comparison, side)
    if side.parts_at is None:
        return translate("comparison", "The texts are identical, token for token.")
    if comparison.fixed_shape:
        text = translate(
            "comparison", "The texts differ from token {0} on. In fixed shape that is a fault: please report it."
        )
        return text.format(side.parts_at)
    where = translate("comparison", "The texts part at token {0}").format(side.parts_at)
    if side.gap is not None:
        gap = translate("comparison", "where the best two tokens were {0} apart").format(f"{side.gap:.3g}")
        where = f"{where}, {gap}"
    why = translate(
        "comparison",
        "passes of different shape are rounded differently, and two tokens were nearly equally likely there. A proof"
        " in fixed shape compares without that.",
    )
    return f"{where}: {why}"


def _places_sentence(comparison: Comparison, side: Side, ratio: float) -> str:
    names = [place.name for place in comparison.plan.places]
    first, second = names[0], names[comparison.sides.index(side)]
    if ratio >= 1 + NOISE:
        return translate("comparison", "{0} was {1} times as fast as {2}.").format(second, f"{ratio:.2f}", first)
    if ratio <= 1 - NOISE:
        return translate("comparison", "{0} was {1} times as fast as {2}.").format(first, f"{1 / ratio:.2f}", second)
    return translate("comparison", "{0} and {1} were equally fast.").format(first, second)


def _characters_sentence(comparison: Comparison, side: Side) -> str:
    if side.parts_at is None:
        return translate("comparison", "The texts are the same, character for character.")
    where = translate("comparison", "The texts differ from character {0} on.").format(side.parts_at)
    if comparison.plan.places:
        return where
    why = translate("comparison", "A server promises nothing about that: its passes are rounded in their own ways.")
    return f"{where} {why}"


def sentence(comparison: Comparison, side: Side) -> str:
    """Both."""
    return f"{speed_sentence(comparison, side)} {text_sentence(comparison, side)}"


def summary(comparison: Comparison, side: Side) -> dict[str, Any]:
    """One arm against plain decoding, for programs."""
    spread = comparison.gain(side)
    return {
        "drafter": side.drafter,
        "lookahead": side.lookahead,
        "seed": comparison.seed,
        "repeats": len(side.samples),
        "fixed_shape": bool(comparison.fixed_shape),
        "plain": _side(comparison.plain),
        "speculation": _side(side),
        "gain": spread.median if spread else None,
        "gain_low": spread.low if spread else None,
        "gain_high": spread.high if spread else None,
        "acceptance_rate": side.stats.acceptance_rate,
        "tokens_per_pass": side.stats.tokens_per_pass,
        "identical": side.parts_at is None,
        "parts_at_token": side.parts_at,
        "logit_gap": side.gap,
        "sentence": sentence(comparison, side),
    }


def line(comparison: Comparison) -> str:
    """Everything that is known, as one JSON line without its end.

    Models are named without their folders: where somebody keeps them is nobody else's business.
    """
    names = {name: PurePath(path).name for name, path in (("target", comparison.target), ("draft", comparison.draft))}
    verdicts = [summary(comparison, side) for side in comparison.others]
    body = {**to_plain(comparison), **names, "prompt": comparison.prompt, "verdicts": verdicts}
    return json.dumps(body, ensure_ascii=False)


def _side(side: Side) -> dict[str, Any]:
    return {"tokens": side.tokens, "speed": side.speed, "ttft_ms": side.ttft_ms, "wait_s": side.wait_s}
