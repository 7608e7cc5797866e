"""What llama.cpp itself makes of a file, asked in a process of its own: an odd file may end that process.

Run as `python llama_facts.py vocabulary FILE` or
`python llama_facts.py memory FILE CONTEXT TYPE_K TYPE_V BATCH ROWS HEADS [SIDE]`; writes one JSON object.
"""

import ctypes
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

_TYPES = {0: "none", 1: "SPM", 2: "BPE", 3: "WPM", 4: "UGM", 5: "RWKV", 6: "PLaMo-2"}
_TENSOR_TYPES = {"F32": 0, "F16": 1, "Q4_0": 2, "Q8_0": 8}


def vocabulary(path: Path) -> dict[str, Any]:
    """Type, size, special tokens and texts (with broken bytes replaced) of a vocabulary."""
    return _ask("vocabulary", path)


def memory(
    path: Path, context: int, type_k: str, type_v: str, *, batch: int, rows: int, heads: int = 0, side: Path | str = ""
) -> dict[str, float]:
    """Bytes of each kind of buffer llama.cpp makes on the CPU: weights, cache, compute, output.

    `heads`: prediction heads that are loaded too, and get their own context. `side`: their file, if it is another one.
    """
    return _ask("memory", path, context, type_k, type_v, batch, rows, heads, *([side] if side else []))


def _ask(*arguments: object) -> Any:
    command = [sys.executable, __file__, *map(str, arguments)]
    result = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert result.returncode == 0, result.stderr[-2000:]
    return json.loads(result.stdout.splitlines()[-1])


def _start() -> tuple[Any, list[str]]:
    from llama_cpp import llama_cpp as native

    lines: list[str] = []

    @native.llama_log_callback
    def note(_level: int, text: bytes, _data: object) -> None:
        lines.append(text.decode("utf-8", "replace"))

    native.llama_log_set(note, ctypes.c_void_p(0))
    _start.keep = note  # type: ignore[attr-defined]
    native.llama_backend_init()
    return native, lines


def _vocabulary(path: str) -> dict[str, Any]:
    native, _ = _start()
    parameters = native.llama_model_default_params()
    parameters.vocab_only = True
    model = native.llama_model_load_from_file(path.encode(), parameters)
    assert model
    vocab = native.llama_model_get_vocab(model)
    size = native.llama_vocab_n_tokens(vocab)
    return {
        "type": _TYPES[native.llama_vocab_type(vocab)],
        "size": size,
        "adds_bos": bool(native.llama_vocab_get_add_bos(vocab)),
        "bos": native.llama_vocab_bos(vocab),
        "adds_eos": bool(native.llama_vocab_get_add_eos(vocab)),
        "eos": native.llama_vocab_eos(vocab),
        "texts": [native.llama_vocab_get_text(vocab, token).decode("utf-8", "replace") for token in range(size)],
    }


def _memory(
    path: str, context: str, type_k: str, type_v: str, batch: str, rows: str, heads: str, side: str = ""
) -> dict[str, float]:
    native, lines = _start()
    loading = native.llama_model_default_params()
    loading.load_mtp = int(heads) > 0 and not side
    # Where the processor computes faster in another layout (AMX, some kinds of quantisation), weights are copied.
    # Copies take the place of what they were copied from, which can be dropped; the log would count both.
    loading.use_extra_bufts = False
    model = native.llama_model_load_from_file(path.encode(), loading)
    assert model
    parameters = native.llama_context_default_params()
    parameters.n_ctx = int(context)
    parameters.n_batch = parameters.n_ubatch = int(batch)
    parameters.n_outputs_max = parameters.n_outputs_max_per_seq = int(rows)
    parameters.type_k, parameters.type_v = _TENSOR_TYPES[type_k], _TENSOR_TYPES[type_v]
    parameters.n_rs_seq = 8
    target = native.llama_init_from_model(model, parameters)
    assert target
    if int(heads):
        parameters.ctx_type, parameters.ctx_other, parameters.n_rs_seq = native.LLAMA_CONTEXT_TYPE_MTP, target, 0
        parameters.type_k, parameters.type_v = _TENSOR_TYPES["F16"], _TENSOR_TYPES["F16"]
        parameters.n_outputs_max = parameters.n_outputs_max_per_seq = int(heads)
        if side:
            loading.load_mtp = True
            model = native.llama_model_load_from_file(side.encode(), loading)
        assert native.llama_init_from_model(model, parameters)
    sizes = dict.fromkeys(("weights", "cache", "compute", "output"), 0.0)
    for line in "".join(lines).splitlines():
        match = re.search(r"(\S+) +(model|output|KV|RS|compute) buffer size = +([\d.]+) MiB", line)
        if match:
            kind = {"model": "weights", "KV": "cache", "RS": "cache"}.get(match[2], match[2])
            sizes[kind] += float(match[3]) * 1024 * 1024
    return sizes


if __name__ == "__main__":
    sys.stdout.write(json.dumps({"vocabulary": _vocabulary, "memory": _memory}[sys.argv[1]](*sys.argv[2:])) + "\n")
