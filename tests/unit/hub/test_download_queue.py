"""Several files as one download, in a queue that survives restarts."""

import json
import queue
import random
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.core.errors import UserError
from app.hub.download import Hub, HubSettings
from app.hub.download_queue import DownloadQueue
from app.hub.folders import model_files
from app.hub.speed import Speedometer
from app.protocol.download_messages import (
    DownloadCancelled,
    DownloadProgress,
    DownloadState,
    StartDownload,
    WantedFile,
)
from tests.helpers.fake_hub import Drop, FakeHub, Status

TARGET, DRAFT = random.Random(1).randbytes(3_000_000), random.Random(2).randbytes(1_000_000)
BOTH = len(TARGET) + len(DRAFT)


@pytest.fixture
def hub() -> Iterator[FakeHub]:
    with FakeHub() as fake:
        fake.add("org/big", {"big.gguf": TARGET})
        fake.add("org/small", {"small.gguf": DRAFT})
        yield fake


class Runner:
    """A queue in its thread, with its events."""

    def __init__(self, hub: FakeHub, folder: Path) -> None:
        self.models = folder / "Modelle é"
        self.state = folder / "data" / "downloads.json"
        self.events: queue.SimpleQueue[DownloadProgress | DownloadCancelled] = queue.SimpleQueue()
        self.seen: list[DownloadProgress | DownloadCancelled] = []
        self.queue = DownloadQueue(
            Hub(HubSettings(hub.url)), self.models, self.state, self.events.put, delays=(0.01, 0.01), reserve=0
        )
        self.queue.start_thread()

    def until(self, state: DownloadState, job: str = "pair", timeout: float = 20.0) -> DownloadProgress:
        deadline = time.monotonic() + timeout
        while True:
            event = self.events.get(timeout=max(deadline - time.monotonic(), 0.01))
            self.seen.append(event)
            if isinstance(event, DownloadProgress) and event.id == job and event.state == state:
                return event

    def until_cancelled(self) -> None:
        while not isinstance(self.events.get(timeout=20), DownloadCancelled):
            pass

    def until_bytes(self, done: int) -> DownloadProgress:
        while (event := self.until("running")).done < done:
            pass
        return event


def pair(hub: FakeHub, job: str = "pair") -> StartDownload:
    client = Hub(HubSettings(hub.url))
    files = []
    for repo in ("org/big", "org/small"):
        listing = client.listing(repo)
        (file,) = listing.files
        files.append(
            WantedFile(repo=repo, name=file.name, revision=listing.revision, size=file.size, sha256=file.sha256)
        )
    return StartDownload(id=job, title="Big with small", files=tuple(files))


@pytest.fixture
def runner(hub: FakeHub, tmp_path: Path) -> Iterator[Runner]:
    runner = Runner(hub, tmp_path)
    yield runner
    runner.queue.close()


def assert_complete(runner: Runner) -> None:
    assert (runner.models / "org" / "big" / "big.gguf").read_bytes() == TARGET
    assert (runner.models / "org" / "small" / "small.gguf").read_bytes() == DRAFT
    assert sum(1 for path in runner.models.rglob("*") if path.is_file()) == 2


def test_a_pair_is_one_download(hub: FakeHub, runner: Runner) -> None:
    hub.bytes_per_second = 6_000_000
    runner.queue.start(pair(hub))
    done = runner.until("done")
    assert_complete(runner)
    assert (done.done, done.total) == (BOTH, BOTH)
    assert [Path(path).name for path in done.paths] == ["big.gguf", "small.gguf"]
    running = [event for event in runner.seen if isinstance(event, DownloadProgress) and event.state == "running"]
    assert all(event.total == BOTH for event in running)
    steps = [event.done for event in running]
    assert steps == sorted(steps)
    assert {event.file for event in running} >= {"big.gguf", "small.gguf"}
    assert any(event.speed and event.seconds_left for event in running)
    assert json.loads(runner.state.read_text()) == []


