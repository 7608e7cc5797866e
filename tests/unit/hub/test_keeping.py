"""Models from disk into the models folder, and out of it again."""

import os
from pathlib import Path

import pytest

from app.core.errors import AppError, UserError
from app.hub.control import Control, Stopped
from app.hub.keeping import add, remove
from app.hub.library import inspect
from tests.helpers import gguf_kit


@pytest.fixture
def models(tmp_path: Path) -> Path:
    return tmp_path / "Modelle é"


@pytest.fixture
def parts(tmp_path: Path, demo_draft: Path) -> list[Path]:
    return gguf_kit.load(demo_draft).split(tmp_path / "Downloads ü", "set", 3)


@pytest.mark.parametrize("how", ["link", "copy"])
def test_a_whole_set_is_added_whichever_part_is_dropped(models: Path, parts: list[Path], how: str) -> None:
    seen: list[tuple[int, int]] = []
    first = add(parts[1], models, how, Control(), lambda *now: seen.append(now), reserve=0)  # type: ignore[arg-type]
    assert first == models / parts[0].name
    total = sum(part.stat().st_size for part in parts)
    assert seen[-1] == (total, total)
    for part in parts:
        place = models / part.name
        assert place.is_symlink() == (how == "link")
        assert place.read_bytes() == part.read_bytes()
    assert inspect(first).role == "chat"
    assert sorted(path.name for path in models.iterdir()) == [part.name for part in parts]
    if how == "link":
        add(parts[0], models, "link", Control())  # once more is fine
    freed = remove(inspect(first, "models"), models)
    assert freed == (0 if how == "link" else total)
    assert list(models.iterdir()) == []
    assert all(part.exists() for part in parts)


def test_another_file_of_this_name_is_not_overwritten(models: Path, parts: list[Path]) -> None:
    models.mkdir()
    (models / parts[2].name).write_text("mine")
    with pytest.raises(UserError, match="already a file"):
        add(parts[0], models, "copy", Control())
    assert [path.name for path in models.iterdir()] == [parts[2].name]


def test_what_is_no_model_is_not_added(models: Path, tmp_path: Path) -> None:
    (tmp_path / "page.gguf").write_text("<html>")
    with pytest.raises(UserError, match="HTML page"):
        add(tmp_path / "page.gguf", models, "link", Control())
    assert not models.exists()


def test_a_stopped_copy_leaves_nothing(models: Path, parts: list[Path]) -> None:
    control = Control()

    def stop_in_the_second(done: int, _total: int) -> None:
        if done > parts[0].stat().st_size:
            control.stop()

    with pytest.raises(Stopped):
        add(parts[0], models, "copy", control, stop_in_the_second, reserve=0)
    assert list(models.iterdir()) == []


def test_no_room_for_a_copy(models: Path, parts: list[Path], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.hub.part_file.free_bytes", lambda _: 1000)
    with pytest.raises(AppError, match="disk is full"):
        add(parts[0], models, "copy", Control(), reserve=0)
    assert list(models.iterdir()) == []


def test_removing_a_downloaded_model_takes_its_empty_folders_along(models: Path, demo_draft: Path) -> None:
    path = gguf_kit.load(demo_draft).write(models / "org" / "repo" / "m.gguf")
    (models / "org" / "other").mkdir()
    size = path.stat().st_size
    assert remove(inspect(path, "models"), models) == size
    assert sorted(folder.name for folder in models.rglob("*")) == ["org", "other"]


@pytest.mark.parametrize("source", ["builtin", "huggingface", "lmstudio"])
def test_what_belongs_to_others_stays(models: Path, demo_draft: Path, source: str) -> None:
    path = gguf_kit.load(demo_draft).write(models / "m.gguf")
    with pytest.raises(UserError, match="left alone"):
        remove(inspect(path, source), models)  # type: ignore[arg-type]
    assert path.exists()


def test_removing_twice_and_without_permission(models: Path, demo_draft: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    model = inspect(gguf_kit.load(demo_draft).write(models / "m.gguf"), "models")
    real = Path.unlink

    def forbidden(path: Path, *, missing_ok: bool = False) -> None:
        if path == model.path:
            raise PermissionError(13, "Permission denied")
        real(path, missing_ok=missing_ok)

    with monkeypatch.context() as patched:
        patched.setattr(Path, "unlink", forbidden)
        with pytest.raises(AppError) as caught:
            remove(model, models)
        assert caught.value.code == "folder_read_only"
    remove(model, models)
    with pytest.raises(UserError, match="already gone"):
        remove(model, models)


@pytest.mark.skipif(os.name == "nt", reason="links need a privilege on Windows")
def test_hard_links_where_soft_ones_are_forbidden(
    models: Path, parts: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    def forbidden(*_args: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(Path, "symlink_to", forbidden)
    first = add(parts[0], models, "link", Control())
    assert first.samefile(parts[0])
    assert not first.is_symlink()
