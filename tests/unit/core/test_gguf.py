"""The GGUF reader: what real files say, and a clear sentence for every file that is none."""

import dataclasses
import os
import struct
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.core.errors import UserError
from app.core.gguf import GgufArray, chat_model_problem, describe, kv_bytes, read_header
from app.core.gguf.reader import array_texts, array_values
from tests.helpers import gguf_kit
from tests.helpers.gguf_kit import Model


def refused(path: Path) -> UserError:
    with pytest.raises(UserError) as caught:
        read_header(path)
    error = caught.value
    assert error.sentence.endswith((".", "gguf"))
    assert "Traceback" not in str(error)
    return error


def problem(model: Model, path: Path) -> UserError:
    found = chat_model_problem(describe(read_header(model.write(path))))
    assert found is not None
    return found


# --- real files -----------------------------------------------------------------------------------------------------


def test_the_demo_target_is_described(demo_target: Path) -> None:
    facts = describe(read_header(demo_target))
    assert chat_model_problem(facts) is None
    assert (facts.architecture, facts.quantisation, facts.vocabulary_type) == ("mimo2", "Q8_0", "BPE")
    assert (facts.layers, facts.embedding_length, facts.heads, facts.key_length) == (6, 256, 4, 64)
    assert facts.parameters == 7_852_544
    assert facts.vocabulary_size == 4096
    assert facts.context_trained == 2048
    assert facts.has_template
    assert facts.memory == "attention"
    assert (facts.nextn, facts.nextn_declared, facts.split) == (1, 1, 1)
    assert facts.weight_bytes == facts.input_bytes + facts.output_bytes + sum(facts.layer_bytes) + 256 * 4
    assert facts.size_bytes == demo_target.stat().st_size


def test_a_real_gemma_is_described(gemma: Path) -> None:
    start = time.perf_counter()
    facts = describe(read_header(gemma))
    assert time.perf_counter() - start < 2.0
    assert chat_model_problem(facts) is None
    assert (facts.architecture, facts.vocabulary_size, facts.vocabulary_type) == ("gemma3", 262_144, "SPM")
    assert (facts.layers, facts.kv_heads, facts.key_length) == (18, (1,) * 18, 256)
    assert facts.sliding_window == 512
    assert facts.quantisation == "Q4_K_M"
    assert not facts.has_template
    assert 260e6 < facts.parameters < 280e6


def test_reader_and_kit_agree_on_every_tensor_and_fact(demo_draft: Path) -> None:
    header, raw = read_header(demo_draft), gguf_kit.load(demo_draft)
    data = demo_draft.read_bytes()
    assert [tensor.name for tensor in header.tensors] == [tensor.name for tensor in raw.tensors]
    for mine, theirs in zip(header.tensors, raw.tensors, strict=True):
        assert mine.shape == theirs.shape
        assert data[mine.offset : mine.offset + mine.size_bytes] == theirs.data
    assert list(header.metadata) == list(raw.facts)
    tokens = header.metadata["tokenizer.ggml.tokens"]
    assert isinstance(tokens, GgufArray)
    assert array_texts(tokens) == raw.tokens


def test_long_lists_of_numbers_stay_in_the_file(tmp_path: Path) -> None:
    model = gguf_kit.tiny()
    model.list_of("x.long", list(range(5000)), 4)
    model.list_of("x.short", [1, 2], 4)
    model.list_of("x.flags", [True, False], 7)
    header = read_header(model.write(tmp_path / "m.gguf"))
    long = header.metadata["x.long"]
    assert isinstance(long, GgufArray)
    assert array_values(long) == tuple(range(5000))
    assert header.metadata["x.short"] == (1, 2)
    assert header.metadata["x.flags"] == (True, False)


def test_paths_with_spaces_and_other_scripts(tmp_path: Path, demo_draft: Path) -> None:
    path = tmp_path / "モデル é x" / "draft ü 1.gguf"
    gguf_kit.load(demo_draft).write(path)
    assert describe(read_header(path)).parameters == 614_880
    assert read_header(str(path)).path == path


