"""How long it takes until there is a window: of a bundle, and from source. Wants a machine that does nothing else.

python3 packaging/smoke/startup.py BUNDLE [STARTS]
"""

import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from machine import Keyboard, SmokeError, screen, wait_until

ROOT = Path(__file__).resolve().parents[2]


def main(bundle: Path, starts: int) -> int:
    """Start both in turn, `starts` times each, and print the medians; 0, or 1 with what went wrong."""
    python = ROOT / ".venv" / "bin" / "python"
    commands = {"bundle": [str(bundle / "outpace")], "source": [str(python), "-m", "app"]}
    found: dict[str, list[float]] = {name: [] for name in commands}
    try:
        with screen() as display, tempfile.TemporaryDirectory() as home:
            for _ in range(starts):
                for name, command in commands.items():
                    found[name].append(seconds_to_window(command, display, home))
    except SmokeError as problem:
        print(f"FAILED: {problem}", file=sys.stderr)
        return 1
    for name, values in found.items():
        spread = f"{min(values):.2f} to {max(values):.2f}"
        print(f"{name}: {statistics.median(values):.2f} s to the window ({spread}, {starts} starts)")
    return 0


def seconds_to_window(command: list[str], display: str, home: str) -> float:
    """Start, wait for the window, end."""
    environment = {**os.environ, "DISPLAY": display, "OUTPACE_HOME": home}
    keyboard = Keyboard(display)
    started = time.monotonic()
    with subprocess.Popen(command, cwd=ROOT, env=environment) as process:
        wait_until("a window", keyboard.windows, 60, pause=0.005)
        taken = time.monotonic() - started
        process.terminate()
        process.wait(30)
    wait_until("the window's end", lambda: not keyboard.windows(), 30)
    return taken


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    sys.exit(main(Path(sys.argv[1]).resolve(), int(sys.argv[2]) if len(sys.argv) > 2 else 5))
