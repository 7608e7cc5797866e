"""A window with the Models page: real engine, real download process, a hub on real sockets with the demo pair on it."""

import os
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

from PySide6.QtCore import QEvent, Qt
from PySide6.QtWidgets import QApplication, QPushButton, QWidget
from pytestqt.qtbot import QtBot

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
from app.ui.models_page.page import ModelsPage
from app.ui.presenter import Presenter
from tests.helpers.bridge_kit import fake_command
from tests.helpers.fake_hub import FakeHub

WAIT_MS = 30_000
TARGET_REPO, DRAFT_REPO, SECOND_REPO = "org/Demo-6M-GGUF", "org/Demo-0.6M-GGUF", "org/Other-GGUF"
TARGET_FILE, DRAFT_FILE = "Demo-6M-Q8_0.gguf", "Demo-0.6M-Q8_0.gguf"
CATALOGUE = f"""
[[pair]]
id = "demo"
title = "Demo 6M"
good_for = "being small"
licence = "apache-2.0"
parameters = 0.006
[pair.target]
repo = "{TARGET_REPO}"
file = "{TARGET_FILE}"
quantisations = ["Q8_0"]
size = 6_400_000
source = "made up"
[[pair.draft]]
repo = "{DRAFT_REPO}"
file = "{DRAFT_FILE}"
quantisations = ["Q8_0"]
size = 800_000
source = "made up"

[[pair]]
id = "huge"
title = "Huge 900B"
good_for = "nobody here"
licence = "mit"
parameters = 900.0
drafter = "ngram"
[pair.target]
repo = "org/Huge-GGUF"
file = "Huge-900B-Q4_K_M.gguf"
quantisations = ["Q4_K_M"]
size = 540_000_000_000_000
source = "made up"
"""


def fill_hub(hub: FakeHub) -> None:
    """Put the demo pair, and something else, on a hub."""
    target, draft = (path.read_bytes() for path in paths.demo_pair())
    hub.add(TARGET_REPO, {TARGET_FILE: target, "README.md": b"hello"})
    hub.add(DRAFT_REPO, {DRAFT_FILE: draft})
    noise = random.Random(5)
    names = ("Other-Q4_K_M.gguf", "Other-Q8_0.gguf", "Other-F16.gguf")
    hub.add(SECOND_REPO, {name: noise.randbytes(400_000 * (i + 1)) for i, name in enumerate(names)}, licence="mit")


class Stage:
    """One window. `page` is the Models page, as soon as `open` was called."""

    def __init__(
        self,
        qtbot: QtBot,
        folder: Path,
        *,
        endpoint: str = "",
        engine: tuple[str, ...] = (),
        theme: str = "light",
        size: tuple[int, int] = (1000, 700),
        hub_options: HubOptions | None = None,
        catalogue: str = CATALOGUE,
    ) -> None:
        """`engine`: the command of another engine; the real one without it."""
        self.qtbot = qtbot
        self._over = False
        app = QApplication.instance()
        assert isinstance(app, QApplication)
        self._sheet, self._palette, self._font = app.styleSheet(), app.palette(), app.font()
        self.folders = paths.find()
        folder.mkdir(parents=True, exist_ok=True)
        catalogue_file = folder / "catalogue.toml"
        catalogue_file.write_text(catalogue, encoding="utf-8")
        self.appearance = Appearance(app, theme)
        settings_file = SettingsFile(self.folders.settings_file, Settings)
        settings, _ = settings_file.load()
        options = hub_options or HubOptions(endpoint=endpoint or settings.hub.endpoint, folders=settings.hub.folders)
        self.store = SettingsStore(settings_file, Settings(hub=options, recent=settings.recent))
        target, draft = (str(path) for path in paths.demo_pair())
        self.client = EngineClient(command=engine or None)
        self.chat = ChatController(self.client, self.store, Pair(target=target, draft=draft))
        self.window = MainWindow(self.appearance.theme, WindowState())
        self.presenter = Presenter(self.window, self.chat, self.appearance)
        gains_file = SettingsFile(self.folders.data / "gains.json", Gains)
        self.gains = GainKeeper(self.chat, SettingsStore(gains_file, gains_file.load()[0]))
        self.models = ModelsController(self.chat, self.store, self.gains, self.folders, catalogue_file=catalogue_file)
        self.door = ModelsDoor(self.window, self.chat, self.models, self.appearance)
        self.window.resize(*size)
        self.window.show()
        with qtbot.waitActive(self.window):
            pass

    @property
    def page(self) -> ModelsPage:
        assert self.door.page is not None
        return self.door.page

    def start_engine(self) -> None:
        """Load the demo pair and wait for it."""
        self.chat.start()
        self.until(lambda: self.chat.phase == "idle")

    def open(self) -> ModelsPage:
        """Show the page and wait until it knows the library and the catalogue."""
        page = self.door.open()
        self.until(page.isVisible)
        self.until(lambda: self.models.library.scanned and self.models.catalogue.rows)
        self.until(lambda: not self.models._background.busy)
        return page

    def until(self, condition: Callable[[], Any], timeout: int = WAIT_MS) -> None:
        self.qtbot.waitUntil(lambda: bool(condition()), timeout=timeout)

    def click(self, button: QPushButton) -> None:
        """Press a button a person can see; new widgets appear with the next turn of the event loop."""
        self.until(button.isVisible, 2000)
        assert button.isEnabled(), f"{button.text()!r} is disabled"
        self.qtbot.mouseClick(button, Qt.MouseButton.LeftButton)

    def progress(self, download_id: str = "pair:demo:0") -> Any:
        return self.models.downloads.find(download_id)

    def tear_down(self) -> None:
        """End everything; twice is fine."""
        if self._over:
            return
        self._over = True
        self.window.close()
        self.models.shut_down()
        self.chat.shut_down()
        for thing in (self.window, self.models, self.gains, self.chat, self.client, self.store, self.appearance):
            thing.deleteLater()
        QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
        app = QApplication.instance()
        assert isinstance(app, QApplication)
        app.setStyleSheet(self._sheet)
        app.setPalette(self._palette)
        app.setFont(self._font)


def fake_engine() -> tuple[str, ...]:
    """An engine that loads at once, for tests that are not about it."""
    return fake_command()


def put_models(folder: Path, *names: str) -> list[Path]:
    """Copies of the demo pair under other names, into a folder; names with "draft" get the draft."""
    folder.mkdir(parents=True, exist_ok=True)
    target, draft = paths.demo_pair()
    made = []
    for name in names:
        source = draft if "draft" in name.lower() else target
        path = folder / name
        os.link(source, path) if source.stat().st_dev == folder.stat().st_dev else path.write_bytes(source.read_bytes())
        made.append(path)
    return made


def texts(widget: QWidget) -> str:
    """Everything visible labels below a widget say."""
    from PySide6.QtWidgets import QLabel

    return "\n".join(label.text() for label in widget.findChildren(QLabel) if label.isVisible() and label.text())
