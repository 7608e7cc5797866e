"""Model files that are none, or none for a chat: one sentence each, and what was loaded goes on answering."""

import os
import re
import struct
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from app.core.launch import child_environment
from tests.helpers import gguf_kit
from tests.helpers.engine_process import Engine, cli, cli_command
from tests.helpers.gguf_kit import Entry, Model
from tests.helpers.privileges import WITHOUT_PRIVILEGES

Make = Callable[[Path, Path], object]
"""Given where to make it and the demo target."""


def bytes_of(data: bytes) -> Make:
    return lambda path, _target: path.write_bytes(data)


def cut(keep: Callable[[int], int]) -> Make:
    def make(path: Path, target: Path) -> None:
        data = target.read_bytes()
        path.write_bytes(data[: keep(len(data))])

    return make


def changed(change: Callable[[Model], object]) -> Make:
    def make(path: Path, target: Path) -> None:
        model = gguf_kit.load(target)
        change(model)
        model.write(path)

    return make


def tiny(architecture: str) -> Make:
    return lambda path, _target: gguf_kit.tiny(architecture).write(path)


def without_tensor(name: str) -> Make:
    def drop(model: Model) -> None:
        model.tensors.remove(model.tensor(name))

    return changed(drop)


FILES: dict[str, tuple[Make, str, str]] = {
    "missing": (lambda _path, _target: None, "model_missing", 'There is no file "{path}".'),
    "empty": (bytes_of(b""), "model_empty", '"{name}" is empty (0 bytes).'),
    "a folder": (lambda path, _: path.mkdir(), "model_is_folder", '"{path}" is a folder, not a model.'),
    "cut in the magic": (cut(lambda _: 3), "not_gguf", '"{name}" is not a GGUF model, but a text file.'),
    "cut after the magic": (cut(lambda _: 4), "model_truncated", '"{name}" is cut off: it ends inside its header.'),
    "cut in the counts": (cut(lambda _: 17), "model_truncated", '"{name}" is cut off: it ends inside its header.'),
    "cut in the facts": (cut(lambda _: 5_000), "model_truncated", '"{name}" is cut off: it ends inside its header.'),
    "cut in the tokens": (cut(lambda _: 40_000), "model_truncated", '"{name}" is cut off: it ends inside its header.'),
    "cut in the weights": (
        cut(lambda size: size - 1_234_567),
        "model_truncated",
        '"{name}" is cut off: 1,234,567 bytes are missing at its end.',
    ),
    "one byte short": (
        cut(lambda size: size - 1),
        "model_truncated",
        '"{name}" is cut off: 1 bytes are missing at its end.',
    ),
    "text": (bytes_of(b"Once upon a time\n" * 99), "not_gguf", '"{name}" is not a GGUF model, but a text file.'),
    "a web page": (
        bytes_of(b"<!DOCTYPE html><html><body>404</body></html>"),
        "not_gguf",
        '"{name}" is not a GGUF model, but an HTML page.',
    ),
    "a ZIP": (bytes_of(b"PK\x03\x04" + bytes(99)), "not_gguf", '"{name}" is not a GGUF model, but a ZIP archive.'),
    "JSON": (bytes_of(b'{"model_type": "llama"}'), "not_gguf", '"{name}" is not a GGUF model, but a JSON document.'),
    "zeros": (
        bytes_of(bytes(4096)),
        "not_gguf",
        '"{name}" is not a GGUF model, but a block of zero bytes, as an interrupted download leaves it.',
    ),
    "big-endian": (
        bytes_of(b"GGUF" + struct.pack(">IQQ", 3, 0, 0)),
        "gguf_version",
        '"{name}" has its bytes in the wrong order (big-endian).',
    ),
    "version 1": (
        bytes_of(b"GGUF" + struct.pack("<IQQ", 1, 0, 0)),
        "gguf_version",
        '"{name}" is in version 1 of the GGUF format, which llama.cpp no longer reads.',
    ),
    "a hostile header": (
        bytes_of(b"GGUF" + struct.pack("<IQQ", 3, 2**62, 2**62)),
        "gguf_damaged",
        '"{name}" is damaged: it claims 4611686018427387904 tensors and 4611686018427387904 facts.',
    ),
    "only a vocabulary": (
        changed(lambda model: model.tensors.clear()),
        "vocabulary_only",
        '"{name}" holds only a vocabulary, no model.',
    ),
    "no vocabulary": (
        changed(lambda model: model.text("tokenizer.ggml.model", "no_vocab")),
        "no_vocabulary",
        '"{name}" has no vocabulary: it can neither read nor write text.',
    ),
    "no layers": (
        changed(lambda model: (without_layers(model), model.number("mimo2.block_count", 0))),
        "blocks_missing",
        '"{name}" has no layers at all.',
    ),
    "an embedding model": (
        tiny("bert"),
        "embedding_model",
        '"{name}" is an embedding model (bert): it turns text into vectors and cannot chat.',
    ),
    "only a drafter": (
        tiny("eagle3"),
        "drafter_only",
        '"{name}" only drafts for another model (eagle3 drafter) and cannot chat by itself.',
    ),
    "an adapter": (
        changed(lambda model: model.text("general.type", "adapter")),
        "adapter",
        '"{name}" is an adapter (LoRA), an addition to a model, not a model.',
    ),
    "a projector": (
        tiny("clip"),
        "vision_projector",
        '"{name}" is the vision part (projector) of a model; it reads pictures and cannot chat by itself.',
    ),
    "a diffusion model": (
        tiny("llada"),
        "diffusion_model",
        '"{name}" is a diffusion model (llada): it does not write from left to right.',
    ),
    "an unknown architecture": (
        changed(lambda model: model.rename_architecture("wonderland")),
        "unsupported_architecture",
        '{name} is a "wonderland" model, which this engine does not know.',
    ),
    "an unknown way to split text": (
        changed(lambda model: model.text("tokenizer.ggml.pre", "wonder")),
        "unsupported_tokenizer",
        '{name} splits text by rules ("wonder"), which this engine does not know.',
    ),
    "a tensor too few": (
        without_tensor("blk.2.attn_qkv.weight"),
        "load_refused",
        "The engine cannot load {name}: check_tensor_dims: tensor 'blk.2.attn_q.weight' not found.",
    ),
    "a layer too few": (
        changed(lambda model: without_layers(model, "blk.5.")),
        "blocks_missing",
        '"{name}" lacks 1 of its 6 layers, the first of them number 5.',
    ),
    "an unknown quantisation": (
        changed(lambda model: model.tensors.append(odd_tensor())),
        "tensor_type",
        '"{name}" uses a quantisation (type 250) that is newer than the llama.cpp inside this program.',
    ),
}


