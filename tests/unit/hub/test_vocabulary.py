"""The vocabulary as our reader sees it, against llama.cpp's own reading of the same file."""

from collections.abc import Callable
from pathlib import Path

import pytest

from app.core.errors import UserError
from app.core.gguf import read_header
from app.core.pairing import facts_of
from app.hub.vocabulary import read_vocabulary
from tests.helpers import gguf_kit, llama_facts
from tests.helpers.gguf_kit import Model


def compare(path: Path) -> None:
    mine, theirs = read_vocabulary(read_header(path)), llama_facts.vocabulary(path)
    for field in ("type", "size", "adds_bos", "bos", "adds_eos", "eos"):
        assert getattr(mine, field) == theirs[field], field
    assert list(mine.texts(0, mine.size)) == theirs["texts"]


def test_a_real_sentencepiece_vocabulary(gemma: Path) -> None:
    compare(gemma)


def _pre(name: str) -> Callable[[Model], None]:
    return lambda model: model.text("tokenizer.ggml.pre", name)


def _flag(key: str, *, value: bool) -> Callable[[Model], None]:
    return lambda model: model.flag(f"tokenizer.ggml.{key}", value=value)


def _number(key: str, value: int) -> Callable[[Model], None]:
    return lambda model: model.number(f"tokenizer.ggml.{key}", value)


def _without(*keys: str) -> Callable[[Model], None]:
    def change(model: Model) -> None:
        for key in keys:
            model.facts.pop(f"tokenizer.ggml.{key}", None)

    return change


def _sentencepiece(model: Model) -> None:
    model.text("tokenizer.ggml.model", "llama")
    model.list_of("tokenizer.ggml.scores", [0.0] * len(model.tokens), 6)
    for key in ("pre", "add_bos_token", "bos_token_id", "eos_token_id"):
        model.facts.pop(f"tokenizer.ggml.{key}", None)
    # llama.cpp looks for the entry of the newline byte.
    model.tokens[10] = b"<0x0A>"


def _strange_texts(model: Model) -> None:
    model.tokens[300] = b""
    model.tokens[301] = b"cut\0here"
    model.tokens[302] = b"\xff\xfe"


@pytest.mark.parametrize(
    "change",
    [
        lambda model: None,
        _pre("llama-bpe"),
        _pre("glm4"),
        _pre("qwen2"),
        _without("bos_token_id", "eos_token_id", "add_bos_token"),
        _flag("add_bos_token", value=True),
        _flag("add_eos_token", value=True),
        _number("bos_token_id", 1_000_000),
        _sentencepiece,
        _strange_texts,
    ],
    ids=["demo", "llama3", "glm4", "qwen2", "silent", "bos-on", "eos-on", "bos-wild", "spm", "strange"],
)
def test_variants_of_the_demo_vocabulary(tmp_path: Path, demo_draft: Path, change: Callable[[Model], None]) -> None:
    model = gguf_kit.load(demo_draft)
    change(model)
    compare(model.write(tmp_path / "variant é.gguf"))


def test_the_digest_is_equal_for_equal_vocabularies_only(tmp_path: Path, demo_target: Path, demo_draft: Path) -> None:
    def digest(path: Path) -> str:
        return facts_of(read_vocabulary(read_header(path))).digest

    model = gguf_kit.load(demo_draft)
    assert digest(demo_target) == digest(demo_draft)
    model.tokens[2] += b"!"
    changed = digest(model.write(tmp_path / "a.gguf"))
    model.flag("tokenizer.ggml.add_bos_token", value=True)
    assert len({digest(demo_draft), changed, digest(model.write(tmp_path / "b.gguf"))}) == 3


def test_an_entry_twice_is_refused_because_llama_cpp_would_die(tmp_path: Path, demo_draft: Path) -> None:
    model = gguf_kit.load(demo_draft)
    model.tokens[300] = model.tokens[301]
    path = model.write(tmp_path / "m.gguf")
    with pytest.raises(UserError, match="same entry twice"):
        read_vocabulary(read_header(path))
    with pytest.raises(AssertionError):
        llama_facts.vocabulary(path)


def test_no_vocabulary(tmp_path: Path) -> None:
    model = gguf_kit.tiny()
    del model.facts["tokenizer.ggml.tokens"]
    with pytest.raises(UserError, match="no vocabulary"):
        read_vocabulary(read_header(model.write(tmp_path / "m.gguf")))
