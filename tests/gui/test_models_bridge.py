"""What stands behind the Models page: lists, work on other threads, the client of the download process."""

import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QAbstractItemModelTester

from app.bridge.background import Background, Task
from app.bridge.download_client import PROCESS_GONE, DownloadClient
from app.bridge.draft_offer import draft_for
from app.bridge.hub_access import HubAccess
from app.bridge.importer import Importer
from app.bridge.item_models.catalogue import CatalogueModel, short_name
from app.bridge.item_models.downloads import DownloadsModel
from app.bridge.item_models.drafts import DraftsModel
from app.bridge.item_models.library import LibraryModel
from app.bridge.item_models.offers import HitsModel, OfferRow, OffersModel
from app.bridge.settings_store import SettingsStore
from app.chat.settings import HubOptions, Settings
from app.core import paths
from app.core.errors import AppError, CancelledByUser, UserError
from app.core.settings import SettingsFile
from app.hub import catalogue
from app.hub.credentials import Credentials
from app.hub.folders import Folder
from app.hub.library import Library, Scanner, inspect, vocabulary_of
from app.hub.memory_plan import Budget
from app.hub.pairing import judge_all
from app.protocol.download_messages import (
    DownloadProgress,
    Downloads,
    DownloadState,
    FoundRepository,
    ListDownloads,
    ListRepository,
    OfferedModel,
    SearchHub,
    StartDownload,
    WantedFile,
)
from app.protocol.messages import Failed
from tests.helpers.bridge_kit import Notebook, alive
from tests.helpers.models_kit import put_models

WAIT_MS = 20_000


@pytest.fixture
def background(qapp) -> Iterator[Background]:
    made = Background("test")
    yield made
    made.shut_down()
    made.deleteLater()


def until(qtbot, condition) -> None:
    qtbot.waitUntil(lambda: bool(condition()), timeout=WAIT_MS)


# --- lists ------------------------------------------------------------------------------------------------------------


def progress(number: int, state: DownloadState = "running", done: int = 0) -> DownloadProgress:
    return DownloadProgress(id=f"d{number}", title=f"Title {number}", state=state, file="f", done=done, total=10)


def under_tester(model) -> QAbstractItemModelTester:
    # Warnings of the tester fail the test.
    return QAbstractItemModelTester(model, QAbstractItemModelTester.FailureReportingMode.Warning, model)


def test_downloads_come_change_and_go(qapp) -> None:
    model = DownloadsModel()
    under_tester(model)
    for number in range(3):
        model.put(progress(number))
    model.put(progress(1, "failed"))
    model.put(progress(2, "done"))
    assert model.active == 1
    model.keep_only((progress(1, "queued"), progress(7)))
    assert [row.id for row in model.rows] == ["d1", "d2", "d7"], "a complete one stays, a forgotten one goes"
    model.fail_all(PROCESS_GONE, "It crashed.", "Try again.")
    assert [row.state for row in model.rows] == ["failed", "done", "failed"]
    model.remove("d1")
    model.remove("unknown")
    assert model.active == 0
    assert model.find("d7").sentence == "It crashed."
    assert "It crashed." in model.data(model.index(1), Qt.ItemDataRole.AccessibleTextRole)
    assert model.data(model.index(9)) is None
    model.deleteLater()


