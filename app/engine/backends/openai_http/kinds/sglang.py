"""SGLang. From its documentation and source only; whether streams carry the figures is not verified."""

from typing import Any

from app.engine.backends.openai_http.evidence import Evidence, count
from app.engine.backends.openai_http.figures import Figures
from app.engine.backends.openai_http.kinds.base import Kind
from app.protocol.messages import Generate
from app.protocol.servers import ServerAccess, Told

NOT_SENT = "SGLang sent no figures with this answer"
_NO_WINDOW = "SGLang has no such window."


class Sglang(Kind):
    """See the module."""

    name = "sglang"

    def extras(self, request: Generate, access: ServerAccess, told: Told) -> dict[str, Any]:
        sampling = request.sampling
        return {
            "top_k": sampling.top_k or -1,
            "min_p": sampling.min_p,
            "repetition_penalty": sampling.repeat_penalty,
            "return_meta_info": True,
        }

    def sampling(self, told: Told) -> dict[str, str]:
        return {"penalty_window": _NO_WINDOW}

    def recognises(self, evidence: Evidence) -> bool:
        return "spec_verify_ct" in evidence.meta

    def start_command(self, model: str) -> str:
        return (
            f"python -m sglang.launch_server --model-path {model or 'TARGET_MODEL'} --speculative-algorithm STANDALONE "
            "--speculative-draft-model-path DRAFT_MODEL --speculative-num-steps 4 --speculative-num-draft-tokens 5"
        )

    def speculation(self, figures: Figures, evidence: Evidence, told: Told) -> Figures:
        meta = evidence.meta
        proposed = count(meta, "spec_draft_token_num", "spec_proposed_drafts")
        accepted = count(meta, "spec_accept_token_num", "spec_accepted_drafts", "spec_num_correct_drafts")
        checks = count(meta, "spec_verify_ct")
        figures = figures.unknown(NOT_SENT, "proposed", "accepted", "passes", "positions")
        figures = figures.known("server", proposed=proposed, accepted=accepted)
        return figures.known("computed", passes=checks + 1 if checks is not None else None)
