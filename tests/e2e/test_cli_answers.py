"""`outpace-cli generate` on real models: text, statistics, the JSON object, and where a prompt comes from."""

import json
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest

from app.core.launch import child_environment
from app.protocol.options import DrafterName
from tests.helpers.engine_process import DRAFTERS, cli, cli_command

FIELDS = [
    "text",
    "token_ids",
    "sources",
    "reason",
    "prompt_tokens",
    "cached_tokens",
    "generated_tokens",
    "passes",
    "proposed",
    "verified",
    "accepted",
    "accepted_by_position",
    "acceptance_rate",
    "tokens_per_pass",
    "speed",
    "ttft_ms",
    "prefill_ms",
    "decode_ms",
    "split_ms",
    "seed",
    "target",
    "draft",
    "gpu_layers",
    "draft_gpu_layers",
    "drafter",
    "lookahead",
    "notices",
]
SUMMARY = re.compile(
    r"\d+ tokens? · (-|[\d.]+) tokens/s · first token after \d+ ms · (-|[\d.]+) per pass · .+ · seed \d+ · .+\n"
)
BASE_MODEL = "This model has no chat template (a base model?). A plain dialogue is used; answers may ramble."


def generate(*arguments: object, stdin: bytes = b"") -> dict[str, Any]:
    run = cli("generate", *arguments, "--json", stdin=stdin)
    assert (run.code, run.err) == (0, "")
    assert run.out.count("\n") == 1
    body: dict[str, Any] = json.loads(run.out)
    return body


def check_fields(body: dict[str, Any]) -> None:
    """Every field of the object, and that no two of them disagree."""
    assert list(body) == FIELDS
    count = body["generated_tokens"]
    assert count == len(body["token_ids"]) == len(body["sources"])
    assert set(body["sources"]) <= {"target", "draft_model", "ngram", "heads"}
    assert sum(source != "target" for source in body["sources"]) == body["accepted"]
    assert body["accepted"] <= body["verified"] <= body["proposed"]
    assert sum(body["accepted_by_position"]) == body["accepted"]
    assert body["accepted_by_position"] == sorted(body["accepted_by_position"], reverse=True)
    expected = body["accepted"] / body["verified"] if body["verified"] else None
    assert body["acceptance_rate"] == pytest.approx(expected)
    assert body["tokens_per_pass"] == pytest.approx(count / body["passes"])
    assert body["speed"] == pytest.approx((count - 1) / body["decode_ms"] * 1000)
    assert 0 < body["prefill_ms"] <= body["ttft_ms"]
    assert set(body["split_ms"]) == {"draft", "verify", "sample", "other"}
    assert sum(body["split_ms"].values()) == pytest.approx(body["decode_ms"])
    assert min(body["split_ms"].values()) >= 0
    assert body["cached_tokens"] == 0
    assert body["prompt_tokens"] > 0


def test_the_four_drafters_on_the_demo_pair(demo_target: Path, demo_draft: Path) -> None:
    options = ("--model", demo_target, "--draft", demo_draft, "--prompt", "Count to ten.", "--seed", 7)
    answers = {
        drafter: generate(
            *options, "--drafter", drafter, "--lookahead", 4, "--max-tokens", 120, "--fixed-shape", 5, "--stop", "zzz"
        )
        for drafter in DRAFTERS
    }
    for drafter, body in answers.items():
        check_fields(body)
        assert body["drafter"] == drafter
        assert body["lookahead"] == 4
        assert (body["target"], body["draft"]) == (str(demo_target), str(demo_draft))
        assert (body["seed"], body["reason"], body["notices"]) == (7, "token_limit", [])
        # The same text, token for token, whoever proposed it.
        assert body["token_ids"] == answers["off"]["token_ids"]
        assert body["text"] == answers["off"]["text"]
    assert answers["off"]["proposed"] == 0
    assert answers["off"]["acceptance_rate"] is None
    assert answers["draft_model"]["accepted"] > 10
    assert answers["draft_model"]["tokens_per_pass"] > 1.2
    assert set(answers["ngram"]["sources"]) <= {"target", "ngram"}
    assert answers["mixed"]["accepted"] > 10


@pytest.mark.parametrize("drafter", DRAFTERS)
def test_the_four_drafters_on_gemma(gemma: Path, drafter: DrafterName) -> None:
    prompt = "one, two, three, four, five, six, one, two, three, four, five, six, one, two, three,"
    options = ("--model", gemma, "--raw", "--prompt", prompt, "--temperature", 0, "--max-tokens", 24, "--ctx", 512)
    draft = ("--draft", gemma) if drafter in ("draft_model", "mixed") else ()
    body = generate(*options, *draft, "--drafter", drafter, "--lookahead", 3)
    check_fields(body)
    assert body["text"] == " four, five, six, one, two, three, four, five, six, one, two, three,"
    assert body["notices"] == [BASE_MODEL]
    assert body["draft"] == (str(gemma) if draft else None)
    if drafter != "off":
        assert body["accepted"] > 0
    if drafter == "draft_model":
        assert body["acceptance_rate"] > 0.9