def test_library_and_drafts_under_the_tester(qapp, tmp_path: Path) -> None:
    target, draft, other = put_models(tmp_path, "Target.gguf", "A draft.gguf", "Second target.gguf")
    (tmp_path / "broken.gguf").write_bytes(b"GGUF")
    library = Scanner(None).scan([Folder(tmp_path, "models")])
    rows = LibraryModel()
    under_tester(rows)
    rows.show_library(library)
    rows.set_filter("target")
    assert [row.title for row in rows.rows] == ["Chat models", "Second target", "Target"]
    rows.show_use(str(target), str(draft))
    rows.set_filter("")
    assert [row.use for row in rows.rows if row.model] == ["draft", "", "target", ""]
    assert rows.rows[-1].title == "broken"
    assert rows.sentence(rows.rows[-1]).startswith("broken: ")
    assert rows.find("") == -1
    rows.show_library(Library((), ()))
    assert rows.rowCount() == 0
    drafts = DraftsModel()
    under_tester(drafts)
    verdicts = judge_all(inspect(target), library.models, vocabulary_of)
    drafts.show_verdicts(verdicts, str(draft))
    assert [row.in_use for row in drafts.rows] == [False, True, False]
    assert drafts.sentence(drafts.rows[1]).startswith("A draft, in use, fits: It is about 1/13")
    assert "does not fit" in drafts.sentence(drafts.rows[2])
    drafts.show_verdicts(verdicts, "")
    assert [row.in_use for row in drafts.rows] == [True, False, False]
    drafts.show_verdicts(verdicts[:1], None)
    assert not any(row.in_use for row in drafts.rows)
    assert drafts.find(str(other)) == -1
    for model in (rows, drafts):
        model.deleteLater()


def test_catalogue_and_hub_lists_under_the_tester(qapp, tmp_path: Path) -> None:
    pairs = catalogue.load(paths.resources() / "catalogue.toml")
    model = CatalogueModel()
    under_tester(model)
    downloads: dict[str, DownloadProgress] = {}
    model.use_downloads(downloads.get)
    model.show_suggestions(catalogue.suggest(pairs, Budget(ram=16_000_000_000)))
    first = model.rows[0]
    assert first.recommended
    assert model.recommended is first
    assert first.title.startswith(f"{first.pair.title} + ")
    assert first.size == first.pair.size
    model.change(first.pair.id, draft=len(first.pair.draft) - 1, asking=True)
    downloads[model.rows[0].download_id] = progress(1)
    model.refresh()
    assert model.rows[0].download is not None
    model.show_suggestions(catalogue.suggest(pairs, Budget(ram=64_000_000_000, vram=30_000_000_000)))
    kept = model.find(first.pair.id)
    assert kept is not None
    assert kept.asking, "what is known of a pair survives another order"
    ngram = next(row for row in model.rows if row.pair.drafter == "ngram")
    assert ngram.title == ngram.pair.title
    assert ngram.parts == (ngram.pair.target,)
    (tmp_path / first.pair.target.file).symlink_to(paths.demo_pair()[0])
    model.show_library(Scanner(None).scan([Folder(tmp_path, "added")]))
    assert model.find(first.pair.id).here is None, "half a pair is none"
    (tmp_path / first.pair.draft[-1].file).symlink_to(paths.demo_pair()[1])
    model.show_library(Scanner(None).scan([Folder(tmp_path, "added")]))
    assert model.find(first.pair.id).here.target == str(tmp_path / first.pair.target.file)
    hits, offers = HitsModel(), OffersModel()
    under_tester(hits)
    under_tester(offers)
    hits.replace([FoundRepository(repo="a/b", downloads=12345, gated=True)])
    assert hits.sentence(hits.rows[0]) == "a/b, downloaded 12,345 times, needs an access token"
    file = WantedFile(repo="a/b", name="m-Q4_0.gguf")
    offered = OfferedModel(name="m-Q4_0.gguf", quantisation="Q4_0", size=5_000_000_000, files=(file,))
    offers.replace([OfferRow(offered, "fits")])
    offers.replace([OfferRow(offered, "too_large", here=True)])
    assert offers.sentence(offers.rows[0]) == "m-Q4_0.gguf, Q4_0, 5.0 GB, too large for this computer"
    for one in (model, hits, offers):
        one.deleteLater()


