"""How long from the start of the program to the first painted window.

    python benchmarks/start.py [--runs 7] [--json]

Starts the real window, each time with a new profile, and ends it after its first paint. "wall" is what a person waits;
"busy" is processor time, which does not grow when other programs use the machine.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LIMIT_S = 0.6

CHILD = """
import json, os, sys, time
from app.ui import main_window
from PySide6.QtCore import QTimer

class Seen(main_window.MainWindow):
    def paintEvent(self, event):
        super().paintEvent(event)
        if not hasattr(self, "seen"):
            self.seen = True
            wall = time.time() - float(os.environ["OUTPACE_BEGAN"])
            print(json.dumps({"wall": wall, "busy": time.process_time()}), flush=True)
            QTimer.singleShot(0, self, self.close)

main_window.MainWindow = Seen
from app import bootstrap
sys.exit(bootstrap.main([]))
"""


def once() -> dict[str, float]:
    """One start; seconds."""
    with tempfile.TemporaryDirectory() as home:
        environment = {**os.environ, "OUTPACE_HOME": home, "PYTHONPATH": str(ROOT)}
        environment.setdefault("QT_QPA_PLATFORM", "offscreen")
        environment["OUTPACE_BEGAN"] = repr(time.time())
        done = subprocess.run(
            [sys.executable, "-c", CHILD], env=environment, capture_output=True, text=True, timeout=120, check=False
        )
    for line in done.stdout.splitlines():
        if line.startswith("{"):
            return json.loads(line)
    raise RuntimeError(f"no window: {done.stderr[-2000:]}")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=7)
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    once()  # files into the cache of the operating system, .pyc files onto the disk
    runs = [once() for _ in range(arguments.runs)]
    walls, busy = sorted(run["wall"] for run in runs), sorted(run["busy"] for run in runs)
    result = {
        "runs": len(runs),
        "wall_s_median": round(statistics.median(walls), 3),
        "wall_s_max": round(walls[-1], 3),
        "busy_s_median": round(statistics.median(busy), 3),
        "load_average": round(os.getloadavg()[0], 1) if hasattr(os, "getloadavg") else None,
    }
    print(json.dumps(result) if arguments.json else "\n".join(f"{name:16} {value}" for name, value in result.items()))
    return 0 if result["wall_s_median"] < LIMIT_S else 1


if __name__ == "__main__":
    sys.exit(main())