def test_text_arrives_in_pieces_and_the_numbers_on_stderr(demo_target: Path, demo_draft: Path) -> None:
    options = ("--model", demo_target, "--draft", demo_draft, "--prompt", "hello", "--seed", 3)
    options = (*options, "--temperature", 0, "--max-tokens", 500, "--lookahead", 1, "--fixed-shape", 33)
    command = cli_command("generate", *options)
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=child_environment(), bufsize=0
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        pieces = [process.stdout.read(65536)]
        # Seconds of work are left: what came is not the whole text written at the end.
        assert process.poll() is None
        while piece := process.stdout.read(65536):
            pieces.append(piece)
        summary = process.stderr.read().decode()
    assert process.returncode == 0
    assert len(pieces) > 20
    assert SUMMARY.fullmatch(summary)
    assert "draft model" in summary
    assert "seed 3" in summary
    assert b"".join(pieces).decode() == generate(*options)["text"] + "\n"


def test_a_base_model_says_so_on_stderr(gemma: Path) -> None:
    run = cli("generate", "--model", gemma, "--prompt", "Hello", "--max-tokens", 4, "--ctx", 256)
    assert run.code == 0
    notice, summary = run.err.splitlines(keepends=True)
    assert notice == BASE_MODEL + "\n"
    assert SUMMARY.fullmatch(summary)
    assert "speculation off" in summary


def test_a_prompt_comes_from_an_argument_a_file_or_a_pipe(demo_target: Path, tmp_path: Path) -> None:
    prompt = "Zähl bis zehn. 数到十 😀\n"
    (tmp_path / "plain.txt").write_bytes(prompt.encode())
    (tmp_path / "bom.txt").write_bytes(b"\xef\xbb\xbf" + prompt.encode())
    options = ("--model", demo_target, "--seed", 1, "--max-tokens", 20)
    bodies = [
        generate(*options, "--prompt", prompt),
        generate(*options, stdin=prompt.encode()),
        generate(*options, "--prompt-file", tmp_path / "plain.txt"),
        generate(*options, "--prompt-file", tmp_path / "bom.txt"),
    ]
    assert len({body["prompt_tokens"] for body in bodies}) == 1
    assert len({body["text"] for body in bodies}) == 1


def test_a_system_prompt_stop_texts_and_the_context(demo_target: Path) -> None:
    options = ("--model", demo_target, "--prompt", "Hello", "--temperature", 0)
    plain = generate(*options)
    assert (plain["text"], plain["reason"]) == ("Hello! How can I help you today?", "end")
    assert generate(*options, "--system", "Be brief.", "--max-tokens", 1)["prompt_tokens"] > plain["prompt_tokens"]
    stopped = generate(*options, "--stop", "nothing like this", "--stop", "help")
    assert (stopped["text"], stopped["reason"]) == ("Hello! How can I ", "stop_string")
    raw = generate("--model", demo_target, "--raw", "--prompt", "1, 2, 3, ", "--ctx", 64, "--temperature", 0)
    assert raw["reason"] == "context_limit"
    assert raw["prompt_tokens"] + raw["generated_tokens"] == 64


def test_a_seed_is_drawn_told_and_good_for_the_same_text(demo_target: Path) -> None:
    options = ("--model", demo_target, "--prompt", "Tell me about lists.", "--max-tokens", 30, "--temperature", 1.2)
    first, second = generate(*options), generate(*options)
    assert first["seed"] != second["seed"]
    assert generate(*options, "--seed", first["seed"])["token_ids"] == first["token_ids"]


def test_an_idle_drafter_says_why(demo_target: Path, demo_draft: Path) -> None:
    options = ("--model", demo_target, "--prompt", "Hello", "--temperature", 0, "--lookahead", 3)
    never = cli("generate", *options, "--draft", demo_draft, "--min-confidence", 1)
    assert "idle: Every proposed token was below the minimum confidence" in never.err
    nothing = cli("generate", *options, "--raw", "--drafter", "ngram", "--max-tokens", 2)
    assert "idle: Nothing in this text has repeated so far" in nothing.err
    single = cli("generate", *options, "--draft", demo_draft, "--max-tokens", 1)
    assert single.out == "Hello\n"
    assert "idle: The answer was over after its first token" in single.err
    assert single.err.startswith("1 token · - tokens/s")


def test_automatic_lookahead(demo_target: Path, demo_draft: Path) -> None:
    body = generate("--model", demo_target, "--draft", demo_draft, "--prompt", "Count to ten.", "--max-tokens", 40)
    assert (body["lookahead"], body["drafter"]) == ("auto", "draft_model")


def test_the_demo_pair_can_be_inspected(demo_target: Path) -> None:
    run = cli("inspect", demo_target)
    assert (run.code, run.err) == (0, "")
    assert re.search(r"^parameters +7,852,544$", run.out, re.MULTILINE)
    body = json.loads(cli("inspect", demo_target, "--json").out)
    assert (body["architecture"], body["can_chat"], body["problem"]) == ("mimo2", True, "")
