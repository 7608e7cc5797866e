"""Getting a pair on the Models page: real widgets, the real download process, a hub on real sockets."""

import os
import signal
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt

from app.core import paths
from app.ui.models_page.download_card import DownloadCard
from app.ui.models_page.pair_card import PairCard
from tests.helpers import gguf_kit
from tests.helpers.fake_hub import CORRUPT, GOOD, FakeHub
from tests.helpers.models_kit import (
    DRAFT_FILE,
    DRAFT_REPO,
    SECOND_REPO,
    TARGET_FILE,
    TARGET_REPO,
    Stage,
    fake_engine,
    fill_hub,
    texts,
)

Build = Callable[..., Stage]


@pytest.fixture
def hub() -> Iterator[FakeHub]:
    with FakeHub() as fake:
        fill_hub(fake)
        yield fake


@pytest.fixture
def build(qtbot, tmp_path: Path, hub: FakeHub, monkeypatch) -> Iterator[Build]:
    """Makes windows on the hub; without `real` their engine is a fake."""
    monkeypatch.setenv("HOME", str(tmp_path / "nobody"))
    made: list[Stage] = []

    def make(*, real: bool = False, **more) -> Stage:
        stage = Stage(qtbot, tmp_path, endpoint=hub.url, engine=() if real else fake_engine(), **more)
        made.append(stage)
        return stage

    yield make
    for stage in made:
        stage.tear_down()


def card_of(stage: Stage) -> PairCard:
    return stage.page.get.catalogue.cards["demo"]


def download_card(stage: Stage, number: int = 0) -> DownloadCard:
    return stage.page.downloads.cards[number]


def start(stage: Stage, hub: FakeHub, least: int = 300_000) -> PairCard:
    """Open the page, press "Download pair", wait for some bytes."""
    stage.open()
    stage.page.show_tab("get")
    card = card_of(stage)
    stage.click(card.get)
    stage.until(lambda: stage.progress() is not None and stage.progress().done >= least)
    return card


def test_one_click_from_an_empty_library_to_an_answer(build: Build, hub: FakeHub, qtbot) -> None:
    stage = build(real=True)
    stage.start_engine()
    stage.open()
    page = stage.page
    assert page.library.is_empty
    card = page.library.empty.card
    assert card is not None
    assert card.row.title == "Demo 6M + 0.6M"
    stage.click(card.get)
    stage.until(lambda: stage.progress() is not None and stage.progress().state == "done")
    folder = stage.folders.models / "org"
    files = (folder / "Demo-6M-GGUF" / TARGET_FILE, folder / "Demo-0.6M-GGUF" / DRAFT_FILE)
    assert stage.progress().paths == tuple(map(str, files))
    assert stage.progress().total == sum(file.stat().st_size for file in files)
    stage.until(lambda: not page.library.is_empty)
    page.show_tab("downloads")
    now = download_card(stage).controls.load
    stage.until(now.isEnabled)
    stage.click(now)
    stage.until(lambda: not page.isVisible())
    stage.until(lambda: stage.chat.phase == "idle" and stage.chat.loaded.target.path == str(files[0]))
    assert stage.chat.loaded.draft is not None
    assert stage.chat.loaded.draft.path == str(files[1])
    stage.window.composer.put_text("Count from 3 to 9.")
    qtbot.keyClick(stage.window.composer.edit, Qt.Key.Key_Return)
    stage.until(lambda: stage.chat.phase == "idle" and len(stage.chat.conversation.messages) == 2)
    assert stage.chat.conversation.messages[1].text


def test_the_card_of_a_pair_goes_from_download_to_load(build: Build, hub: FakeHub) -> None:
    hub.bytes_per_second = 4_000_000
    stage = build()
    card = start(stage, hub)
    assert not card.get.isVisible()
    assert "of" in card.progress.words.text()
    assert stage.page.tabs.tabText(2) == "Downloads (1)"
    assert download_card(stage).progress.bar.value() > 0
    hub.bytes_per_second = 0
    stage.until(card.controls.load.isEnabled)
    assert stage.page.tabs.tabText(2) == "Downloads"
    stage.click(card.controls.cancel)  # "Remove from list"
    stage.until(card.load.isVisible)
    assert (stage.folders.models / "org" / "Demo-6M-GGUF" / TARGET_FILE).exists()
    assert texts(card).count("in your library") == 1


