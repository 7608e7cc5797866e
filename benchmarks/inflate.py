"""Writes the demo models in a larger shape, without changing what they compute (up to rounding). See `pair.py`."""

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import gguf
import numpy as np
import numpy.typing as npt

Matrix = npt.NDArray[np.float32]


@dataclass(frozen=True)
class Shape:
    """Of an inflated model."""

    width: int
    hidden: int
    layers: int


def inflate(source: Path, out: Path, shape: Shape, kind: str, *, unrelated: bool = False) -> None:
    """Write `source`, a small model of the demo pair, in a larger shape.

    Raises:
        ValueError: the shape does not contain the old one, or the width is no multiple of the head size.
    """
    reader = gguf.GGUFReader(source)
    quantisation = {"f16": gguf.GGMLQuantizationType.F16, "q8_0": gguf.GGMLQuantizationType.Q8_0}[kind]
    file_type = {"f16": gguf.LlamaFileType.MOSTLY_F16, "q8_0": gguf.LlamaFileType.MOSTLY_Q8_0}[kind]
    architecture = _value(reader, "general.architecture")
    width, heads = _value(reader, f"{architecture}.embedding_length"), _heads(reader, architecture)
    head = width // _value(reader, f"{architecture}.attention.head_count")
    layers = _value(reader, f"{architecture}.block_count") - heads
    old = Shape(width, _value(reader, f"{architecture}.feed_forward_length"), layers)
    if shape.width % head or shape.width < old.width or shape.hidden < old.hidden or shape.layers < old.layers:
        raise ValueError(f"{shape} does not contain {old} with heads of {head}")
    writer = gguf.GGUFWriter(out, architecture, use_temp_file=True)
    _write_facts(writer, reader, shape, head, file_type)
    if architecture == "mimo2":
        _write_facts_of_mimo(writer, reader, shape, head)
    weights = _Inflater(reader, old, shape, np.random.default_rng(7), unrelated=unrelated)
    for name, matrix in weights.tensors():
        if matrix.ndim == 1:
            writer.add_tensor(name, matrix)
        else:
            writer.add_tensor(name, gguf.quants.quantize(matrix, quantisation), raw_dtype=quantisation)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def _value(reader: gguf.GGUFReader, key: str) -> Any:
    return reader.fields[key].contents()


def _heads(reader: gguf.GGUFReader, architecture: str) -> int:
    """Prediction heads, which count among the blocks."""
    key = f"{architecture}.nextn_predict_layers"
    return _value(reader, key) if key in reader.fields else 0


