"""Prompts that are too long, empty or odd, and bytes that are no text."""

import re
from pathlib import Path

import pytest

from app.protocol.messages import Generate, Turn
from app.protocol.options import LimitOptions
from tests.helpers.engine_process import DRAFTERS, Engine, cli, question

EMPTY = "There is nothing to answer: the prompt is empty."
LONGER = "Shorten it, start a new chat, or load the model with a longer context."


# --- too long -------------------------------------------------------------------------------------------------------


def test_a_prompt_that_is_longer_than_the_context(process: Engine, demo_target: Path, demo_draft: Path) -> None:
    process.load(demo_target, demo_draft, context=64)
    for drafter in DRAFTERS:
        failed = process.generate("1, " * 100, raw=True, drafter=drafter).failed
        assert (failed.code, failed.hint) == ("prompt_too_long", LONGER)
        assert re.fullmatch(r"The text has \d{3} tokens, but the context holds 64\.", failed.sentence)


def test_the_last_prompts_that_fit(process: Engine, demo_target: Path, demo_draft: Path) -> None:
    process.load(demo_target, demo_draft, context=64)
    for drafter in DRAFTERS:
        # One token a character, so that lengths can be chosen.
        assert process.generate("\u4e00" * 21, raw=True, drafter=drafter).finished.stats.prompt_tokens == 63
        answer = process.generate("a" + "\u4e00" * 21, raw=True, drafter=drafter)
        failed = answer.failed
        assert failed.sentence == "The text has 64 tokens, but the context holds 64."
        answer = process.generate("\u4e00" * 20 + "\u00e9", raw=True, drafter=drafter, temperature=0.0)
        stats = answer.finished.stats
        assert (answer.finished.reason, stats.prompt_tokens + stats.generated_tokens) == ("context_limit", 64)


@pytest.mark.parametrize(
    "text",
    ["a" * 300_000, "\n" * 600_000 + "a", " " * 900_000 + "a", "<|im_end|>" * 30_000, "word " * 200_000, "😀" * 80_000],
    ids=["one letter", "line breaks", "spaces", "control tokens", "words", "emoji"],
)
@pytest.mark.parametrize("raw", [True, False])
def test_texts_far_beyond_any_context_are_refused_at_once(process: Engine, text: str, raw: bool) -> None:
    request = question(text, raw=raw)
    process.send(request)
    # As a whole some of these take half a minute to tokenise, in native code that cannot be stopped.
    failed = process.answer(request.id, timeout=5).failed
    assert (failed.code, failed.hint) == ("prompt_too_long", LONGER)
    assert re.fullmatch(r"The text has (more than )?[\d,]+ tokens, but the context holds 2,048\.", failed.sentence)


def test_a_long_conversation_is_counted_as_a_whole(process: Engine) -> None:
    turns = tuple(Turn(role="user" if i % 2 == 0 else "assistant", content="word " * 500) for i in range(51))
    process.send(Generate(id="long", turns=turns))
    assert process.answer("long").failed.code == "prompt_too_long"


# --- empty ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", ["", " ", "\n\t \r\n", "\u00a0\u2003\u3000"])
def test_an_empty_question(process: Engine, text: str) -> None:
    failed = process.generate(text).failed
    assert (failed.code, failed.sentence, failed.hint) == ("empty_prompt", EMPTY, "Write something first.")


def test_nothing_at_all(process: Engine) -> None:
    for request in (
        Generate(id="nothing"),
        Generate(id="nothing", turns=(Turn(role="system", content=""),)),
        Generate(id="nothing", turns=(Turn(role="user", content="Hi"), Turn(role="user", content=" "))),
        Generate(id="nothing", prompt=""),
    ):
        process.send(request)
        assert process.answer("nothing").failed.sentence == EMPTY


def test_a_blank_text_can_be_gone_on_with(process: Engine) -> None:
    for text in (" ", "\n"):
        assert process.generate(text, raw=True, max_tokens=3).tokens


def test_nothing_on_the_command_line(demo_target: Path, tmp_path: Path) -> None:
    (tmp_path / "empty.txt").write_bytes(b"\xef\xbb\xbf")
    for arguments in ((), ("--raw", "--prompt-file", tmp_path / "empty.txt")):
        run = cli("generate", "--model", demo_target, *arguments)
        assert (run.code, run.out, run.err) == (1, "", f"outpace-cli: {EMPTY} Write something first.\n")


# --- odd ------------------------------------------------------------------------------------------------------------


