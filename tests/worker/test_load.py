"""What a load keeps, what it reads anew, and what is left when it fails."""

import os
import shutil
from pathlib import Path

import pytest

from app.protocol.messages import Load, Progress, Unload
from tests.helpers import gguf_kit
from tests.helpers.engine_process import Engine


def unload(engine: Engine) -> None:
    engine.send(Unload(id="unload"))
    engine.answer("unload")


def test_the_same_again_keeps_everything(process: Engine, demo_target: Path, demo_draft: Path) -> None:
    first = process.load(demo_target, demo_draft, context=512)
    again = process.load(demo_target, demo_draft, context=512)
    assert again.loaded.target_loaded_at == first.loaded.target_loaded_at
    assert [type(event).__name__ for event in again.events] == ["Loaded"]
    assert again.loaded.context == 512
    assert again.loaded.draft == first.loaded.draft


def test_progress_is_told_for_both_models(process: Engine, demo_target: Path, demo_draft: Path) -> None:
    unload(process)
    loaded = process.load(demo_target, demo_draft)
    told = [event for event in loaded.events if isinstance(event, Progress)]
    assert [event.stage for event in told] == sorted((event.stage for event in told), reverse=True)
    for stage in ("load_target", "load_draft"):
        done = [event.done for event in told if event.stage == stage]
        assert done == sorted(done)
        assert done[-1] == 1000
    assert {event.total for event in told} == {1000}


def test_another_draft_keeps_the_target(process: Engine, demo_target: Path, demo_draft: Path) -> None:
    first = process.load(demo_target, demo_draft).loaded
    alone = process.load(demo_target).loaded
    assert alone.draft is None
    assert alone.why_not["draft_model"] == "No draft model is loaded."
    itself = process.load(demo_target, demo_target).loaded
    assert itself.draft is not None
    assert itself.draft.path == str(demo_target)
    assert "draft_model" not in itself.why_not
    assert first.target_loaded_at == alone.target_loaded_at == itself.target_loaded_at


@pytest.mark.parametrize("changed", [{"context": 256}, {"threads": 1}, {"gpu_layers": 0}])
def test_another_setting_reads_anew(
    process: Engine, demo_target: Path, demo_draft: Path, changed: dict[str, int]
) -> None:
    first = process.load(demo_target, demo_draft, threads=2).loaded
    second = process.load(demo_target, demo_draft, **{"threads": 2, **changed}).loaded
    assert second.target_loaded_at > first.target_loaded_at
    assert second.draft is not None
    assert second.context == changed.get("context", 2048)
    assert second.threads == changed.get("threads", 2)
    assert process.generate("Hello", drafter="draft_model", max_tokens=2).tokens


def test_a_file_that_is_refused_leaves_what_was_there(
    process: Engine, demo_target: Path, demo_draft: Path, tmp_path: Path
) -> None:
    before = process.load(demo_target, demo_draft).loaded
    unknown = gguf_kit.load(demo_target)
    unknown.rename_architecture("wonderland")
    # Found out from the name, from the header, and by the native library.
    for path in (tmp_path / "missing.gguf", tmp_path, unknown.write(tmp_path / "unknown.gguf")):
        assert process.load(path).failed.sentence
        # Target and draft both serve on, without being loaded again.
        assert process.generate("Hello", drafter="draft_model", max_tokens=3).tokens
    assert process.load(demo_target, demo_draft).loaded.target_loaded_at == before.target_loaded_at


def test_a_draft_that_is_refused_leaves_the_one_that_was_there(
    process: Engine, demo_target: Path, demo_draft: Path, tmp_path: Path
) -> None:
    before = process.load(demo_target, demo_draft).loaded
    unknown = gguf_kit.load(demo_draft)
    unknown.rename_architecture("wonderland")
    for path in (tmp_path / "missing.gguf", unknown.write(tmp_path / "unknown.gguf")):
        assert process.load(demo_target, path, draft_required=True).failed.sentence
        assert process.generate("Hello", drafter="draft_model", max_tokens=3).tokens
    assert process.load(demo_target, demo_draft).loaded.target_loaded_at == before.target_loaded_at


def test_a_context_that_cannot_be_leaves_what_was_there(process: Engine, demo_target: Path, demo_draft: Path) -> None:
    before = process.load(demo_target, demo_draft).loaded
    assert process.load(demo_target, demo_draft, context=16_000_000).failed.code == "not_enough_memory"
    assert process.generate("Hello", drafter="draft_model", max_tokens=3).tokens
    assert process.load(demo_target, demo_draft).loaded.target_loaded_at == before.target_loaded_at