def test_pause_in_the_second_file_and_resume_with_a_drop(hub: FakeHub, runner: Runner) -> None:
    hub.bytes_per_second = 3_000_000
    runner.queue.start(pair(hub))
    runner.until_bytes(3_200_000)
    runner.queue.pause("pair")
    paused = runner.until("paused")
    assert 3_200_000 <= paused.done < BOTH
    part = runner.models / "org" / "small" / "small.gguf.part"
    time.sleep(0.1)  # the last batch may still be on its way to the disk
    there = part.stat().st_size
    time.sleep(0.3)
    assert part.stat().st_size == there < len(DRAFT)
    assert [parts[0].name for parts in model_files(runner.models, [])] == ["big.gguf"]
    assert json.loads(runner.state.read_text())[0]["paused"] is True
    hub.bytes_per_second = 0
    hub.body_faults = [Drop(100_000)]
    runner.queue.resume("pair")
    assert runner.until_bytes(3_200_000).done >= paused.done
    runner.until("done")
    assert_complete(runner)


def test_what_a_closed_queue_left_goes_on_in_the_next(hub: FakeHub, tmp_path: Path) -> None:
    hub.bytes_per_second = 3_000_000
    first = Runner(hub, tmp_path)
    first.queue.start(pair(hub))
    first.until_bytes(1_000_000)
    first.queue.close()
    hub.bytes_per_second = 0
    second = Runner(hub, tmp_path)
    try:
        assert second.until("running").done >= 1_000_000
        second.until("done")
        assert_complete(second)
    finally:
        second.queue.close()
    asked = [asked.range for asked in hub.storage_requests]
    assert asked[0] == ""
    assert int(asked[1].removeprefix("bytes=").removesuffix("-")) >= 1_000_000


def test_a_paused_download_stays_paused_over_a_restart(hub: FakeHub, tmp_path: Path) -> None:
    first = Runner(hub, tmp_path)
    first.queue.close()
    first.queue.start(pair(hub))
    first.queue.pause("pair")
    second = Runner(hub, tmp_path)
    try:
        (status,) = second.queue.statuses()
        assert (status.state, status.title, status.total) == ("paused", "Big with small", BOTH)
        time.sleep(0.2)
        assert hub.storage_requests == []
    finally:
        second.queue.close()


def test_cancel_removes_what_is_incomplete(hub: FakeHub, runner: Runner) -> None:
    hub.bytes_per_second = 3_000_000
    runner.queue.start(pair(hub))
    runner.until_bytes(3_200_000)
    runner.queue.cancel("pair")
    runner.until_cancelled()
    assert [path.name for path in runner.models.rglob("*") if path.is_file()] == ["big.gguf"]
    assert runner.queue.statuses() == ()
    hub.bytes_per_second = 0
    runner.queue.start(pair(hub))
    runner.until("done")
    assert_complete(runner)


def test_cancel_while_paused_and_twice_and_unknown(hub: FakeHub, runner: Runner) -> None:
    hub.bytes_per_second = 3_000_000
    runner.queue.start(pair(hub))
    runner.until_bytes(500_000)
    runner.queue.pause("pair")
    runner.queue.cancel("pair")
    runner.until_cancelled()
    runner.queue.cancel("pair")
    runner.queue.pause("pair")
    runner.queue.resume("nobody")
    assert [path for path in runner.models.rglob("*") if path.is_file()] == []


def test_downloads_wait_for_each_other(hub: FakeHub, runner: Runner) -> None:
    hub.bytes_per_second = 6_000_000
    request = pair(hub)
    for number, file in enumerate(request.files):
        runner.queue.start(StartDownload(id=f"job {number}", title=file.name, files=(file,)))
    states = [status.state for status in runner.queue.statuses()]
    assert states in (["running", "queued"], ["queued", "queued"])
    runner.until("done", "job 0")
    runner.until("done", "job 1")
    assert_complete(runner)


def test_starting_twice_is_one_download(hub: FakeHub, runner: Runner) -> None:
    hub.bytes_per_second = 6_000_000
    runner.queue.start(pair(hub))
    runner.until_bytes(500_000)
    runner.queue.start(pair(hub))
    assert len(runner.queue.statuses()) == 1
    runner.until("done")
    assert len(hub.storage_requests) == 2


