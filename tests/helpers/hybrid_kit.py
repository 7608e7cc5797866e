"""Writes tiny models with random weights that keep a running state, or have prediction heads, or both.

They speak the vocabulary of the demo pair. Most of what such a model says next follows from the last token alone, the
rest from its state, so that a drafter that knows the bigrams (a head, a draft model) is right often but not always, and
a state that is not what the engine believes changes the text.
"""

import math
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np

from tests.helpers.gguf_kit import F32, Entry, Model, RawTensor

WIDTH = 128
FEED_FORWARD = 256
LAYERS = 4
HEADS = 4
HEAD_SIZE = WIDTH // HEADS
KV_HEADS = 2
KERNEL = 4
_INT32, _FLOAT32 = 5, 6
_CONTROL = 3


class Writer:
    """One model in the making.

    Args:
        architecture: As llama.cpp names it.
        vocabulary: The model whose tokeniser it gets.
        blocks: Trunk and heads.
        voice: Seed of the embedding and of the output: models with one voice agree on bigrams.
        seed: Of everything else.
        state: How much the blocks add to the embedding: 0 for a bigram model.
    """

    def __init__(
        self, architecture: str, vocabulary: Model, blocks: int, *, voice: int = 1, seed: int = 1, state: float = 0.2
    ) -> None:
        self.model = Model()
        self._rng = np.random.default_rng(seed)
        self._state = state
        self.model.text("general.architecture", architecture)
        self.model.text("general.name", f"tiny {architecture}")
        for key, entry in vocabulary.facts.items():
            if key.startswith("tokenizer."):
                self.model.facts[key] = entry
        self.size = len(vocabulary.tokens)
        self.numbers(
            context_length=2048,
            embedding_length=WIDTH,
            block_count=blocks,
            feed_forward_length=FEED_FORWARD,
            vocab_size=self.size,
        )
        self.real("attention.layer_norm_rms_epsilon", 1e-5)
        voices = np.random.default_rng(voice)
        self.tensor("token_embd.weight", voices.standard_normal((self.size, WIDTH)))
        output = voices.standard_normal((self.size, WIDTH)) / math.sqrt(WIDTH)
        kinds = vocabulary.facts["tokenizer.ggml.token_type"].value
        output[[kind == _CONTROL for kind in kinds]] = 0.0  # an answer ends where its limit says
        self.tensor("output.weight", output)

    def numbers(self, **values: int) -> None:
        """Whole numbers; `__` in a name stands for a dot."""
        for name, value in values.items():
            self.model.number(f"{self.model.architecture}.{name.replace('__', '.')}", value)

    def list_of_numbers(self, name: str, values: list[int]) -> None:
        self.model.list_of(f"{self.model.architecture}.{name}", values, _INT32)

    def real(self, name: str, value: float) -> None:
        self.model.facts[f"{self.model.architecture}.{name}"] = Entry(_FLOAT32, value)

    def tensor(self, name: str, values: np.ndarray) -> None:
        data = np.ascontiguousarray(values, dtype=np.float32)
        self.model.tensors.append(RawTensor(name, data.shape[::-1], F32, data.tobytes()))

    def matrix(self, name: str, rows: int, columns: int) -> None:
        self.tensor(name, self._rng.standard_normal((rows, columns)) / math.sqrt(columns))

    def adds(self, name: str, columns: int) -> None:
        """The last matrix of a part, whose result is added to the embedding."""
        self.tensor(name, self._state * self._rng.standard_normal((WIDTH, columns)) / math.sqrt(columns))

    def taps(self, name: str, rows: int, columns: int) -> None:
        self.tensor(name, 0.5 * self._rng.standard_normal((rows, columns)))

    def constant(self, name: str, length: int, value: float = 1.0) -> None:
        self.tensor(name, np.full(length, value))

    def feed_forward(self, block: str, norm: str = "ffn_norm") -> None:
        self.constant(f"{block}.{norm}.weight", WIDTH)
        self.matrix(f"{block}.ffn_gate.weight", FEED_FORWARD, WIDTH)
        self.matrix(f"{block}.ffn_up.weight", FEED_FORWARD, WIDTH)
        self.adds(f"{block}.ffn_down.weight", FEED_FORWARD)

    def attention(self, block: str, *, norms: bool = False, gated: bool = False) -> None:
        """Attention with `KV_HEADS`; with `norms` of queries and keys, with a `gated` result."""
        queries, keys = HEADS * HEAD_SIZE * (2 if gated else 1), KV_HEADS * HEAD_SIZE
        self.matrix(f"{block}.attn_q.weight", queries, WIDTH)
        self.matrix(f"{block}.attn_k.weight", keys, WIDTH)
        self.matrix(f"{block}.attn_v.weight", keys, WIDTH)
        self.adds(f"{block}.attn_output.weight", HEADS * HEAD_SIZE)
        if norms:
            self.constant(f"{block}.attn_q_norm.weight", HEAD_SIZE)
            self.constant(f"{block}.attn_k_norm.weight", HEAD_SIZE)

    def head(self, block: str) -> None:
        """What makes a block a prediction head: it hands on the embedding of the last token, more than the state."""
        share = np.concatenate([np.eye(WIDTH), 0.1 * np.eye(WIDTH)], axis=1)
        self.tensor(f"{block}.nextn.eh_proj.weight", share)
        self.constant(f"{block}.nextn.enorm.weight", WIDTH)
        self.constant(f"{block}.nextn.hnorm.weight", WIDTH)

    def mamba(self, block: str, *, norms: bool) -> None:
        inner, state, rank = 2 * WIDTH, 16, 8
        self.matrix(f"{block}.ssm_in.weight", 2 * inner, WIDTH)
        self.taps(f"{block}.ssm_conv1d.weight", inner, KERNEL)
        self.constant(f"{block}.ssm_conv1d.bias", inner, 0.0)
        self.matrix(f"{block}.ssm_x.weight", rank + 2 * state, inner)
        self.matrix(f"{block}.ssm_dt.weight", inner, rank)
        self.constant(f"{block}.ssm_dt.bias", inner, -2.0)
        self.tensor(f"{block}.ssm_a", -np.tile(np.arange(1, state + 1), (inner, 1)))
        self.constant(f"{block}.ssm_d", inner)
        self.adds(f"{block}.ssm_out.weight", inner)
        if norms:
            self.constant(f"{block}.ssm_dt_norm.weight", rank)
            self.constant(f"{block}.ssm_b_norm.weight", state)
            self.constant(f"{block}.ssm_c_norm.weight", state)

    def write(self, path: Path) -> Path:
        return self.model.write(path)


