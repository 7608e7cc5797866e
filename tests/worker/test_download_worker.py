"""The download process as the window sees it: a real process, real sockets, killed and started again."""

import os
import random
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.core.launch import child_command
from app.hub.download import Hub, HubSettings
from app.protocol.download_messages import (
    CancelDownload,
    DownloadCancelled,
    DownloadProgress,
    Downloads,
    DownloadState,
    ListDownloads,
    ListRepository,
    PauseDownload,
    RepositoryModels,
    ResumeDownload,
    SearchHub,
    SearchResults,
    StartDownload,
    StartPair,
    WantedFile,
    WantedModel,
)
from app.protocol.messages import Cancel, Failed, Hello, Shutdown
from tests.helpers.engine_process import Engine, GoneError
from tests.helpers.fake_hub import FakeHub, Stall

REPO, NAME = "org/model-GGUF", "model-Q8_0.gguf"
DATA = random.Random(3).randbytes(6_000_000)


@pytest.fixture
def hub() -> Iterator[FakeHub]:
    with FakeHub() as fake:
        fake.add(REPO, {NAME: DATA, "README.md": b"hello"}, licence="mit")
        yield fake


@pytest.fixture
def models(tmp_path: Path) -> Path:
    return tmp_path / "Modelle 模型 é"


def process(hub: FakeHub, models: Path, *more: str) -> Engine:
    return Engine([*child_command("download"), "--models", str(models), "--endpoint", hub.url, *more])


def request(hub: FakeHub) -> StartDownload:
    listing = Hub(HubSettings(hub.url)).listing(REPO)
    file = listing.files[0]
    wanted = WantedFile(repo=REPO, name=NAME, revision=listing.revision, size=file.size, sha256=file.sha256)
    return StartDownload(id="job", title="A model", files=(wanted,))


def until(worker: Engine, state: DownloadState, least: int = 0) -> DownloadProgress:
    while True:
        progress = worker.next(DownloadProgress)
        if progress.state == state and progress.done >= least:
            return progress


def assert_complete(models: Path) -> None:
    assert (models / "org" / "model-GGUF" / NAME).read_bytes() == DATA
    assert sum(1 for path in models.rglob("*") if path.is_file()) == 1


def test_hello_download_done_shutdown(hub: FakeHub, models: Path) -> None:
    with process(hub, models) as worker:
        assert worker.next(Hello).name == "download"
        worker.send(Hello(name="window"), request(hub))
        done = until(worker, "done")
        assert done.paths == (str(models / "org" / "model-GGUF" / NAME),)
        assert_complete(models)
        worker.send(ListDownloads(id="list"))
        assert [status.state for status in worker.next(Downloads).downloads] == ["done"]
        worker.send(Shutdown())
        assert worker.expect_end(3) == 0
        assert worker.stderr == ""


def test_listings_and_searches_answer_while_a_download_runs(hub: FakeHub, models: Path) -> None:
    hub.bytes_per_second = 2_000_000
    with process(hub, models) as worker:
        worker.send(request(hub))
        until(worker, "running", 100_000)
        worker.send(ListRepository(id="a", repo=f"{hub.url}/{REPO}/tree/main"), SearchHub(id="b", text="model"))
        listed = worker.next(RepositoryModels)
        assert (listed.repo, listed.licence, listed.gated) == (REPO, "mit", False)
        (model,) = listed.models
        assert (model.name, model.quantisation, model.size) == (NAME, "Q8_0", len(DATA))
        assert model.files == request(hub).files
        assert [found.repo for found in worker.next(SearchResults).repositories] == [REPO]
        worker.send(ListRepository(id="c", repo="org/nothing"), ListRepository(id="d", repo="nonsense"))
        assert [(worker.next(Failed).id, code) for code in ("repository_not_found", "bad_repository")] == [
            ("c", "repository_not_found"),
            ("d", "bad_repository"),
        ]
        worker.send(CancelDownload(id="job"))
        assert worker.next(DownloadCancelled).id == "job"
    assert not any(path.is_file() for path in models.rglob("*"))