def without_layers(model: Model, prefix: str = "blk.") -> None:
    model.tensors = [tensor for tensor in model.tensors if not tensor.name.startswith(prefix)]


def odd_tensor() -> gguf_kit.RawTensor:
    return gguf_kit.RawTensor("odd", (32,), 250, b"")


@pytest.mark.parametrize(("make", "code", "sentence"), FILES.values(), ids=FILES.keys())
def test_a_file_that_cannot_serve(
    process: Engine, demo_target: Path, tmp_path: Path, make: Make, code: str, sentence: str
) -> None:
    path = tmp_path / "it is.gguf"
    make(path, demo_target)
    expected = sentence.format(path=path, name=path.name)
    failed = process.load(path).failed
    assert (failed.code, failed.sentence) == (code, expected)
    assert failed.hint.endswith(".")
    assert "Traceback" not in failed.detail
    # As a draft it is refused with the same sentence, or the target goes on alone and says it.
    assert process.load(demo_target, path, draft_required=True).failed.sentence == expected
    alone = process.load(demo_target, path).loaded
    assert alone.draft is None
    assert alone.why_not["draft_model"].startswith(expected)


@pytest.mark.parametrize("name", ["missing", "cut in the weights", "only a vocabulary"])
def test_the_command_line_says_the_same(demo_target: Path, tmp_path: Path, name: str) -> None:
    make, _, sentence = FILES[name]
    path = tmp_path / "it is.gguf"
    make(path, demo_target)
    expected = f"outpace-cli: {sentence.format(path=path, name=path.name)} "
    run = cli("generate", "--model", path, "--prompt", "Hello")
    assert (run.code, run.out) == (1, "")
    assert run.err.startswith(expected)
    assert run.err.count("\n") == 1
    run = cli("generate", "--model", demo_target, "--draft", path, "--prompt", "Hello")
    assert (run.code, run.out) == (1, "")
    assert run.err.startswith(expected)
    run = cli("inspect", path)
    if name == "only a vocabulary":
        assert run.code == 0
        assert re.search(r"^problem +\"it is.gguf\" holds only a vocabulary, no model.", run.out, re.MULTILINE)
    else:
        assert (run.code, run.out) == (1, "")
        assert run.err.startswith(expected)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="gives up the administrator's rights in Linux's way")
def test_a_file_one_may_not_read(demo_target: Path, tmp_path: Path) -> None:
    path = tmp_path / "secret.gguf"
    path.write_bytes(demo_target.read_bytes())
    path.chmod(0)
    for command in (("inspect", path), ("generate", "--model", path, "--prompt", "Hello")):
        run = subprocess.run(
            [sys.executable, "-c", WITHOUT_PRIVILEGES, *cli_command(*command)],
            capture_output=True,
            env=child_environment(),
            timeout=30,
            check=False,
        )
        if b"prctl: " in run.stderr:
            pytest.skip("the administrator's rights cannot be given up here")
        assert (run.returncode, run.stdout) == (1, b"")
        expected = f'outpace-cli: You are not allowed to read "{path}". Change its permissions.\n'
        assert run.stderr.decode() == expected