def mamba(vocabulary: Model) -> Writer:
    """Recurrent; the library keeps no snapshots for it."""
    writer = Writer("mamba", vocabulary, LAYERS, seed=11, state=0.5)
    writer.numbers(ssm__conv_kernel=KERNEL, ssm__inner_size=2 * WIDTH, ssm__state_size=16, ssm__time_step_rank=8)
    writer.constant("output_norm.weight", WIDTH)
    for index in range(LAYERS):
        writer.constant(f"blk.{index}.attn_norm.weight", WIDTH)
        writer.mamba(f"blk.{index}", norms=False)
    return writer


def jamba(vocabulary: Model) -> Writer:
    """Hybrid; the library keeps no snapshots for it."""
    caches = [0, KV_HEADS, 0, KV_HEADS]
    writer = Writer("jamba", vocabulary, LAYERS, seed=12)
    writer.numbers(attention__head_count=HEADS)
    writer.list_of_numbers("attention.head_count_kv", caches)
    writer.numbers(ssm__conv_kernel=KERNEL, ssm__inner_size=2 * WIDTH, ssm__state_size=16, ssm__time_step_rank=8)
    writer.constant("output_norm.weight", WIDTH)
    for index, cache in enumerate(caches):
        block = f"blk.{index}"
        writer.constant(f"{block}.attn_norm.weight", WIDTH)
        writer.feed_forward(block)
        if cache:
            writer.attention(block)
        else:
            writer.mamba(block, norms=True)
    return writer


def lfm2(vocabulary: Model) -> Writer:
    """Hybrid with snapshots: its state is that of short convolutions."""
    caches = [0, 0, KV_HEADS, 0]
    writer = Writer("lfm2", vocabulary, LAYERS, seed=13)
    writer.numbers(attention__head_count=HEADS, shortconv__l_cache=3)
    writer.list_of_numbers("attention.head_count_kv", caches)
    writer.real("rope.freq_base", 10000.0)
    writer.constant("token_embd_norm.weight", WIDTH)
    for index, cache in enumerate(caches):
        block = f"blk.{index}"
        writer.constant(f"{block}.attn_norm.weight", WIDTH)
        writer.feed_forward(block)
        if cache:
            writer.attention(block, norms=True)
        else:
            writer.taps(f"{block}.shortconv.conv.weight", WIDTH, 3)
            writer.matrix(f"{block}.shortconv.in_proj.weight", 3 * WIDTH, WIDTH)
            writer.adds(f"{block}.shortconv.out_proj.weight", WIDTH)
    return writer


