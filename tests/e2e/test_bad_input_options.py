"""Numbers that make no sense, from the command line and over the wire, and how the command line is used wrongly."""

from pathlib import Path

import pytest

from app.protocol.messages import Generate
from app.protocol.options import LimitOptions, SamplingOptions, SpeculationOptions
from tests.helpers.engine_process import Engine, cli

NOT_FINITE = "It must be a finite number."
SILLY = [
    # option, value, sentence, hint
    ("--temperature", "nan", "The temperature cannot be nan.", NOT_FINITE),
    ("--temperature", "inf", "The temperature cannot be inf.", NOT_FINITE),
    ("--temperature", "-0.1", "The temperature cannot be -0.1.", "It must be from 0 to 100."),
    ("--temperature", "1e999", "The temperature cannot be inf.", NOT_FINITE),
    ("--temperature", "100.5", "The temperature cannot be 100.5.", "It must be from 0 to 100."),
    ("--top-k", "-1", "The top k cannot be -1.", "It must be from 0 to 1,000,000."),
    ("--top-k", "1000001", "The top k cannot be 1000001.", "It must be from 0 to 1,000,000."),
    ("--top-p", "nan", "The top p cannot be nan.", NOT_FINITE),
    ("--top-p", "0", "The top p cannot be 0.0.", "It must be above 0 and at most 1."),
    ("--top-p", "1.1", "The top p cannot be 1.1.", "It must be above 0 and at most 1."),
    ("--min-p", "-inf", "The min p cannot be -inf.", NOT_FINITE),
    ("--min-p", "1.01", "The min p cannot be 1.01.", "It must be from 0 to 1."),
    ("--repeat-penalty", "0", "The repeat penalty cannot be 0.0.", "It must be above 0 and at most 100."),
    ("--repeat-penalty", "nan", "The repeat penalty cannot be nan.", NOT_FINITE),
    ("--presence-penalty", "-101", "The presence penalty cannot be -101.0.", "It must be from -100 to 100."),
    ("--presence-penalty", "inf", "The presence penalty cannot be inf.", NOT_FINITE),
    ("--frequency-penalty", "101", "The frequency penalty cannot be 101.0.", "It must be from -100 to 100."),
    ("--frequency-penalty", "nan", "The frequency penalty cannot be nan.", NOT_FINITE),
    ("--seed", "-1", "The seed cannot be -1.", "It must be from 0 to 4,294,967,295."),
    ("--seed", "4294967296", "The seed cannot be 4294967296.", "It must be from 0 to 4,294,967,295."),
    ("--lookahead", "0", "The lookahead cannot be 0.", "It must be from 1 to 32."),
    ("--lookahead", "33", "The lookahead cannot be 33.", "It must be from 1 to 32."),
    ("--min-confidence", "nan", "The min confidence cannot be nan.", "It must be a number."),
    ("--min-confidence", "1.5", "The min confidence cannot be 1.5.", "It must be from 0 to 1."),
    ("--max-tokens", "-1", "The max tokens cannot be -1.", "It must be from 0 to 10,000,000."),
    ("--fixed-shape", "34", "The fixed shape cannot be 34.", "It must be from 0 to 33."),
    ("--stop", "", "A stop text is empty.", "Remove it, or say which text ends the answer."),
]


@pytest.mark.parametrize(("option", "value", "sentence", "hint"), SILLY, ids=[f"{o[2:]} {v}" for o, v, _, _ in SILLY])
def test_a_silly_number(demo_target: Path, option: str, value: str, sentence: str, hint: str) -> None:
    run = cli("generate", "--model", demo_target, "--prompt", "Hello", f"{option}={value}")
    assert (run.code, run.out) == (2, "")
    assert run.err == f"outpace-cli: {sentence} {hint}\n"


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("--ctx", "-5"),
        ("--ctx", "17000000"),
        ("--threads", "-2"),
        ("--threads", "100000"),
        ("--gpu-layers", "-1"),
    ],
)
def test_a_silly_setting_of_the_model(demo_target: Path, option: str, value: str) -> None:
    run = cli("generate", "--model", demo_target, "--prompt", "Hello", f"{option}={value}")
    assert (run.code, run.out) == (2, "")
    assert run.err.startswith("outpace-cli: ")
    assert "not possible. Choose " in run.err
    assert run.err.count("\n") == 1


