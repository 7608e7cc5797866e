"""`bench` and `compare` on the demo pair, as a person runs them."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

PROMPT = "Give me a JSON array of 5 users."


def cli(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "app", "--role", "cli", *arguments]
    return subprocess.run(command, capture_output=True, text=True, encoding="utf-8", timeout=200)


def told(done: subprocess.CompletedProcess[str]) -> Any:
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_bench_measures_every_drafter_against_plain(demo_target: Path, demo_draft: Path) -> None:
    pair = ("--model", str(demo_target), "--draft", str(demo_draft))
    found = told(cli("bench", *pair, "--prompt", PROMPT, "--max-tokens", "24", "--repeats", "1", "--json"))
    arms = {row["arm"]: row for row in found["arms"]}
    of_models = [f"{drafter} {lookahead}" for drafter in ("draft model", "heads") for lookahead in (3, 7, "auto")]
    assert list(arms) == ["plain", "ngram auto", *of_models, "mixed auto"]
    assert arms["plain"]["gain"] == 1.0
    assert arms["plain"]["acceptance_rate"] is None
    assert arms["draft model 3"]["tokens_per_pass"] > 1.5
    assert arms["heads 3"]["tokens_per_pass"] > 1.5
    assert 0 < arms["draft model 3"]["acceptance_rate"] <= 1
    assert found["advice"].endswith(".")


def test_bench_says_when_there_is_nothing_to_compare(demo_target: Path) -> None:
    found = told(cli("bench", "--model", str(demo_target), "--prompt", PROMPT, "--max-tokens", "1", "--json"))
    assert found["advice"].startswith("The answers were too short to compare.")
    assert all(row["speed"] is None for row in found["arms"])


def test_compare_in_fixed_shape_gives_identical_texts(demo_target: Path, demo_draft: Path) -> None:
    pair = ("--model", str(demo_target), "--draft", str(demo_draft), "--prompt", PROMPT)
    found = told(cli("compare", *pair, "--max-tokens", "40", "--repeats", "2", "--lookahead", "3", "--prove", "--json"))
    assert found["identical"] is True
    assert found["parts_at_token"] is None
    assert found["sentence"].endswith("The texts are identical, token for token.")
    assert found["plain"]["tokens"] == found["speculation"]["tokens"] == 40
    assert found["gain_low"] <= found["gain"] <= found["gain_high"]
    assert found["acceptance_rate"] > 0.3


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("compare", "--prompt", "x"), "There is nothing to compare with speculation off."),
        (("compare", "--prompt", "x", "--drafter", "ngram", "--repeats", "0"), "0 repeats are not possible."),
        (("bench", "--temperature", "nan"), "The temperature cannot be nan."),
    ],
)
def test_silly_wishes_get_a_sentence(demo_target: Path, arguments: tuple[str, ...], sentence: str) -> None:
    done = cli(arguments[0], "--model", str(demo_target), *arguments[1:])
    assert done.returncode == 2
    assert sentence in done.stderr
    assert "Traceback" not in done.stderr