@pytest.mark.parametrize(
    ("file", "short"),
    [
        ("Qwen3-0.6B-Q8_0.gguf", "0.6B"),
        ("SmolLM2-135M-Instruct-Q4_K_M.gguf", "135M"),
        ("folder/qwen2.5-coder-0.5b-instruct-q8_0.gguf", "0.5B"),
        ("Llama-3.2-1B-Instruct-Q8_0.gguf", "1B"),
        ("DeepSeek-R1-Distill-Qwen-1.5B-Q8_0.gguf", "1.5B"),
        ("something-F16.gguf", "something"),
    ],
)
def test_short_names(file: str, short: str) -> None:
    assert short_name(catalogue.Part(repo="a/b", file=file, quantisations=(), size=1, source="")) == short


def test_the_draft_of_a_known_target_in_any_quantisation(tmp_path: Path) -> None:
    pairs = catalogue.load(paths.resources() / "catalogue.toml")
    known = inspect(paths.demo_pair()[0])
    for name, draft in (
        ("Qwen3-8B-Q8_0", "Qwen3-0.6B-Q8_0.gguf"),
        ("qwen3-8b-UD-Q4_K_XL", "Qwen3-0.6B-Q8_0.gguf"),
        ("Meta-Llama-3.1-8B-Instruct-IQ4_XS", "Llama-3.2-1B-Instruct-Q8_0.gguf"),
        ("Qwen3-8B-Base", ""),
        ("somebody-finetune", ""),
    ):
        model = replace(known, path=tmp_path / f"{name}.gguf", parts=(tmp_path / f"{name}.gguf",))
        found = draft_for(pairs, model)
        assert (found.file if found else "") == draft, name


# --- work on another thread -------------------------------------------------------------------------------------------


def test_tasks_run_in_order_and_report_here(background: Background, qtbot) -> None:
    told: list[object] = []
    here = threading.current_thread()
    threads = []

    def work(number: int):
        def run(_task: Task) -> int:
            assert threading.current_thread() is not here
            return number

        return run

    for number in range(5):
        background.run(work(number), lambda value: (told.append(value), threads.append(threading.current_thread())))
    assert background.busy
    until(qtbot, lambda: not background.busy)
    assert told == [0, 1, 2, 3, 4]
    assert set(threads) == {here}


def test_a_later_task_with_the_same_key_replaces_an_earlier_one(background: Background, qtbot) -> None:
    told: list[str] = []
    release = threading.Event()
    seen: list[bool] = []

    def slow(task: Task) -> str:
        release.wait(10)
        seen.append(task.cancelled)
        return "slow"

    background.run(slow, told.append, key="k")
    background.run(lambda _task: "other", told.append, key="other")
    background.run(lambda _task: "new", told.append, key="k")
    release.set()
    until(qtbot, lambda: told == ["other", "new"])
    assert seen == [True]


def test_failures_come_as_sentences_and_cancelled_work_as_nothing(background: Background, qtbot, expect_log) -> None:
    expect_log("a task failed")
    faults: list[AppError] = []
    told: list[object] = []

    def user_error(_task: Task) -> None:
        raise UserError("code", "A sentence.")

    def bug(_task: Task) -> None:
        raise KeyError("bug")

    def given_up(_task: Task) -> None:
        raise CancelledByUser

    for work in (user_error, bug, given_up):
        background.run(work, told.append, faults.append)
    until(qtbot, lambda: not background.busy)
    assert [fault.code for fault in faults] == ["code", "internal"]
    assert told == []


def test_the_end_does_not_wait_for_what_has_not_begun(background: Background) -> None:
    started = threading.Event()
    ran: list[int] = []

    def patient(task: Task) -> None:
        started.set()
        while not task.cancelled:
            time.sleep(0.005)

    background.run(patient, ran.append)
    for number in range(3):
        background.run(lambda _task, number=number: ran.append(number), lambda _value: None)
    assert started.wait(5)
    background.shut_down()
    assert ran == []
    assert background.run(lambda _task: ran.append(9), lambda _value: None).cancelled