def test_nothing_is_left_after_an_unload(process: Engine, demo_target: Path, demo_draft: Path) -> None:
    before = process.load(demo_target, demo_draft).loaded
    unload(process)
    unload(process)
    assert process.generate("Hello").failed.code == "no_model"
    assert process.load(demo_target).loaded.target_loaded_at > before.target_loaded_at


def test_a_queue_of_loads_is_done_in_order(process: Engine, demo_target: Path, demo_draft: Path) -> None:
    process.send(
        Load(id="1", target=str(demo_target), context=256),
        Unload(id="2"),
        Load(id="3", target=str(demo_draft)),
        Load(id="4", target=str(demo_target), draft=str(demo_draft)),
    )
    assert process.answer("1").loaded.context == 256
    process.answer("2")
    assert process.answer("3").loaded.target.path == str(demo_draft)
    assert process.answer("4").loaded.draft is not None


def test_a_file_replaced_while_it_is_loaded_is_another_file(
    process: Engine, demo_target: Path, demo_draft: Path, tmp_path: Path
) -> None:
    path = tmp_path / "model.gguf"
    shutil.copy(demo_target, path)
    first = process.load(path).loaded
    shutil.copy(demo_draft, tmp_path / "next.gguf")
    os.replace(tmp_path / "next.gguf", path)  # noqa: PTH105 (what a download does)
    # The old model answers until the new one is asked for.
    assert process.generate("Hello", temperature=0.0, max_tokens=2).text == "Hello!"
    second = process.load(path).loaded
    assert second.target_loaded_at > first.target_loaded_at
    assert (first.target.parameters, second.target.parameters) == (7_852_544, 614_880)


@pytest.mark.skipif(os.name == "nt", reason="a file in use cannot be removed there")
def test_a_file_removed_while_it_is_loaded_goes_on_answering(
    process: Engine, demo_target: Path, tmp_path: Path
) -> None:
    path = tmp_path / "model.gguf"
    shutil.copy(demo_target, path)
    process.load(path)
    path.unlink()
    assert process.load(path).failed.sentence == f'There is no file "{path}".'
    assert process.generate("Hello", temperature=0.0, max_tokens=2).text == "Hello!"


@pytest.mark.parametrize("number", [1, 2, 3])
def test_any_part_of_a_split_model_loads_it(process: Engine, demo_target: Path, tmp_path: Path, number: int) -> None:
    parts = gguf_kit.load(demo_target).split(tmp_path, "demo", 3)
    loaded = process.load(parts[number - 1]).loaded
    assert loaded.target.path == str(parts[0])
    assert loaded.target.parameters == 7_852_544
    assert process.generate("Hello", temperature=0.0, max_tokens=2).text == "Hello!"
    assert process.load(parts[0]).loaded.target_loaded_at == loaded.target_loaded_at


@pytest.mark.skipif(os.name == "nt", reason="links need a privilege there")
def test_a_link_is_loaded_under_its_own_name(process: Engine, demo_target: Path, tmp_path: Path) -> None:
    link = tmp_path / "link.gguf"
    link.symlink_to(demo_target)
    assert process.load(link).loaded.target.path == str(link)
    assert process.generate("Hello", temperature=0.0, max_tokens=2).text == "Hello!"


NAMES = {
    "spaces": "my  model .gguf",
    "quotes": 'it\'s "the" model.gguf',
    "non-ASCII": "модель-模型-é-😀.gguf",
    "line breaks": "my\nmodel\r\t.gguf",
    "a percent sign": "100%s {0} $HOME `id`.gguf",
    "a leading dash": "-model.gguf",
    "no suffix": "model",
    "bytes that are no text": os.fsdecode(b"model-\xff\xfe.gguf"),
}


@pytest.mark.skipif(os.name == "nt", reason="most of these names are not possible there")
@pytest.mark.parametrize("name", NAMES.values(), ids=NAMES.keys())
def test_odd_names_are_only_names(
    process: Engine, demo_target: Path, demo_draft: Path, tmp_path: Path, name: str
) -> None:
    target, draft = tmp_path / name, tmp_path / f"draft of {name}"
    shutil.copy(demo_target, target)
    shutil.copy(demo_draft, draft)
    loaded = process.load(target, draft, draft_required=True).loaded
    assert loaded.target.path == str(target)
    assert loaded.draft is not None
    assert loaded.draft.path == str(draft)
    assert process.generate("Hello", drafter="draft_model", temperature=0.0, max_tokens=2).text == "Hello!"
    assert process.load(tmp_path / f"no {name}").failed.sentence == f'There is no file "{tmp_path / f"no {name}"}".'
