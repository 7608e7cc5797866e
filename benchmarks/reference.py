"""llama.cpp's own programs as arms: `llama-bench` for plain decoding, `llama-speculative-simple` for a fixed lookahead.

They are built from the source inside the llama-cpp-python source distribution (benchmarks/README.md says how), so that
both sides run the same library.
"""

import json
import re
import subprocess
import tempfile
from pathlib import Path

CHAT = "<|im_start|>user\n{}<|im_end|>\n<|im_start|>assistant\n"
THREADS = 2


def plain_speed(folder: Path, target: Path, tokens: int, depth: int) -> float:
    """Tokens/s of `llama-bench` text generation after a context of `depth` tokens, and after a round to warm up."""
    command = [folder / "llama-bench", "-m", target, "-p", "0", "-n", str(tokens), "-t", str(THREADS)]
    command += ["-d", str(depth), "-r", "1", "-o", "json"]
    output = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    speed: float = json.loads(output)[0]["samples_ts"][0]
    return speed


def speculative_speed(
    folder: Path, target: Path, draft: Path, prompt: str, tokens: int, lookahead: int | None
) -> float | None:
    """Tokens/s of one greedy answer of `llama-speculative-simple`; None if it printed no statistics.

    `lookahead`: None for its default.
    """
    with tempfile.NamedTemporaryFile("w", suffix=".txt", encoding="utf-8") as file:
        file.write(CHAT.format(prompt) + "\n")  # the program strips one newline from the end of the file
        file.flush()
        command = [folder / "llama-speculative-simple", "-m", target, "-md", draft, "--spec-type", "draft-simple"]
        command += ["-f", file.name, "-n", str(tokens), "--temp", "0", "-c", "1024", "-fit", "off"]
        command += ["-t", str(THREADS), "-td", str(THREADS)]
        if lookahead is not None:
            command += ["--spec-draft-n-max", str(lookahead)]
        for _ in range(3):  # now and then its log thread loses the closing lines
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            found = re.search(
                r"decoded\s+\d+ tokens in\s+[\d.]+ seconds, speed:\s+([\d.]+) t/s", done.stdout + done.stderr
            )
            if found:
                return float(found.group(1))
    return None
