"""The words of the speculation badge."""

from dataclasses import dataclass

from app.chat import phrases
from app.chat.conversation import Message
from app.core.translation import translate
from app.protocol.messages import Loaded
from app.protocol.options import SpeculationOptions
from app.protocol.stats import BadgeState, GenerationStats, SpeculationState

UNKNOWN = "-"


def mixes_heads(models: Loaded | Message | None) -> bool:
    """Whether "mixed" asks the target's heads where n-grams have nothing: it does without a draft model.

    `models`: those that are loaded, or an answer that was made with some.
    """
    if isinstance(models, Message):
        return len(models.files) == 1
    return models is not None and models.draft is None and "mixed" not in models.why_not


def drafter_words(drafter: str, models: Loaded | Message | None = None) -> str:
    """What a drafter of these models is called inside a sentence; a name from a newer engine stays as it is."""
    if drafter == "mixed" and mixes_heads(models):
        return translate("badge", "prediction heads + n-gram")
    return {
        "off": translate("badge", "off"),
        "ngram": translate("badge", "n-gram"),
        "draft_model": translate("badge", "draft model"),
        "heads": translate("badge", "prediction heads"),
        "mixed": translate("badge", "draft model + n-gram"),
    }.get(drafter, drafter)


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


def describe(
    options: SpeculationOptions,
    loaded: Loaded | None,
    answer: Message | None,
    problem: str,
    pair_gain: float | None = None,
) -> BadgeView:
    """The badge for what was measured last, or for what the next message will do.

    Args:
        options: What the next message asks for.
        loaded: The models, None without.
        answer: The answer that was given with these options, None if there is none yet.
        problem: Why speculation was refused, "" if it was not.
        pair_gain: What a comparison measured with these models and this drafter; it takes the place of an estimate.
    """
    if loaded is None:
        return BadgeView("off", translate("badge", "No model"))
    if problem:
        return BadgeView("unavailable", translate("badge", "Unavailable"), (problem,), problem)
    if answer is not None and answer.stats is not None and answer.speculation is not None:
        return _measured(options, loaded, answer.stats, answer.speculation, pair_gain)
    return _expected(options, loaded, pair_gain)


def speed_words(speed: float | None) -> str:
    """Tokens per second with about two digits."""
    number = UNKNOWN if speed is None else f"{speed:.0f}" if speed >= 9.95 else f"{speed:.1f}"
    return translate("badge", "{0} tok/s").format(number)


def percent_words(share: float | None) -> str:
    """A share of 0 to 1 in whole percent."""
    return UNKNOWN if share is None else f"{share * 100:.0f} %"


def accepted_words(stats: GenerationStats) -> str:
    """The acceptance rate, as a part of a line."""
    return translate("badge", "{0} accepted").format(percent_words(stats.acceptance_rate))


def gain_words(state: SpeculationState) -> str:
    """The gain and where it comes from."""
    kinds = {"measured": translate("badge", "measured"), "estimated": translate("badge", "estimated")}
    kind = kinds.get(state.gain_kind or "", state.gain_kind or "")
    return UNKNOWN if state.gain is None else f"{state.gain:.1f}× {kind}".rstrip()


def measured_words(gain: float) -> str:
    """A gain that a comparison measured."""
    return gain_words(SpeculationState(gain=gain, gain_kind="measured"))


def _expected(options: SpeculationOptions, loaded: Loaded, pair_gain: float | None) -> BadgeView:
    if options.drafter == "off":
        return BadgeView("off", translate("badge", "Speculation off"), (), "\n".join(_models(loaded)))
    reason = phrases.said(loaded.why_not.get(options.drafter, ""))
    if reason and options.drafter == "mixed" and not options.explicit and "ngram" not in loaded.why_not:
        part = translate("badge", "n-gram only: {0}").format(reason)
        tooltip = "\n".join([_drafter("ngram", loaded), *_models(loaded), reason])
        return BadgeView("idle", translate("badge", "Ready"), (part,), tooltip)
    tooltip = "\n".join([_drafter(options.drafter, loaded), *_models(loaded), *([reason] if reason else [])])
    if reason:
        return BadgeView("unavailable", translate("badge", "Unavailable"), (reason,), tooltip)
    gain = (measured_words(pair_gain),) if pair_gain is not None else ()
    return BadgeView("idle", translate("badge", "Ready"), (drafter_words(options.drafter, loaded), *gain), tooltip)


