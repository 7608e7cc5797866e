"""The whole window with a history, on a real engine process that plays a part."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from PySide6.QtCore import QEvent, Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.bridge.chat_controller import ChatController
from app.bridge.engine_client import EngineClient
from app.bridge.history import History
from app.bridge.settings_store import SettingsStore
from app.chat.settings import Pair, Settings, WindowState
from app.core import paths
from app.core.settings import SettingsFile
from app.store.history import HistoryRepository
from app.store.rows import ChatRow, MessageRow
from app.ui.appearance import Appearance
from app.ui.main_window import MainWindow
from app.ui.presenter import Presenter
from tests.helpers.bridge_kit import fake_command

WAIT_MS = 15_000


class Room:
    """A window with its controller and history."""

    def __init__(self, qtbot: QtBot, folder: Path, *engine: object, size: tuple[int, int] = (1000, 700)) -> None:
        app = QApplication.instance()
        assert isinstance(app, QApplication)
        self.qtbot = qtbot
        self.file = folder / "history.db"
        self.appearance = Appearance(app, "light")
        self.client = EngineClient(command=fake_command(*engine))
        store = SettingsStore(SettingsFile(folder / "settings.json", Settings), Settings())
        target, draft = (str(path) for path in paths.demo_pair())
        self.history = History(self.file)
        self.controller = ChatController(self.client, store, Pair(target=target, draft=draft), history=self.history)
        self.window = MainWindow(self.appearance.theme, WindowState())
        self.presenter = Presenter(self.window, self.controller, self.appearance)
        self.window.resize(*size)
        self.window.show()
        with qtbot.waitActive(self.window):
            pass
        self.controller.start()
        self.until(lambda: self.controller.phase == "idle")
        self.settle()

    def until(self, condition) -> None:
        self.qtbot.waitUntil(lambda: bool(condition()), timeout=WAIT_MS)

    def settle(self) -> None:
        """Wait until the history has nothing to do."""
        self.until(lambda: not self.history.lane._background.busy)

    def ask(self, text: str) -> None:
        self.window.composer.put_text(text)
        self.qtbot.keyClick(self.window.composer.edit, Qt.Key.Key_Return)
        self.until(lambda: self.controller.phase == "idle")
        self.settle()

    def listed(self) -> list[str]:
        """Titles in the list, headings left out."""
        return [entry.chat.title for entry in self.window.chats._model.entries()]

    def close(self) -> None:
        self.window.close()
        self.controller.shut_down()
        for thing in (self.window, self.controller, self.client, self.appearance, self.history):
            thing.deleteLater()


@contextmanager
def rooms(qapp: QApplication) -> Iterator[list[Room]]:
    """Put rooms into the list; they are closed, and the looks of the application put back."""
    looks = qapp.styleSheet(), qapp.palette(), qapp.font()
    made: list[Room] = []
    yield made
    for room in made:
        room.close()
    QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    qapp.setStyleSheet(looks[0])
    qapp.setPalette(looks[1])
    qapp.setFont(looks[2])


def fill(file: Path, *titles: str, now: float) -> None:
    """Chats with one exchange each, newest first, a day apart."""
    repository = HistoryRepository(file)
    for number, title in enumerate(titles):
        chat = ChatRow(id=f"c{number}", title=title, created=1.0, changed=now - number * 86_400, leaf=f"a{number}")
        question = MessageRow(
            id=f"q{number}", chat=chat.id, role="user", status="complete", created=now, text=f"{title}?"
        )
        answer = MessageRow(
            id=f"a{number}",
            chat=chat.id,
            parent=question.id,
            role="assistant",
            status="complete",
            created=now,
            text=f"About **{title}**: word{number}.",
        )
        repository.write(chat, (question, answer))
    repository.close()
