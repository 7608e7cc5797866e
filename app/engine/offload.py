"""How many layers go to the accelerator when the person leaves it to us."""

from app.core.gguf import GgufFacts, kv_bytes
from app.protocol.options import CacheType

RESERVE = 512 * 1024 * 1024
"""Left free for the display and for compute buffers, bytes."""


def layers_that_fit(facts: GgufFacts, context: int, free: int, cache_type: CacheType = "F16") -> int:
    """Layers (the output matrix counts as one more) whose weights and cache fit into `free` bytes of device memory.

    Layers are put on the device from the last one down, as llama.cpp does, the output matrix first.
    """
    if free <= 0:
        return 0
    room = free - RESERVE
    cache = kv_bytes(facts, context, cache_type, cache_type) // max(facts.layers, 1)
    count = 0
    for size in (facts.output_bytes or facts.input_bytes, *(layer + cache for layer in reversed(facts.layer_bytes))):
        room -= size
        if room < 0:
            break
        count += 1
    return count


def device_bytes(facts: GgufFacts, context: int, layers: int, cache_type: CacheType = "F16") -> int:
    """What `layers` layers of a model take on the device, bytes."""
    if layers <= 0:
        return 0
    cache = kv_bytes(facts, context, cache_type, cache_type) // max(facts.layers, 1)
    blocks = facts.layer_bytes[::-1][: layers - 1]
    return (facts.output_bytes or facts.input_bytes) + sum(blocks) + cache * len(blocks)