def test_pause_and_resume(build: Build, hub: FakeHub) -> None:
    hub.bytes_per_second = 3_000_000
    stage = build()
    start(stage, hub)
    stage.page.show_tab("downloads")
    card = download_card(stage)
    stage.click(card.controls.pause)
    stage.until(lambda: stage.progress().state == "paused")
    assert "paused" in card.progress.words.text()
    assert not card.controls.pause.isVisible()
    done, requests = stage.progress().done, len(hub.storage_requests)
    stage.qtbot.wait(300)
    assert (stage.progress().done, len(hub.storage_requests)) == (done, requests)
    hub.bytes_per_second = 0
    stage.click(card.controls.resume)
    stage.until(lambda: stage.progress().state == "done")
    assert hub.storage_requests[requests].range == f"bytes={done}-"


def test_a_pause_outlives_the_window(build: Build, hub: FakeHub) -> None:
    hub.bytes_per_second = 3_000_000
    stage = build()
    card = start(stage, hub)
    stage.click(card.controls.pause)
    stage.until(lambda: stage.progress().state == "paused")
    done = stage.progress().done
    stage.tear_down()
    hub.bytes_per_second = 0
    again = build()
    again.models.start()
    again.until(lambda: again.progress() is not None)
    again.open()
    again.page.show_tab("downloads")
    assert again.progress().state == "paused"
    assert again.progress().done == done
    again.click(download_card(again).controls.resume)
    again.until(lambda: again.progress().state == "done")


def test_a_download_that_was_running_goes_on_at_the_next_start(build: Build, hub: FakeHub) -> None:
    hub.bytes_per_second = 3_000_000
    stage = build()
    start(stage, hub)
    stage.tear_down()
    hub.bytes_per_second = 0
    again = build()
    again.models.start()
    again.until(lambda: again.progress() is not None and again.progress().state == "done")
    assert (again.folders.models / "org" / "Demo-6M-GGUF" / TARGET_FILE).exists()


@pytest.mark.skipif(os.name == "nt", reason="SIGKILL")
def test_a_killed_download_process_is_replaced_and_goes_on(build: Build, hub: FakeHub, expect_log) -> None:
    expect_log("The download process crashed")
    hub.bytes_per_second = 4_000_000
    stage = build()
    card = start(stage, hub, 3_000_000)
    pid = stage.models.client.pid
    os.kill(pid, signal.SIGKILL)
    stage.until(lambda: stage.models.client.pid not in (0, pid))
    hub.bytes_per_second = 0
    stage.until(lambda: stage.progress().state == "done")
    stage.until(card.controls.load.isEnabled)
    size = sum(len(data) for repo in (TARGET_REPO, DRAFT_REPO) for data in hub.repos[repo].files.values())
    assert hub.sent - size < 1 << 20


@pytest.mark.skipif(os.name == "nt", reason="SIGKILL")
def test_a_process_that_dies_again_and_again_is_said_and_can_be_tried_again(build: Build, hub, expect_log) -> None:
    expect_log("The download process crashed")
    hub.bytes_per_second = 2_000_000
    stage = build()
    start(stage, hub)
    stage.models.client._again_ms = (0, 0)
    for _ in range(3):
        stage.until(lambda: stage.models.client.state == "ready")
        pid = stage.models.client.pid
        os.kill(pid, signal.SIGKILL)
        stage.until(lambda pid=pid: stage.models.client.pid != pid)
    stage.until(lambda: stage.progress().state == "failed")
    stage.page.show_tab("downloads")
    card = download_card(stage)
    assert "The download process crashed" in card.trouble.text
    hub.bytes_per_second = 0
    stage.click(card.controls.resume)
    stage.until(lambda: stage.progress().state == "done")


