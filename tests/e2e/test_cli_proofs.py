"""`outpace-cli compare --prove`: the same texts, token for token, whatever is asked.

OUTPACE_PROOFS=40 proves all prompts; without it a few, so that the normal run stays short.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.helpers.prompts import PROMPTS

COUNT = int(os.environ.get("OUTPACE_PROOFS", "2"))
# Far apart, so that a few are not all of one kind.
CHOSEN = list(PROMPTS.values())[:: max(1, len(PROMPTS) // COUNT)][:COUNT]


@pytest.mark.parametrize("number", range(len(CHOSEN)))
def test_texts_are_identical_in_fixed_shape(demo_target: Path, demo_draft: Path, number: int) -> None:
    command = [sys.executable, "-m", "app", "--role", "cli", "compare"]
    pair = ["--model", str(demo_target), "--draft", str(demo_draft), "--drafter", "mixed", "--lookahead", "7"]
    # Every other prompt is sampled: there, too, a seed gives the same text.
    answer = ["--temperature", "0" if number % 2 else "0.8", "--max-tokens", "48", "--repeats", "1"]
    question = ["--prompt", CHOSEN[number], "--prove", "--json"]
    done = subprocess.run(
        [*command, *pair, *answer, *question], capture_output=True, text=True, encoding="utf-8", timeout=200
    )
    assert done.returncode == 0, done.stdout + done.stderr
    verdict = json.loads(done.stdout)
    assert verdict["fixed_shape"]
    assert verdict["identical"], verdict
    assert verdict["plain"]["tokens"] == verdict["speculation"]["tokens"] >= 1
