import json
import os
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from app.bridge.settings_store import SettingsStore
from app.chat.settings import Settings
from app.core.settings import SettingsFile
from tests.helpers.bridge_kit import Notebook


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "settings.json"


@pytest.fixture
def store(qtbot: QtBot, path: Path) -> Iterator[SettingsStore[Settings]]:
    store = SettingsStore(SettingsFile(path, Settings), Settings())
    store.notes = Notebook(changed=store.changed, failed=store.failed)
    yield store
    store.flush()


def theme(path: Path) -> str:
    return str(json.loads(path.read_text())["theme"]) if path.exists() else ""


def test_changes_are_written_a_moment_later(qtbot: QtBot, store: SettingsStore[Settings], path: Path) -> None:
    store.update(theme="light")
    store.update(theme="dark")
    assert store.value == Settings(theme="dark")
    assert not path.exists(), "not while the person waits"
    qtbot.waitUntil(lambda: theme(path) == "dark", timeout=5000)
    assert [value.theme for value in store.notes.of("changed")] == ["light", "dark"]


def test_what_stays_the_same_is_not_written(qtbot: QtBot, store: SettingsStore[Settings], path: Path) -> None:
    store.update(theme="system")
    store.flush()
    assert store.notes.of("changed") == []
    assert not path.exists()


def test_flush_writes_at_once_and_twice_is_fine(store: SettingsStore[Settings], path: Path) -> None:
    store.update(theme="dark")
    store.flush()
    assert theme(path) == "dark"
    store.flush()
    store.update(theme="light")
    store.flush()
    assert theme(path) == "light"


def test_files_are_written_elsewhere(
    qtbot: QtBot, store: SettingsStore[Settings], path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    threads: list[threading.Thread] = []
    fsync = os.fsync

    def slow(descriptor: int) -> None:
        threads.append(threading.current_thread())
        fsync(descriptor)

    monkeypatch.setattr(os, "fsync", slow)
    store.update(theme="dark")
    qtbot.waitUntil(lambda: theme(path) == "dark", timeout=5000)
    assert threads
    assert threading.main_thread() not in threads


def test_a_full_disk_is_told_once_until_it_works_again(
    qtbot: QtBot, store: SettingsStore[Settings], path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", full)
        store.update(theme="dark")
        qtbot.waitUntil(lambda: store.notes.of("failed") != [], timeout=5000)
        store.update(theme="light")
        qtbot.wait(800)
    (notice,) = store.notes.of("failed")
    assert notice.code == "settings_not_saved"
    assert notice.text == (
        "The settings could not be saved (No space left on device). They last until the window is closed."
    )
    store.update(theme="dark")
    qtbot.waitUntil(lambda: theme(path) == "dark", timeout=5000)
