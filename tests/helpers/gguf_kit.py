"""Takes GGUF files apart and writes them anew with something changed: the variants of the demo pair.

Own reading and writing, so that a fault in `app.core.gguf` cannot hide behind the same fault here.
"""

import math
import random
import struct
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

STRING, ARRAY = 8, 9
_FORMATS = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "B", 10: "Q", 11: "q", 12: "d"}
# type id: (elements in a block, bytes of a block)
_BLOCKS = {0: (1, 4), 1: (1, 2), 2: (32, 18), 8: (32, 34), 12: (256, 144), 14: (256, 210)}
F32, Q8_0 = 0, 8


@dataclass
class Entry:
    """A fact: its type, and for arrays the type of the elements. Texts are bytes."""

    kind: int
    value: Any
    of: int = STRING


@dataclass
class RawTensor:
    name: str
    shape: tuple[int, ...]
    type: int
    data: bytes

    @property
    def row_bytes(self) -> int:
        block, size = _BLOCKS[self.type]
        return self.shape[0] // block * size


@dataclass
class Model:
    """A whole GGUF file in memory, free to be changed."""

    facts: dict[str, Entry] = field(default_factory=dict)
    tensors: list[RawTensor] = field(default_factory=list)
    version: int = 3
    alignment: int = 32

    @property
    def architecture(self) -> str:
        return self.facts["general.architecture"].value.decode()

    @property
    def tokens(self) -> list[bytes]:
        return self.facts["tokenizer.ggml.tokens"].value

    def text(self, key: str, value: str) -> None:
        self.facts[key] = Entry(STRING, value.encode())

    def number(self, key: str, value: int, kind: int = 4) -> None:
        self.facts[key] = Entry(kind, value)

    def flag(self, key: str, *, value: bool) -> None:
        self.facts[key] = Entry(7, value)

    def list_of(self, key: str, values: list[Any], of: int) -> None:
        self.facts[key] = Entry(ARRAY, values, of)

    def tensor(self, name: str) -> RawTensor:
        return next(tensor for tensor in self.tensors if tensor.name == name)

    def rename_architecture(self, new: str) -> None:
        old = self.architecture
        self.facts = {
            (f"{new}{key[len(old) :]}" if key.startswith(f"{old}.") else key): entry
            for key, entry in self.facts.items()
        }
        self.text("general.architecture", new)

    def longer_by(self, count: int) -> None:
        """Add tokens at the end, with rows of zeros, as padded vocabularies have them."""
        start = len(self.tokens)
        self.tokens.extend(f"<|added {start + i}|>".encode() for i in range(count))
        for key, filler in (("tokenizer.ggml.token_type", 5), ("tokenizer.ggml.scores", 0.0)):
            if key in self.facts:
                self.facts[key].value.extend([filler] * count)
        for name in ("token_embd.weight", "output.weight"):
            for tensor in self.tensors:
                if tensor.name == name:
                    tensor.data += bytes(tensor.row_bytes * count)
                    tensor.shape = (tensor.shape[0], tensor.shape[1] + count)

    def write(self, path: Path) -> Path:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(self.to_bytes())
        return path

    def to_bytes(self) -> bytes:
        out = bytearray(b"GGUF" + struct.pack("<IQQ", self.version, len(self.tensors), len(self.facts)))
        for key, entry in self.facts.items():
            out += _text(key.encode()) + struct.pack("<I", entry.kind) + _payload(entry)
        data = bytearray()
        for tensor in self.tensors:
            out += _text(tensor.name.encode()) + struct.pack("<I", len(tensor.shape))
            out += struct.pack(f"<{len(tensor.shape)}Q", *tensor.shape) + struct.pack("<IQ", tensor.type, len(data))
            data += tensor.data + bytes(-len(tensor.data) % self.alignment)
        return bytes(out + bytes(-len(out) % self.alignment) + data) if self.tensors else bytes(out)

    def split(self, folder: Path, stem: str, parts: int) -> list[Path]:
        """Write the model as a split set, the way llama-gguf-split does."""
        each = math.ceil(len(self.tensors) / parts)
        paths = []
        for number in range(parts):
            facts = dict(self.facts) if number == 0 else {}
            facts["split.no"] = Entry(2, number)
            facts["split.count"] = Entry(2, parts)
            facts["split.tensors.count"] = Entry(5, len(self.tensors))
            part = Model(facts, self.tensors[number * each : (number + 1) * each], self.version, self.alignment)
            paths.append(part.write(folder / f"{stem}-{number + 1:05d}-of-{parts:05d}.gguf"))
        return paths


