"""Shows that the engine of a bundle takes the best part for this processor, and runs when the better ones are gone.

    python3 packaging/smoke/variants.py BUNDLE

The best part is taken away again and again, until only the one for every x86-64 processor is left, and in the end that
one too: then there has to be a sentence.
"""

import json
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from machine import SmokeError

PROMPT = "List 2 users in JSON."
LAST = "libggml-cpu-x64.so"


def main(bundle: Path) -> int:
    """Take part after part away; 0, or 1 with what went wrong."""
    with tempfile.TemporaryDirectory() as scratch:
        copy = Path(scratch) / "outpace"
        shutil.copytree(bundle, copy, symlinks=True)
        lib = copy / "_internal" / "llama_cpp" / "lib"
        try:
            texts = take_away(copy, lib)
        except SmokeError as problem:
            print(f"FAILED: {problem}", file=sys.stderr)
            return 1
    same = len(set(texts)) == 1
    print(f"{len(texts)} parts ran; their texts are {'the same' if same else f'{len(set(texts))} different ones'}.")
    return 0


def take_away(copy: Path, lib: Path) -> list[str]:
    """The answer of each part, best first."""
    texts: list[str] = []
    part = ""
    while part != LAST:
        part, text, features = ask(copy)
        if not text:
            raise SmokeError(f"{part} gave no answer")
        print(f"{part:34} {features}", flush=True)
        texts.append(text)
        (lib / part).unlink()
    left = sorted(file.name for file in lib.glob("libggml-cpu-*.so"))
    print(f"not for this processor: {', '.join(left) or 'none'}")
    done = run(copy)
    if done.returncode == 0 or "The engine has no part that runs on this processor." not in done.stderr:
        raise SmokeError(f"without any part: code {done.returncode}, {done.stdout}{done.stderr}")
    print("without any: " + done.stderr.strip().splitlines()[-1])
    return texts


def ask(copy: Path) -> tuple[str, str, str]:
    """Name of the part that the engine takes, its answer, and what it uses of the processor."""
    done = run(copy)
    if done.returncode:
        raise SmokeError(f"generate: code {done.returncode}, {done.stderr}")
    command = [str(copy / "outpace-engine"), "--role", "probe-engine"]
    # The loader's own list of what it loads: the part that is taken is loaded last, and a second time.
    probe = subprocess.run(
        command, env={"LD_DEBUG": "files"}, capture_output=True, text=True, timeout=120, errors="replace", check=False
    )
    if probe.returncode:
        raise SmokeError(f"probe: code {probe.returncode}, {probe.stderr[-500:]}")
    opened = re.findall(r"calling init: \S*/(libggml-cpu-\w+\.so)", probe.stderr)
    used = re.findall(r"(\w+) = 1", json.loads(probe.stdout.splitlines()[-1])["features"])
    return opened[-1], done.stdout, " ".join(used)


def run(copy: Path, *more: str) -> subprocess.CompletedProcess[str]:
    """An answer of the demo pair in fixed shape."""
    demo = copy / "_internal" / "resources" / "demo"
    pair = ["--model", demo / "outpace-demo-target-q8_0.gguf", "--draft", demo / "outpace-demo-draft-q8_0.gguf"]
    options = ["--prompt", PROMPT, "--temperature", "0", "--lookahead", "3", "--fixed-shape", "8"]
    # One thread: on a busy machine two wait for each other most of the time.
    options += ["--threads", "1", "--max-tokens", "60"]
    command = [copy / "outpace-engine", "generate", *pair, *options, *more]
    return subprocess.run(list(map(str, command)), capture_output=True, text=True, timeout=300, check=False)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    sys.exit(main(Path(sys.argv[1])))
