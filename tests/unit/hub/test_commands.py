"""`outpace-cli models ...`, run in this process."""

import argparse
import io
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from app.core.errors import AppError, UserError
from app.hub import commands
from app.hub.texts import amount, duration, parameters
from tests.helpers import gguf_kit
from tests.helpers.fake_hub import CORRUPT, FakeHub
from tests.helpers.head_kit import only_heads, without_heads

Command = Callable[..., str]


@pytest.fixture
def models(tmp_path: Path) -> Path:
    return tmp_path / "Modelle 模型"


@pytest.fixture
def command(models: Path, capsys: pytest.CaptureFixture[str]) -> Command:
    def call(*arguments: object, code: int = 0) -> str:
        parser = argparse.ArgumentParser()
        commands.add_to(parser.add_subparsers(required=True), free_vram=lambda: 0)
        options = parser.parse_args(["models", *map(str, arguments), "--models", str(models)])
        capsys.readouterr()
        assert options.run(options) == code
        return capsys.readouterr().out

    return call


def as_json(text: str) -> Any:
    return json.loads(text)


def test_list_has_the_demo_pair_from_the_start(command: Command) -> None:
    text = command("list")
    assert "outpace-demo-target-q8_0\n    mimo2, 8 M parameters, Q8_0, context 2,048, 8.5 MB" in text
    listed = as_json(command("list", "--json"))
    assert [(model["name"], model["role"], model["source"]) for model in listed] == [
        ("outpace-demo-draft-q8_0", "chat", "builtin"),
        ("outpace-demo-target-q8_0", "chat", "builtin"),
    ]
    assert listed[0]["facts"]["parameters"] == 614_880


def test_a_file_that_crashes_llama_cpp_is_listed_as_such(command: Command, models: Path, demo_draft: Path) -> None:
    model = gguf_kit.load(demo_draft)
    model.number("llama.expert_used_count", 9)
    path = model.write(models / "experts.gguf")
    sentence = 'The engine cannot read this file: "experts.gguf" makes it crash'
    assert sentence in command("list")
    assert sentence in command("inspect", path, code=1)
    listed = {model["name"]: model for model in as_json(command("list", "--json"))}
    assert (listed["experts"]["role"], listed["experts"]["problem"]["code"]) == ("broken", "engine_died")
    assert listed["outpace-demo-draft-q8_0"]["confirmed"] is True
    with pytest.raises(UserError, match="makes it crash"):
        command("pairs", path)


def test_list_says_why_a_file_is_no_model(command: Command, models: Path) -> None:
    gguf_kit.tiny("clip").write(models / "vision.gguf")
    (models / "broken.gguf").write_bytes(b"PK\x03\x04")
    text = command("list")
    assert "reads pictures" in text
    assert "a ZIP archive" in text


def test_inspect(command: Command, demo_draft: Path, tmp_path: Path) -> None:
    assert "llama, 615 k parameters" in command("inspect", demo_draft) or "614,880" in command("inspect", demo_draft)
    assert as_json(command("inspect", demo_draft, "--json"))["vocabulary"]["size"] == 4096
    (tmp_path / "x.gguf").write_text("<html>")
    assert "HTML page" in command("inspect", tmp_path / "x.gguf", code=1)


