"""Files that crash llama.cpp, looked at by real processes: they hurt neither who asks nor the engine that runs."""

import itertools
import os
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from app.core.errors import CancelledByUser
from app.core.gguf import describe, read_header
from app.core.pairing import facts_of, mismatch
from app.hub.vocabulary import read_vocabulary
from app.protocol.inspection import ENGINE_DIED, Inspection, inspect_files, inspect_heads
from app.protocol.inspection_store import InspectionStore
from tests.helpers import gguf_kit
from tests.helpers.engine_process import Engine
from tests.helpers.gguf_kit import Model
from tests.helpers.head_kit import only_heads, without_heads


def twice(model: Model) -> None:
    model.tokens[301] = model.tokens[300]


def experts(model: Model) -> None:
    model.number(f"{model.architecture}.expert_count", 4)
    model.number(f"{model.architecture}.expert_used_count", 9)


HOSTILE: dict[str, Callable[[Model], None]] = {"twice": twice, "experts": experts}
"""The first crashes llama.cpp in its vocabulary, the second behind it."""


def hostile(source: Path, folder: Path, name: str) -> Path:
    model = gguf_kit.load(source)
    HOSTILE[name](model)
    return model.write(folder / "böse Dateien 坏" / f"{name}.gguf")


def sleeper(folder: Path) -> tuple[str, ...]:
    """A program that says where it is and never answers."""
    script = folder / "sleeper.py"
    pid = f"pathlib.Path({str(folder / 'pid')!r}).write_text(str(os.getpid()))"
    script.write_text(f"import os, pathlib, time\n{pid}\ntime.sleep(600)\n")
    return (sys.executable, str(script))


def is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except OSError:
        return False
    return True


# --- what is told -----------------------------------------------------------------------------------------------------


def test_llama_cpp_agrees_with_the_header(demo_target: Path, demo_draft: Path, gemma: Path) -> None:
    found = inspect_files([demo_target, demo_draft, gemma])
    assert list(found) == [demo_target, demo_draft, gemma]
    for path, inspection in found.items():
        header = read_header(path)
        facts = describe(header)
        assert inspection.problem is None
        told = inspection.facts
        assert told is not None
        assert told.vocabulary == facts_of(read_vocabulary(header))
        assert (told.architecture, told.parameters) == (facts.architecture, facts.parameters)
        assert (told.context_trained, told.memory) == (facts.context_trained, facts.memory)
        assert told.has_template == facts.has_template


FAMILIES = ("qwen2", "llama-bpe", "llama-spm", "gemma-4", "phi-3", "gpt-2", "deepseek-llm", "command-r")
RELATED = {"llama-spm", "phi-3"}
"""Phi 3 took over the vocabulary of Llama 2."""


def vocabularies() -> dict[str, Path]:
    """Vocabularies of real families, where uv has built llama-cpp-python from its source on this machine."""
    cache = Path(os.environ.get("UV_CACHE_DIR") or Path.home() / ".cache" / "uv")
    found = cache.glob("sdists-v*/*/llama-cpp-python/*/*/src/vendor/llama.cpp/models/ggml-vocab-*.gguf")
    names = {path.stem.removeprefix("ggml-vocab-"): path for path in found}
    return {family: names[family] for family in FAMILIES if family in names}


def test_llama_cpp_agrees_about_vocabularies_of_real_families() -> None:
    files = vocabularies()
    if not files:
        pytest.skip("the source of llama-cpp-python is not in the cache of uv")
    found = inspect_files(list(files.values()))
    vocabularies_ = {}
    for family, path in files.items():
        told = found[path].facts
        assert told is not None, family
        vocabularies_[family] = read_vocabulary(read_header(path))
        assert told.vocabulary == facts_of(vocabularies_[family]), family
    for one, other in itertools.permutations(files, 2):
        problem = mismatch(vocabularies_[one], vocabularies_[other])
        if {one, other} == RELATED:
            assert problem is None
        else:
            assert problem is not None, (one, other)
            assert problem.sentence.endswith("."), (one, other)