# --- files that are none --------------------------------------------------------------------------------------------


def test_a_missing_file(tmp_path: Path) -> None:
    error = refused(tmp_path / "nothing.gguf")
    assert error.code == "model_missing"
    assert "nothing.gguf" in error.sentence


@pytest.mark.skipif(os.name == "nt", reason="links need a privilege on Windows")
def test_a_link_to_a_file_that_is_gone(tmp_path: Path) -> None:
    (tmp_path / "link.gguf").symlink_to(tmp_path / "gone")
    assert "link to a file that is gone" in refused(tmp_path / "link.gguf").hint


@pytest.mark.parametrize("name", ["a\0b.gguf", "x" * 5000, "file.gguf/inside.gguf"])
def test_impossible_names(tmp_path: Path, name: str) -> None:
    (tmp_path / "file.gguf").write_bytes(b"x")
    assert refused(tmp_path / name).code == "model_missing"


def test_a_folder(tmp_path: Path) -> None:
    assert refused(tmp_path).code == "model_is_folder"


def test_an_empty_file(tmp_path: Path) -> None:
    (tmp_path / "m.gguf").touch()
    error = refused(tmp_path / "m.gguf")
    assert (error.code, error.sentence) == ("model_empty", '"m.gguf" is empty (0 bytes).')


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="the administrator may read everything")
def test_an_unreadable_file(tmp_path: Path) -> None:
    path = tmp_path / "m.gguf"
    path.write_bytes(b"GGUF")
    path.chmod(0)
    assert refused(path).code == "model_unreadable"


