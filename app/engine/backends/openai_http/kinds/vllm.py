"""vLLM.

Figures per answer come with `--per-request-spec-decode-metrics` and only where usage is asked for. Two traps: what it
counts as accepted includes tokens that the limit cut off, and its mean acceptance length is about rounds that drafted,
not about all passes.
"""

import json
from dataclasses import replace
from typing import Any

from app.engine.backends.openai_http.evidence import Evidence, count, number
from app.engine.backends.openai_http.figures import Figures
from app.engine.backends.openai_http.kinds.base import Kind
from app.protocol.messages import Generate
from app.protocol.servers import ServerAccess, Told

FLAG_OFF = "the server was started without figures per answer"
_WITH_DRAFTS = "vLLM does not apply this while it speculates."
_NO_WINDOW = "vLLM looks at all tokens, so it has no such window."


class Vllm(Kind):
    """See the module."""

    name = "vllm"
    can_go_on = True
    hint = "Start it with --per-request-spec-decode-metrics detailed."

    def extras(self, request: Generate, access: ServerAccess, told: Told) -> dict[str, Any]:
        sampling = request.sampling
        fields: dict[str, Any] = {
            "top_k": sampling.top_k or -1,
            "repetition_penalty": sampling.repeat_penalty,
        }
        if request.turns and request.turns[-1].role == "assistant":
            fields |= {"continue_final_message": True, "add_generation_prompt": False}
        return fields if told == "on" else fields | {"min_p": sampling.min_p}

    def stream_options(self) -> dict[str, Any]:
        return {"include_usage": True, "continuous_usage_stats": True}

    def sampling(self, told: Told) -> dict[str, str]:
        return {"penalty_window": _NO_WINDOW} | ({"min_p": _WITH_DRAFTS} if told == "on" else {})

    def recognises(self, evidence: Evidence) -> bool:
        return bool(_spec(evidence)) or evidence.fingerprint.startswith("vllm-")

    def start_command(self, model: str) -> str:
        config = {"model": "DRAFT_MODEL", "method": "draft_model", "num_speculative_tokens": 4}
        return (
            f"vllm serve {model or 'TARGET_MODEL'} --speculative-config '{json.dumps(config)}' "
            "--per-request-spec-decode-metrics detailed --enable-per-request-metrics"
        )

    def speculation(self, figures: Figures, evidence: Evidence, told: Told) -> Figures:
        figures = figures.known("server", decode_ms=number(evidence.metrics, "generation_time_ms") or None)
        spec = _spec(evidence)
        proposed, accepted = count(spec, "num_draft_tokens"), count(spec, "num_accepted_draft_tokens")
        rounds = count(spec, "num_spec_steps")
        if proposed is None or accepted is None:
            return figures.unknown(FLAG_OFF, "proposed", "accepted", "passes", "positions")
        figures = figures.known(
            "server", proposed=proposed, accepted=accepted, lookahead=count(spec, "num_spec_tokens")
        )
        figures = replace(figures, speculation="on")
        if figures.generated_tokens is not None:
            passes = max(figures.generated_tokens - accepted, (rounds or 0) + 1)
            figures = figures.known("computed", passes=passes)
        return _positions(figures, spec, proposed, rounds)


def _spec(evidence: Evidence) -> dict[str, Any]:
    found = evidence.metrics.get("speculative_decoding")
    return found if isinstance(found, dict) else evidence.step_stats


def _positions(figures: Figures, spec: dict[str, Any], proposed: int, rounds: int | None) -> Figures:
    accepted = _histogram(spec.get("acceptance_histogram"))
    drafted = spec.get("per_step_drafted")
    places = len(accepted) - 1
    if places < 1 or not proposed:
        return figures.unknown("nothing was proposed" if not proposed else FLAG_OFF, "positions")
    kept = tuple(sum(accepted[place + 1 :]) for place in range(places))
    if isinstance(drafted, list) and all(isinstance(step, int) for step in drafted):
        offered = tuple(sum(step > place for step in drafted) for place in range(places))
    elif rounds and proposed == rounds * places:
        offered = (rounds,) * places
    else:
        return figures.unknown("rounds were of different lengths, and the server did not list them", "positions")
    return figures.known("server", accepted_by_position=kept, verified_by_position=offered)


def _histogram(value: Any) -> list[int]:
    """Rounds by accepted tokens; earlier builds have an object with numbers as keys."""
    if isinstance(value, dict):
        keys = [int(key) for key in value if str(key).isdigit() and len(str(key)) < 4]
        return [count(value, str(place)) or 0 for place in range(max(keys, default=-1) + 1)]
    return [item if isinstance(item, int) else 0 for item in value] if isinstance(value, list) else []