def test_a_file_that_crashes_is_named_and_the_others_are_looked_at(
    tmp_path: Path, demo_target: Path, demo_draft: Path
) -> None:
    bad = [hostile(demo_draft, tmp_path, name) for name in HOSTILE]
    found = inspect_files([demo_target, bad[0], demo_draft, bad[1]])
    assert set(found) == {demo_target, demo_draft, *bad}
    assert found[demo_target].problem is None
    assert found[demo_draft].problem is None
    for path in bad:
        problem = found[path].problem
        assert problem is not None
        assert problem.code == ENGINE_DIED
        assert problem.sentence.startswith(f'The engine cannot read this file: "{path.name}" makes it crash (')
        assert problem.hint.endswith(".")
    assert found[bad[0]].facts is None
    told = found[bad[1]].facts
    assert told is not None
    assert told.vocabulary.size == 4096


def test_an_orderly_refusal_is_told_with_its_reason(tmp_path: Path, demo_draft: Path) -> None:
    model = gguf_kit.load(demo_draft)
    model.tensors.remove(model.tensor("blk.1.attn_q.weight"))
    path = model.write(tmp_path / "less.gguf")
    problem = inspect_files([path])[path].problem
    assert problem is not None
    assert problem.code == "load_refused"
    assert "'blk.1.attn_q.weight' not found" in problem.sentence


def test_without_an_engine_nothing_is_said_about_files(demo_draft: Path) -> None:
    assert inspect_files([demo_draft], command=(sys.executable, "-c", "raise SystemExit(1)")) == {}
    assert inspect_files([demo_draft], command=("no such program",)) == {}
    garbage = (sys.executable, "-c", "print('not a message')")
    assert inspect_files([demo_draft], command=garbage) == {}


def test_looking_can_be_given_up_and_leaves_no_process(tmp_path: Path, demo_draft: Path) -> None:
    pid_file = tmp_path / "pid"
    with pytest.raises(CancelledByUser):
        inspect_files([demo_draft], lambda: pid_file.exists() and pid_file.read_text() != "", sleeper(tmp_path))
    assert not is_alive(int(pid_file.read_text()))


# --- what is remembered -----------------------------------------------------------------------------------------------


class Counted:
    """Looks at files and counts how often."""

    def __init__(self) -> None:
        self.asked: list[Path] = []

    def __call__(self, files: object, cancelled: Callable[[], bool] = lambda: False) -> dict[Path, Inspection]:
        self.asked += files  # type: ignore[arg-type]
        return inspect_files(files, cancelled)  # type: ignore[arg-type]


