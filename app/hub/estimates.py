"""What a model takes in memory once llama.cpp has it ready, piece by piece, before loading anything.

The weights and the cache follow from the header exactly. The work buffers follow from how llama.cpp reuses memory
inside a pass: the larger of a prefill batch (activations and attention masks) and the scores of the last rows. The
factors were fitted to what llama.cpp really allocates; a test compares them on the models at hand.
"""

from dataclasses import dataclass

from app.core.gguf import GgufFacts, checkpoint_bytes, heads_bytes, heads_problem, kv_bytes
from app.core.gguf.kv import padded_context
from app.protocol.options import MAX_LOOKAHEAD

BATCH = 512
"""Tokens the engine decodes at once."""
ROWS = MAX_LOOKAHEAD + 1
"""Rows of a pass whose scores are kept."""
MOST_WAITING_BYTES = 64 << 20
"""Hidden rows that are kept for the heads at most."""
_SCORE_BYTES = 4
_MASK_BYTES = 2
_WIDTHS = 8
"""Activations of the model's width alive at the same time, per token of a batch; feed-forward ones come on top."""
_HEAD_WIDTHS = 3
"""The same for a prediction head."""


@dataclass(frozen=True, slots=True)
class Amount:
    """Bytes of main memory and of accelerator memory."""

    ram: int = 0
    vram: int = 0

    def __add__(self, other: "Amount") -> "Amount":
        return Amount(self.ram + other.ram, self.vram + other.vram)

    def __sub__(self, other: "Amount") -> "Amount":
        return Amount(self.ram - other.ram, self.vram - other.vram)


@dataclass(frozen=True, slots=True)
class Need:
    """What one model takes. The sum is what has to be free."""

    weights: Amount
    cache: Amount
    buffers: Amount

    @property
    def total(self) -> Amount:
        return self.weights + self.cache + self.buffers


def need(
    facts: GgufFacts, context: int, *, kv_type: str = "F16", gpu_layers: int = 0, with_heads: bool = False
) -> Need:
    """What `facts` takes with `context` tokens.

    Args:
        facts: The model.
        context: Tokens of conversation; the engine's spare cells are added here.
        kv_type: Tensor type of the cache, "F16", "Q8_0" or "Q4_0".
        gpu_layers: Layers on the accelerator, counted from the last one down; the output matrix is the first of them.
        with_heads: The extra prediction heads are loaded too, if they can be used.
    """
    with_heads = with_heads and not heads_problem(facts)
    blocks = facts.layer_bytes if with_heads else facts.layer_bytes[: facts.layers]
    heads = sum(facts.layer_bytes) - sum(blocks)
    weights = facts.weight_bytes - heads
    on_gpu = blocks[len(blocks) - min(max(gpu_layers - 1, 0), len(blocks)) :]
    output = facts.output_bytes or facts.input_bytes
    moved = sum(on_gpu) + (facts.output_bytes if gpu_layers > 0 else 0)
    in_vram = sum(on_gpu) + (output if gpu_layers > 0 else 0)
    cache = kv_bytes(facts, context + ROWS, kv_type, kv_type, with_heads=with_heads)
    cache_in_vram = cache * min(len(on_gpu), len(blocks)) // max(len(blocks), 1)
    work, scores = work_bytes(facts, context + ROWS), output_bytes(facts)
    if with_heads:
        work += head_work_bytes(facts, context + ROWS)
        scores += hidden_bytes(facts, context)
    return Need(
        weights=Amount(weights - moved, in_vram),
        cache=Amount(cache - cache_in_vram + checkpoint_bytes(facts), cache_in_vram),
        buffers=Amount(scores, work) if gpu_layers > 0 else Amount(scores + work),
    )


def side_need(target: GgufFacts, side: GgufFacts, context: int, *, gpu_layers: int = 0) -> Amount:
    """What prediction heads in a file of their own take, with the rows of the target that they read.

    Args:
        target: Whose heads they are.
        side: Their file.
        context: Tokens of conversation.
        gpu_layers: Layers of the target on the accelerator; if there are any, the heads are there too.
    """
    cache = heads_bytes(side, context + ROWS) - sum(side.layer_bytes)
    work, rows = head_work_bytes(target, context + ROWS), hidden_bytes(target, context)
    on_gpu = sum(side.layer_bytes) + (side.output_bytes or side.input_bytes) + cache + work if gpu_layers > 0 else 0
    return Amount(side.weight_bytes + cache + work + rows - on_gpu, on_gpu)


def work_bytes(facts: GgufFacts, context: int) -> int:
    """The compute buffer of one context."""
    scores = ROWS * facts.vocabulary_size * _SCORE_BYTES
    activations = _activation_bytes(facts, _WIDTHS)
    masks = 0
    if any(facts.kv_heads):
        masks = padded_context(context) * BATCH * _MASK_BYTES * (2 if facts.sliding_window else 1)
    return max(scores + 2 * ROWS * facts.embedding_length * _SCORE_BYTES, activations + masks)


def head_work_bytes(facts: GgufFacts, context: int) -> int:
    """The compute buffer of the heads' context: one block at a time, whose attention sees everything."""
    return _activation_bytes(facts, _HEAD_WIDTHS) + padded_context(context) * BATCH * _MASK_BYTES


def _activation_bytes(facts: GgufFacts, widths: int) -> int:
    wide = facts.feed_forward_length
    if facts.experts_used and facts.expert_feed_forward_length:
        wide = facts.experts_used * facts.expert_feed_forward_length
    return BATCH * _SCORE_BYTES * (2 * wide + widths * facts.embedding_length)


def hidden_bytes(facts: GgufFacts, context: int) -> int:
    """Rows of the target that heads read: those of a batch, twice, and those that wait for them."""
    waiting = min(context * facts.embedding_length * _SCORE_BYTES, MOST_WAITING_BYTES)
    return 2 * BATCH * facts.embedding_length * _SCORE_BYTES + waiting


def output_bytes(facts: GgufFacts) -> int:
    """Where the scores of a pass are copied to."""
    return ROWS * facts.vocabulary_size * _SCORE_BYTES
