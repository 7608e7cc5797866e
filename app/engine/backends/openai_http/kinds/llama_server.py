"""llama-server of llama.cpp.

`timings` come with every answer, and with every token if asked for. `draft_n` and `draft_n_accepted` are in them only
when something was drafted. A prompt may be answered from the cache in part: `prompt_n` counts the rest.
"""

from dataclasses import replace
from typing import Any

from app.engine.backends.openai_http.evidence import Evidence, count, number
from app.engine.backends.openai_http.figures import Figures
from app.engine.backends.openai_http.kinds.base import Kind
from app.protocol.messages import Generate
from app.protocol.servers import ServerAccess, Told

NOT_TOLD = "the server did not say whether it speculates"


class LlamaServer(Kind):
    """See the module."""

    name = "llama_server"
    can_go_on = True
    hint = "Start it with --slots (the default), so that it says whether it speculates."

    def extras(self, request: Generate, access: ServerAccess, told: Told) -> dict[str, Any]:
        sampling = request.sampling
        return {
            "top_k": sampling.top_k,
            "min_p": sampling.min_p,
            "repeat_penalty": sampling.repeat_penalty,
            "repeat_last_n": sampling.penalty_window,
            "cache_prompt": request.reuse_cache and not request.isolated,
            "timings_per_token": True,
            "return_progress": True,
        }

    def sampling(self, told: Told) -> dict[str, str]:
        return {}

    def recognises(self, evidence: Evidence) -> bool:
        return "predicted_n" in evidence.timings

    def start_command(self, model: str) -> str:
        return (
            "llama-server -m TARGET.gguf -md DRAFT.gguf --spec-type draft-simple --spec-draft-n-max 8 "
            "--metrics --host 0.0.0.0 --port 8080"
        )

    def speculation(self, figures: Figures, evidence: Evidence, told: Told) -> Figures:
        timings = evidence.timings
        if not self.recognises(evidence):
            return figures
        cached, read, made = (count(timings, name) for name in ("cache_n", "prompt_n", "predicted_n"))
        if read is not None:
            figures = figures.known("server", prompt_tokens=read + (cached or 0), cached_tokens=cached)
        figures = figures.known("server", generated_tokens=made)
        # Of a single token it tells a time of 0.001 ms, which is none.
        if made is not None and made > 1:
            figures = figures.known("server", decode_ms=number(timings, "predicted_ms"))
        else:
            figures = replace(figures, decode_ms=None)
        proposed, accepted = count(timings, "draft_n"), count(timings, "draft_n_accepted")
        if proposed is None and told == "on":
            proposed, accepted = 0, 0
        if proposed is None or accepted is None:
            return figures.unknown(NOT_TOLD, "proposed", "accepted", "passes")
        figures = figures.known("server", proposed=proposed, accepted=accepted)
        if made is not None:
            figures = figures.known("computed", passes=max(made - accepted, 0))
        return figures.unknown("the server counts by position for all its users together", "positions")


class Ink:
    """Tells tokens of the drafter from those of the target, by the counters that come with every token.

    All tokens of a pass arrive one after the other. When the number of accepted tokens jumps by a, this token and the
    a - 1 after it were drafted.
    """

    def __init__(self) -> None:
        self._made = 0
        self._accepted = 0
        self._drafted_ahead = 0
        self._blind = False

    def read(self, timings: dict[str, Any]) -> list[bool] | None:
        """Whether each token that came with these timings was drafted; None if they do not say."""
        made, accepted = count(timings, "predicted_n"), count(timings, "draft_n_accepted") or 0
        if made is None or self._blind:
            return None
        if self._made == 0 and made > 1:
            # Nothing came with the tokens themselves: whose they were cannot be told any more.
            self._blind = True
            return None
        fresh, jump = made - self._made, accepted - self._accepted
        self._made, self._accepted = made, accepted
        self._drafted_ahead += max(jump, 0)
        drafted = []
        for _ in range(max(fresh, 0)):
            drafted.append(self._drafted_ahead > 0)
            self._drafted_ahead = max(self._drafted_ahead - 1, 0)
        return drafted
