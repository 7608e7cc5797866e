"""The words of the badge for a model on a server, with the reason for everything that is not known."""

from app.chat.badge import UNKNOWN, BadgeView, accepted_words, drafter_words, percent_words, speed_words
from app.chat.conversation import Message
from app.core.translation import translate
from app.protocol.options import SpeculationOptions
from app.protocol.servers import KIND_NAMES, ServerFacts, Told
from app.protocol.stats import BadgeState, GenerationStats, SpeculationState


def describe(server: ServerFacts, options: SpeculationOptions, answer: Message | None) -> BadgeView:
    """The badge for what was measured last, or for what the next message will do.

    Args:
        server: What is known about it.
        options: What the next message asks for; it counts where a request can choose.
        answer: The answer that was given with these options, None if there is none yet.
    """
    if answer is not None and answer.stats is not None and answer.speculation is not None:
        return _measured(server, answer.stats, answer.speculation)
    told: Told = "off" if server.can_switch and options.drafter == "off" else server.speculation
    tooltip = "\n".join(_about(server, told))
    if told == "off":
        return BadgeView("off", translate("badge", "Speculation off"), (server.name,), tooltip)
    parts = (server.name, drafter_words(server.drafter) if told == "on" and server.drafter else told_words(told))
    return BadgeView("idle", translate("badge", "Ready"), parts, tooltip)


def told_words(told: Told) -> str:
    """What a server says about speculation."""
    return {
        "on": translate("badge", "speculation on"),
        "off": translate("badge", "speculation off"),
        "unknown": translate("badge", "speculation not told"),
    }[told]


def origin_words(origin: str) -> str:
    """Where a figure comes from, "" for the local engine."""
    return {
        "server": translate("badge", "from the server"),
        "measured here": translate("badge", "measured here"),
        "computed": translate("badge", "computed from its figures"),
    }.get(origin, origin)


def _measured(server: ServerFacts, stats: GenerationStats, state: SpeculationState) -> BadgeView:
    told: Told = "off" if state.state == "off" else "on" if stats.checked or state.state == "active" else "unknown"
    if told == "unknown" and server.speculation == "on":
        told = "on"
    tooltip = "\n".join([*_about(server, told), *_figures(stats), *([state.reason] if state.reason else [])])
    speed = speed_words(stats.speed)
    if state.state == "off":
        return BadgeView("off", translate("badge", "Speculation off"), (speed, server.name), tooltip)
    if state.state == "active":
        return BadgeView("active", speed, (accepted_words(stats), server.name), tooltip)
    nothing = not stats.proposed and "proposed" not in stats.unknown
    words = translate("badge", "nothing drafted") if nothing else told_words(told)
    shown: BadgeState = state.state
    return BadgeView(shown, speed, (words, server.name), tooltip)


def _about(server: ServerFacts, told: Told) -> list[str]:
    lines = [
        translate("badge", "Server: {0}, {1} at {2}").format(server.name, KIND_NAMES[server.kind], server.origin),
        translate("badge", "Speculation: {0}").format(told_words(told)),
    ]
    if told == "unknown" and server.hint:
        lines.append(server.hint)
    return lines


def _figures(stats: GenerationStats) -> list[str]:
    per_pass, rate = stats.tokens_per_pass, stats.acceptance_rate
    ratio = f"{stats.accepted} / {stats.checked} ({percent_words(rate)})" if rate is not None else UNKNOWN
    return [
        translate("badge", "Accepted: {0}").format(_line(stats, "accepted", ratio)),
        translate("badge", "Verified: {0}").format(_line(stats, "verified", str(stats.verified))),
        translate("badge", "Tokens per pass: {0}").format(
            _line(stats, "passes", UNKNOWN if per_pass is None else f"{per_pass:.1f}")
        ),
        translate("badge", "Tokens: {0}").format(_line(stats, "generated_tokens", str(stats.generated_tokens))),
        translate("badge", "Speed: {0}").format(_line(stats, "decode_ms", speed_words(stats.speed))),
        translate("badge", "First token: {0} s").format(_line(stats, "ttft", f"{stats.ttft_ms / 1000:.2f}")),
    ]


def _line(stats: GenerationStats, figure: str, value: str) -> str:
    """A figure with where it comes from, or why it is not known."""
    if figure in stats.unknown:
        return f"{UNKNOWN} ({stats.unknown[figure]})"
    origin = stats.origins.get(figure, "")
    return f"{value} ({origin_words(origin)})" if origin else value