def test_a_pair_in_one_request(hub: FakeHub, models: Path) -> None:
    hub.add("org/draft", {"renamed-Q4_0.gguf": DATA[:1_000_000]})
    pair = StartPair(
        id="pair",
        title="Both",
        models=(
            WantedModel(repo=REPO, file=NAME),
            WantedModel(repo="org/draft", file="old-name.gguf", quantisations=("Q8_0", "Q4_0")),
        ),
    )
    with process(hub, models) as worker:
        worker.send(pair)
        done = until(worker, "done")
        assert (done.id, done.title, done.total) == ("pair", "Both", len(DATA) + 1_000_000)
        assert [Path(path).name for path in done.paths] == [NAME, "renamed-Q4_0.gguf"]
        worker.send(
            StartPair(id="wrong", title="x", models=(WantedModel(repo=REPO, file="x", quantisations=("Q2_K",)),))
        )
        failed = worker.next(Failed)
        assert (failed.id, failed.code) == ("wrong", "file_not_found")
        assert "it has Q8_0" in failed.sentence


def test_pause_and_resume(hub: FakeHub, models: Path) -> None:
    hub.bytes_per_second = 3_000_000
    with process(hub, models) as worker:
        worker.send(request(hub))
        until(worker, "running", 500_000)
        asked_at = time.monotonic()
        worker.send(PauseDownload(id="job"))
        paused = until(worker, "paused")
        assert time.monotonic() - asked_at < 1.0
        sent = len(hub.storage_requests)
        time.sleep(0.3)
        assert len(hub.storage_requests) == sent
        hub.bytes_per_second = 0
        worker.send(ResumeDownload(id="job"))
        until(worker, "done")
        assert int(hub.storage_requests[-1].range.removeprefix("bytes=").removesuffix("-")) >= paused.done
    assert_complete(models)


@pytest.mark.skipif(os.name == "nt", reason="SIGKILL")
def test_killed_and_started_again_it_goes_on_by_itself(hub: FakeHub, models: Path) -> None:
    hub.bytes_per_second = 4_000_000
    with process(hub, models) as worker:
        worker.send(request(hub))
        done = until(worker, "running", len(DATA) * 6 // 10).done
        os.kill(worker.process.pid, signal.SIGKILL)
        worker.expect_end(5)
    assert not (models / "org" / "model-GGUF" / NAME).exists()
    hub.bytes_per_second = 0
    with process(hub, models) as worker:
        resumed = until(worker, "running")
        assert resumed.done >= done
        until(worker, "done")
    assert_complete(models)
    assert hub.sent - len(DATA) < 1 << 20


def test_the_window_is_gone(hub: FakeHub, models: Path) -> None:
    hub.body_faults = [Stall(1_000_000, 30.0)]
    with process(hub, models) as worker:
        worker.send(request(hub))
        until(worker, "running", 500_000)
        start = time.monotonic()
        worker.close_stdin()
        assert worker.expect_end(5) == 0
        assert time.monotonic() - start < 3
    with process(hub, models) as worker:
        until(worker, "done")
    assert_complete(models)


def test_garbage_and_requests_for_somebody_else(hub: FakeHub, models: Path) -> None:
    with process(hub, models) as worker:
        worker.send_bytes(b"no json\n\n{}\n")
        for _ in range(2):
            assert worker.next(Failed).code == "protocol"
        worker.send(Cancel(id="x"))
        assert "Cancel" in worker.next(Failed).sentence
        worker.send(request(hub))
        until(worker, "done")
        worker.send(Hello(version=99))
        assert "different versions" in worker.next(Failed).sentence
        assert worker.expect_end(3) == 0
        with pytest.raises(GoneError):
            worker.next(Hello)
    assert_complete(models)


def test_offline_mode(hub: FakeHub, models: Path) -> None:
    asked = request(hub)
    before = len(hub.log)
    with process(hub, models, "--offline") as worker:
        worker.send(asked)
        assert until(worker, "failed").code == "offline"
        worker.send(SearchHub(id="s", text="model"))
        assert worker.next(Failed).code == "offline"
    assert len(hub.log) == before


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="the administrator may write everywhere")
def test_a_read_only_models_folder(hub: FakeHub, models: Path) -> None:
    models.mkdir()
    models.chmod(0o500)
    with process(hub, models) as worker:
        worker.send(request(hub))
        assert until(worker, "failed").code == "folder_read_only"


def test_a_models_folder_that_is_a_file(hub: FakeHub, models: Path) -> None:
    models.write_text("not a folder")
    with process(hub, models) as worker:
        worker.send(request(hub))
        failed = until(worker, "failed")
        assert failed.code == "disk_error"
        assert failed.sentence
        worker.send(ListDownloads(id="still there"))
        assert worker.next(Downloads).id == "still there"