def test_pairs_names_every_variant_with_its_rule(command: Command, models: Path, demo_draft: Path) -> None:
    def variant(name: str, change: Callable[[gguf_kit.Model], object]) -> None:
        model = gguf_kit.load(demo_draft)
        change(model)
        model.write(models / f"{name}.gguf")

    variant("text300", lambda m: m.tokens.__setitem__(300, b"#new text#"))
    variant("text2", lambda m: m.tokens.__setitem__(2, b"#new text#"))
    variant("plus64", lambda m: m.longer_by(64))
    variant("plus200", lambda m: m.longer_by(200))
    variant("bos", lambda m: m.flag("tokenizer.ggml.add_bos_token", value=True))
    variant(
        "spm", lambda m: (m.text("tokenizer.ggml.model", "llama"), m.list_of("tokenizer.ggml.scores", [0.0] * 4096, 6))
    )
    gguf_kit.load(demo_draft).split(models, "three", 3)
    assistant = gguf_kit.tiny("mimo2-assistant", tokens=4096)
    assistant.number("mimo2-assistant.embedding_length_out", 256)
    assistant.write(models / "mtp.gguf")
    data = demo_draft.read_bytes()
    (models / "cut.gguf").write_bytes(data[: len(data) * 6 // 10])
    found = {v["name"]: v for v in as_json(command("pairs", "outpace-demo-target-q8_0", "--json"))}
    assert {name: v["code"] for name, v in found.items()} == {
        "outpace-demo-draft-q8_0": "fits",
        "text300": "text",
        "text2": "fits",
        "plus64": "fits",
        "plus200": "size",
        "bos": "bos",
        "spm": "type",
        "three": "fits",
    }
    text = command("pairs", "outpace-demo-target-q8_0")
    assert "no    text300: Token 300 differs" in text
    assert "no    mtp: It was made for this model, but Outpace cannot use such files." in text
    assert text.index("fits  three") < text.index("no    bos")
    small = command("pairs", "outpace-demo-draft-q8_0")
    assert "larger than the target (13 times)" in small


def test_targets_by_path_by_name_and_not_at_all(command: Command, models: Path, demo_draft: Path) -> None:
    assert "fits" in command("pairs", Path("resources/demo/outpace-demo-target-q8_0.gguf"))
    with pytest.raises(UserError, match='no model "nobody"'):
        command("pairs", "nobody")
    with pytest.raises(UserError, match="no file"):
        command("pairs", "nobody.gguf")
    for folder in ("one", "two"):
        gguf_kit.load(demo_draft).write(models / folder / "same.gguf")
    with pytest.raises(UserError, match="2 models called"):
        command("pairs", "same")
    gguf_kit.tiny("bert").write(models / "embed.gguf")
    with pytest.raises(UserError, match="embedding model"):
        command("pairs", "embed")


def test_plan(command: Command) -> None:
    text = command("plan", "outpace-demo-target-q8_0", "--draft", "outpace-demo-draft-q8_0", "--ram", "4")
    assert text.splitlines()[-1] == "It fits."
    assert "target cache" in text
    plan = as_json(command("plan", "outpace-demo-target-q8_0", "--ram", "2", "--vram", "2", "--ctx", "512", "--json"))
    assert plan["placement"]["gpu_layers"] == 7
    assert plan["problem"] is None
    with pytest.raises(AppError, match="too little"):
        command("plan", "outpace-demo-target-q8_0", "--ram", "0.2")
    assert as_json(command("plan", "outpace-demo-target-q8_0", "--ram", "0.1", "--json", code=1))["problem"]["code"]
    with pytest.raises(UserError, match="not possible"):
        command("plan", "outpace-demo-target-q8_0", "--ctx", "0")


def test_remove(command: Command, models: Path, demo_draft: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = gguf_kit.load(demo_draft).write(models / "org" / "m" / "mine.gguf")
    monkeypatch.setattr("sys.stdin", io.StringIO(""))
    with pytest.raises(UserError, match="Nobody is there"):
        command("remove", "mine")
    assert "are free again" in command("remove", "mine", "--yes")
    assert not path.exists()
    with pytest.raises(UserError, match="belongs to Outpace"):
        command("remove", "outpace-demo-draft-q8_0", "--yes")


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(("answer", "code"), [("y\n", 0), ("n\n", 1), ("\n", 1)])
def test_remove_asks(
    command: Command, models: Path, demo_draft: Path, monkeypatch: pytest.MonkeyPatch, answer: str, code: int
) -> None:
    path = gguf_kit.load(demo_draft).write(models / "mine.gguf")
    monkeypatch.setattr("sys.stdin", Terminal(answer))
    command("remove", "mine", code=code)
    assert path.exists() == bool(code)


# --- pull -----------------------------------------------------------------------------------------------------------


@pytest.fixture
def hub(demo_target: Path, demo_draft: Path) -> Iterator[FakeHub]:
    with FakeHub() as fake:
        target, draft = demo_target.read_bytes(), demo_draft.read_bytes()
        fake.add("Qwen/Qwen3-4B-GGUF", {"Qwen3-4B-Q4_K_M.gguf": target, "Qwen3-4B-Q8_0.gguf": target + b"!"})
        fake.add("Qwen/Qwen3-0.6B-GGUF", {"renamed-Q8_0.gguf": draft})
        fake.add("org/one", {"only.gguf": draft})
        fake.add("org/two", {"x-IQ2_M.gguf": draft, "x-IQ3_M.gguf": draft})
        fake.add("org/none", {"README.md": b""})
        yield fake


def test_pull_a_pair(command: Command, hub: FakeHub, models: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = command("pull", "qwen3-4b", "--endpoint", hub.url)
    assert text.splitlines() == [
        str(models / "Qwen" / "Qwen3-4B-GGUF" / "Qwen3-4B-Q4_K_M.gguf"),
        str(models / "Qwen" / "Qwen3-0.6B-GGUF" / "renamed-Q8_0.gguf"),
    ]
    found = as_json(command("pairs", "Qwen3-4B-Q4_K_M", "--json"))
    assert {v["name"]: v["fits"] for v in found}["renamed-Q8_0"]
    sent = hub.sent
    command("pull", "Qwen3 4B", "--endpoint", hub.url)
    assert hub.sent == sent


def test_pull_tells_its_progress_on_stderr(
    command: Command, hub: FakeHub, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    err = Terminal()
    monkeypatch.setattr("sys.stderr", err)
    hub.body_faults = [CORRUPT]
    command("pull", "org/one", "--endpoint", hub.url)
    assert "only.gguf: " in err.getvalue()
    assert "left" in err.getvalue()
    assert err.getvalue().endswith("\n")


@pytest.mark.parametrize("file", ["Qwen3-4B-Q8_0.gguf", "q8_0"])
def test_pull_one_file_of_a_repository(command: Command, hub: FakeHub, file: str) -> None:
    (place,) = as_json(command("pull", "Qwen/Qwen3-4B-GGUF", "--file", file, "--endpoint", hub.url, "--json"))
    assert place.endswith("Qwen3-4B-Q8_0.gguf")


def test_pull_from_the_address_of_a_file(command: Command, hub: FakeHub) -> None:
    text = command("pull", f"{hub.url}/Qwen/Qwen3-4B-GGUF/blob/main/Qwen3-4B-Q8_0.gguf", "--endpoint", hub.url)
    assert text.strip().endswith("Qwen3-4B-Q8_0.gguf")


@pytest.mark.parametrize(
    ("what", "more", "words"),
    [
        ("org/two", (), "has several models"),
        ("org/two", ("--file", "Q9"), 'There is no "Q9"'),
        ("org/none", (), "has no GGUF model"),
        ("org/missing", (), "or it is private"),
        ("nonsense", (), "is not the name of a model"),
    ],
)
def test_pull_what_cannot_be_pulled(
    command: Command, hub: FakeHub, models: Path, what: str, more: tuple[str, ...], words: str
) -> None:
    with pytest.raises(AppError) as caught:
        command("pull", what, *more, "--endpoint", hub.url)
    assert words in str(caught.value)
    if what == "nonsense":
        assert "qwen3-8b" in caught.value.hint
    assert not models.exists()


def test_how_numbers_read() -> None:
    assert [amount(size) for size in (0, 639_446_688, 7_100_000)] == ["0.0 MB", "0.6 GB", "7.1 MB"]
    assert [parameters(n) for n in (12, 270_000_000, 8_190_735_360)] == ["12", "270 M", "8.2 B"]
    assert [duration(s) for s in (None, 5, 125, 7325, 1e9)] == ["-", "0:05", "2:05", "2:02:05", "-"]


def test_files_of_heads_are_told_by_where_they_lie(command: Command, models: Path, demo_target: Path) -> None:
    without_heads(gguf_kit.load(demo_target)).write(models / "target.gguf")
    heads = only_heads(gguf_kit.load(demo_target))
    heads.write(models / "MTP" / "mtp-beside.gguf")
    heads.write(models / "elsewhere" / "mtp-away.gguf")
    text = command("pairs", "target")
    assert "fits  mtp-beside: It has the prediction heads of this model, and is loaded with it." in text
    assert "no    mtp-away: It has the prediction heads of this model. Put it beside the model" in text
    assert "no    mtp-beside: It has prediction heads; this model has its own." in command(
        "pairs", "outpace-demo-target-q8_0"
    )
