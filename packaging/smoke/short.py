"""The short smoke run, for systems whose screens cannot be driven from outside: macOS, Windows.

    python packaging/smoke/short.py FOLDER_WITH_THE_PROGRAMS

On macOS the folder is Outpace.app/Contents/MacOS.
"""

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

PROMPT = "List 2 users in JSON."


def main(folder: Path) -> int:
    """Doctor, compare, and a window that closes itself; 0, or 1 with what went wrong."""
    suffix = ".exe" if sys.platform == "win32" else ""
    window, engine = folder / f"outpace{suffix}", folder / f"outpace-engine{suffix}"
    internal = folder.parent / "Resources" if sys.platform == "darwin" else folder / "_internal"
    demo = internal / "resources" / "demo"
    pair = ["--model", demo / "outpace-demo-target-q8_0.gguf", "--draft", demo / "outpace-demo-draft-q8_0.gguf"]
    with tempfile.TemporaryDirectory(prefix="outpace ü ") as home:
        picture = Path(home) / "window.png"
        steps = (
            ("doctor", [engine, "doctor"], "Engine"),
            ("compare", [engine, "compare", *pair, "--prompt", PROMPT, "--lookahead", "3", "--prove"], "identical"),
            ("window", [window, "--quit-after", "8000", "--screenshot", picture], ""),
        )
        for name, command, expected in steps:
            problem = run(command, expected, home)
            if problem:
                print(f"FAILED: {name}: {problem}", file=sys.stderr)
                return 1
        if not picture.exists() or picture.stat().st_size < 10_000:
            print("FAILED: window: it drew nothing", file=sys.stderr)
            return 1
        crashes = [file.name for file in Path(home).rglob("*-crash*.log") if file.stat().st_size]
        if crashes:
            print(f"FAILED: crashes in {', '.join(crashes)}", file=sys.stderr)
            return 1
    print("The short smoke run passed.")
    return 0


def run(command: list[Path | str], expected: str, home: str) -> str:
    """What went wrong, or ""."""
    started = time.monotonic()
    try:
        done = subprocess.run(
            list(map(str, command)),
            env={**os.environ, "OUTPACE_HOME": home},
            cwd=home,
            capture_output=True,
            text=True,
            encoding="utf-8",
            errors="replace",
            timeout=300,
        )
    except (OSError, subprocess.TimeoutExpired) as problem:
        return str(problem)
    print(f"{Path(command[0]).name} {command[1]}: code {done.returncode} after {time.monotonic() - started:.1f} s")
    if done.returncode or expected not in done.stdout or "Traceback" in done.stderr:
        return f"code {done.returncode}\n{done.stdout}{done.stderr}"
    return ""


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    sys.exit(main(Path(sys.argv[1]).resolve()))
