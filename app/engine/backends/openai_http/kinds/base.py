"""What holds for every server that speaks the OpenAI protocol, and all that holds for an unknown one."""

from dataclasses import replace
from typing import Any

from app.engine.backends.openai_http.evidence import Evidence, count
from app.engine.backends.openai_http.figures import NO_FIGURES, NO_USAGE, NOT_PER_ANSWER, Figures
from app.protocol.messages import Generate
from app.protocol.servers import ServerAccess, ServerKind, Told

_IGNORED = "This kind of server is not known to have this setting, so it is not sent."


class Kind:
    """A kind of server. The base class sends and expects the common set only."""

    name: ServerKind = "openai"
    hint = ""
    """What to do to get figures where there are none."""
    can_go_on = False
    """Is a chat that ends in half an answer understood as that answer going on?"""

    def path(self, *, raw: bool) -> str:
        """Where answers are asked for; `raw`: a prompt to continue instead of a chat."""
        return "/v1/completions" if raw else "/v1/chat/completions"

    def extras(self, request: Generate, access: ServerAccess, told: Told) -> dict[str, Any]:
        """Fields beyond the common set."""
        return {}

    def stream_options(self) -> dict[str, Any]:
        return {"include_usage": True}

    def sampling(self, told: Told) -> dict[str, str]:
        """Setting -> why it has no effect."""
        return dict.fromkeys(("top_k", "min_p", "repeat_penalty", "penalty_window"), _IGNORED)

    def recognises(self, evidence: Evidence) -> bool:
        """Do these figures come from this kind of server?"""
        return False

    def start_command(self, model: str) -> str:
        """How such a server is started with speculation, "" if there is no such way."""
        return ""

    def figures(self, evidence: Evidence, told: Told) -> Figures:
        """The figures of a stream. `told`: what is known about speculation from elsewhere."""
        return finish(self.speculation(common(evidence), evidence, told), told)

    def speculation(self, figures: Figures, evidence: Evidence, told: Told) -> Figures:
        """Add what is known about speculation."""
        return figures.unknown(NO_FIGURES, "proposed", "accepted", "verified", "passes", "positions")


def common(evidence: Evidence) -> Figures:
    """What usage and our own clock tell."""
    usage = evidence.usage
    details = usage.get("prompt_tokens_details")
    details = details if isinstance(details, dict) else {}
    figures = Figures(wait_ms=evidence.wait_ms).unknown(
        NO_USAGE, "prompt_tokens", "cached_tokens", "generated_tokens", "proposed", "accepted", "passes"
    )
    figures = figures.unknown(NOT_PER_ANSWER, "verified")
    if evidence.span_ms > 0:
        figures = figures.known("measured here", decode_ms=evidence.span_ms)
    return figures.known(
        "server",
        prompt_tokens=count(usage, "prompt_tokens"),
        generated_tokens=count(usage, "completion_tokens"),
        cached_tokens=count(details, "cached_tokens"),
    )


def finish(figures: Figures, told: Told) -> Figures:
    """Where it is known that nothing is drafted, every token took a pass of its own."""
    shown: Told = "on" if figures.proposed or figures.speculation == "on" else told
    figures = replace(figures, speculation=shown)
    if shown == "off" and figures.proposed is None:
        figures = figures.known("computed", proposed=0, accepted=0, verified=0)
        if figures.generated_tokens is not None:
            figures = figures.known("computed", passes=figures.generated_tokens)
    return figures