@pytest.mark.skipif(os.name == "nt", reason="named pipes of POSIX")
def test_a_pipe_is_not_waited_for(process: Engine, tmp_path: Path) -> None:
    path = tmp_path / "pipe.gguf"
    os.mkfifo(path)
    failed = process.load(path).failed
    assert (failed.code, failed.sentence) == ("not_gguf", f'"{path}" is a device or a pipe, not a model.')


@pytest.mark.skipif(os.name == "nt", reason="links need a privilege there")
def test_a_link_to_nothing(process: Engine, tmp_path: Path) -> None:
    path = tmp_path / "link.gguf"
    path.symlink_to(tmp_path / "gone.gguf")
    failed = process.load(path).failed
    assert failed.sentence == f'There is no file "{path}".'
    assert failed.hint == "It is a link to a file that is gone."
    path.unlink()
    path.symlink_to(path)
    assert process.load(path).failed.code in ("model_missing", "model_unreadable")


@pytest.mark.parametrize("path", ["", "nul\0.gguf"])
def test_what_is_no_path(process: Engine, path: str) -> None:
    failed = process.load(path).failed
    assert (failed.code, failed.sentence) == ("missing_file", "No model file was named.")


def test_a_path_that_is_too_long(process: Engine) -> None:
    assert process.load("/" + "x" * 5000).failed.sentence == "The name of the file is too long."


def test_a_home_folder(demo_target: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    (tmp_path / "my model.gguf").write_bytes(demo_target.read_bytes())
    with Engine() as engine:
        assert engine.load("~/my model.gguf").loaded.target.path == str(tmp_path / "my model.gguf")
        assert engine.load("~nobody-of-this-name/model.gguf").failed.code == "model_missing"
    assert cli("inspect", "~/my model.gguf").code == 0
    run = cli("inspect", "~nobody-of-this-name/model.gguf")
    assert run.code == 1
    assert run.err == 'outpace-cli: There is no file "~nobody-of-this-name/model.gguf". Choose another file.\n'


@pytest.mark.parametrize("tensor", ["output_norm.weight", "token_embd.weight", "blk.3.ffn_down.weight"])
def test_weights_that_are_no_numbers(process: Engine, demo_target: Path, tmp_path: Path, tensor: str) -> None:
    model = gguf_kit.load(demo_target)
    spoilt = model.tensor(tensor)
    spoilt.data = b"\xff" * len(spoilt.data)
    process.load(model.write(tmp_path / "spoilt.gguf"))
    for temperature in (0.0, 0.8):
        failed = process.generate("Hello", drafter="ngram", temperature=temperature).failed
        assert (failed.code, failed.sentence) == ("bad_logits", "The model computed something that is not a number.")
        assert "The file is probably damaged" in failed.hint


def test_a_context_that_does_not_fit_into_memory(process: Engine, demo_target: Path) -> None:
    failed = process.load(demo_target, context=16_000_000).failed
    assert failed.code == "not_enough_memory"
    start = f"{demo_target.name} with a context of 16,000,000 tokens needs about "
    assert failed.sentence.startswith(start)
    assert re.fullmatch(r"[\d.,]+ GB of memory; [\d.,]+ GB are free\.", failed.sentence.removeprefix(start))
    assert failed.hint == "Choose a shorter context."
    run = cli("generate", "--model", demo_target, "--ctx", 16_000_000, "--prompt", "Hello")
    assert run.code == 1
    assert "16,000,000 tokens needs about" in run.err


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"context": -1}, "A context of -1 tokens is not possible."),
        ({"context": 63}, "A context of 63 tokens is not possible."),
        ({"context": 2**40}, "A context of 1,099,511,627,776 tokens is not possible."),
        ({"threads": -1}, "-1 threads are not possible."),
        ({"threads": 513}, "513 threads are not possible."),
        ({"gpu_layers": -1}, "-1 GPU layers are not possible."),
    ],
)
def test_settings_that_cannot_be(process: Engine, demo_target: Path, settings: dict[str, int], sentence: str) -> None:
    failed = process.load(demo_target, **settings).failed
    assert (failed.code, failed.sentence) == ("bad_option", sentence)
    assert failed.hint.startswith("Choose ")


def test_a_model_trained_for_hardly_any_context(process: Engine, demo_target: Path, tmp_path: Path) -> None:
    model = gguf_kit.load(demo_target)
    model.number("mimo2.context_length", 1)
    assert process.load(model.write(tmp_path / "short.gguf")).loaded.context == 1
    assert process.generate("Hello").failed.sentence == "The text has 9 tokens, but the context holds 1."
    model.facts["mimo2.context_length"] = Entry(4, 2**32 - 1)
    assert process.load(model.write(tmp_path / "long.gguf")).loaded.context == 8192
