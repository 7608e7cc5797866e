"""What a GGUF file says about itself, read without llama.cpp and without trusting a single number in it."""

from app.core.gguf.facts import GgufFacts, describe
from app.core.gguf.header import GgufArray, GgufHeader, Tensor
from app.core.gguf.heads import heads_belong, heads_beside, heads_problem, is_beside, side_heads, why_not_beside
from app.core.gguf.kv import can_be_quantised, checkpoint_bytes, heads_bytes, kv_bytes
from app.core.gguf.problems import chat_model_problem
from app.core.gguf.reader import read_header

__all__ = [
    "GgufArray",
    "GgufFacts",
    "GgufHeader",
    "Tensor",
    "can_be_quantised",
    "chat_model_problem",
    "checkpoint_bytes",
    "describe",
    "heads_belong",
    "heads_beside",
    "heads_bytes",
    "heads_problem",
    "is_beside",
    "kv_bytes",
    "read_header",
    "side_heads",
    "why_not_beside",
]
