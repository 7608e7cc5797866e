"""Where the prediction heads of a target may be, what is said where they are not, and that loading them is a choice."""

from collections.abc import Callable
from pathlib import Path

import pytest

from app.core.gguf import describe, read_header
from app.engine.backends import loading
from app.engine.backends.head_files import find_heads
from tests.helpers import gguf_kit, hybrid_kit
from tests.helpers.engine import LocalEngine, Reply
from tests.helpers.gguf_kit import Model
from tests.helpers.head_kit import only_heads, without_heads

PROMPT = '[{"id": 1, "tags": ["a", "b"]}, {"id": 2, "tags": ["a", "b"]}, {"id": 3,'
NONE = "This file has no prediction heads. Some models of its kind were made with them. The MTP version"
MADE_WITHOUT = "This file was made without its prediction heads. The MTP version of the model has them"


@pytest.fixture(params=["demo", "qwen35"])
def whole(request: pytest.FixtureRequest, demo_target: Path, tiny: dict[str, Path]) -> Path:
    return demo_target if request.param == "demo" else tiny["qwen35"]


def split(whole: Path, folder: Path, side: str = "mtp-heads.gguf") -> tuple[Path, Path]:
    """The target without its heads, and the heads."""
    target = without_heads(gguf_kit.load(whole)).write(folder / "target.gguf")
    return target, only_heads(gguf_kit.load(whole)).write(folder / side)


def ask(engine: LocalEngine, drafter: str = "heads") -> Reply:
    return engine.ask(PROMPT, drafter, 3, max_tokens=40, fixed_shape=4)  # type: ignore[arg-type]  # names in tests


def test_heads_beside_the_target_draft_as_those_inside(whole: Path, tmp_path: Path) -> None:
    target, side = split(whole, tmp_path)
    with LocalEngine(whole) as inside, LocalEngine(target) as beside:
        assert beside.loaded.why_not == inside.loaded.why_not
        assert beside.loaded.target.heads == inside.loaded.target.heads == 1
        assert beside.loaded.target.heads_bytes == inside.loaded.target.heads_bytes > 0
        right, answer = ask(inside), ask(beside)
        assert answer.tokens == right.tokens == ask(beside, "off").tokens
        assert (answer.stats.verified, answer.stats.accepted) == (right.stats.verified, right.stats.accepted)
        assert answer.stats.accepted > 0
    assert describe(read_header(side)).nextn == 1


def test_heads_from_anywhere(whole: Path, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere é"
    elsewhere.mkdir()
    target, side = split(whole, tmp_path, side="elsewhere é/the heads.gguf")
    with LocalEngine(target) as engine:
        assert engine.loaded.why_not["heads"].startswith(NONE)
        assert ask(engine, "off").tokens
        assert "heads" not in engine.load(target, context=1024, threads=1, heads=str(side)).why_not
        assert ask(engine).stats.accepted > 0
        # Without asking for them they are gone again.
        assert "heads" in engine.load(target, context=1024, threads=1).why_not


def test_heads_that_come_later_are_found_by_the_next_load(whole: Path, tmp_path: Path) -> None:
    target, side = split(whole, tmp_path, side="later")
    with LocalEngine(target) as engine:
        assert "heads" in engine.loaded.why_not
        side.rename(tmp_path / "mtp-later.gguf")
        assert "heads" not in engine.load(target, context=1024, threads=1).why_not
        assert ask(engine).stats.accepted > 0


def test_of_several_files_that_with_the_name_of_the_target_is_taken(demo_target: Path, tmp_path: Path) -> None:
    (tmp_path / "MTP").mkdir()
    target = without_heads(gguf_kit.load(demo_target)).write(tmp_path / "Demo-3.8-27B-Q4_K_M.gguf")
    heads = only_heads(gguf_kit.load(demo_target))
    heads.write(tmp_path / "mtp-Demo-3.6-27B-Q8_0.gguf")
    right = heads.write(tmp_path / "MTP" / "mtp-Demo-3.8-27B-Q4_0.gguf")
    found = find_heads(describe(read_header(target)), "auto")
    assert found.side is not None
    assert found.side.path == right


def test_heads_that_do_not_fit_leave_the_target_usable(
    demo_target: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target, _ = split(demo_target, tmp_path)
    monkeypatch.setattr(loading, "heads_bytes", lambda _facts, _context: 1 << 60)
    with LocalEngine(target) as engine:
        assert "The prediction heads in mtp-heads.gguf need about" in engine.loaded.why_not["heads"]
        assert ask(engine, "off").tokens


def test_loading_them_is_a_choice(demo_target: Path) -> None:
    with LocalEngine(demo_target) as engine:
        right, first = ask(engine, "off"), engine.loaded
        assert first.target.heads_bytes > 900_000, "0.9 million parameters of 8.5 bits"
        without = engine.load(demo_target, context=1024, threads=1, heads="off")
        assert without.target_loaded_at > first.target_loaded_at
        assert without.target.heads == 1
        assert without.target.heads_bytes == 0
        assert without.target.memory_bytes == first.target.memory_bytes - first.target.heads_bytes
        reason = "The prediction heads were not loaded. The model's settings can change that."
        assert without.why_not["heads"] == reason
        assert ask(engine, "off").tokens == right.tokens
        assert "heads" not in engine.load(demo_target, context=1024, threads=1).why_not
        assert ask(engine).tokens == right.tokens


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (lambda model: model.rename_architecture("glm5-next"), "were made for another model"),
        (lambda model: model.longer_by(64), "were made for another model"),
        (lambda model: without_heads(model, declared=True), "is no file of prediction heads"),
        (lambda model: model.number("mimo2.nextn_predict_layers", 0), "is no file of prediction heads"),
    ],
    ids=["architecture", "vocabulary", "no heads", "none declared"],
)
def test_a_file_of_other_heads_is_refused_with_the_reason(
    demo_target: Path, tmp_path: Path, change: Callable[[Model], object], sentence: str
) -> None:
    target, side = split(demo_target, tmp_path, side="side.gguf")
    model = gguf_kit.load(side)
    change(model)
    model.write(side)
    with LocalEngine(target) as engine:
        loaded = engine.load(target, context=1024, threads=1, heads=str(side))
        assert sentence in loaded.why_not["heads"]
        assert ask(engine, "off").tokens


