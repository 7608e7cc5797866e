"""Verdicts on the variants of the demo pair: each with its rule and its words."""

from collections.abc import Callable
from pathlib import Path

import pytest

from app.core.pairing import Vocabulary
from app.hub.library import inspect, vocabulary_of
from app.hub.model_file import ModelFile
from app.hub.pairing import Verdict, judge_all, ratio_in_words
from tests.helpers import gguf_kit
from tests.helpers.gguf_kit import Model

PLAIN = "Draft ü 草稿.gguf"


def verdict_on(target: Path, draft: Path) -> Verdict:
    (verdict,) = judge_all(inspect(target), [inspect(draft)], vocabulary_of)
    return verdict


def changed(demo_draft: Path, folder: Path, change: Callable[[Model], None]) -> Path:
    model = gguf_kit.load(demo_draft)
    change(model)
    return model.write(folder / "with space é" / PLAIN)


def _text_at(token: int) -> Callable[[Model], None]:
    def change(model: Model) -> None:
        model.tokens[token] = b"changed\n"

    return change


def _spm(model: Model) -> None:
    model.text("tokenizer.ggml.model", "llama")
    model.list_of("tokenizer.ggml.scores", [0.0] * len(model.tokens), 6)


def _bos_on(model: Model) -> None:
    model.flag("tokenizer.ggml.add_bos_token", value=True)


def _eos_on(model: Model) -> None:
    model.flag("tokenizer.ggml.add_eos_token", value=True)


def test_the_demo_pair_fits(demo_target: Path, demo_draft: Path) -> None:
    verdict = verdict_on(demo_target, demo_draft)
    assert verdict.fits
    assert verdict.sentence == "It is about 1/13 of the target: in the sweet spot."


def test_one_text_changed_at_300(tmp_path: Path, demo_target: Path, demo_draft: Path) -> None:
    original = gguf_kit.load(demo_draft).tokens[300].decode()
    verdict = verdict_on(demo_target, changed(demo_draft, tmp_path, _text_at(300)))
    assert (verdict.code, verdict.token, verdict.fits) == ("text", 300, False)
    assert "Token 300" in verdict.sentence
    assert original in verdict.sentence
    assert r"changed\n" in verdict.sentence


def test_one_text_changed_below_the_compared_ids_is_fine(tmp_path: Path, demo_target: Path, demo_draft: Path) -> None:
    assert verdict_on(demo_target, changed(demo_draft, tmp_path, _text_at(2))).fits


def test_sixty_four_tokens_more_fit_and_two_hundred_do_not(tmp_path: Path, demo_target: Path, demo_draft: Path) -> None:
    assert verdict_on(demo_target, changed(demo_draft, tmp_path, lambda model: model.longer_by(64))).fits
    verdict = verdict_on(demo_target, changed(demo_draft, tmp_path, lambda model: model.longer_by(200)))
    assert verdict.code == "size"
    for number in ("4,296", "4,096", "200", "128"):
        assert number in verdict.sentence


@pytest.mark.parametrize(
    ("change", "code", "word"), [(_spm, "type", "SPM"), (_bos_on, "bos", "begin"), (_eos_on, "eos", "end")]
)
def test_other_rules(
    tmp_path: Path, demo_target: Path, demo_draft: Path, change: Callable[[Model], None], code: str, word: str
) -> None:
    verdict = verdict_on(demo_target, changed(demo_draft, tmp_path, change))
    assert verdict.code == code
    assert word in verdict.sentence


def test_a_draft_larger_than_the_target(demo_target: Path, demo_draft: Path) -> None:
    verdict = verdict_on(demo_draft, demo_target)
    assert verdict.code == "larger"
    assert "larger than the target (13 times)" in verdict.sentence


def test_a_copy_of_the_target_is_as_large(tmp_path: Path, demo_target: Path) -> None:
    copy = gguf_kit.load(demo_target).write(tmp_path / "copy.gguf")
    assert "as large as the target" in verdict_on(demo_target, copy).sentence


def test_a_draft_that_cannot_forget(tmp_path: Path, demo_target: Path, demo_draft: Path) -> None:
    def recurrent(model: Model) -> None:
        model.rename_architecture("lfm2")

    assert verdict_on(demo_target, changed(demo_draft, tmp_path, recurrent)).code == "cannot_forget"


def test_broken_files_drafters_and_the_target_itself_are_no_candidates(
    tmp_path: Path, demo_target: Path, demo_draft: Path
) -> None:
    data = demo_draft.read_bytes()
    (tmp_path / "cut.gguf").write_bytes(data[: len(data) * 6 // 10])
    assistant = changed(demo_draft, tmp_path, lambda model: model.rename_architecture("llama-assistant"))
    models = [inspect(path) for path in (demo_target, tmp_path / "cut.gguf", assistant, demo_draft)]
    assert [model.role for model in models] == ["chat", "broken", "drafter", "chat"]
    assert [v.model.path for v in judge_all(models[0], models, vocabulary_of)] == [demo_draft]


def test_vocabularies_are_read_only_when_the_facts_leave_a_doubt(
    tmp_path: Path, demo_target: Path, demo_draft: Path
) -> None:
    target = inspect(demo_target)
    drafts = [inspect(demo_draft)]
    for number, change in enumerate((_spm, _bos_on, _text_at(300), _text_at(2))):
        drafts.append(inspect(changed(demo_draft, tmp_path / str(number), change)))
    asked: list[ModelFile] = []

    def read(model: ModelFile) -> Vocabulary:
        asked.append(model)
        return vocabulary_of(model)

    judge_all(target, drafts, read)
    assert asked.count(target) == 1
    assert [model for model in asked if model != target] == drafts[3:]


@pytest.fixture
def sized(tmp_path: Path) -> Callable[..., ModelFile]:
    """Makes models of a given width, hence size, all with one vocabulary."""

    def make(name: str, width: int, architecture: str = "llama") -> ModelFile:
        return inspect(gguf_kit.tiny(architecture, width=width).write(tmp_path / f"{name}.gguf"))

    return make


def test_order_and_hints(sized: Callable[..., ModelFile]) -> None:
    target = sized("target", 2048)
    models = {
        "near": sized("near", 480),
        "other": sized("other", 480, "qwen2"),
        "big": sized("big", 1536),
        "dust": sized("dust", 32),
        "measured": sized("measured", 1344),
        "slower": sized("slower", 512),
        "larger": sized("larger", 2560),
    }
    gains = {models["measured"].path: 1.4, models["slower"].path: 0.8}
    verdicts = judge_all(target, models.values(), vocabulary_of, gains)
    assert [v.model.name for v in verdicts] == ["measured", "near", "other", "big", "dust", "slower", "larger"]
    said = {v.model.name: v.sentence for v in verdicts}
    assert "sweet spot" in said["near"]
    assert "too big to pay" in said["big"]
    assert "less often right" in said["dust"]
    assert said["measured"].startswith("Measured here: 1.40 times as fast")
    assert said["slower"].startswith("Measured here: 0.80 times as fast")


@pytest.mark.parametrize(
    ("ratio", "words"),
    [
        (0.9, "almost as large as the target"),
        (0.5, "about 1/2 of the target"),
        (0.07, "about 1/14 of the target"),
        (0.0004, "about 1/2,500 of the target"),
        (0.0, "of unknown size"),
    ],
)
def test_ratio_in_words(ratio: float, words: str) -> None:
    assert ratio_in_words(ratio) == words
