"""How fast does a download come from a hub on this machine, and is the window ever held up meanwhile?

A hub in a process of its own sends a file over loopback to the real download process, which writes, hashes and checks
it, while the real window shows the download. Prints the throughput, what this disk and processor can do at most (the
same bytes written and hashed without any network), and the longest time the window's event loop stood still; "busy" is
the processor time of the window in such a gap, which does not grow when other programs use the machine.

    python -m benchmarks.download                one file of 1.5 GB
    python -m benchmarks.download --mb 4000
    python -m benchmarks.download --folder DIR   on another disk
    python -m benchmarks.download --no-window    only the download process
"""

import argparse
import hashlib
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from app.core.launch import child_command, child_environment
from app.protocol.codec import decode, encode
from app.protocol.download_messages import DownloadProgress, StartPair, WantedModel
from app.protocol.messages import Shutdown

REPO, FILE = "org/Large-GGUF", "Large-Q8_0.gguf"
ENOUGH = 300e6
"""Bytes/s."""
LIMIT_MS = 50.0
BLOCK = 256 << 10
REQUEST = StartPair(id="benchmark", title="Large", models=(WantedModel(repo=REPO, file=FILE),))


class Watch:
    """When bytes came. Times in seconds, `perf_counter`."""

    def __init__(self) -> None:
        self.asked = time.perf_counter()
        self.first: tuple[float, int] | None = None
        self.last: DownloadProgress | None = None
        self.ended = 0.0

    def note(self, progress: DownloadProgress) -> None:
        self.last = progress
        if self.first is None and progress.done > 0:
            self.first = (time.perf_counter(), progress.done)
        if progress.state in ("done", "failed", "paused") and not self.ended:
            self.ended = time.perf_counter()

    def result(self) -> dict[str, object]:
        if self.first is None or self.last is None or self.last.state != "done":
            raise SystemExit(f"the download did not end well: {self.last}")
        at, done = self.first
        return {
            "bytes": self.last.total,
            "seconds_to_first_bytes": round(at - self.asked, 2),
            "seconds": round(self.ended - self.asked, 2),
            "mb_per_s": round((self.last.total - done) / (self.ended - at) / 1e6),
        }