def test_terms_to_accept_are_said_with_a_link_and_a_token_helps(build: Build, hub: FakeHub, qtbot) -> None:
    hub.repos[TARGET_REPO].gated = True
    stage = build()
    stage.open()
    stage.page.show_tab("get")
    card = card_of(stage)
    stage.click(card.get)
    stage.until(lambda: stage.progress() is not None and stage.progress().state == "failed")
    stage.page.show_tab("downloads")
    shown = download_card(stage)
    assert "accepted its terms" in shown.trouble.text
    assert f'<a href="{hub.url}/{TARGET_REPO}">' in texts(shown)
    stage.click(shown.controls.settings)
    setup = stage.page.setup
    assert setup.isVisible()
    qtbot.keyClicks(setup.token, GOOD)
    assert GOOD not in setup.token.displayText()
    stage.click(setup.save_token)
    assert setup.token.text() == ""
    stage.until(lambda: "A token is kept" in texts(setup))
    assert GOOD not in texts(stage.page)
    stage.page.show_tab("downloads")
    stage.click(shown.controls.resume)
    stage.until(lambda: stage.progress().state == "done")
    assert any(asked.authorised for asked in hub.log)
    stage.page.show_tab("setup")
    stage.click(setup.forget_token)
    stage.until(lambda: "No token is kept" in texts(setup))


def test_a_repository_that_is_gone_is_said_on_the_card(build: Build, hub: FakeHub) -> None:
    files = hub.repos.pop(DRAFT_REPO)
    stage = build()
    stage.open()
    stage.page.show_tab("get")
    card = card_of(stage)
    stage.click(card.get)
    stage.until(lambda: DRAFT_REPO in card.trouble.text)
    assert card.get.text() == "Try again"
    assert not stage.models.downloads.rows
    hub.repos[DRAFT_REPO] = files
    stage.click(card.get)
    stage.until(lambda: stage.progress() is not None and stage.progress().state == "done")
    assert not card.trouble.isVisible()


def test_damaged_bytes_are_said_and_can_be_tried_again(build: Build, hub: FakeHub) -> None:
    stage = build()
    hub.body_faults = [CORRUPT, CORRUPT]
    stage.open()
    stage.page.show_tab("get")
    stage.click(card_of(stage).get)
    stage.until(lambda: stage.progress() is not None and stage.progress().state == "failed")
    stage.page.show_tab("downloads")
    card = download_card(stage)
    assert "arrived damaged twice" in card.trouble.text
    assert card.controls.resume.text() == "Try again"
    stage.click(card.controls.resume)
    stage.until(lambda: stage.progress().state == "done")
    assert not card.trouble.isVisible()


def test_cancel_leaves_nothing(build: Build, hub: FakeHub) -> None:
    hub.bytes_per_second = 3_000_000
    stage = build()
    card = start(stage, hub)
    stage.click(card.controls.cancel)
    stage.until(lambda: stage.progress() is None)
    assert not stage.page.downloads.cards
    stage.until(card.get.isVisible)
    assert not [path for path in stage.folders.models.rglob("*") if path.is_file()]


def test_anything_else_can_be_searched_listed_and_downloaded(build: Build, hub: FakeHub, qtbot) -> None:
    stage = build()
    stage.open()
    page = stage.page
    page.show_tab("get")
    qtbot.keyClicks(page.get.field, "other")
    qtbot.keyClick(page.get.field, Qt.Key.Key_Return)
    stage.until(lambda: stage.models.browser.view.kind == "hits")
    hub_view = page.get.hub
    assert [row.repo for row in stage.models.browser.hits.rows] == [SECOND_REPO]
    stage.click(hub_view.open)
    stage.until(lambda: stage.models.browser.view.kind == "repository")
    assert "mit" in texts(hub_view)
    names = [row.model.name for row in stage.models.browser.offers.rows]
    assert names == ["Other-Q4_K_M.gguf", "Other-Q8_0.gguf", "Other-F16.gguf"]
    assert hub_view.get.text().startswith("Download (400")
    stage.click(hub_view.get)
    job = f"model:{SECOND_REPO}/Other-Q4_K_M.gguf"
    stage.until(lambda: stage.progress(job) is not None and stage.progress(job).state == "done")
    stage.until(lambda: hub_view.get.text() == "Show download")
    stage.click(hub_view.back)
    assert stage.models.browser.view.kind == "hits"
    # An address leads straight to its models.
    page.get.field.setText(f"https://example.org/{SECOND_REPO}/tree/main")
    stage.click(page.get.search)
    stage.until(lambda: stage.models.browser.view.kind == "repository")
    page.get.field.clear()
    assert page.get.catalogue.isVisible()


