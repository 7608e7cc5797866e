"""LM Studio by its v0 interface, the one that takes a draft model with a request. From its documentation only."""

from typing import Any

from app.engine.backends.openai_http.evidence import Evidence, count, number
from app.engine.backends.openai_http.figures import Figures
from app.engine.backends.openai_http.kinds.base import Kind
from app.protocol.messages import Generate
from app.protocol.servers import ServerAccess, Told

NO_DRAFT = "no draft model was named"
_NOT_THERE = "LM Studio has no such setting."


class LmStudio(Kind):
    """See the module."""

    name = "lm_studio"
    hint = "Name a draft model for this connection."

    def path(self, *, raw: bool) -> str:
        return "/api/v0/completions" if raw else "/api/v0/chat/completions"

    def extras(self, request: Generate, access: ServerAccess, told: Told) -> dict[str, Any]:
        sampling = request.sampling
        fields: dict[str, Any] = {"top_k": sampling.top_k, "repeat_penalty": sampling.repeat_penalty}
        if access.draft and request.speculation.drafter != "off":
            fields["draft_model"] = access.draft
        return fields

    def sampling(self, told: Told) -> dict[str, str]:
        return dict.fromkeys(("min_p", "penalty_window"), _NOT_THERE)

    def recognises(self, evidence: Evidence) -> bool:
        return "total_draft_tokens_count" in evidence.stats

    def speculation(self, figures: Figures, evidence: Evidence, told: Told) -> Figures:
        stats = evidence.stats
        seconds = number(stats, "generation_time")
        figures = figures.known("server", decode_ms=seconds * 1000 if seconds else None)
        accepted, rejected = count(stats, "accepted_draft_tokens_count"), count(stats, "rejected_draft_tokens_count")
        figures = figures.unknown(NO_DRAFT, "proposed", "accepted", "verified", "passes", "positions")
        figures = figures.known("server", proposed=count(stats, "total_draft_tokens_count"), accepted=accepted)
        if accepted is not None and rejected is not None:
            figures = figures.known("computed", verified=accepted + rejected)
        if accepted is not None and figures.generated_tokens is not None:
            figures = figures.known("computed", passes=max(figures.generated_tokens - accepted, 1))
        return figures