def test_only_control_tokens(process: Engine) -> None:
    # Raw they are what they stand for, in a chat they are only text.
    raw = process.generate("<|im_start|><|im_end|><|endoftext|>", raw=True, max_tokens=3)
    assert raw.finished.stats.prompt_tokens == 3
    plain = process.generate("x", max_tokens=1).finished.stats.prompt_tokens
    for text in ("<|im_end|>", "<|endoftext|>", "<|im_start|>"):
        answer = process.generate(text, max_tokens=3)
        assert answer.finished.stats.prompt_tokens > plain, text


ODD = {
    "NUL": "a\0b\0\0c",
    "only NUL": "\0",
    "control characters": "".join(map(chr, range(1, 32))) + "\x7f\x80\x9f",
    "a lone high surrogate": "a\ud83d b",
    "a lone low surrogate": "\udfff",
    "surrogates the wrong way round": "\ude00\ud83d",
    "noncharacters": "\ufffe\uffff\U0010ffff",
    "private use": "\ue000\U000f0000\U0010fffd",
    "a byte order mark": "\ufeffHello",
    "right to left": "\u202eabc\u202c \u05e9\u05dc\u05d5\u05dd",
    "combining marks": "e" + "\u0301" * 500,
    "a family": "👨‍👩‍👧‍👦" * 20,
    "line separators": "a\u2028b\u2029c\x85d",
    "template language": "{{ raise_exception('x') }}{% for i in range(9) %}{# #}",
    "markup": "<script>alert(1)</script>&amp;\x1b[31m",
    "a path": "../../../../etc/passwd",
    "a protocol line": '{"kind":"shutdown"}\n{"kind":"shutdown"}\n',
}


@pytest.mark.parametrize("text", ODD.values(), ids=ODD.keys())
def test_odd_characters_are_only_characters(process: Engine, text: str) -> None:
    for raw in (True, False):
        for drafter in ("off", "mixed"):
            answer = process.generate(text, raw=raw, drafter=drafter, max_tokens=4, stop=("\ud800", "\0", "zzz"))
            assert answer.finished.reason in ("token_limit", "end", "stop_string")
            assert not re.search("[\ud800-\udfff]", answer.text)


def test_a_stop_text_that_is_empty(process: Engine) -> None:
    process.send(Generate(id="stop", prompt="x", limits=LimitOptions(stop=("a", ""))))
    failed = process.answer("stop").failed
    assert (failed.code, failed.sentence) == ("bad_option", "A stop text is empty.")


# --- no text at all -------------------------------------------------------------------------------------------------


BROKEN = b"caf\xe9 is Latin-1\n"


def test_bytes_that_are_no_text(demo_target: Path, tmp_path: Path) -> None:
    (tmp_path / "latin-1.txt").write_bytes(BROKEN)
    options = ("generate", "--model", demo_target)
    for run, name in (
        (cli(*options, stdin=BROKEN), "Standard input"),
        (cli(*options, "--prompt-file", tmp_path / "latin-1.txt"), "latin-1.txt"),
    ):
        assert (run.code, run.out) == (1, "")
        assert run.err == (
            f"outpace-cli: {name} is not valid UTF-8: byte 0xe9 at position 3. Save the text as UTF-8 and try again.\n"
        )
    for option, name in (("--prompt", "prompt"), ("--system", "system prompt"), ("--stop", "stop text")):
        more = () if option == "--prompt" else ("--prompt", "Hello")
        run = cli(*options, *more, option, BROKEN.decode("utf-8", "surrogateescape"))
        assert (run.code, run.out) == (1, "")
        assert run.err == f"outpace-cli: The {name} is not valid UTF-8. Write it in UTF-8 and try again.\n"


def test_prompt_files_that_cannot_be_read(demo_target: Path, tmp_path: Path) -> None:
    options = ("generate", "--model", demo_target, "--prompt-file")
    missing = tmp_path / "missing.txt"
    for path, reason in ((missing, "No such file or directory"), (tmp_path, "Is a directory")):
        run = cli(*options, path)
        assert (run.code, run.out) == (1, "")
        assert run.err == f"outpace-cli: The prompt file {path} cannot be read: {reason}.\n"


def test_more_text_than_any_model_reads(demo_target: Path, tmp_path: Path) -> None:
    (tmp_path / "endless.txt").write_bytes(b"word " * 2_000_000)
    run = cli("generate", "--model", demo_target, "--prompt-file", tmp_path / "endless.txt")
    assert (run.code, run.err) == (1, "outpace-cli: endless.txt has more than 8 MB of text. Shorten it.\n")
    run = cli("generate", "--model", demo_target, stdin=b"word " * 1_600_000)
    assert run.code == 1
    assert run.err.startswith("outpace-cli: The text has more than 4,096 tokens, but the context holds 2,048. Shorten")
