"""Size of the key/value cache, by the rules of llama.cpp."""

from app.core.gguf import tables
from app.core.gguf.facts import GgufFacts

CONTEXT_STEP = 256
SNAPSHOTS = 8
"""States of the last tokens that the library is asked to keep beside the current one, for going back."""
CHECKPOINTS = 5
"""Copies of the state that the engine keeps at most, in main memory: of four turns and of one pass."""
QUANTISED_BLOCK = 32
"""Numbers that the types for caches quantise together."""


def padded_context(context: int) -> int:
    """Tokens llama.cpp really makes room for when asked for `context`."""
    return -(-max(context, 1) // CONTEXT_STEP) * CONTEXT_STEP


def can_be_quantised(facts: GgufFacts) -> bool:
    """Whether the heads of the cache can be cut into blocks of a quantised type."""
    lengths = (facts.key_length, facts.value_length, facts.swa_key_length, facts.swa_value_length)
    return not any(length % QUANTISED_BLOCK for length in lengths)


def checkpoint_bytes(facts: GgufFacts) -> int:
    """Bytes of the copies of a recurrent state, once a conversation has gone on for a while."""
    return CHECKPOINTS * facts.state_bytes


def kv_bytes(
    facts: GgufFacts, context: int, type_k: str = "F16", type_v: str = "F16", *, with_heads: bool = False
) -> int:
    """Bytes of the cache of one sequence of `context` tokens, recurrent states and their snapshots included.

    `type_k`, `type_v`: tensor type names, for example "F16" or "Q8_0"; extra heads always have F16. Sliding-window
    blocks count in full, because rollback needs them in full (`swa_full`).

    Raises:
        ValueError: no such tensor type.
    """
    snapshots = SNAPSHOTS if facts.architecture in tables.WITH_SNAPSHOTS else 0
    trunk = range(facts.layers - facts.shared_kv_layers)
    per_token = sum(_block_bytes(facts, index, type_k, type_v) for index in trunk)
    if with_heads:
        blocks = range(facts.layers, len(facts.kv_heads))
        per_token += sum(_block_bytes(facts, index, "F16", "F16") for index in blocks)
    return facts.state_bytes * (1 + snapshots) + padded_context(context) * per_token


def heads_bytes(facts: GgufFacts, context: int) -> int:
    """Bytes of the weights of the heads in a file, with the cache of `context` tokens that they keep."""
    blocks = range(facts.layers, len(facts.kv_heads))
    cache = padded_context(context) * sum(_block_bytes(facts, index, "F16", "F16") for index in blocks)
    return sum(facts.layer_bytes[facts.layers :]) + cache


def _block_bytes(facts: GgufFacts, index: int, type_k: str, type_v: str) -> int:
    heads = facts.kv_heads[index]
    swa = facts.swa_blocks[index]
    key = (facts.swa_key_length if swa else facts.key_length) * heads
    value = (facts.swa_value_length if swa else facts.value_length) * heads
    return _row_bytes(key, type_k) + (0 if facts.latent_attention else _row_bytes(value, type_v))


def _row_bytes(length: int, type_name: str) -> int:
    if type_name not in tables.BLOCK_BYTES:
        raise ValueError(f"unknown tensor type {type_name!r}")
    block, size = tables.BLOCK_BYTES[type_name]
    return -(-length // block) * size
