"""Draft models that do not fit: which rule, which token, both texts. An explicit choice is refused, another one not."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.helpers import gguf_kit
from tests.helpers.engine_process import Engine, cli
from tests.helpers.gguf_kit import Model

BOS, EOS = "tokenizer.ggml.bos_token_id", "tokenizer.ggml.eos_token_id"
ADD_BOS, ADD_EOS = "tokenizer.ggml.add_bos_token", "tokenizer.ggml.add_eos_token"

Change = Callable[[Model], object]


def begins(token: int) -> Change:
    def change(model: Model) -> None:
        model.flag(ADD_BOS, value=True)
        model.number(BOS, token)

    return change


def ends(token: int) -> Change:
    def change(model: Model) -> None:
        model.flag(ADD_EOS, value=True)
        model.number(EOS, token)

    return change


def says(token: int, text: bytes) -> Change:
    return lambda model: model.tokens.__setitem__(token, text)


def same(_model: Model) -> None:
    pass


RULES: dict[str, tuple[Change, Change, str]] = {
    # what is changed in the draft, what in the target, and what is said
    "another kind": (
        lambda model: model.text("tokenizer.ggml.model", "llama"),
        same,
        "It has another kind of vocabulary (SPM; the target has BPE).",
    ),
    "a begin token here only": (
        begins(0),
        same,
        "Only one of the two puts a begin token around texts: it does, the target does not.",
    ),
    "a begin token there only": (
        same,
        begins(0),
        "Only one of the two puts a begin token around texts: the target does, it does not.",
    ),
    "another begin token": (begins(0), begins(1), "Its begin token has the id 0, the target's 1."),
    "an end token here only": (
        ends(2),
        same,
        "Only one of the two puts a end token around texts: it does, the target does not.",
    ),
    "another end token": (ends(2), ends(1), "Its end token has the id 2, the target's 1."),
    "too many tokens": (
        lambda model: model.longer_by(129),
        same,
        "Its vocabulary has 4,225 tokens, the target's 4,096: 129 apart, 128 are allowed.",
    ),
    "too few tokens": (
        same,
        lambda model: model.longer_by(1000),
        "Its vocabulary has 4,096 tokens, the target's 5,096: 1,000 apart, 128 are allowed.",
    ),
    "another text": (
        says(1234, b"zebra"),
        says(1234, b"horse"),
        "Token 1,234 differs: “zebra” here, “horse” in the target.",
    ),
    "the first other text": (
        lambda model: (says(5, b"the fifth")(model), says(4095, b"the last")(model)),
        says(5, b"f\xfcnf"),
        "Token 5 differs: “the fifth” here, “f�nf” in the target.",
    ),
    "another text with odd characters": (
        says(4000, b"a\nb\x07" + b"c" * 60),
        says(4000, "d‮e".encode()),
        "Token 4,000 differs: “a\\nb\\x07" + "c" * 35 + "…” here, “d\\u202ee” in the target.",
    ),
}


def made(source: Path, change: Change, path: Path) -> Path:
    if change is same:
        return source
    model = gguf_kit.load(source)
    change(model)
    return model.write(path)


@pytest.mark.parametrize(("of_draft", "of_target", "rule"), RULES.values(), ids=RULES.keys())
def test_a_draft_that_does_not_fit(
    process: Engine,
    demo_target: Path,
    demo_draft: Path,
    tmp_path: Path,
    of_draft: Change,
    of_target: Change,
    rule: str,
) -> None:
    target = made(demo_target, of_target, tmp_path / "the target.gguf")
    draft = made(demo_draft, of_draft, tmp_path / "the draft.gguf")
    sentence = f"{draft.name} cannot draft for {target.name}: {rule}"

    refused = process.load(target, draft, draft_required=True).failed
    assert (refused.code, refused.sentence) == ("incompatible_draft", sentence)
    assert refused.hint == "Choose a smaller model of the target's own family."

    alone = process.load(target, draft).loaded
    assert alone.draft is None
    assert alone.why_not["draft_model"].startswith(sentence)
    assert set(alone.why_not) == {"draft_model"}  # n-grams and the target's heads do without it

    explicit = process.generate("Hello", drafter="draft_model", max_tokens=3).failed
    assert explicit.code == "drafter_unavailable"
    assert explicit.sentence.startswith(f"The drafter you chose (draft model) cannot be used: {sentence}")

    quiet = process.generate("Hello", drafter="draft_model", explicit=False, max_tokens=3).finished
    assert quiet.stats.proposed == 0
    assert quiet.speculation.state == "unavailable"
    assert quiet.speculation.reason.startswith(sentence)

    mixed = process.generate("Hello", drafter="mixed", explicit=False, max_tokens=3).finished
    assert mixed.speculation.state != "unavailable"


def test_without_draft_and_heads_mixed_is_n_grams(process: Engine, demo_draft: Path) -> None:
    alone = process.load(demo_draft).loaded
    assert alone.why_not["mixed"] == alone.why_not["draft_model"] == "No draft model is loaded."
    mixed = process.generate("Hello", drafter="mixed", explicit=False, max_tokens=3).finished
    assert mixed.speculation.drafter == "ngram"


@pytest.mark.parametrize("change", [lambda model: model.longer_by(128), says(4, b"four")], ids=["128 more", "id 4"])
def test_differences_that_are_allowed(
    process: Engine, demo_target: Path, demo_draft: Path, tmp_path: Path, change: Change
) -> None:
    draft = made(demo_draft, change, tmp_path / "draft.gguf")
    loaded = process.load(demo_target, draft, draft_required=True).loaded
    assert loaded.draft is not None
    for temperature in (0.0, 0.8):
        asked = {"temperature": temperature, "fixed_shape": 5, "max_tokens": 60}
        drafted = process.generate("Count to ten.", drafter="draft_model", **asked)
        assert drafted.finished.stats.accepted > 0
        assert drafted.tokens == process.generate("Count to ten.", drafter="off", **asked).tokens


def test_the_target_may_have_more_tokens_than_its_draft(
    process: Engine, demo_target: Path, demo_draft: Path, tmp_path: Path
) -> None:
    target = made(demo_target, lambda model: model.longer_by(100), tmp_path / "target.gguf")
    process.load(target, demo_draft, draft_required=True)
    answer = process.generate("Hello", drafter="draft_model", temperature=0.0)
    assert answer.text == "Hello! How can I help you today?"


def test_the_command_line_refuses_it(demo_target: Path, demo_draft: Path, tmp_path: Path) -> None:
    draft = made(demo_draft, says(1234, b"zebra"), tmp_path / "draft.gguf")
    run = cli("generate", "--model", demo_target, "--draft", draft, "--prompt", "Hello")
    assert (run.code, run.out) == (1, "")
    assert run.err.startswith(
        f"outpace-cli: draft.gguf cannot draft for {demo_target.name}: Token 1,234 differs: “zebra” here, “"
    )


def test_a_drafter_without_its_model_is_refused(demo_target: Path, demo_draft: Path) -> None:
    run = cli("generate", "--model", demo_target, "--drafter", "draft_model", "--prompt", "Hello")
    assert (run.code, run.out) == (1, "")
    assert run.err == (
        "outpace-cli: The drafter you chose (draft model) cannot be used: No draft model is loaded. "
        "Choose another drafter, or switch speculation off.\n"
    )
    run = cli("generate", "--model", demo_draft, "--drafter", "heads", "--prompt", "Hello")
    assert run.code == 1
    assert "The drafter you chose (heads) cannot be used: This file has no prediction heads." in run.err


def test_a_draft_of_noise_changes_no_text(process: Engine, demo_target: Path, demo_draft: Path, tmp_path: Path) -> None:
    # Weights that compute no numbers: the draft fails in mid-answer, and the answer goes on without it (law 7).
    def spoil(model: Model) -> None:
        tensor = model.tensor("output_norm.weight")
        tensor.data = b"\xff" * len(tensor.data)

    asked = {"seed": 3, "fixed_shape": 5}
    expected = process.generate("Count to ten.", **asked)
    process.load(demo_target, made(demo_draft, spoil, tmp_path / "draft.gguf"), draft_required=True)
    answer = process.generate("Count to ten.", drafter="draft_model", **asked)
    assert answer.tokens == expected.tokens
    assert answer.finished.speculation.state == "unavailable"
    assert answer.finished.speculation.reason == "The model computed something that is not a number."
    assert set(answer.sources) <= {"target", "correction"}
