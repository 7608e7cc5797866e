"""The vocabulary inside a GGUF file, by the same rules as llama.cpp applies when it loads the file."""

from app.core.errors import UserError
from app.core.gguf import GgufArray, GgufHeader, describe
from app.core.gguf.reader import array_texts
from app.core.pairing import Vocabulary

# What llama.cpp assumes where the file is silent: (adds begin, begin id, adds end, end id).
_DEFAULTS = {
    "SPM": (True, 1, False, 2),
    "BPE": (False, 11, False, 11),
    "WPM": (True, 101, False, -1),
    "UGM": (False, -1, True, 1),
    "RWKV": (False, -1, False, -1),
    "PLaMo-2": (False, 1, False, 2),
}
_SILENT = (False, -1, False, -1)
_PRE_WITH_BEGIN = frozenset(
    {
        "chameleon",
        "falcon-h1",
        "falcon3",
        "jina-v5-nano",
        "lfm2",
        "llama-bpe",
        "llama-v3",
        "llama3",
        "midm-2.0",
        "pixtral",
        "tekken",
    }
)
_PRE_WITHOUT_BEGIN_ID = frozenset({"chatglm-bpe", "glm4", "glm5"})


def read_vocabulary(header: GgufHeader) -> Vocabulary:
    """The vocabulary of a file.

    Raises:
        UserError: there is none, it is damaged, or the file changed since its header was read.
    """
    tokens = header.metadata.get("tokenizer.ggml.tokens")
    if not isinstance(tokens, GgufArray) or tokens.kind != 8:
        raise UserError(
            "no_vocabulary", f'"{header.path.name}" has no vocabulary, so it cannot read or write text.', "", ""
        )
    raw = array_texts(tokens)
    if _has_twice(raw):
        # llama.cpp ends the whole process over this.
        raise UserError(
            "gguf_damaged",
            f'"{header.path.name}" is damaged: its vocabulary has the same entry twice.',
            "Download it again, or choose another file.",
        )
    # C texts end at a zero byte, and llama.cpp names empty entries; both matter for comparing.
    texts = [(t.split(b"\0", 1)[0] or b"[EMPTY_%d]" % i).decode("utf-8", "replace") for i, t in enumerate(raw)]
    kind = describe(header).vocabulary_type
    adds_bos, bos, adds_eos, eos = _special(header, kind, len(texts))
    return Vocabulary(
        type=kind,
        size=len(texts),
        adds_bos=adds_bos,
        adds_eos=adds_eos,
        bos=bos,
        eos=eos,
        texts=lambda start, stop: texts[start:stop],
    )


def _has_twice(texts: list[bytes]) -> bool:
    seen: set[bytes] = set()
    for start in range(0, len(texts), 4096):
        # In pieces: one call for a quarter of a million entries would hold up every other thread for 50 ms.
        seen.update(texts[start : start + 4096])
    return len(seen) != len(texts)


def _special(header: GgufHeader, kind: str, size: int) -> tuple[bool, int, bool, int]:
    adds_bos, bos, adds_eos, eos = _DEFAULTS.get(kind, _SILENT)
    model, pre = header.text("tokenizer.ggml.model"), header.text("tokenizer.ggml.pre")
    if model == "gemma4":
        bos = eos = -1
    elif kind == "BPE":
        adds_bos = pre in _PRE_WITH_BEGIN
        bos = -1 if pre in _PRE_WITHOUT_BEGIN_ID else bos
    bos = _id(header, "bos", bos, size)
    eos = _id(header, "eos", eos, size)
    said_bos, said_eos = header.flag("tokenizer.ggml.add_bos_token"), header.flag("tokenizer.ggml.add_eos_token")
    adds_bos = adds_bos if said_bos is None else said_bos
    adds_eos = adds_eos if said_eos is None else said_eos
    # llama.cpp overrules Gemma 4 files that say otherwise.
    return adds_bos or model == "gemma4", bos, adds_eos, eos


def _id(header: GgufHeader, name: str, default: int, size: int) -> int:
    said = header.integer(f"tokenizer.ggml.{name}_token_id")
    if said is not None and 0 <= said < size:
        return said
    return default if default < size else -1
