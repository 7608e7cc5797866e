"""What a model is, derived from its header."""

from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from app.core.gguf import tables
from app.core.gguf.header import GgufArray, GgufHeader, Tensor

Memory = Literal["attention", "recurrent", "hybrid"]
MAX_LAYERS = 4096
_RECURRENT_MARKS = (".ssm_", ".shortconv.", ".time_mix_")
_VOCABULARY_TYPES = {
    "gemma4": "BPE",
    "gpt2": "BPE",
    "hybriddna": "BPE",
    "whitespace": "BPE",
    "llama": "SPM",
    "bert": "WPM",
    "t5": "UGM",
    "rwkv": "RWKV",
    "plamo2": "PLaMo-2",
    "no_vocab": "none",
    "none": "none",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class GgufFacts:
    """A model as its header describes it. Sizes in bytes, lengths in elements, 0 or "" where the file is silent.

    `kind`: `general.type`, for example "model", "adapter", "mmproj". `weight_bytes`: tensors only.
    `input_bytes` and `output_bytes`: token embedding and output matrix (one that serves as both counts as input).
    `layer_bytes[i]`: weights of block i; blocks of extra heads come last. `layers`: blocks without extra heads.
    `kv_heads[i]`: key/value heads of block i, 0 where it keeps no cache. `key_length`, `value_length`: of a head;
    `swa_*`: of a sliding-window block. `shared_kv_layers`: blocks at the end that use the cache of earlier ones.
    `state_bytes`: recurrent state of one sequence.
    `target_embedding_length`: of the target a drafter file was made for; `target_layers`: those of it that it reads.
    `pooled`: made to turn text into vectors; `causal`: False where every token sees every other.
    `nextn`: extra prediction heads that are really in the file; `nextn_declared`: those it claims.
    """

    path: Path
    parts: tuple[Path, ...]
    size_bytes: int
    architecture: str
    name: str
    kind: str
    licence: str
    parameters: int
    quantisation: str
    tensor_count: int
    weight_bytes: int
    input_bytes: int
    output_bytes: int
    layer_bytes: tuple[int, ...]
    context_trained: int
    layers: int
    embedding_length: int
    feed_forward_length: int
    heads: int
    kv_heads: tuple[int, ...]
    key_length: int
    value_length: int
    swa_key_length: int
    swa_value_length: int
    swa_blocks: tuple[bool, ...]
    sliding_window: int
    shared_kv_layers: int
    latent_attention: bool
    state_bytes: int
    experts: int
    experts_used: int
    expert_feed_forward_length: int
    target_embedding_length: int
    pooled: bool
    causal: bool
    memory: Memory
    vocabulary_type: str
    vocabulary_size: int
    has_template: bool
    nextn: int
    nextn_declared: int
    target_layers: tuple[int, ...] = ()

    @property
    def split(self) -> int:
        """Number of files the model is split into, 1 for an ordinary file."""
        return len(self.parts)


def describe(header: GgufHeader) -> GgufFacts:
    """Derive the facts. Never fails on missing or odd entries: they become 0, "" or a guess."""
    blocks = _blocks(header)
    nextn_declared = _natural(header.of_architecture("nextn_predict_layers"))
    # Bounded: a damaged file may claim billions.
    all_layers = min(max(_natural(header.of_architecture("block_count")), len(blocks)), MAX_LAYERS)
    nextn = sum(1 for block in blocks.values() if any(".nextn.eh_proj." in t.name for t in block))
    embedding = _natural(header.of_architecture("embedding_length"))
    heads = _first(header.of_architecture("attention.head_count"))
    key = _natural(header.of_architecture("attention.key_length")) or (embedding // heads if heads else 0)
    value = _natural(header.of_architecture("attention.value_length")) or (embedding // heads if heads else 0)
    by_name = {tensor.name: tensor for tensor in header.tensors}
    trunk = all_layers - min(nextn_declared, all_layers)
    return GgufFacts(
        path=header.path,
        parts=header.parts,
        size_bytes=header.size_bytes,
        architecture=header.architecture,
        name=header.text("general.name").strip() or header.path.stem,
        kind=header.text("general.type") or "model",
        licence=header.text("general.license"),
        parameters=sum(tensor.weights for tensor in header.tensors),
        quantisation=_quantisation(header),
        tensor_count=header.tensor_count,
        weight_bytes=sum(tensor.size_bytes for tensor in header.tensors),
        input_bytes=_bytes(by_name.get("token_embd.weight")),
        output_bytes=_bytes(by_name.get("output.weight")),
        layer_bytes=tuple(sum(t.size_bytes for t in blocks.get(i, ())) for i in range(all_layers)),
        context_trained=_natural(header.of_architecture("context_length")),
        layers=trunk,
        embedding_length=embedding,
        feed_forward_length=_first(header.of_architecture("feed_forward_length")),
        heads=heads,
        kv_heads=_kv_heads(header, blocks, all_layers, heads),
        key_length=key,
        value_length=value,
        swa_key_length=_natural(header.of_architecture("attention.key_length_swa")) or key,
        swa_value_length=_natural(header.of_architecture("attention.value_length_swa")) or value,
        swa_blocks=_swa_blocks(header, all_layers),
        sliding_window=_natural(header.of_architecture("attention.sliding_window")),
        shared_kv_layers=_shared_kv_layers(header, trunk),
        latent_attention=header.of_architecture("attention.key_length_mla") is not None,
        state_bytes=_state_bytes(header, blocks, embedding, trunk),
        pooled=_natural(header.of_architecture("pooling_type")) > 0,
        causal=header.of_architecture("attention.causal") is not False,
        experts=_natural(header.of_architecture("expert_count")),
        experts_used=_first(header.of_architecture("expert_used_count")),
        expert_feed_forward_length=_first(header.of_architecture("expert_feed_forward_length")),
        target_embedding_length=_natural(header.of_architecture("target_hidden_size"))
        or _natural(header.of_architecture("embedding_length_out")),
        memory=_memory(header, blocks),
        vocabulary_type=_vocabulary_type(header),
        vocabulary_size=_vocabulary_size(header, by_name),
        has_template=bool(header.text("tokenizer.chat_template").strip()),
        nextn=nextn,
        nextn_declared=nextn_declared,
        target_layers=_naturals(header.of_architecture("target_layers")),
    )


def _natural(value: object) -> int:
    """A whole number of 0 or more, 0 for everything else."""
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else 0


def _naturals(value: object) -> tuple[int, ...]:
    return tuple(_natural(item) for item in value) if isinstance(value, tuple) else ()


def _first(value: object) -> int:
    """A number, or the largest entry of a list with one number a layer."""
    return max((_natural(item) for item in value), default=0) if isinstance(value, tuple) else _natural(value)


def _bytes(tensor: Tensor | None) -> int:
    return tensor.size_bytes if tensor else 0


def _blocks(header: GgufHeader) -> dict[int, list[Tensor]]:
    blocks: dict[int, list[Tensor]] = {}
    for tensor in header.tensors:
        number = tensor.name.split(".", 2)[1] if tensor.name.startswith("blk.") else ""
        if number.isascii() and number.isdigit() and len(number) < 6:
            blocks.setdefault(int(number), []).append(tensor)
    return blocks


def _quantisation(header: GgufHeader) -> str:
    # The type that holds most weights among the matrices says more than the label of a relabelled file,
    # but only the label can tell Q4_K_M from Q4_K_S.
    share: Counter[str] = Counter()
    for tensor in header.tensors:
        if len(tensor.shape) > 1:
            share[tensor.type] += tensor.weights
    dominant = share.most_common(1)[0][0] if share else ""
    number = header.integer("general.file_type")
    label = tables.FILE_TYPES.get(number & 0x3FF, "") if number is not None and number >= 0 else ""
    return label or dominant


def _kv_heads(header: GgufHeader, blocks: dict[int, list[Tensor]], layers: int, heads: int) -> tuple[int, ...]:
    declared = header.of_architecture("attention.head_count_kv")
    per_layer = [_natural(item) for item in declared] if isinstance(declared, tuple) else []
    single = heads if declared is None else _natural(declared)
    counts: list[int] = []
    for index in range(layers):
        count = per_layer[index] if index < len(per_layer) else (0 if per_layer else single)
        counts.append(count if _keeps_cache(blocks.get(index, ())) else 0)
    return tuple(counts)


def _keeps_cache(block: list[Tensor] | tuple[()]) -> bool:
    names = {tensor.name.split(".", 2)[2] for tensor in block}
    if not names or {"attn_k.weight", "attn_kv_a_mqa.weight"} & names:
        return True
    recurrent = any(_is_recurrent(tensor.name) for tensor in block)
    return not recurrent and any(name.startswith("attn_") for name in names)


def _is_recurrent(name: str) -> bool:
    return any(mark in name for mark in _RECURRENT_MARKS)


def _swa_blocks(header: GgufHeader, layers: int) -> tuple[bool, ...]:
    """Which blocks use the sliding-window head sizes; only files with a list of them differ in size."""
    pattern = header.of_architecture("attention.sliding_window_pattern")
    if not isinstance(pattern, tuple):
        return (False,) * layers
    return tuple(bool(pattern[index]) if index < len(pattern) else False for index in range(layers))


def _shared_kv_layers(header: GgufHeader, trunk: int) -> int:
    # llama.cpp gives Gemma 3n caches in its first 20 blocks whatever the file says.
    if header.architecture == "gemma3n":
        return max(trunk - 20, 0)
    return min(_natural(header.of_architecture("attention.shared_kv_layers")), trunk)


def _state_bytes(header: GgufHeader, blocks: dict[int, list[Tensor]], embedding: int, trunk: int) -> int:
    recurrent = sum(
        any(_is_recurrent(tensor.name) for tensor in block) for index, block in blocks.items() if index < trunk
    )
    if not recurrent:
        return 0
    head_size = _natural(header.of_architecture("wkv.head_size"))
    shortconv = _natural(header.of_architecture("shortconv.l_cache"))
    kernel = _natural(header.of_architecture("ssm.conv_kernel"))
    inner = _natural(header.of_architecture("ssm.inner_size"))
    state = _natural(header.of_architecture("ssm.state_size"))
    groups = _natural(header.of_architecture("ssm.group_count"))
    if head_size:
        rolling = (_natural(header.of_architecture("token_shift_count")) or 2) * embedding
        fixed = embedding * head_size
    elif shortconv:
        rolling, fixed = embedding * (shortconv - 1), 0
    else:
        rolling, fixed = max(kernel - 1, 0) * (inner + 2 * groups * state), state * inner
    return recurrent * 4 * (rolling + fixed)


def _memory(header: GgufHeader, blocks: dict[int, list[Tensor]]) -> Memory:
    if header.architecture in tables.RECURRENT:
        return "recurrent"
    if header.architecture in tables.HYBRID:
        return "hybrid"
    # An architecture this table does not know yet gives itself away by its tensors.
    states = [any(_is_recurrent(tensor.name) for tensor in block) for block in blocks.values()]
    if not any(states):
        return "attention"
    return "recurrent" if not any(_keeps_cache(block) for block in blocks.values()) else "hybrid"


def _vocabulary_type(header: GgufHeader) -> str:
    model = header.text("tokenizer.ggml.model")
    return _VOCABULARY_TYPES.get(model, model or "none")


def _vocabulary_size(header: GgufHeader, by_name: dict[str, Tensor]) -> int:
    tokens = header.metadata.get("tokenizer.ggml.tokens")
    if isinstance(tokens, GgufArray):
        return tokens.count
    embedding = by_name.get("token_embd.weight")
    return embedding.shape[1] if embedding and len(embedding.shape) == 2 else 0
