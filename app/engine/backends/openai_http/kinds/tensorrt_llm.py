"""TensorRT-LLM (trtllm-serve). From its documentation and source only.

It refuses requests with a field it does not know. Of speculation it tells the mean number of tokens per pass. Its
`/metrics` empties a queue that belongs to the operator and is never asked.
"""

from typing import Any

from app.engine.backends.openai_http.evidence import Evidence
from app.engine.backends.openai_http.figures import Figures
from app.engine.backends.openai_http.kinds.base import Kind
from app.protocol.messages import Generate
from app.protocol.servers import ServerAccess, Told

NOT_COUNTED = "TensorRT-LLM tells tokens per pass only"
_NO_WINDOW = "TensorRT-LLM has no such window."


class TensorRtLlm(Kind):
    """See the module."""

    name = "tensorrt_llm"

    def extras(self, request: Generate, access: ServerAccess, told: Told) -> dict[str, Any]:
        sampling = request.sampling
        return {"top_k": sampling.top_k, "min_p": sampling.min_p, "repetition_penalty": sampling.repeat_penalty}

    def stream_options(self) -> dict[str, Any]:
        return {"include_usage": True, "continuous_usage_stats": True}

    def sampling(self, told: Told) -> dict[str, str]:
        return {"penalty_window": _NO_WINDOW}

    def recognises(self, evidence: Evidence) -> bool:
        return evidence.per_pass is not None

    def start_command(self, model: str) -> str:
        return f"trtllm-serve {model or 'TARGET_MODEL'} --config speculation.yaml"

    def speculation(self, figures: Figures, evidence: Evidence, told: Told) -> Figures:
        figures = figures.unknown(NOT_COUNTED, "proposed", "accepted", "verified", "passes", "positions")
        if evidence.per_pass and figures.generated_tokens:
            figures = figures.known("computed", passes=max(round(figures.generated_tokens / evidence.per_pass), 1))
        return figures
