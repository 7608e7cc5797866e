"""The shipped catalogue: every entry is whole, resolves against a listing, and lands in the right group."""

from pathlib import Path

import pytest

from app.core import paths
from app.core.errors import EngineFault, UserError
from app.hub.address import parse
from app.hub.catalogue import Pair, Part, find, load, resolve, suggest
from app.hub.memory_plan import Budget
from app.hub.quantisation import label
from app.hub.remote import Listing, RemoteFile

GB = 10**9
PAIRS = load(paths.resources() / "catalogue.toml")
PARTS = {(part.repo, part.file): part for pair in PAIRS for part in (pair.target, *pair.draft)}
# Files these repositories have besides, as public sources name them.
OTHERS = {
    "bartowski/SmolLM2-1.7B-Instruct-GGUF": {
        "SmolLM2-1.7B-Instruct-Q4_K_L.gguf": 1_079_989_216,
        "SmolLM2-1.7B-Instruct-Q4_K_S.gguf": 999_117_792,
        "SmolLM2-1.7B-Instruct-Q5_K_L.gguf": 1_249_858_528,
    },
    "bartowski/SmolLM2-135M-Instruct-GGUF": {
        "SmolLM2-135M-Instruct-IQ3_M.gguf": 0,
        "SmolLM2-135M-Instruct-Q8_0.gguf": 0,
        "SmolLM2-135M-Instruct-f16.gguf": 0,
    },
    "Qwen/Qwen2.5-Coder-7B-Instruct-GGUF": {
        "qwen2.5-coder-7b-instruct-q8_0.gguf": 8_098_525_184,
        "qwen2.5-coder-7b-instruct-q4_k_m-00001-of-00002.gguf": 0,
        "qwen2.5-coder-7b-instruct-q4_k_m-00002-of-00002.gguf": 0,
    },
    "ggml-org/gemma-3-12b-it-GGUF": {"mmproj-model-f16.gguf": 854_200_224},
    "ggml-org/gpt-oss-20b-GGUF": {"eagle3-gpt-oss-20b-Q8_0.gguf": 937_560_064},
}


def listing(part: Part, **changes: int | None) -> Listing:
    files = {"README.md": 9000, part.file: part.size, **OTHERS.get(part.repo, {})}
    files.update({name: size for name, size in changes.items() if size is not None})
    return Listing(
        repo=part.repo,
        revision="a" * 40,
        gated=False,
        licence="",
        files=tuple(
            RemoteFile(name=name, size=size, sha256="")
            for name, size in files.items()
            if changes.get(name, 0) is not None
        ),
    )


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: pair.id)
def test_every_pair_is_whole(pair: Pair) -> None:
    assert pair.title
    assert pair.good_for
    assert pair.licence
    assert (pair.drafter == "draft_model") == (pair.draft != ()) or pair.drafter == "heads"
    for part in (pair.target, *pair.draft):
        assert parse(part.repo).repo == part.repo
        assert part.source.startswith(("pinned", "listed"))
        assert label(part.file) == part.quantisations[0]
    for draft in pair.draft:
        assert draft.size < pair.target.size / 2


def test_ids_are_unique_and_found() -> None:
    assert len({pair.id for pair in PAIRS}) == len(PAIRS) >= 12
    assert find(PAIRS, " QWEN3-8B ") is find(PAIRS, "Qwen3 8B") is not None
    assert find(PAIRS, "nothing") is None


@pytest.mark.parametrize("part", PARTS.values(), ids=lambda part: part.file)
def test_every_part_resolves(part: Part) -> None:
    found = resolve(part.wanted, listing(part))
    assert [file.name for file in found.files] == [part.file]
    assert found.size == part.size


def test_a_renamed_file_is_found_by_its_quantisation() -> None:
    part = next(part for part in PARTS.values() if part.repo == "Qwen/Qwen3-8B-GGUF")
    renamed = listing(part, **{part.file: None, "Qwen3-8B-v2-Q4_K_M.gguf": 5})
    assert resolve(part.wanted, renamed).name == "Qwen3-8B-v2-Q4_K_M.gguf"
    split = {f"Qwen3-8B-Q4_K_M-0000{number}-of-00002.gguf": 3 for number in (1, 2)}
    assert [file.size for file in resolve(part.wanted, listing(part, **{part.file: None, **split})).files] == [3, 3]


def test_the_next_best_quantisation_and_none_at_all() -> None:
    part = next(part for part in PARTS.values() if part.repo == "Qwen/Qwen3-8B-GGUF")
    assert (
        resolve(part.wanted, listing(part, **{part.file: None, "x-Q8_0.gguf": 5, "x-Q2_K.gguf": 1})).name
        == "x-Q8_0.gguf"
    )
    with pytest.raises(UserError, match="it has Q2_K"):
        resolve(part.wanted, listing(part, **{part.file: None, "x-Q2_K.gguf": 1}))
    with pytest.raises(UserError, match="no models at all"):
        resolve(part.wanted, listing(part, **{part.file: None}))


@pytest.mark.parametrize(
    ("ram", "vram", "best"),
    [
        (3, 0, "smollm2-1.7b"),
        (8, 0, "qwen3-8b"),
        (64, 0, "qwen3-8b"),
        (16, 8, "qwen3-8b"),
        (16, 12, "qwen3-14b"),
        (32, 24, "qwen3-32b"),
    ],
)
def test_what_is_recommended(ram: float, vram: float, best: str) -> None:
    suggestions = suggest(PAIRS, Budget(int(ram * GB), int(vram * GB)))
    assert len(suggestions) == len(PAIRS)
    assert [s.pair.id for s in suggestions if s.recommended] == [best]
    assert suggestions[0].recommended
    groups = [s.fit for s in suggestions[1:]]
    assert groups == sorted(groups, key=["accelerator", "memory", "too_large"].index)


def test_a_machine_for_none_of_them() -> None:
    suggestions = suggest(PAIRS, Budget(GB, 0))
    assert {s.fit for s in suggestions} == {"too_large"}
    assert not any(s.recommended for s in suggestions)


@pytest.mark.parametrize("text", ["", "pair = 7", "[[pair]]\nid = 'x'", "not toml", "\xff"])
def test_a_damaged_catalogue(tmp_path: Path, text: str) -> None:
    path = tmp_path / "catalogue.toml"
    path.write_bytes(text.encode("latin-1"))
    with pytest.raises(EngineFault, match="cannot be read"):
        load(path)
    with pytest.raises(EngineFault, match="cannot be read"):
        load(tmp_path / "missing.toml")