REQUESTS = {
    "temperature": Generate(id="silly", prompt="x", sampling=SamplingOptions(temperature=-1.0)),
    "top k": Generate(id="silly", prompt="x", sampling=SamplingOptions(top_k=-1)),
    "top p": Generate(id="silly", prompt="x", sampling=SamplingOptions(top_p=0.0)),
    "min p": Generate(id="silly", prompt="x", sampling=SamplingOptions(min_p=2.0)),
    "repeat penalty": Generate(id="silly", prompt="x", sampling=SamplingOptions(repeat_penalty=-1.0)),
    "presence penalty": Generate(id="silly", prompt="x", sampling=SamplingOptions(presence_penalty=1e300)),
    "frequency penalty": Generate(id="silly", prompt="x", sampling=SamplingOptions(frequency_penalty=-1e300)),
    "penalty window": Generate(id="silly", prompt="x", sampling=SamplingOptions(penalty_window=-1)),
    "seed": Generate(id="silly", prompt="x", sampling=SamplingOptions(seed=2**64)),
    "lookahead": Generate(id="silly", prompt="x", speculation=SpeculationOptions(drafter="ngram", lookahead=-3)),
    "min confidence": Generate(id="silly", prompt="x", speculation=SpeculationOptions(min_confidence=7.0)),
    "max tokens": Generate(id="silly", prompt="x", limits=LimitOptions(max_tokens=-1)),
    "fixed shape": Generate(id="silly", prompt="x", limits=LimitOptions(fixed_shape=100)),
}


@pytest.mark.parametrize(("name", "request_"), REQUESTS.items(), ids=REQUESTS.keys())
def test_the_engine_checks_too(process: Engine, name: str, request_: Generate) -> None:
    process.send(request_)
    failed = process.answer("silly").failed
    assert failed.code == "bad_option"
    assert failed.sentence.startswith(f"The {name} cannot be ")
    assert failed.hint.startswith("It must be ")


@pytest.mark.parametrize(
    "sampling",
    [
        SamplingOptions(temperature=1e-300),
        SamplingOptions(temperature=100.0, top_k=0, top_p=1.0, min_p=0.0),
        SamplingOptions(top_k=1),
        SamplingOptions(top_k=1_000_000),
        SamplingOptions(top_p=1e-300),
        SamplingOptions(min_p=1.0),
        SamplingOptions(repeat_penalty=1e-300),
        SamplingOptions(repeat_penalty=100.0, penalty_window=1_000_000),
        SamplingOptions(presence_penalty=100.0, frequency_penalty=100.0),
        SamplingOptions(presence_penalty=-100.0, frequency_penalty=-100.0, temperature=0.0),
        SamplingOptions(seed=0),
        SamplingOptions(seed=2**32 - 1),
    ],
    ids=repr,
)
def test_numbers_at_the_edge_of_sense(process: Engine, sampling: SamplingOptions) -> None:
    limits = LimitOptions(max_tokens=40, fixed_shape=5)
    texts = []
    for drafter in ("off", "mixed"):
        speculation = SpeculationOptions(drafter=drafter, lookahead=4)
        process.send(Generate(id="edge", prompt="1, 2, 3, ", sampling=sampling, limits=limits, speculation=speculation))
        answer = process.answer("edge")
        if sampling.seed is not None:
            assert answer.finished.seed == sampling.seed
        texts.append(answer.text)
    if sampling.seed is not None or sampling.temperature == 0.0 or sampling.top_k == 1:
        assert texts[0] == texts[1]


def test_wrong_usage(demo_target: Path) -> None:
    model = ("generate", "--model", demo_target)
    for arguments, said in (
        ((), "the following arguments are required: COMMAND"),
        (("fly",), "invalid choice: 'fly'"),
        (("generate",), "the following arguments are required: --model"),
        (("inspect",), "the following arguments are required: FILE"),
        ((*model, "--prompt", "a", "--prompt-file", "b"), "not allowed with argument --prompt"),
        ((*model, "--temperature", "warm"), "argument --temperature: invalid float value: 'warm'"),
        ((*model, "--seed", "1.5"), "argument --seed: invalid int value: '1.5'"),
        ((*model, "--drafter", "magic"), "argument --drafter: invalid choice: 'magic'"),
        ((*model, "--lookahead", "many"), 'argument --lookahead: "many" is neither a number nor "auto"'),
        ((*model, "--gpu-layers", "all"), 'argument --gpu-layers: "all" is neither a number nor "auto"'),
        ((*model, "--unknown"), "unrecognized arguments: --unknown"),
    ):
        run = cli(*arguments)
        assert (run.code, run.out) == (2, "")
        assert said in run.err


def test_help_and_version() -> None:
    assert cli("--help").code == cli("generate", "--help").code == 0
    assert cli("--version").out.startswith("outpace ")