def test_a_copy_can_be_stopped_and_leaves_nothing(qapp, qtbot, tmp_path: Path) -> None:
    importer = Importer(Background("import"))
    files = put_models(tmp_path / "from", "A.gguf", "B.gguf")
    notes = Notebook(progress=importer.progress, added=importer.added)
    importer.start(files, tmp_path / "to", "copy")
    importer.cancel()
    until(qtbot, lambda: notes.of("progress")[-1:] == [None])
    assert notes.of("added") == []
    assert [path for path in tmp_path.joinpath("to").rglob("*") if path.is_file()] == []
    importer.start(files, tmp_path / "to", "copy")
    until(qtbot, lambda: len(notes.of("added")) == 2)
    assert sorted(path.name for path in tmp_path.joinpath("to").iterdir()) == ["A.gguf", "B.gguf"]
    importer.shut_down()
    importer.deleteLater()


# --- what is set up ---------------------------------------------------------------------------------------------------


def test_folders_addresses_and_tokens(qapp, qtbot, tmp_path: Path, background: Background) -> None:
    store = SettingsStore(SettingsFile(tmp_path / "settings.json", Settings), Settings())
    usual, tokens = tmp_path / "usual", tmp_path / "tokens.json"
    access = HubAccess(store, usual, lambda: Credentials(tokens, None), background)
    notes = Notebook(changed=access.changed, refused=access.refused)
    known: list[tuple[bool, str]] = []
    access.token_known.connect(lambda there, place: known.append((there, place)))
    assert access.models == usual
    assert access.command[-4:] == ("--models", str(usual), "--endpoint", "https://huggingface.co")
    access.add_folder(str(tmp_path / "a" / ".." / "b"))
    access.add_folder(str(tmp_path / "b"))
    access.add_folder(str(usual))
    assert access.options.folders == (str(tmp_path / "b"),)
    access.set_models(str(tmp_path / "new"))
    assert access.options.folders == (str(tmp_path / "b"), str(usual)), "the old folder stays listed"
    access.set_models("")
    assert access.models == usual
    assert str(usual) not in access.options.folders
    for bad in ("hugging face", "ftp://host", "https://", "https://a b", "http://host:port"):
        access.set_endpoint(bad)
    assert len(notes.of("refused")) == 5
    assert access.options.endpoint == ""
    access.set_endpoint("https://huggingface.co/")
    assert access.options.endpoint == ""
    access.set_endpoint(" https://mirror.example.org:8443/hub/ ")
    assert access.endpoint == "https://mirror.example.org:8443/hub"
    access.set_offline(offline=True)
    assert access.command[-1] == "--offline"
    access.store_token("hf_secret")
    until(qtbot, lambda: known[-1:] == [(True, f"the file {tokens}")])
    access.store_token("not a token")
    until(qtbot, lambda: notes.of("refused")[-1].code == "bad_token")
    access.store_token("")
    until(qtbot, lambda: not known[-1][0])
    store.flush()
    again, problems = SettingsFile(tmp_path / "settings.json", Settings).load()
    assert again.hub == access.options
    assert not problems
    for thing in (access, store):
        thing.deleteLater()


def test_a_damaged_address_in_the_settings_is_dropped_with_a_notice(tmp_path: Path) -> None:
    file = tmp_path / "settings.json"
    file.write_text('{"hub": {"endpoint": "nonsense", "offline": true, "folders": ["/a"]}}', encoding="utf-8")
    settings, problems = SettingsFile(file, Settings).load()
    assert settings.hub == HubOptions(offline=True, folders=("/a",))
    assert "is not the address of a hub" in problems[0].text


# --- the client of the download process -------------------------------------------------------------------------------

CHILD = """
import json, os, sys
print(json.dumps({"kind": "hello", "version": 1, "name": "download", "detail": ""}), flush=True)
count = open(sys.argv[1], "a")
for line in sys.stdin:
    body = json.loads(line)
    count.write(body["kind"] + "\\n"); count.flush()
    if body["kind"] == sys.argv[2]:
        os._exit(7)
    if body["kind"] == "list_downloads":
        print(json.dumps({"kind": "downloads", "id": body["id"], "downloads": []}), flush=True)
"""