def test_the_draft_that_fits_is_one_click_away(build: Build, hub: FakeHub) -> None:
    stage = build()
    target = gguf_kit.load(paths.demo_pair()[0])
    target.longer_by(5000)
    path = target.write(stage.folders.models / "Demo-6M-Q4_K_M.gguf")
    stage.open()
    stage.models.choose_target(str(path))
    offer = stage.page.library.details.get_offer
    stage.until(offer.isVisible)
    stage.click(offer)
    assert stage.page.tab == "downloads"
    job = f"draft:{DRAFT_REPO}/{DRAFT_FILE}"
    stage.until(lambda: stage.progress(job) is not None and stage.progress(job).state == "done")
    stage.until(lambda: stage.models.desk.offer is None)
    assert any(row.verdict and row.verdict.model.name == "Demo-0.6M-Q8_0" for row in stage.models.desk.drafts.rows)


def test_a_pasted_repository_comes_with_the_draft_that_fits(build: Build, hub: FakeHub, qtbot) -> None:
    hub.add("somebody/Requantised", {"Demo-6M-Q4_0.gguf": paths.demo_pair()[0].read_bytes(), "x-Q8_0.gguf": b"other"})
    stage = build()
    stage.open()
    page = stage.page
    page.show_tab("get")
    page.get.field.setText("somebody/Requantised")
    stage.click(page.get.search)
    stage.until(lambda: stage.models.browser.view.kind == "repository")
    view = page.get.hub

    def choose(word: str) -> None:
        rows = stage.models.browser.offers.rows
        number = next(number for number, row in enumerate(rows) if word in row.model.name)
        place = view.offers.rect_of(number).center()
        qtbot.mouseClick(view.offers.viewport(), Qt.MouseButton.LeftButton, pos=place)

    choose("x-")
    assert view.get_pair.isHidden()
    choose("Demo")
    assert "0.6M" in view.get_pair.text()
    stage.click(view.get_pair)
    job = "model:somebody/Requantised/Demo-6M-Q4_0.gguf"
    stage.until(lambda: stage.progress(job) is not None and stage.progress(job).state == "done")
    assert [Path(path).name for path in stage.progress(job).paths] == ["Demo-6M-Q4_0.gguf", DRAFT_FILE]
    stage.until(view.get_pair.isHidden)


@pytest.mark.parametrize(
    ("text", "words"),
    [("org/nothing", "no model"), ("ftp://x", "is not the name of a model"), ("zzzz", "Nothing was found")],
)
def test_what_leads_nowhere_is_said(build: Build, text: str, words: str) -> None:
    stage = build()
    stage.open()
    stage.page.show_tab("get")
    stage.page.get.field.setText(text)
    stage.click(stage.page.get.search)
    stage.until(lambda: stage.models.browser.view.kind in ("failed", "hits"))
    assert words in texts(stage.page.get.hub)


def test_offline_mode_asks_for_nothing(build: Build, hub: FakeHub) -> None:
    stage = build()
    stage.open()
    stage.page.show_tab("setup")
    stage.page.setup.offline.setChecked(True)
    stage.page.show_tab("get")
    assert "Offline mode is on" in texts(stage.page.get)
    before = len(hub.log)
    stage.page.get.field.setText("other")
    stage.click(stage.page.get.search)
    stage.until(lambda: stage.models.browser.view.kind == "failed")
    assert "Offline mode is on" in stage.page.get.hub.trouble.text
    assert len(hub.log) == before
    stage.page.setup.offline.setChecked(False)
    stage.click(stage.page.get.hub.again)
    stage.until(lambda: stage.models.browser.view.kind == "hits")


def test_an_address_that_is_none_is_refused_and_a_good_one_kept(build: Build, hub: FakeHub) -> None:
    stage = build()
    stage.open()
    stage.page.show_tab("setup")
    setup = stage.page.setup
    setup.endpoint.setText("hugging face")
    stage.click(setup.save_endpoint)
    assert "is not the address of a hub" in texts(stage.page.notes)
    assert stage.store.value.hub.endpoint == hub.url
    setup.endpoint.setText("https://mirror.example.org/")
    stage.click(setup.save_endpoint)
    assert stage.store.value.hub.endpoint == "https://mirror.example.org"
    assert "https://mirror.example.org" in stage.models.access.command
    assert not setup.save_endpoint.isEnabled()
