"""Pairs of the catalogue whose target drafts by heads of its own."""

from pathlib import Path

import pytest

from app.bridge.item_models.catalogue import CatalogueModel
from app.core import paths
from app.hub.catalogue import Pair, load, resolve, suggest
from app.hub.library import Library, inspect
from app.hub.memory_plan import Budget
from app.hub.model_file import ModelFile, Role
from app.hub.remote import Listing, RemoteFile
from app.ui.models_page import words
from tests.helpers import gguf_kit
from tests.helpers.head_kit import only_heads, without_heads

PAIRS = {pair.id: pair for pair in load(paths.resources() / "catalogue.toml")}
OF_HEADS = [pair for pair in PAIRS.values() if pair.drafter == "heads"]


def here(path: str, role: Role) -> ModelFile:
    return ModelFile(path=Path(path), parts=(Path(path),), size_bytes=1, source="models", role=role)


def row_of(pair: Pair, *models: ModelFile):
    rows = CatalogueModel()
    rows.show_suggestions(suggest([pair], Budget(64 << 30)))
    rows.show_library(Library(models, ()))
    row = rows.find(pair.id)
    assert row is not None
    return row


@pytest.mark.parametrize("pair", OF_HEADS, ids=lambda pair: pair.id)
def test_they_say_so(qapp, pair: Pair) -> None:
    assert row_of(pair).title == f"{pair.title} + prediction heads"
    assert row_of(pair).size == pair.size
    assert not suggest([pair], Budget(64 << 30))[0].recommended


def test_heads_in_the_target_need_no_second_file(qapp) -> None:
    pair = PAIRS["qwen3.5-4b-mtp"]
    row = row_of(pair, here("/models/Qwen3.5-4B-Q4_K_M.gguf", "chat"))
    assert row.here is not None
    assert (row.here.target, row.here.draft) == ("/models/Qwen3.5-4B-Q4_K_M.gguf", "")


def test_heads_in_a_file_of_their_own_are_downloaded_with_their_target(qapp) -> None:
    pair = PAIRS["qwen3.8-27b-mtp"]
    target = here("/models/Qwen3.8-27B-UD-Q4_K_M.gguf", "chat")
    heads = here("/models/MTP/mtp-Qwen3.8-27B-Q4_0.gguf", "drafter")
    assert row_of(pair, target).here is None
    assert len(row_of(pair, target).parts) == 2
    row = row_of(pair, target, heads)
    assert row.here is not None
    # They are no draft model: the engine finds them beside the target.
    assert (row.here.target, row.here.draft) == (str(target.path), "")
    part = pair.draft[0]
    files = (RemoteFile(name=part.file, size=part.size, sha256=""), RemoteFile(name="x-Q4_0.gguf", size=1, sha256=""))
    found = resolve(part.wanted, Listing(repo=part.repo, revision="a" * 40, gated=False, licence="", files=files))
    assert [file.name for file in found.files] == [part.file]


def test_what_a_file_of_heads_does_is_told_by_where_it_lies(demo_target: Path, tmp_path: Path) -> None:
    target = without_heads(gguf_kit.load(demo_target)).write(tmp_path / "target.gguf")
    side = only_heads(gguf_kit.load(demo_target))
    beside, away = side.write(tmp_path / "MTP" / "mtp-target.gguf"), side.write(tmp_path / "else" / "mtp-target.gguf")
    alone, whole = inspect(target), inspect(demo_target)
    assert words.attachment(inspect(beside), alone) == "Prediction heads of the model above, loaded with it."
    assert "Put the file beside it" in words.attachment(inspect(away), alone)
    assert "has its own" in words.attachment(inspect(beside), whole)
    other = gguf_kit.tiny("eagle3").write(tmp_path / "eagle.gguf")
    assert "cannot use" in words.attachment(inspect(other), alone)