def child(log: Path, dies_at: str = "never") -> tuple[str, ...]:
    return (sys.executable, "-c", CHILD, str(log), dies_at)


@pytest.fixture
def client(qapp, tmp_path: Path) -> Iterator[DownloadClient]:
    made = DownloadClient(child(tmp_path / "log"), again_ms=(0, 0))
    yield made
    made.wait()
    made.deleteLater()


def asked(log: Path) -> list[str]:
    return log.read_text().split() if log.exists() else []


def test_requests_wait_for_hello_and_nothing_runs_unasked(client: DownloadClient, qtbot, tmp_path: Path) -> None:
    qtbot.wait(50)
    assert client.state == "stopped"
    client.send(SearchHub(id="s", text="x"))
    assert client.state == "starting"
    until(qtbot, lambda: asked(tmp_path / "log")[-2:] == ["search_hub", "list_downloads"])
    pid = client.pid
    client.wait()
    assert not alive(pid)
    client.send(ListDownloads(id="late"))
    client.start()
    assert client.pid == 0


def test_questions_fail_and_downloads_are_asked_for_again(client: DownloadClient, qtbot, tmp_path, expect_log) -> None:
    expect_log("exited with code 7")
    client.use(child(tmp_path / "log", "search_hub"))
    notes = Notebook(received=client.received)
    client.send(StartDownload(id="job", title="t", files=()))
    client.send(SearchHub(id="question", text="x"))
    until(qtbot, lambda: any(isinstance(event, Failed) for event in notes.of("received")))
    (failed,) = [event for event in notes.of("received") if isinstance(event, Failed)]
    assert (failed.id, failed.code) == ("question", PROCESS_GONE)
    assert "exited with code 7" in failed.sentence
    until(qtbot, lambda: asked(tmp_path / "log").count("start_download") == 2)
    assert client.state in ("starting", "ready")


def test_a_process_that_never_lives_is_given_up(client: DownloadClient, qtbot, expect_log) -> None:
    expect_log("does not exist")
    client.use(("/nowhere/program",))
    stopped: list[object] = []
    client.stopped.connect(stopped.append)
    notes = Notebook(received=client.received)
    client.send(StartDownload(id="job", title="t", files=()))
    client.send(ListRepository(id="question", repo="a/b"))
    until(qtbot, lambda: stopped)
    failed = {event.id: event.sentence for event in notes.of("received")}
    assert set(failed) == {"job", "question"}
    assert "could not be started" in failed["job"]
    # Somebody asks again: it is tried again.
    client.send(ListRepository(id="again", repo="a/b"))
    until(qtbot, lambda: len(stopped) == 2)


def test_another_command_line_replaces_the_process_and_asks_again(client: DownloadClient, qtbot, tmp_path) -> None:
    client.send(SearchHub(id="s", text="x"))
    until(qtbot, lambda: "search_hub" in asked(tmp_path / "log"))
    first = client.pid
    client.use(child(tmp_path / "log"))
    assert client.pid == first, "the same command is no reason"
    client.use(child(tmp_path / "other"))
    until(qtbot, lambda: "search_hub" in asked(tmp_path / "other"))
    assert client.pid != first
    assert not alive(first)


def test_a_stranger_is_not_spoken_to(client: DownloadClient, qtbot, tmp_path, expect_log) -> None:
    expect_log("speaks version 99")
    hello = 'print(\'{"kind": "hello", "version": 99, "name": "x", "detail": ""}\', flush=True); input()'
    client.use((sys.executable, "-c", hello))
    stopped: list[object] = []
    client.stopped.connect(stopped.append)
    client.start()
    until(qtbot, lambda: stopped)
    assert "speaks version 99" in stopped[0].sentence


def test_what_is_listed_is_told(client: DownloadClient, qtbot) -> None:
    notes = Notebook(received=client.received, state=client.state_changed)
    client.start()
    until(qtbot, lambda: any(isinstance(event, Downloads) for event in notes.of("received")))
    assert notes.of("state") == ["starting", "ready"]
