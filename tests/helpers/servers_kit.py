"""The window with connections, on a real engine process and replayed servers."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from PySide6.QtCore import QEvent, Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.bridge.chat_controller import ChatController
from app.bridge.compare_desk import CompareDesk
from app.bridge.compare_guest import CompareGuest
from app.bridge.comparison_shelf import ComparisonShelf
from app.bridge.connections import ConnectionsDesk
from app.bridge.engine_client import EngineClient
from app.bridge.gain_keeper import GainKeeper
from app.bridge.settings_store import SettingsStore
from app.chat.connections import Connections
from app.chat.gains import Gains
from app.chat.settings import Pair, Settings, WindowState
from app.core import paths
from app.core.settings import SettingsFile
from app.hub.keychain import Keychain
from app.hub.server_keys import ServerKeys
from app.ui.appearance import Appearance
from app.ui.compare_page.door import CompareDoor
from app.ui.connections_page.door import ConnectionsDoor
from app.ui.connections_page.page import ConnectionsPage
from app.ui.main_window import MainWindow
from app.ui.presenter import Presenter

WAIT_MS = 90_000


class MemoryKeychain:
    """A keychain that forgets with the test."""

    exists = True

    def __init__(self) -> None:
        self.kept: dict[tuple[str, str], str] = {}

    def get_password(self, service: str, name: str) -> str | None:
        return self.kept.get((service, name))

    def set_password(self, service: str, name: str, secret: str) -> None:
        self.kept[service, name] = secret

    def delete_password(self, service: str, name: str) -> None:
        del self.kept[service, name]


class ServerRoom:
    """A window that can chat with servers."""

    def __init__(self, qtbot: QtBot, folder: Path, keychain: Keychain | None = None) -> None:
        app = QApplication.instance()
        assert isinstance(app, QApplication)
        self.qtbot = qtbot
        self.folder = folder
        self.appearance = Appearance(app, "light")
        self.client = EngineClient()
        self.settings = SettingsStore(*_loaded(folder / "settings.json", Settings))
        target, draft = (str(path) for path in paths.demo_pair())
        self.controller = ChatController(self.client, self.settings, Pair(target=target, draft=draft))
        self.window = MainWindow(self.appearance.theme, WindowState())
        self.presenter = Presenter(self.window, self.controller, self.appearance)
        self.probes = EngineClient()
        self.store = SettingsStore(*_loaded(folder / "connections.json", Connections))
        self.desk = ConnectionsDesk(self.store, ServerKeys(keychain), self.probes)
        self.client.prepare, self.controller.unlock = self.desk.prepare, self.desk.unlock
        gains_file = SettingsFile(folder / "gains.json", Gains)
        self.gains = SettingsStore(gains_file, Gains())
        self.shelf = ComparisonShelf(folder / "comparisons.jsonl")
        self.compare = CompareDesk(self.controller, self.client, self.shelf, GainKeeper(self.controller, self.gains))
        self.guest_client = EngineClient()
        self.guest = CompareGuest(self.desk, self.guest_client)
        self.compare.invite_with(self.guest)
        self.compare_door = CompareDoor(self.window, self.controller, self.compare, self.appearance)
        self.door = ConnectionsDoor(self.window, self.controller, self.desk, self.appearance)
        self.window.resize(1000, 700)
        self.window.show()
        with qtbot.waitActive(self.window):
            pass

    def until(self, condition: Callable[[], object]) -> None:
        self.qtbot.waitUntil(lambda: bool(condition()), timeout=WAIT_MS)

    def start(self) -> None:
        self.controller.start()
        self.until(lambda: self.controller.phase == "idle")

    @property
    def page(self) -> ConnectionsPage:
        return self.door.page or self.door.open()

    def add(self, name: str, address: str, key: str = "") -> str:
        """Add a server as a person does; gives its id when it was tested."""
        page = self.page
        page.add.click()
        for line, text in ((page.form.name, name), (page.form.address, address), (page.form.key, key)):
            line.setText(text)
        page.form.save.click()
        self.until(lambda: page._shown in self.desk.results and not page._testing)
        return page._shown

    def use(self, model: str) -> None:
        """Chat with a model of the shown server."""
        self.page.result.model_chosen.emit(model)
        self.until(lambda: self.on_server and self.controller.phase == "idle")

    @property
    def on_server(self) -> bool:
        loaded = self.controller.loaded
        return loaded is not None and loaded.server is not None

    def ask(self, text: str) -> None:
        self.window.composer.put_text(text)
        self.qtbot.keyClick(self.window.composer.edit, Qt.Key.Key_Return)
        self.until(lambda: self.controller.phase == "idle" and self.controller.conversation.messages[-1].text)

    def close(self) -> None:
        self.window.close()
        self.controller.shut_down()
        self.guest.shut_down()
        self.desk.shut_down()
        self.shelf.shut_down()
        self.gains.flush()
        for thing in (self.compare, self.guest, self.guest_client, self.shelf, self.gains):
            thing.deleteLater()
        for thing in (self.window, self.controller, self.client, self.probes, self.desk, self.appearance):
            thing.deleteLater()
        for store in (self.settings, self.store):
            store.deleteLater()


@contextmanager
def server_rooms(qapp: QApplication) -> Iterator[list[ServerRoom]]:
    """Put rooms into the list; they are closed, and the looks of the application put back."""
    looks = qapp.styleSheet(), qapp.palette(), qapp.font()
    made: list[ServerRoom] = []
    yield made
    for room in made:
        room.close()
    QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    qapp.setStyleSheet(looks[0])
    qapp.setPalette(looks[1])
    qapp.setFont(looks[2])


def _loaded(path: Path, kind: type) -> tuple[SettingsFile, object]:
    file = SettingsFile(path, kind)
    return file, file.load()[0]