def _write_facts(
    writer: gguf.GGUFWriter, reader: gguf.GGUFReader, shape: Shape, head: int, file_type: gguf.LlamaFileType
) -> None:
    architecture = _value(reader, "general.architecture")
    old_width = _value(reader, f"{architecture}.embedding_length")
    writer.add_name(f"{_value(reader, 'general.name')} (inflated)")
    writer.add_context_length(_value(reader, f"{architecture}.context_length"))
    writer.add_embedding_length(shape.width)
    writer.add_block_count(shape.layers + _heads(reader, architecture))
    writer.add_feed_forward_length(shape.hidden)
    writer.add_head_count(shape.width // head)
    writer.add_head_count_kv(shape.width // head)
    writer.add_layer_norm_rms_eps(
        _value(reader, f"{architecture}.attention.layer_norm_rms_epsilon") * old_width / shape.width
    )
    writer.add_rope_dimension_count(head)
    writer.add_rope_freq_base(_value(reader, f"{architecture}.rope.freq_base"))
    writer.add_vocab_size(_value(reader, f"{architecture}.vocab_size"))
    writer.add_file_type(file_type)
    writer.add_tokenizer_model(_value(reader, "tokenizer.ggml.model"))
    writer.add_tokenizer_pre(_value(reader, "tokenizer.ggml.pre"))
    writer.add_token_list(_value(reader, "tokenizer.ggml.tokens"))
    writer.add_token_types(_value(reader, "tokenizer.ggml.token_type"))
    writer.add_token_merges(_value(reader, "tokenizer.ggml.merges"))
    writer.add_bos_token_id(_value(reader, "tokenizer.ggml.bos_token_id"))
    writer.add_eos_token_id(_value(reader, "tokenizer.ggml.eos_token_id"))
    writer.add_add_bos_token(_value(reader, "tokenizer.ggml.add_bos_token"))
    writer.add_chat_template(_value(reader, "tokenizer.chat_template"))


def _write_facts_of_mimo(writer: gguf.GGUFWriter, reader: gguf.GGUFReader, shape: Shape, head: int) -> None:
    heads = _heads(reader, "mimo2")
    writer.add_key_length(head)
    writer.add_value_length(head)
    for key in ("attention.sliding_window", "nextn_predict_layers"):
        writer.add_uint32(f"mimo2.{key}", _value(reader, f"mimo2.{key}"))
    writer.add_float32("mimo2.rope.freq_base_swa", _value(reader, "mimo2.rope.freq_base_swa"))
    writer.add_uint32("mimo2.expert_feed_forward_length", shape.hidden)
    pattern = [index % 2 == 1 for index in range(shape.layers)] + [True] * heads
    writer.add_array("mimo2.attention.sliding_window_pattern", pattern)


class _Inflater:
    """Yields the tensors of the larger model one after the other."""

    def __init__(
        self, reader: gguf.GGUFReader, old: Shape, new: Shape, random: np.random.Generator, *, unrelated: bool
    ) -> None:
        self._old, self._new, self._random = old, new, random
        self._tensors = {
            tensor.name: gguf.quants.dequantize(tensor.data, tensor.tensor_type)
            .reshape(tuple(int(n) for n in reversed(tensor.shape)))
            .astype(np.float32)
            for tensor in reader.tensors
        }
        if unrelated:
            for name, tensor in self._tensors.items():
                if tensor.ndim > 1:
                    self._tensors[name] = self._random.permuted(tensor, axis=1)

    def tensors(self) -> Any:
        width, hidden = self._new.width, self._new.hidden
        embedding = self._tensors["token_embd.weight"]
        yield "token_embd.weight", self._padded(embedding, len(embedding), width)
        yield "output_norm.weight", self._norm(self._tensors["output_norm.weight"])
        if "output.weight" in self._tensors:
            yield "output.weight", self._padded(self._tensors["output.weight"], len(embedding), width)
        for layer in range(self._new.layers):
            source = layer if layer < self._old.layers else None
            yield from self._block(f"blk.{layer}", source, hidden)
        for name in self._tensors:
            if name.endswith("nextn.eh_proj.weight"):
                yield from self._head(int(name.split(".")[1]), hidden)

    def _head(self, block: int, hidden: int) -> Any:
        """A prediction head: a block that gets a token and a hidden row, both normalised, side by side."""
        name = f"blk.{block - self._old.layers + self._new.layers}"
        yield from self._block(name, block, hidden)
        joins = self._of(block, "nextn.eh_proj")
        halves = [joins[:, : self._old.width], joins[:, self._old.width :]]
        padded = [self._padded(half, self._new.width, self._new.width) for half in halves]
        yield f"{name}.nextn.eh_proj.weight", np.concatenate(padded, axis=1)
        for norm in ("enorm", "hnorm", "shared_head_norm"):
            yield f"{name}.nextn.{norm}.weight", self._norm(self._of(block, f"nextn.{norm}"))

    def _block(self, out: str, source: int | None, hidden: int) -> Any:
        """A layer; without a `source` one that adds nothing."""
        width, like = self._new.width, 0 if source is None else source
        for name in ("attn_norm", "ffn_norm"):
            yield (
                f"{out}.{name}.weight",
                np.ones(width, np.float32) if source is None else self._norm(self._of(like, name)),
            )
        if f"blk.{like}.attn_qkv.weight" in self._tensors:
            parts = np.split(self._real(source, "attn_qkv"), 3)
            yield f"{out}.attn_qkv.weight", np.concatenate([self._filled(part, width, width) for part in parts])
        else:
            for name in ("attn_q", "attn_k", "attn_v"):
                yield f"{out}.{name}.weight", self._filled(self._real(source, name), width, width)
        for name in ("ffn_gate", "ffn_up"):
            yield f"{out}.{name}.weight", self._filled(self._real(source, name), hidden, width)
        for name, columns in (("attn_output", width), ("ffn_down", hidden)):
            matrix = self._padded(self._real(source, name), width, columns)
            yield f"{out}.{name}.weight", np.zeros_like(matrix) if source is None else matrix

    def _real(self, source: int | None, name: str) -> Matrix:
        return self._noise(self._of(0, name).shape) if source is None else self._of(source, name)

    def _of(self, block: int, name: str) -> Matrix:
        return self._tensors[f"blk.{block}.{name}.weight"]

    def _noise(self, shape: tuple[int, ...]) -> Matrix:
        return self._random.standard_normal(shape, np.float32) * np.float32(0.02)

    def _padded(self, matrix: Matrix, rows: int, columns: int) -> Matrix:
        result = np.zeros((rows, columns), np.float32)
        result[: matrix.shape[0], : matrix.shape[1]] = matrix
        return result

    def _filled(self, matrix: Matrix, rows: int, columns: int) -> Matrix:
        """Padded; columns that only ever meet zeros hold noise, so that quantisation treats them like weights."""
        result = self._padded(matrix, rows, columns)
        extra = columns - matrix.shape[1]
        if extra:
            result[:, matrix.shape[1] :] = self._noise((rows, extra))
        return result

    def _norm(self, weights: Matrix) -> Matrix:
        result = np.ones(self._new.width, np.float32)
        result[: len(weights)] = weights * math.sqrt(self._old.width / self._new.width)
        return result
