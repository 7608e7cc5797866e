"""Size of the key/value cache, by the rules of llama.cpp."""

from app.core.gguf import tables
from app.core.gguf.facts import GgufFacts

CONTEXT_STEP = 256
QUANTISED_BLOCK = 32
"""Numbers that the types for caches quantise together."""


def padded_context(context: int) -> int:
    """Tokens llama.cpp really makes room for when asked for `context`."""
    return -(-max(context, 1) // CONTEXT_STEP) * CONTEXT_STEP


def can_be_quantised(facts: GgufFacts) -> bool:
    """Whether the heads of the cache can be cut into blocks of a quantised type."""
    lengths = (facts.key_length, facts.value_length, facts.swa_key_length, facts.swa_value_length)
    return not any(length % QUANTISED_BLOCK for length in lengths)


def kv_bytes(facts: GgufFacts, context: int, type_k: str = "F16", type_v: str = "F16") -> int:
    """Bytes of the cache of one sequence of `context` tokens, recurrent state included, extra heads not.

    `type_k`, `type_v`: tensor type names, for example "F16" or "Q8_0". Sliding-window blocks count in full, because
    rollback needs them in full (`swa_full`).

    Raises:
        ValueError: no such tensor type.
    """
    cells = padded_context(context)
    total = facts.state_bytes
    for index in range(facts.layers - facts.shared_kv_layers):
        heads = facts.kv_heads[index]
        swa = facts.swa_blocks[index]
        key = (facts.swa_key_length if swa else facts.key_length) * heads
        value = (facts.swa_value_length if swa else facts.value_length) * heads
        total += cells * _row_bytes(key, type_k)
        if not facts.latent_attention:
            total += cells * _row_bytes(value, type_v)
    return total


def _row_bytes(length: int, type_name: str) -> int:
    if type_name not in tables.BLOCK_BYTES:
        raise ValueError(f"unknown tensor type {type_name!r}")
    block, size = tables.BLOCK_BYTES[type_name]
    return -(-length // block) * size