@contextmanager
def hub(size: int) -> Iterator[str]:
    """A hub with one file; gives its address."""
    command = [sys.executable, "-m", "benchmarks.download", "--serve", str(size)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            yield process.stdout.readline().strip()
        finally:
            process.stdin.close()


def serve(size: int) -> None:
    from tests.helpers.fake_hub import FakeHub

    block = random.Random(1).randbytes(4 << 20)
    with FakeHub() as fake:
        fake.add(REPO, {FILE: (block * (size // len(block) + 1))[:size]})
        print(fake.url, flush=True)
        sys.stdin.read()


def most(size: int, folder: Path) -> dict[str, object]:
    """What writing and hashing alone reach."""
    block = random.Random(2).randbytes(4 << 20)
    hasher = hashlib.sha256()
    path = folder / "limit.part"
    started = time.perf_counter()
    with path.open("wb", buffering=0) as file:
        for at in range(0, size, BLOCK):
            piece = memoryview(block)[at % len(block) : at % len(block) + BLOCK]
            file.write(piece)
            hasher.update(piece)
        os.fsync(file.fileno())
    seconds = time.perf_counter() - started
    path.unlink()
    return {"limit_mb_per_s": round(size / seconds / 1e6)}


def without_window(url: str, models: Path) -> dict[str, object]:
    command = [*child_command("download"), "--models", str(models), "--endpoint", url]
    watch = Watch()
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=child_environment()) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(encode(REQUEST))
        process.stdin.flush()
        for line in process.stdout:
            event = decode(line)
            if isinstance(event, DownloadProgress):
                watch.note(event)
                if watch.ended:
                    break
        process.stdin.write(encode(Shutdown()))
        process.stdin.close()
        process.stdout.read()
    return watch.result()


def in_window(url: str, models: Path) -> dict[str, object]:
    from PySide6.QtCore import QTimer
    from PySide6.QtWidgets import QApplication

    from app.bridge.chat_controller import ChatController
    from app.bridge.engine_client import EngineClient
    from app.bridge.gain_keeper import GainKeeper
    from app.bridge.models_controller import ModelsController
    from app.bridge.settings_store import SettingsStore
    from app.chat.gains import Gains
    from app.chat.settings import HubOptions, Pair, Settings, WindowState
    from app.core import paths
    from app.core.settings import SettingsFile
    from app.ui.appearance import Appearance
    from app.ui.main_window import MainWindow
    from app.ui.models_page.door import ModelsDoor
    from app.ui.presenter import Presenter

    app = QApplication(["benchmark"])
    folders = paths.find()
    target, draft = (str(path) for path in paths.demo_pair())
    hub_options = HubOptions(endpoint=url, models=str(models))
    store = SettingsStore(SettingsFile(folders.settings_file, Settings), Settings(hub=hub_options))
    appearance = Appearance(app, "light")
    client = EngineClient()
    chat = ChatController(client, store, Pair(target=target, draft=draft))
    window = MainWindow(appearance.theme, WindowState())
    presenter = Presenter(window, chat, appearance)
    gains = GainKeeper(chat, SettingsStore(SettingsFile(folders.data / "gains.json", Gains), Gains()))
    controller = ModelsController(chat, store, gains, folders)
    door = ModelsDoor(window, chat, controller, appearance)
    window.resize(1000, 700)
    window.show()
    door.open("downloads")
    _turn(app, 3.0)  # what happens once, when a page is first shown, is another matter
    watch = Watch()
    controller.client.received.connect(lambda event: watch.note(event) if isinstance(event, DownloadProgress) else None)
    gaps: list[float] = []
    busy: list[float] = []
    beat, last, worked = QTimer(window), time.perf_counter(), time.process_time()
    beat.setInterval(1)

    def tick() -> None:
        nonlocal last, worked
        now, work = time.perf_counter(), time.process_time()
        gaps.append((now - last) * 1000)
        busy.append((work - worked) * 1000)
        last, worked = now, work

    beat.timeout.connect(tick)
    beat.start()
    controller.questions.start_pair(REQUEST, lambda _progress: None, lambda fault: print(fault, file=sys.stderr))
    while not watch.ended and time.perf_counter() - watch.asked < 600:
        _turn(app, 0.05)
    beat.stop()
    controller.shut_down()
    chat.shut_down()
    window.close()
    presenter.deleteLater()
    gaps.sort()
    return watch.result() | {
        "gap_ms_max": round(gaps[-1], 1),
        "gap_ms_p99": round(gaps[int(len(gaps) * 0.99)], 1),
        "busy_ms_max": round(max(busy), 1),
        "gaps_over_50_ms": sum(gap > LIMIT_MS for gap in gaps),
    }


def _turn(app: object, seconds: float) -> None:
    until = time.perf_counter() + seconds
    while time.perf_counter() < until:
        app.processEvents()  # type: ignore[attr-defined]  # a QApplication, imported where it is needed
        time.sleep(0.0002)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--mb", type=int, default=1500, help="size of the file")
    parser.add_argument("--folder", type=Path, help="where the file goes (default: the temporary folder)")
    parser.add_argument("--no-window", action="store_true")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--serve", type=int, metavar="BYTES", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.serve:
        serve(options.serve)
        return 0
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    size = options.mb * 1_000_000
    with tempfile.TemporaryDirectory(dir=options.folder) as scratch:
        os.environ["OUTPACE_HOME"] = str(Path(scratch) / "profile")
        models = Path(scratch) / "models"
        models.mkdir()
        free = shutil.disk_usage(scratch).free
        if free < size * 1.1 + 2e9:
            raise SystemExit(f"{size * 1.1 + 2e9:.1e} bytes are needed on the disk, {free:.1e} are free")
        result = most(size, models)
        with hub(size) as url:
            result |= without_window(url, models) if options.no_window else in_window(url, models)
    result["load_average"] = round(os.getloadavg()[0], 1) if hasattr(os, "getloadavg") else None
    print(json.dumps(result) if options.json else "\n".join(f"{name:24} {value}" for name, value in result.items()))
    speed, limit = float(str(result["mb_per_s"])) * 1e6, float(str(result["limit_mb_per_s"])) * 1e6
    quick = speed >= min(ENOUGH, 0.9 * limit)
    return 0 if quick and float(str(result.get("gap_ms_max", 0))) < LIMIT_MS else 1


if __name__ == "__main__":
    sys.exit(main())