def test_a_hub_that_is_away_is_tried_again(hub: FakeHub, runner: Runner, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.hub.job.RETRY_S", (0.1,))
    request = pair(hub)
    hub.api_faults = [Status(503)] * 4
    runner.queue.start(request)
    waiting = runner.until("waiting")
    assert waiting.code == "hub_error"
    assert waiting.sentence
    runner.until("done")
    assert_complete(runner)


def test_a_refusal_fails_and_the_next_one_goes_on(hub: FakeHub, runner: Runner) -> None:
    request = pair(hub)
    hub.repos["org/big"].gated = True
    runner.queue.start(StartDownload(id="gated", title="big", files=request.files[:1]))
    runner.queue.start(StartDownload(id="open", title="small", files=request.files[1:]))
    failed = runner.until("failed", "gated")
    assert failed.code == "gated_no_token"
    assert failed.hint
    runner.until("done", "open")
    hub.repos["org/big"].gated = False
    runner.queue.resume("gated")
    runner.until("done", "gated")
    assert_complete(runner)


def test_a_full_disk_pauses(hub: FakeHub, runner: Runner, monkeypatch: pytest.MonkeyPatch) -> None:
    room = [1_000_000]
    monkeypatch.setattr("app.hub.part_file.free_bytes", lambda _: room[0])
    request = pair(hub)
    runner.queue.start(request)
    paused = runner.until("paused")
    assert paused.code == "disk_full"
    assert hub.storage_requests == []
    room[0] = 100_000_000
    runner.queue.resume("pair")
    runner.until("done")
    assert_complete(runner)


def test_a_second_instance_keeps_its_hands_off(hub: FakeHub, runner: Runner, tmp_path: Path) -> None:
    hub.bytes_per_second = 3_000_000
    runner.queue.start(pair(hub))
    runner.until_bytes(500_000)
    other = Runner(hub, tmp_path)
    try:
        assert other.queue.statuses() == ()
        other.queue.start(pair(hub))
        assert other.until("waiting").code == "downloading_elsewhere"
        hub.bytes_per_second = 0
        runner.until("done")
        other.queue.resume("pair")
        other.until("done")
    finally:
        other.queue.close()
    assert_complete(runner)


@pytest.mark.parametrize("damage", ["", "{", "[1, {}]", '[{"id": "x", "title": "t", "files": [{"repo": "a/b"}]}]'])
def test_a_damaged_memory_is_forgotten(hub: FakeHub, tmp_path: Path, damage: str) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "downloads.json").write_text(damage)
    runner = Runner(hub, tmp_path)
    try:
        assert runner.queue.statuses() == ()
        runner.queue.start(pair(hub))
        runner.until("done")
    finally:
        runner.queue.close()


def test_names_that_lead_elsewhere_are_refused(runner: Runner) -> None:
    bad = StartDownload(id="x", title="x", files=(WantedFile(repo="org/model", name="../../x.gguf"),))
    with pytest.raises(UserError, match="no name for a file"):
        runner.queue.start(bad)
    assert runner.queue.statuses() == ()


def test_a_place_where_nothing_can_be_remembered(hub: FakeHub, tmp_path: Path) -> None:
    (tmp_path / "data").write_text("a file where the folder should be")
    runner = Runner(hub, tmp_path)
    try:
        runner.queue.start(pair(hub))
        runner.until("done")
    finally:
        runner.queue.close()
    assert_complete(runner)


def test_the_speedometer() -> None:
    now = [0.0]
    meter = Speedometer(lambda: now[0])
    assert meter.speed() is None
    for second in range(20):
        now[0] = float(second)
        meter.note(second * 1000)
    assert meter.speed() == 1000
    assert meter.seconds_left(5000) == 5
    for second in range(20, 30):
        now[0] = float(second)
        meter.note(20_000)
    assert meter.speed() == 0
    assert meter.seconds_left(5000) is None
    meter.note(10)
    assert meter.speed() is None