def load(path: Path) -> Model:
    """Read a whole file of one of the tensor types in `_BLOCKS`."""
    raw = path.read_bytes()
    assert raw[:4] == b"GGUF"
    version, tensor_count, key_count = struct.unpack_from("<IQQ", raw, 4)
    at = 24
    model = Model(version=version)

    def text() -> bytes:
        nonlocal at
        length = struct.unpack_from("<Q", raw, at)[0]
        at += 8 + length
        return raw[at - length : at]

    def take(form: str) -> Any:
        nonlocal at
        values = struct.unpack_from(f"<{form}", raw, at)
        at += struct.calcsize(f"<{form}")
        return values[0] if len(values) == 1 else values

    for _ in range(key_count):
        key = text().decode()
        kind = take("I")
        if kind == ARRAY:
            of, count = take("I"), take("Q")
            values = [text() for _ in range(count)] if of == STRING else [take(_FORMATS[of]) for _ in range(count)]
            model.facts[key] = Entry(kind, values, of)
        else:
            model.facts[key] = Entry(kind, text() if kind == STRING else take(_FORMATS[kind]))
    infos = []
    for _ in range(tensor_count):
        name, dimensions = text().decode(), take("I")
        shape = tuple(take("Q") for _ in range(dimensions))
        infos.append((name, shape, take("I"), take("Q")))
    base = at + -at % model.alignment
    for name, shape, kind, offset in infos:
        block, size = _BLOCKS[kind]
        length = math.prod(shape) // block * size
        model.tensors.append(RawTensor(name, shape, kind, raw[base + offset : base + offset + length]))
    return model


def tiny(architecture: str = "llama", *, tokens: int = 300, layers: int = 1, width: int = 32, name: str = "") -> Model:
    """A small file with the shape of a model and weights of zero: to be described, not to be run."""
    model = Model()
    model.text("general.architecture", architecture)
    model.text("general.name", name or f"tiny {architecture}")
    model.number("general.file_type", 7)
    for key, value in (
        ("block_count", layers),
        ("context_length", 512),
        ("embedding_length", width),
        ("feed_forward_length", width * 2),
        ("attention.head_count", 2),
        ("attention.head_count_kv", 1),
    ):
        model.number(f"{architecture}.{key}", value)
    model.text("tokenizer.ggml.model", "gpt2")
    model.list_of("tokenizer.ggml.tokens", [f"t{i}".encode() for i in range(tokens)], STRING)
    model.list_of("tokenizer.ggml.token_type", [1] * tokens, 5)
    model.list_of("tokenizer.ggml.merges", [b"t 1"], STRING)
    model.number("tokenizer.ggml.bos_token_id", 1)
    model.number("tokenizer.ggml.eos_token_id", 2)
    model.flag("tokenizer.ggml.add_bos_token", value=False)
    model.tensors.append(zeros("token_embd.weight", (width, tokens)))
    for index in range(layers):
        for tensor in ("attn_q", "attn_k", "attn_v", "attn_output", "ffn_up"):
            model.tensors.append(zeros(f"blk.{index}.{tensor}.weight", (width, width)))
    model.tensors.append(zeros("output_norm.weight", (width,), F32))
    return model


def zeros(name: str, shape: tuple[int, ...], kind: int = Q8_0) -> RawTensor:
    block, size = _BLOCKS[kind]
    return RawTensor(name, shape, kind, bytes(math.prod(shape) // block * size))


def _text(value: bytes) -> bytes:
    return struct.pack("<Q", len(value)) + value


def _payload(entry: Entry) -> bytes:
    if entry.kind == STRING:
        return _text(entry.value)
    if entry.kind != ARRAY:
        return struct.pack(f"<{_FORMATS[entry.kind]}", entry.value)
    head = struct.pack("<IQ", entry.of, len(entry.value))
    if entry.of == STRING:
        return head + b"".join(_text(item) for item in entry.value)
    return head + struct.pack(f"<{len(entry.value)}{_FORMATS[entry.of]}", *entry.value)


def unrelated(model: Model, seed: int = 0) -> Model:
    """The same shape and vocabulary with other weights: the blocks of every quantised tensor change places."""
    rng = random.Random(seed)
    for tensor in model.tensors:
        _, size = _BLOCKS[tensor.type]
        if tensor.type != F32:
            blocks = [tensor.data[at : at + size] for at in range(0, len(tensor.data), size)]
            rng.shuffle(blocks)
            tensor.data = b"".join(blocks)
    return model