def test_what_was_found_is_remembered_until_the_file_changes(
    tmp_path: Path, demo_draft: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache = tmp_path / "cache" / "inspected.json"
    good = gguf_kit.load(demo_draft).write(tmp_path / "gut ü.gguf")
    bad = hostile(demo_draft, tmp_path, "experts")
    ask = Counted()
    store = InspectionStore(cache, ask)
    assert store.known((good,)) is None
    first = store.look([(good,), (bad,)])
    other = InspectionStore(cache, ask)
    for path in (good, bad):
        known = other.known((path,))
        assert known is not None
        assert known.facts == first[path].facts
        assert str(known.problem) == str(first[path].problem)
    assert ask.asked == [good, bad]
    gguf_kit.load(demo_draft).write(bad)
    assert other.known((bad,)) is None
    assert other.look([(bad,)])[bad].problem is None
    known = store.known((bad,))  # the store that had the old one
    assert known is not None
    assert known.problem is None
    monkeypatch.setattr("app.protocol.inspection_store.__version__", "another")
    assert InspectionStore(cache, ask).known((good,)) is None


@pytest.mark.parametrize("content", [b"", b"[]", b"{}", b'{"version": 1}', b"\xff", b'{"files": {"x": 1}}'])
def test_a_damaged_memory_is_no_memory(tmp_path: Path, demo_draft: Path, content: bytes) -> None:
    cache = tmp_path / "inspected.json"
    cache.write_bytes(content)
    store = InspectionStore(cache)
    assert store.known((demo_draft,)) is None
    assert store.look([(demo_draft,)])[demo_draft].problem is None
    assert InspectionStore(cache).known((demo_draft,)) is not None


def test_a_memory_that_cannot_be_written_costs_time_only(tmp_path: Path, demo_draft: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    store = InspectionStore(tmp_path / "file" / "inspected.json")
    assert store.look([(demo_draft,)])[demo_draft].problem is None
    assert store.known((demo_draft,)) is not None
    assert store.look([(tmp_path / "gone.gguf",)]) == {}


def test_two_threads_share_a_memory(tmp_path: Path, demo_draft: Path, demo_target: Path) -> None:
    store = InspectionStore(tmp_path / "inspected.json")
    threads = [threading.Thread(target=store.look, args=([(path,)],)) for path in (demo_draft, demo_target)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    fresh = InspectionStore(tmp_path / "inspected.json")
    assert fresh.known((demo_draft,)) is not None
    assert fresh.known((demo_target,)) is not None


# --- the engine -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", HOSTILE)
def test_a_draft_that_would_crash_the_engine_leaves_the_target_alone(
    process: Engine, tmp_path: Path, demo_target: Path, demo_draft: Path, name: str
) -> None:
    before = process.load(demo_target, demo_draft).loaded
    bad = hostile(demo_draft, tmp_path, name)
    failed = process.load(demo_target, bad, draft_required=True).failed
    assert failed.code == ENGINE_DIED
    assert bad.name in failed.sentence
    alone = process.load(demo_target, bad).loaded
    assert alone.draft is None
    assert alone.why_not["draft_model"].startswith("The engine cannot read this file:")
    assert alone.target_loaded_at == before.target_loaded_at


@pytest.mark.parametrize("name", HOSTILE)
def test_a_target_that_would_crash_the_engine_is_refused_and_the_old_one_stays(
    process: Engine, tmp_path: Path, demo_target: Path, name: str
) -> None:
    before = process.load(demo_target).loaded
    assert process.load(hostile(demo_target, tmp_path, name)).failed.code == ENGINE_DIED
    assert process.load(demo_target).loaded.target_loaded_at == before.target_loaded_at


# --- prediction heads -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", HOSTILE)
def test_heads_that_would_crash_the_engine_leave_the_target_alone(
    process: Engine, tmp_path: Path, demo_target: Path, name: str
) -> None:
    target = without_heads(gguf_kit.load(demo_target)).write(tmp_path / "Köpfe 坏" / "target.gguf")
    heads = only_heads(gguf_kit.load(demo_target))
    HOSTILE[name](heads)
    bad = heads.write(target.parent / "mtp-target.gguf")
    loaded = process.load(target).loaded
    assert loaded.why_not["heads"] == (
        f"The prediction heads in {bad.name} are not loaded: they make the engine crash."
    )
    assert loaded.target.heads_bytes == 0
    # It is known now, and what is loaded stays.
    assert process.load(target).loaded.target_loaded_at == loaded.target_loaded_at
    only_heads(gguf_kit.load(demo_target)).write(bad)
    assert "heads" not in process.load(target).loaded.why_not


def test_heads_in_its_own_file_that_would_crash_the_engine_leave_the_target_alone(
    process: Engine, tmp_path: Path, demo_target: Path
) -> None:
    model = gguf_kit.load(demo_target)
    head = int(model.facts["mimo2.block_count"].value) - 1
    model.tensors.remove(model.tensor(f"blk.{head}.ffn_gate.weight"))
    bad = model.write(tmp_path / "half a head.gguf")
    loaded = process.load(bad).loaded
    assert loaded.why_not["heads"] == (
        "The prediction heads in half a head.gguf are not loaded: they make the engine crash."
    )
    assert process.generate("1 2 3", max_tokens=4).finished.stats.generated_tokens == 4


def test_heads_are_looked_at_once_for_each_target(tmp_path: Path, demo_target: Path) -> None:
    one, other = (
        without_heads(gguf_kit.load(demo_target)).write(tmp_path / name) for name in ("one.gguf", "other.gguf")
    )
    side = only_heads(gguf_kit.load(demo_target)).write(tmp_path / "mtp-one.gguf")
    asked: list[tuple[Path, Path]] = []

    def ask(file: Path, target: Path, cancelled: Callable[[], bool]) -> Inspection | None:
        asked.append((file, target))
        return inspect_heads(file, target, cancelled)

    for _ in range(2):
        store = InspectionStore(tmp_path / "cache" / "inspected.json", ask_heads=ask)
        for target in (one, other):
            found = store.heads(side, (target,))
            assert found is not None
            assert found.problem is None
    assert asked == [(side, one), (side, other)]
    # The file as a model is another question.
    assert store.known((side,)) is None
    assert store.heads(tmp_path / "gone.gguf", (one,)) is None
