"""What the scan finds, what it calls it, and what it remembers."""

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from app.core.errors import CancelledByUser
from app.hub import library as library_module
from app.hub.folders import Folder, found_elsewhere
from app.hub.library import Library, Scanner, inspect
from tests.helpers import gguf_kit


def scan(folder: Path, cache: Path | None = None) -> Library:
    return Scanner(cache).scan([Folder(folder, "models")])


@pytest.fixture
def models(tmp_path: Path) -> Path:
    folder = tmp_path / "Modèles 模型 x"
    folder.mkdir()
    return folder


def test_an_empty_and_a_missing_folder(models: Path) -> None:
    assert scan(models) == Library((), ())
    assert scan(models / "nowhere") == Library((), ())


def test_every_kind_of_file_gets_its_role(models: Path, demo_target: Path, demo_draft: Path) -> None:
    gguf_kit.load(demo_target).write(models / "repo" / "target.gguf")
    gguf_kit.load(demo_draft).split(models / "repo", "set", 3)
    data = demo_draft.read_bytes()
    (models / "cut.gguf").write_bytes(data[: len(data) * 6 // 10])
    (models / "page.gguf").write_bytes(b"<html>please sign in</html>")
    (models / "UPPER.GGUF").write_bytes(data)
    (models / "target.gguf.part").write_bytes(data)
    (models / "notes.txt").write_text("no model")
    gguf_kit.tiny("clip").write(models / "mmproj.gguf")
    gguf_kit.tiny("bert").write(models / "embed.gguf")
    assistant = gguf_kit.tiny("mimo2-assistant", tokens=4096)
    assistant.number("mimo2-assistant.embedding_length_out", 256)
    assistant.write(models / "mtp.gguf")
    library = scan(models)
    assert {model.name: model.role for model in library.models} == {
        "target": "chat",
        "set": "chat",
        "UPPER": "chat",
        "cut": "broken",
        "page": "broken",
        "mmproj": "other",
        "embed": "other",
        "mtp": "drafter",
    }
    assert {model.name for model in library.chat_models} == {"target", "set", "UPPER"}
    for model in library.models:
        assert (model.problem is None) == (model.role == "chat")
        assert model.problem is None or model.problem.sentence
    target = next(model for model in library.models if model.name == "target")
    assert [model.name for model in library.attachments_of(target)] == ["mtp"]
    other = next(model for model in library.models if model.name == "set")
    assert library.attachments_of(other) == ()


def test_a_split_set_is_one_entry_with_its_missing_part_named(models: Path, demo_draft: Path) -> None:
    parts = gguf_kit.load(demo_draft).split(models, "set", 3)
    (whole,) = scan(models).models
    assert whole.parts == tuple(parts)
    assert whole.size_bytes == sum(part.stat().st_size for part in parts)
    assert scan(models).find(parts[1]) == whole
    parts[0].unlink()
    (broken,) = scan(models).models
    assert broken.role == "broken"
    assert broken.problem is not None
    assert broken.problem.sentence == "Part 1 of 3 is missing: set-00001-of-00003.gguf"
    assert broken.name == "set"


def test_facts_are_remembered_until_the_file_changes(
    models: Path, tmp_path: Path, demo_draft: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = gguf_kit.load(demo_draft).write(models / "a.gguf")
    gguf_kit.load(demo_draft).split(models, "set", 2)
    gguf_kit.tiny("eagle3").write(models / "drafter.gguf")
    cache = tmp_path / "cache" / "library.json"
    first = scan(models, cache)
    read: list[Path] = []
    real = inspect

    def watched(path: Path, *rest: object) -> object:
        read.append(path)
        return real(path, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(library_module, "inspect", watched)
    again = scan(models, cache)
    assert read == []
    assert [repr(model) for model in again.models] == [repr(model) for model in first.models]
    changed = gguf_kit.load(demo_draft)
    changed.text("general.name", "renamed")
    changed.write(path)
    scanner = Scanner(cache)
    model = scanner.scan([Folder(models, "models")]).find(path)
    assert read == [path]
    assert model is not None
    assert model.facts is not None
    assert model.facts.name == "renamed"
    scanner.scan([Folder(models, "models")])
    assert read == [path]


@pytest.mark.parametrize(
    "damage",
    [
        lambda text: text[: len(text) // 2],
        lambda _: "[]",
        lambda _: '{"version": 1, "models": 7}',
        lambda _: '{"version": 99, "models": {}}',
        lambda text: text.replace('"parameters":', '"parameters_of_old":'),
        lambda text: text.replace('"memory":"attention"', '"memory":"telepathy"'),
        lambda text: text.replace('"vocabulary":{', '"vocabulary":null,"x":{'),
    ],
)
def test_a_damaged_cache_only_costs_time(
    models: Path, tmp_path: Path, demo_draft: Path, damage: Callable[[str], str]
) -> None:
    gguf_kit.load(demo_draft).write(models / "a.gguf")
    cache = tmp_path / "library.json"
    first = scan(models, cache)
    cache.write_text(damage(cache.read_text()))
    assert scan(models, cache) == first
    assert json.loads(cache.read_text())["models"]


def test_a_cache_that_cannot_be_written(models: Path, tmp_path: Path, demo_draft: Path) -> None:
    gguf_kit.load(demo_draft).write(models / "a.gguf")
    (tmp_path / "file").touch()
    assert len(scan(models, tmp_path / "file" / "library.json").models) == 1


def test_unreadable_folders_are_said_and_the_rest_is_listed(
    models: Path, demo_draft: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gguf_kit.load(demo_draft).write(models / "a.gguf")
    (models / "locked").mkdir()
    real = os.scandir

    def scandir(path: Path) -> object:
        if Path(path).name == "locked":
            raise PermissionError(13, "Permission denied")
        return real(path)

    monkeypatch.setattr(os, "scandir", scandir)
    library = scan(models)
    assert len(library.models) == 1
    assert library.problems == (f'The folder "{models / "locked"}" cannot be read: Permission denied.',)


@pytest.mark.skipif(os.name == "nt", reason="links need a privilege on Windows")
def test_links_and_loops(models: Path, tmp_path: Path, demo_draft: Path) -> None:
    real = gguf_kit.load(demo_draft).write(tmp_path / "elsewhere" / "a.gguf")
    (models / "loop").symlink_to(models)
    (models / "linked").symlink_to(tmp_path / "elsewhere")
    (models / "b.gguf").symlink_to(real)
    (models / "dead.gguf").symlink_to(tmp_path / "gone.gguf")
    library = scan(models)
    assert {(model.name, model.role) for model in library.models} == {("b", "chat"), ("dead", "broken")}


def test_the_same_file_in_two_folders_is_listed_once(models: Path, demo_draft: Path) -> None:
    gguf_kit.load(demo_draft).write(models / "sub" / "a.gguf")
    library = Scanner(None).scan([Folder(models / "sub", "models"), Folder(models, "added")])
    assert [(model.name, model.source) for model in library.models] == [("a", "models")]


def test_scanning_reports_and_can_be_cancelled(models: Path) -> None:
    for number in range(5):
        gguf_kit.tiny().write(models / f"{number}.gguf")
    seen: list[tuple[int, int]] = []
    Scanner(None).scan([Folder(models, "models")], report=lambda done, total: seen.append((done, total)))
    assert seen == [(number, 5) for number in range(6)]
    with pytest.raises(CancelledByUser):
        Scanner(None).scan([Folder(models, "models")], cancelled=lambda: True)


def test_the_hugging_face_cache(tmp_path: Path, demo_draft: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for variable in ("HF_HUB_CACHE", "HUGGINGFACE_HUB_CACHE", "HF_HOME", "XDG_CACHE_HOME"):
        monkeypatch.delenv(variable, raising=False)
    assert found_elsewhere(tmp_path) == ()
    repo = tmp_path / ".cache" / "huggingface" / "hub" / "models--org--name"
    (repo / "blobs").mkdir(parents=True)
    blob = gguf_kit.load(demo_draft).write(repo / "blobs" / "0123abcd")
    for commit in ("aaaa", "bbbb"):
        (repo / "snapshots" / commit).mkdir(parents=True)
        (repo / "snapshots" / commit / "model-Q8_0.gguf").symlink_to(blob)
    (folder,) = found_elsewhere(tmp_path)
    assert folder.source == "huggingface"
    (model,) = Scanner(None).scan([folder]).models
    assert (model.name, model.role) == ("model-Q8_0", "chat")
    monkeypatch.setenv("HF_HOME", str(tmp_path / "moved"))
    assert found_elsewhere(tmp_path) == ()
    (tmp_path / "moved" / "hub").mkdir(parents=True)
    assert [folder.path for folder in found_elsewhere(tmp_path)] == [tmp_path / "moved" / "hub"]


def test_the_folder_of_lm_studio(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "none"))
    (tmp_path / ".lmstudio" / "models").mkdir(parents=True)
    assert found_elsewhere(tmp_path) == (Folder(tmp_path / ".lmstudio" / "models", "lmstudio"),)
    (tmp_path / "other" / "models").mkdir(parents=True)
    (tmp_path / ".lmstudio-home-pointer").write_text(f"{tmp_path / 'other'}\n")
    assert [folder.path for folder in found_elsewhere(tmp_path)] == [
        tmp_path / "other" / "models",
        tmp_path / ".lmstudio" / "models",
    ]


def test_heads_in_a_file_of_their_own_belong_to_their_trunk(models: Path) -> None:
    trunk = gguf_kit.tiny("mimo2", layers=3)
    trunk.number("mimo2.nextn_predict_layers", 1)
    head = gguf_kit.tiny("mimo2", layers=3)
    head.number("mimo2.nextn_predict_layers", 1)
    head.tensors = [t for t in head.tensors if not t.name.startswith(("blk.0.", "blk.1."))]
    head.tensors.append(gguf_kit.zeros("blk.2.nextn.eh_proj.weight", (64, 32)))
    trunk.write(models / "trunk.gguf")
    head.write(models / "mtp-trunk.gguf")
    gguf_kit.tiny("mimo2", layers=4, width=64).write(models / "stranger.gguf")
    head.rename_architecture("glm4moe")
    head.write(models / "mtp-of-another-kind.gguf")
    library = scan(models)
    by_name = {model.name: model for model in library.models}
    assert by_name["mtp-trunk"].role == "drafter"
    assert library.attachments_of(by_name["trunk"]) == (by_name["mtp-trunk"],)
    assert by_name["mtp-of-another-kind"].role == "drafter"
    assert library.attachments_of(by_name["stranger"]) == ()


def eagle(models: Path, name: str, *, width: int = 64, tokens: int = 300, layers: tuple[int, ...] = (1, 2, 3)) -> None:
    drafter = gguf_kit.tiny("eagle3", tokens=tokens)
    drafter.number("eagle3.target_hidden_size", width)
    drafter.list_of("eagle3.target_layers", list(layers), 4)
    drafter.write(models / f"{name}.gguf")


def test_a_drafter_belongs_to_targets_whose_layers_rows_and_words_it_knows(models: Path) -> None:
    gguf_kit.tiny("llama", layers=4, width=64).write(models / "target.gguf")
    eagle(models, "made for it")
    eagle(models, "of other width", width=96)
    eagle(models, "of other words", tokens=310)
    eagle(models, "of a deeper one", layers=(1, 2, 7))
    dflash = gguf_kit.tiny("dflash", width=64)
    for key in [key for key in dflash.facts if key.startswith("tokenizer.")]:
        del dflash.facts[key]
    dflash.tensors = [tensor for tensor in dflash.tensors if tensor.name != "token_embd.weight"]
    dflash.write(models / "without words.gguf")
    library = scan(models)
    target = next(model for model in library.models if model.name == "target")
    assert [model.name for model in library.attachments_of(target)] == ["made for it", "without words"]