@pytest.mark.parametrize("path", ["/no/such/file.gguf", "", "\0"])
def test_a_file_that_is_not_there(demo_target: Path, path: str) -> None:
    with LocalEngine(demo_target) as engine:
        loaded = engine.load(demo_target, context=1024, threads=1, heads=path or "nowhere.gguf")
        assert loaded.why_not["heads"]


@pytest.mark.parametrize("damage", [lambda data: data[:2_000_000], lambda data: b"GGUF" + bytes(100), lambda data: b""])
def test_a_damaged_file_beside_the_target_is_passed_over(
    demo_target: Path, tmp_path: Path, damage: Callable[[bytes], bytes]
) -> None:
    target, side = split(demo_target, tmp_path)
    side.write_bytes(damage(side.read_bytes()))
    with LocalEngine(target) as engine:
        assert engine.loaded.why_not["heads"].startswith(NONE)
        assert ask(engine, "off").tokens


def test_why_a_file_with_its_name_is_not_used_is_told(demo_target: Path, tmp_path: Path) -> None:
    target = without_heads(gguf_kit.load(demo_target)).write(tmp_path / "Demo-Q8_0.gguf")
    other = only_heads(gguf_kit.load(demo_target))
    other.rename_architecture("glm4moe")
    other.write(tmp_path / "mtp-Demo-Q8_0.gguf")
    facts = describe(read_header(target))
    assert find_heads(facts, "auto").problem == (
        "The prediction heads in mtp-Demo-Q8_0.gguf were made for another model."
    )
    # A file with another name is of no concern here.
    (tmp_path / "mtp-Demo-Q8_0.gguf").rename(tmp_path / "mtp-Quite-another-one.gguf")
    assert find_heads(facts, "auto").problem.startswith(NONE)


def test_a_target_that_says_it_has_heads_and_has_none(demo_target: Path, tmp_path: Path) -> None:
    """llama.cpp ends the process when it is asked for them."""
    target = without_heads(gguf_kit.load(demo_target), declared=True).write(tmp_path / "target.gguf")
    with LocalEngine(target) as engine:
        assert engine.loaded.why_not["heads"].startswith(MADE_WITHOUT)
        right = ask(engine, "off").tokens
        only_heads(gguf_kit.load(demo_target)).write(tmp_path / "mtp-demo.gguf")
        assert "heads" not in engine.load(target, context=1024, threads=1).why_not
        answer = ask(engine)
        assert answer.tokens == right
        assert answer.stats.accepted > 0


def test_an_architecture_without_a_head_graph_is_named(demo_draft: Path, tmp_path: Path) -> None:
    """llama.cpp gives no context for these; asking it would be harmless, other cases are not."""
    model = gguf_kit.load(demo_draft)
    blocks = model.facts["llama.block_count"].value
    model.number("llama.nextn_predict_layers", 1)
    model.facts["llama.block_count"].value += 1
    joins = gguf_kit.zeros(f"blk.{blocks}.nextn.eh_proj.weight", (64, 64))
    model.tensors.append(joins)
    facts = describe(read_header(model.write(tmp_path / "llama.gguf")))
    assert find_heads(facts, "auto").problem == "The engine cannot use the prediction heads of llama models."


def test_a_part_of_the_heads_is_none(tiny: dict[str, Path], tmp_path: Path) -> None:
    model = gguf_kit.load(tiny["hy_v3"])
    last = model.facts["hy_v3.block_count"].value - 1
    model.tensors = [tensor for tensor in model.tensors if not tensor.name.startswith(f"blk.{last}.")]
    facts = describe(read_header(model.write(tmp_path / "some.gguf")))
    assert find_heads(facts, "auto").problem == "Only 2 of the 3 prediction heads are in this file."


def test_a_chain_of_the_same_head_drafts_what_the_one_does(demo_target: Path, tmp_path: Path) -> None:
    chain = hybrid_kit.repeat_head(gguf_kit.load(demo_target), 3).write(tmp_path / "chain.gguf")
    with LocalEngine(demo_target) as one, LocalEngine(chain) as three:
        assert three.loaded.target.heads == 3
        for lookahead in (1, 2, 3):
            right = one.ask(PROMPT, "heads", lookahead, max_tokens=60, fixed_shape=9)
            answer = three.ask(PROMPT, "heads", lookahead, max_tokens=60, fixed_shape=9)
            assert answer.tokens == right.tokens
            assert (answer.stats.verified, answer.stats.accepted) == (right.stats.verified, right.stats.accepted)
        # A chain drafts no more tokens than it has heads, whatever is asked for.
        longer = three.ask(PROMPT, "heads", 8, max_tokens=60, fixed_shape=9)
        assert longer.stats.verified_by_position == answer.stats.verified_by_position
        assert longer.tokens == answer.tokens