def qwen35(vocabulary: Model, heads: int = 1) -> Writer:
    """Hybrid with snapshots (gated delta nets), with a prediction head."""
    state, keys, values = 32, 2, 4
    writer = Writer("qwen35", vocabulary, LAYERS + heads, seed=14)
    writer.numbers(
        attention__head_count=HEADS,
        attention__head_count_kv=KV_HEADS,
        attention__key_length=HEAD_SIZE,
        attention__value_length=HEAD_SIZE,
        rope__dimension_count=16,
        full_attention_interval=LAYERS,
        ssm__conv_kernel=KERNEL,
        ssm__inner_size=state * values,
        ssm__state_size=state,
        ssm__time_step_rank=values,
        ssm__group_count=keys,
        nextn_predict_layers=heads,
    )
    writer.list_of_numbers("rope.dimension_sections", [3, 3, 2, 0])
    writer.real("rope.freq_base", 10000.0)
    writer.constant("output_norm.weight", WIDTH)
    mixed = 2 * state * keys + state * values
    for index in range(LAYERS + heads):
        block = f"blk.{index}"
        writer.constant(f"{block}.attn_norm.weight", WIDTH)
        writer.feed_forward(block, "post_attention_norm")
        if index == LAYERS - 1 or index >= LAYERS:
            writer.attention(block, norms=True, gated=True)
        else:
            writer.matrix(f"{block}.attn_qkv.weight", mixed, WIDTH)
            writer.matrix(f"{block}.attn_gate.weight", state * values, WIDTH)
            writer.taps(f"{block}.ssm_conv1d.weight", mixed, KERNEL)
            writer.constant(f"{block}.ssm_dt.bias", values, -2.0)
            writer.constant(f"{block}.ssm_a", values, -1.0)
            writer.matrix(f"{block}.ssm_beta.weight", values, WIDTH)
            writer.matrix(f"{block}.ssm_alpha.weight", values, WIDTH)
            writer.constant(f"{block}.ssm_norm.weight", state)
            writer.adds(f"{block}.ssm_out.weight", state * values)
        if index >= LAYERS:
            writer.head(block)
    return writer


def hy_v3(vocabulary: Model, heads: int = 3) -> Writer:
    """Forgets like any other, and has several prediction heads in a chain."""
    writer = Writer("hy_v3", vocabulary, 2 + heads, seed=16)
    writer.numbers(
        attention__head_count=HEADS,
        attention__head_count_kv=KV_HEADS,
        rope__dimension_count=HEAD_SIZE,
        expert_feed_forward_length=FEED_FORWARD,
        nextn_predict_layers=heads,
    )
    writer.constant("output_norm.weight", WIDTH)
    for index in range(2 + heads):
        block = f"blk.{index}"
        writer.constant(f"{block}.attn_norm.weight", WIDTH)
        writer.feed_forward(block)
        writer.attention(block, norms=True)
        if index >= 2:
            writer.head(block)
    return writer


def bigrams(vocabulary: Model) -> Writer:
    """A draft model for all of these: what follows from the last token, and nothing else."""
    writer = Writer("llama", vocabulary, 1, seed=15, state=0.05)
    writer.numbers(attention__head_count=HEADS, attention__head_count_kv=KV_HEADS, rope__dimension_count=HEAD_SIZE)
    writer.constant("output_norm.weight", WIDTH)
    writer.constant("blk.0.attn_norm.weight", WIDTH)
    writer.feed_forward("blk.0")
    writer.attention("blk.0")
    return writer


def repeat_head(model: Model, times: int) -> Model:
    """A chain of heads out of a model with one: they have to draft what the one does."""
    architecture = model.architecture
    blocks = model.facts[f"{architecture}.block_count"]
    old = f"blk.{blocks.value - 1}."
    head = [tensor for tensor in model.tensors if tensor.name.startswith(old)]
    for index in range(blocks.value, blocks.value + times - 1):
        model.tensors += [replace(tensor, name=tensor.name.replace(old, f"blk.{index}.")) for tensor in head]
    blocks.value += times - 1
    model.number(f"{architecture}.nextn_predict_layers", times)
    pattern = model.facts.get(f"{architecture}.attention.sliding_window_pattern")
    if pattern is not None:
        pattern.value += pattern.value[-1:] * (times - 1)
    return model


KEEPING_STATE: dict[str, Callable[[Model], Writer]] = {"mamba": mamba, "jamba": jamba, "lfm2": lfm2, "qwen35": qwen35}
SNAPSHOTS = frozenset({"lfm2", "qwen35"})
"""Architectures for which the library keeps snapshots."""