def _measured(
    options: SpeculationOptions,
    loaded: Loaded,
    stats: GenerationStats,
    speculation: SpeculationState,
    pair_gain: float | None,
) -> BadgeView:
    state, reason = speculation.state, phrases.said(speculation.reason)
    if state == "active" and not stats.verified:
        # Whatever was said: without a verified token nothing was sped up.
        state, reason = "idle", reason or translate("badge", "no token was proposed")
    speed = speed_words(stats.speed)
    tooltip = "\n".join(
        [*_numbers(options, loaded, stats, speculation), *_models(loaded), *([reason] if reason else [])]
    )
    if state == "off":
        return BadgeView("off", translate("badge", "Speculation off"), (speed,), tooltip)
    if state == "active":
        accepted = accepted_words(stats)
        gain = (gain_words(speculation),) if speculation.gain is not None else ()
        if pair_gain is not None:
            gain = (measured_words(pair_gain),)
            words = translate("badge", "Measured by a comparison with these models: {0}")
            tooltip = f"{tooltip}\n{words.format(f'{pair_gain:.2f}×')}"
        return BadgeView("active", speed, (accepted, *gain), tooltip)
    word = {
        "idle": translate("badge", "nothing drafted"),
        "paused": translate("badge", "paused"),
        "unavailable": translate("badge", "unavailable"),
    }[state]
    return BadgeView(state, speed, (f"{word}: {reason.removesuffix('.')}" if reason else word,), tooltip)


def _numbers(
    options: SpeculationOptions, loaded: Loaded, stats: GenerationStats, speculation: SpeculationState
) -> list[str]:
    lines = [_drafter(speculation.drafter, loaded)]
    if speculation.lookahead:
        automatic = options.lookahead == "auto"
        words = translate("badge", "Lookahead: {0}, automatic") if automatic else translate("badge", "Lookahead: {0}")
        lines.append(words.format(speculation.lookahead))
    if stats.proposed:
        rate = percent_words(stats.acceptance_rate)
        words = translate("badge", "Accepted: {0} of {1} verified ({2}), {3} proposed")
        lines.append(words.format(stats.accepted, stats.verified, rate, stats.proposed))
        positions = zip(stats.accepted_by_position, stats.verified_by_position, strict=False)
        shares = " · ".join(percent_words(a / v if v else None) for a, v in positions)
        lines.append(translate("badge", "By position: {0}").format(shares))
        lines.append(translate("badge", "Gain: {0}").format(gain_words(speculation)))
    per_pass = stats.tokens_per_pass
    number = UNKNOWN if per_pass is None else f"{per_pass:.1f}"
    lines.append(translate("badge", "Tokens per pass: {0}").format(number))
    if stats.decode_ms > 0:
        split = (
            (translate("badge", "draft"), stats.draft_ms),
            (translate("badge", "verify"), stats.verify_ms),
            (translate("badge", "sample"), stats.sample_ms),
            (translate("badge", "other"), stats.other_ms),
        )
        parts = " · ".join(f"{word} {percent_words(ms / stats.decode_ms)}" for word, ms in split)
        lines.append(translate("badge", "Time: {0}").format(parts))
    if stats.generated_tokens:
        lines.append(translate("badge", "First token: {0} s").format(f"{stats.ttft_ms / 1000:.2f}"))
    return lines


def _models(loaded: Loaded) -> list[str]:
    draft = loaded.draft.name if loaded.draft else translate("badge", "none")
    return [
        translate("badge", "Target: {0}").format(loaded.target.name),
        translate("badge", "Draft model: {0}").format(draft),
    ]


def _drafter(drafter: str, loaded: Loaded) -> str:
    return translate("badge", "Drafter: {0}").format(drafter_words(drafter, loaded))


def is_draft_problem(code: str) -> bool:
    """Does this code of a `Failed` say that the chosen drafter cannot be used?"""
    return code.startswith("drafter_")