def test_an_unreadable_file_for_the_administrator_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = gguf_kit.tiny().write(tmp_path / "m.gguf")

    def forbidden(*_args: object, **_kwargs: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "open", forbidden)
    error = refused(path)
    assert error.code == "model_unreadable"
    assert "not allowed" in error.sentence


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes here")
@pytest.mark.timeout(10)
def test_a_pipe_does_not_block(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.gguf")
    assert "a device or a pipe" in refused(tmp_path / "pipe.gguf").sentence


@pytest.mark.parametrize(
    ("start", "name"),
    [
        (b"<!DOCTYPE html><html><title>Sign in</title>", "an HTML page"),
        (b"\xef\xbb\xbf\n <HTML>", "an HTML page"),
        (b"PK\x03\x04rest", "a ZIP archive"),
        (struct.pack("<Q", 1000) + b'{"__metadata__":{}}', "a safetensors file"),
        (b"version https://git-lfs.github.com/spec/v1\n", "a Git LFS pointer"),
        (b'{"error": "not found"}', "a JSON document"),
        (b"<?xml version='1.0'?><Error>", "an XML document"),
        (b"\x80\x02}q\x00", "a PyTorch checkpoint"),
        (b"tjgg\x03\x00\x00\x00", "old GGJT format"),
        (b"\0" * 600, "interrupted download"),
        (b"hello, world\n", "a text file"),
        (b"\x07\x01\xfe\xff" * 9, "something else"),
        (b"\x1f\x8b\x08", "a gzip archive"),
        (b"G", "a text file"),
    ],
)
def test_other_files_are_named(tmp_path: Path, start: bytes, name: str) -> None:
    path = tmp_path / "m.gguf"
    path.write_bytes(start)
    error = refused(path)
    assert error.code == "not_gguf"
    assert name in error.sentence
    assert error.hint


# --- damaged files --------------------------------------------------------------------------------------------------


def test_a_file_cut_at_sixty_percent_says_how_much_is_missing(tmp_path: Path, demo_target: Path) -> None:
    data = demo_target.read_bytes()
    path = tmp_path / "m.gguf"
    path.write_bytes(data[: len(data) * 6 // 10])
    end = max(tensor.offset + tensor.size_bytes for tensor in read_header(demo_target).tensors)
    error = refused(path)
    assert error.code == "model_truncated"
    assert f"{end - len(data) * 6 // 10:,} bytes are missing" in error.sentence


def test_cuts_anywhere_in_a_small_file_are_recognised(tmp_path: Path) -> None:
    model = gguf_kit.tiny(tokens=20)
    data = model.to_bytes()
    end = max(tensor.offset + tensor.size_bytes for tensor in read_header(model.write(tmp_path / "ok.gguf")).tensors)
    path = tmp_path / "m.gguf"
    for length in (*range(4, 1600, 3), *range(1600, end, 977), end - 1):
        path.write_bytes(data[:length])
        assert refused(path).code == "model_truncated", length


@pytest.mark.parametrize(
    ("version", "words"), [(1, "no longer reads"), (4, "knows up to 3"), (0, "wrong order"), (3 << 24, "wrong order")]
)
def test_versions(tmp_path: Path, version: int, words: str) -> None:
    model = gguf_kit.tiny()
    model.version = version
    error = refused(model.write(tmp_path / "m.gguf"))
    assert error.code == "gguf_version"
    assert words in error.sentence


def test_version_two_is_read(tmp_path: Path) -> None:
    model = gguf_kit.tiny()
    model.version = 2
    assert read_header(model.write(tmp_path / "m.gguf")).version == 2


HUGE = (1 << 63) - 1


def _head(tensors: int = 0, keys: int = 1) -> bytes:
    return b"GGUF" + struct.pack("<IQQ", 3, tensors, keys)


def _key(kind: int) -> bytes:
    return struct.pack("<Q", 1) + b"k" + struct.pack("<I", kind)


@pytest.mark.parametrize(
    "data",
    [
        _head(tensors=HUGE),
        _head(keys=HUGE),
        _head() + struct.pack("<Q", HUGE),
        _head() + _key(8) + struct.pack("<Q", HUGE),
        _head() + _key(9) + struct.pack("<IQ", 8, HUGE),
        _head() + _key(9) + struct.pack("<IQ", 4, HUGE),
        _head() + _key(9) + struct.pack("<IQ", 12, 1 << 23),
        _head() + _key(9) + struct.pack("<IQ", 9, 1),
        _head() + _key(77) + b"\0" * 16,
        _head() + _key(9) + struct.pack("<IQ", 77, 1),
        _head(keys=2) + (_key(4) + struct.pack("<I", 1)) * 2,
        _head(1, 0) + struct.pack("<Q", 1) + b"t" + struct.pack("<I", 1000),
        _head(1, 0) + struct.pack("<Q", 1) + b"t" + struct.pack("<I4QIQ", 4, HUGE, HUGE, HUGE, HUGE, 0, 0),
        _head(1, 0) + struct.pack("<Q", 1) + b"t" + struct.pack("<IQIQ", 1, 33, 8, 0),
        _head(1, 0) + struct.pack("<Q", 1) + b"t" + struct.pack("<IQIQ", 1, 32, 8, HUGE),
    ],
)
def test_hostile_numbers_are_refused_at_once(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "m.gguf"
    path.write_bytes(data + bytes(4096))
    start = time.perf_counter()
    assert refused(path).code in {"gguf_damaged", "model_truncated"}
    assert time.perf_counter() - start < 1.0


def test_a_hostile_list_in_a_huge_sparse_file_is_bounded(tmp_path: Path) -> None:
    path = tmp_path / "m.gguf"
    with path.open("wb") as file:
        file.write(_head() + _key(9) + struct.pack("<IQ", 8, 1 << 24) + struct.pack("<Q", 1 << 40))
        file.truncate(1 << 42)
    start = time.perf_counter()
    assert refused(path).code == "gguf_damaged"
    assert time.perf_counter() - start < 10.0


def test_the_entries_of_all_lists_together_are_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.core.gguf.cursor.MAX_ELEMENTS", 1000)
    model = gguf_kit.Model()
    model.list_of("one", [b""] * 600, 8)
    assert read_header(model.write(tmp_path / "few.gguf")).tensors == ()
    model.list_of("two", [0] * 600, 4)
    assert "more than 1000 list entries" in refused(model.write(tmp_path / "many.gguf")).sentence


@pytest.mark.parametrize(("kind", "words"), [(99, "newer than"), (31, "no longer reads")])
def test_unknown_tensor_types(tmp_path: Path, kind: int, words: str) -> None:
    path = tmp_path / "m.gguf"
    path.write_bytes(_head(1, 0) + struct.pack("<Q", 1) + b"t" + struct.pack("<IQIQ", 1, 32, kind, 0) + bytes(4096))
    error = refused(path)
    assert error.code == "tensor_type"
    assert words in error.sentence


@pytest.mark.parametrize("alignment", [0, 3, 1 << 30])
def test_odd_alignment(tmp_path: Path, alignment: int) -> None:
    model = gguf_kit.tiny()
    model.number("general.alignment", alignment)
    assert refused(model.write(tmp_path / "m.gguf")).code == "gguf_damaged"


@given(st.data())
@settings(max_examples=150)
def test_a_damaged_header_is_read_or_refused_but_never_crashes(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    raw = bytearray(gguf_kit.tiny(tokens=20).to_bytes())
    for _ in range(data.draw(st.integers(1, 8))):
        raw[data.draw(st.integers(4, 1400))] = data.draw(st.integers(0, 255))
    path = tmp_path_factory.getbasetemp() / "fuzzed.gguf"
    path.write_bytes(raw)
    try:
        facts = describe(read_header(path))
    except UserError:
        return
    chat_model_problem(facts)
    assert facts.weight_bytes <= facts.size_bytes * 20
    assert kv_bytes(facts, 512) >= 0


def test_a_file_that_changes_while_lists_wait_in_it(tmp_path: Path) -> None:
    path = gguf_kit.tiny().write(tmp_path / "m.gguf")
    tokens = read_header(path).metadata["tokenizer.ggml.tokens"]
    assert isinstance(tokens, GgufArray)
    path.write_bytes(b"GGUF" + bytes(100))
    with pytest.raises(UserError, match="cut off"):
        array_texts(tokens)
    path.unlink()
    with pytest.raises(UserError, match="no file"):
        array_texts(tokens)


# --- split sets -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("picked", [0, 1, 2])
def test_any_part_stands_for_the_set(tmp_path: Path, demo_draft: Path, picked: int) -> None:
    whole = describe(read_header(demo_draft))
    parts = gguf_kit.load(demo_draft).split(tmp_path, "demo", 3)
    facts = describe(read_header(parts[picked]))
    assert facts.parts == tuple(parts)
    assert facts.path == parts[0]
    assert facts.split == 3
    assert (facts.parameters, facts.weight_bytes) == (whole.parameters, whole.weight_bytes)
    assert facts.size_bytes == sum(part.stat().st_size for part in parts)
    assert chat_model_problem(facts) is None


@pytest.mark.parametrize("lost", [0, 1, 2])
def test_a_missing_part_is_named(tmp_path: Path, demo_draft: Path, lost: int) -> None:
    parts = gguf_kit.load(demo_draft).split(tmp_path, "demo", 3)
    parts[lost].unlink()
    error = refused(parts[0 if lost else 2])
    assert error.code == "split_part_missing"
    assert error.sentence == f"Part {lost + 1} of 3 is missing: demo-0000{lost + 1}-of-00003.gguf"


def test_a_cut_part_is_named(tmp_path: Path, demo_draft: Path) -> None:
    parts = gguf_kit.load(demo_draft).split(tmp_path, "demo", 3)
    parts[1].write_bytes(parts[1].read_bytes()[:-500])
    error = refused(parts[0])
    assert error.code == "model_truncated"
    assert "demo-00002-of-00003.gguf" in error.sentence


def test_a_part_of_another_set(tmp_path: Path, demo_draft: Path, demo_target: Path) -> None:
    parts = gguf_kit.load(demo_draft).split(tmp_path, "demo", 3)
    parts[1].write_bytes(parts[2].read_bytes())
    assert "not part 2 of 3" in refused(parts[0]).sentence
    other = gguf_kit.load(demo_target).split(tmp_path / "other", "demo", 3)
    parts[1].write_bytes(other[1].read_bytes())
    assert refused(parts[0]).code == "gguf_damaged"


def test_a_renamed_part(tmp_path: Path, demo_draft: Path) -> None:
    parts = gguf_kit.load(demo_draft).split(tmp_path, "demo", 3)
    error = refused(parts[0].rename(tmp_path / "renamed.gguf"))
    assert error.code == "split_renamed"


# --- models that cannot chat ----------------------------------------------------------------------------------------


def _vocabulary_only() -> Model:
    model = gguf_kit.tiny()
    model.tensors.clear()
    return model


def _with(key: str, value: str) -> Model:
    model = gguf_kit.tiny()
    model.text(key, value)
    return model


def _mtp_only() -> Model:
    model = gguf_kit.tiny("mimo2", layers=3)
    model.number("mimo2.nextn_predict_layers", 1)
    model.tensors = [t for t in model.tensors if not t.name.startswith(("blk.0.", "blk.1."))]
    model.tensors.append(gguf_kit.zeros("blk.2.nextn.eh_proj.weight", (64, 32)))
    return model


def _pooled() -> Model:
    model = gguf_kit.tiny("qwen3")
    model.number("qwen3.pooling_type", 3)
    return model


def _not_causal() -> Model:
    model = gguf_kit.tiny("llama")
    model.flag("llama.attention.causal", value=False)
    return model


def _blocks_missing() -> Model:
    model = gguf_kit.tiny(layers=3)
    model.tensors = [t for t in model.tensors if not t.name.startswith("blk.1.")]
    return model


def _nameless() -> Model:
    model = gguf_kit.tiny()
    del model.facts["general.architecture"]
    return model


@pytest.mark.parametrize(
    ("make", "code", "words"),
    [
        (_vocabulary_only, "vocabulary_only", "only a vocabulary"),
        (lambda: _with("general.type", "adapter"), "adapter", "LoRA"),
        (lambda: _with("general.type", "mmproj"), "vision_projector", "vision"),
        (lambda: gguf_kit.tiny("clip"), "vision_projector", "vision"),
        (lambda: _with("general.type", "imatrix"), "importance_matrix", "notes for quantising"),
        (lambda: gguf_kit.tiny("bert"), "embedding_model", "into vectors"),
        (lambda: gguf_kit.tiny("nomic-bert-moe"), "embedding_model", "into vectors"),
        (lambda: gguf_kit.tiny("jina-bert-v3"), "embedding_model", "into vectors"),
        (lambda: gguf_kit.tiny("t5encoder"), "embedding_model", "into vectors"),
        (_pooled, "embedding_model", "into vectors"),
        (_not_causal, "embedding_model", "into vectors"),
        (lambda: gguf_kit.tiny("t5"), "encoder_decoder", "encoder-decoder"),
        (lambda: gguf_kit.tiny("llada"), "diffusion_model", "left to right"),
        (lambda: gguf_kit.tiny("qwen3tts"), "speech_model", "speech"),
        (lambda: gguf_kit.tiny("gemma4-assistant"), "drafter_only", "assistant kind"),
        (lambda: gguf_kit.tiny("gemma4_assistant"), "drafter_only", "assistant kind"),
        (lambda: gguf_kit.tiny("eagle3"), "drafter_only", "eagle3 drafter"),
        (lambda: gguf_kit.tiny("dflash"), "drafter_only", "dflash drafter"),
        (_mtp_only, "drafter_only", "prediction heads"),
        (_blocks_missing, "blocks_missing", "lacks 1 of its 3 layers, the first of them number 1"),
        (_nameless, "no_architecture", "what kind of model"),
    ],
)
def test_models_that_cannot_chat(tmp_path: Path, make: Callable[[], Model], code: str, words: str) -> None:
    found = problem(make(), tmp_path / "m.gguf")
    assert found.code == code
    assert words in found.sentence
    assert found.hint


def test_heads_inside_a_target_are_counted_only_if_they_are_there(tmp_path: Path) -> None:
    model = gguf_kit.tiny("mimo2", layers=3)
    model.number("mimo2.nextn_predict_layers", 1)
    facts = describe(read_header(model.write(tmp_path / "claimed.gguf")))
    assert (facts.nextn, facts.nextn_declared, facts.layers) == (0, 1, 2)
    model.tensors.append(gguf_kit.zeros("blk.2.nextn.eh_proj.weight", (64, 32)))
    facts = describe(read_header(model.write(tmp_path / "there.gguf")))
    assert (facts.nextn, facts.nextn_declared, facts.layers) == (1, 1, 2)
    assert chat_model_problem(facts) is None


def test_memory_kinds(tmp_path: Path) -> None:
    assert describe(read_header(gguf_kit.tiny("lfm2").write(tmp_path / "a.gguf"))).memory == "hybrid"
    assert describe(read_header(gguf_kit.tiny("rwkv7").write(tmp_path / "b.gguf"))).memory == "recurrent"
    unknown = gguf_kit.tiny("brand-new", layers=2)
    unknown.tensors.append(gguf_kit.zeros("blk.1.ssm_in.weight", (32, 32)))
    assert describe(read_header(unknown.write(tmp_path / "c.gguf"))).memory == "hybrid"


def test_claims_of_absurd_size_cost_nothing(tmp_path: Path) -> None:
    model = gguf_kit.tiny()
    for key in ("block_count", "nextn_predict_layers", "attention.key_length", "context_length"):
        model.number(f"llama.{key}", (1 << 32) - 1)
    facts = describe(read_header(model.write(tmp_path / "m.gguf")))
    assert len(facts.kv_heads) <= 4096
    assert kv_bytes(facts, (1 << 32) - 1) >= 0


def test_odd_facts_become_nothing_instead_of_an_error(tmp_path: Path) -> None:
    model = gguf_kit.tiny()
    model.text("llama.block_count", "many")
    model.number("llama.context_length", -5, kind=5)
    model.list_of("llama.attention.head_count", [2, 4], 4)
    model.number("general.file_type", 9999)
    model.facts["general.name"].value = b"\xff\xfe broken"
    facts = describe(read_header(model.write(tmp_path / "m.gguf")))
    assert facts.layers == 1
    assert facts.context_trained == 0
    assert facts.heads == 4
    assert facts.quantisation == "Q8_0"
    assert "broken" in facts.name


# --- cache size -----------------------------------------------------------------------------------------------------


def test_cache_size_by_hand(demo_target: Path) -> None:
    facts = describe(read_header(demo_target))
    assert kv_bytes(facts, 1024) == 1024 * 6 * 2 * 4 * 64 * 2
    assert kv_bytes(facts, 1000) == kv_bytes(facts, 1024)
    assert kv_bytes(facts, 1024, "Q8_0", "Q8_0") == 1024 * 6 * 2 * (4 * 64 // 32 * 34)
    assert kv_bytes(facts, 1024, "F16", "Q4_0") == 1024 * 6 * (4 * 64 * 2 + 4 * 64 // 32 * 18)
    with pytest.raises(ValueError, match="Q9"):
        kv_bytes(facts, 1024, "Q9")


def test_cache_of_blocks_that_share_or_differ(demo_target: Path) -> None:
    facts = describe(read_header(demo_target))
    one_block = kv_bytes(facts, 256) // 6
    assert kv_bytes(dataclasses.replace(facts, shared_kv_layers=2), 256) == one_block * 4
    assert kv_bytes(dataclasses.replace(facts, kv_heads=(4, 0, 4, 0, 4, 0)), 256) == one_block * 3
    swa = dataclasses.replace(facts, swa_blocks=(True, True, False, False, False, False), swa_key_length=32)
    assert kv_bytes(swa, 256) == one_block * 6 - 2 * 256 * 4 * 32 * 2
    assert kv_bytes(dataclasses.replace(facts, latent_attention=True), 256) == one_block * 3
