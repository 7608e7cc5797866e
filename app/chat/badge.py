"""The words of the speculation badge."""

from dataclasses import dataclass

from app.chat.conversation import Message
from app.protocol.messages import Loaded
from app.protocol.options import SpeculationOptions
from app.protocol.stats import BadgeState, GenerationStats, SpeculationState

DRAFTER_WORDS: dict[str, str] = {
    "off": "off",
    "ngram": "n-gram",
    "draft_model": "draft model",
    "heads": "prediction heads",
    "mixed": "draft model + n-gram",
}
UNKNOWN = "-"


def mixes_heads(loaded: Loaded | None) -> bool:
    """Whether "mixed" asks the target's heads where n-grams have nothing: it does without a draft model."""
    return loaded is not None and loaded.draft is None and "mixed" not in loaded.why_not


def drafter_words(drafter: str, loaded: Loaded | None) -> str:
    """What a drafter is called in the middle of a sentence."""
    if drafter == "mixed" and mixes_heads(loaded):
        return "prediction heads + n-gram"
    return DRAFTER_WORDS.get(drafter, drafter)


@dataclass(frozen=True, slots=True)
class BadgeView:
    """What the badge shows.

    `headline` is set in bold ("61 tok/s", "Speculation off"); `parts` follow with separators ("72 % accepted",
    "2.1× measured"); `tooltip` is plain text, lines separated by a line feed.
    """

    state: BadgeState
    headline: str
    parts: tuple[str, ...] = ()
    tooltip: str = ""


def describe(options: SpeculationOptions, loaded: Loaded | None, answer: Message | None, problem: str) -> BadgeView:
    """The badge for what was measured last, or for what the next message will do.

    Args:
        options: What the next message asks for.
        loaded: The models, None without.
        answer: The answer that was given with these options, None if there is none yet.
        problem: Why speculation was refused, "" if it was not.
    """
    if loaded is None:
        return BadgeView("off", "No model")
    if problem:
        return BadgeView("unavailable", "Unavailable", (problem,), problem)
    if answer is not None and answer.stats is not None and answer.speculation is not None:
        return _measured(options, loaded, answer.stats, answer.speculation)
    return _expected(options, loaded)


def speed_words(speed: float | None) -> str:
    """Tokens per second with about two digits."""
    if speed is None:
        return f"{UNKNOWN} tok/s"
    return f"{speed:.0f} tok/s" if speed >= 9.95 else f"{speed:.1f} tok/s"


def percent_words(share: float | None) -> str:
    """A share of 0 to 1 in whole percent."""
    return UNKNOWN if share is None else f"{share * 100:.0f} %"


def gain_words(state: SpeculationState) -> str:
    """The gain and where it comes from."""
    return UNKNOWN if state.gain is None else f"{state.gain:.1f}× {state.gain_kind}".rstrip()


def _expected(options: SpeculationOptions, loaded: Loaded) -> BadgeView:
    if options.drafter == "off":
        return BadgeView("off", "Speculation off", (), "\n".join(_models(loaded)))
    reason = loaded.why_not.get(options.drafter, "")
    if reason and options.drafter == "mixed" and not options.explicit and "ngram" not in loaded.why_not:
        part = f"n-gram only: {reason}"
        return BadgeView("idle", "Ready", (part,), "\n".join(["Drafter: n-gram", *_models(loaded), reason]))
    tooltip = "\n".join(
        [f"Drafter: {drafter_words(options.drafter, loaded)}", *_models(loaded), *([reason] if reason else [])]
    )
    if reason:
        return BadgeView("unavailable", "Unavailable", (reason,), tooltip)
    return BadgeView("idle", "Ready", (drafter_words(options.drafter, loaded),), tooltip)


def _measured(
    options: SpeculationOptions, loaded: Loaded, stats: GenerationStats, speculation: SpeculationState
) -> BadgeView:
    state, reason = speculation.state, speculation.reason
    if state == "active" and not stats.verified:
        # Whatever was said: without a verified token nothing was sped up.
        state, reason = "idle", reason or "no token was proposed"
    speed = speed_words(stats.speed)
    tooltip = "\n".join(
        [*_numbers(options, loaded, stats, speculation), *_models(loaded), *([reason] if reason else [])]
    )
    if state == "off":
        return BadgeView("off", "Speculation off", (speed,), tooltip)
    if state == "active":
        accepted = f"{percent_words(stats.acceptance_rate)} accepted"
        gain = (gain_words(speculation),) if speculation.gain is not None else ()
        return BadgeView("active", speed, (accepted, *gain), tooltip)
    word = {"idle": "nothing drafted", "paused": "paused", "unavailable": "unavailable"}[state]
    return BadgeView(state, speed, (f"{word}: {reason.removesuffix('.')}" if reason else word,), tooltip)


def _numbers(
    options: SpeculationOptions, loaded: Loaded, stats: GenerationStats, speculation: SpeculationState
) -> list[str]:
    lines = [f"Drafter: {drafter_words(speculation.drafter, loaded)}"]
    if speculation.lookahead:
        chosen = ", automatic" if options.lookahead == "auto" else ""
        lines.append(f"Lookahead: {speculation.lookahead}{chosen}")
    if stats.proposed:
        rate = percent_words(stats.acceptance_rate)
        lines.append(f"Accepted: {stats.accepted} of {stats.verified} verified ({rate}), {stats.proposed} proposed")
        positions = zip(stats.accepted_by_position, stats.verified_by_position, strict=False)
        lines.append("By position: " + " · ".join(percent_words(a / v if v else None) for a, v in positions))
        lines.append(f"Gain: {gain_words(speculation)}")
    per_pass = stats.tokens_per_pass
    lines.append(f"Tokens per pass: {UNKNOWN if per_pass is None else f'{per_pass:.1f}'}")
    if stats.decode_ms > 0:
        split = (("draft", stats.draft_ms), ("verify", stats.verify_ms), ("sample", stats.sample_ms))
        shares = [f"{word} {percent_words(ms / stats.decode_ms)}" for word, ms in (*split, ("other", stats.other_ms))]
        lines.append("Time: " + " · ".join(shares))
    if stats.generated_tokens:
        lines.append(f"First token: {stats.ttft_ms / 1000:.2f} s")
    return lines


def _models(loaded: Loaded) -> list[str]:
    draft = loaded.draft.name if loaded.draft else "none"
    return [f"Target: {loaded.target.name}", f"Draft model: {draft}"]


def is_draft_problem(code: str) -> bool:
    """Does this code of a `Failed` say that the chosen drafter cannot be used?"""
    return code.startswith("drafter_")
