"""A chat controller on a real child process, and what it said."""

import json
import os
import signal
from pathlib import Path
from typing import Any

from pytestqt.qtbot import QtBot

from app.bridge.chat_controller import ChatController
from app.bridge.engine_client import EngineClient
from app.bridge.history import History
from app.bridge.settings_store import SettingsStore
from app.chat.conversation import Message
from app.chat.settings import Pair, Settings
from app.core.settings import SettingsFile
from app.protocol.messages import Notice
from tests.helpers.bridge_kit import Notebook, fake_command

DEMO = Pair(target="/demo/target.gguf", draft="/demo/draft.gguf")
BIG = Pair(target="/models/big.gguf", draft="/models/small.gguf")


class Desk:
    """One controller with its engine and settings."""

    def __init__(
        self,
        qtbot: QtBot,
        folder: Path,
        *arguments: object,
        settings: Settings | None = None,
        command: tuple[str, ...] = (),
        demo: Pair = DEMO,
        notices: tuple[Notice, ...] = (),
        history: bool = False,
    ) -> None:
        self.qtbot = qtbot
        self.requests_file = folder / "requests.jsonl"
        self.settings_file = folder / "settings.json"
        self.client = EngineClient(command=command or fake_command("--record", self.requests_file, *arguments))
        self.store = SettingsStore(SettingsFile(self.settings_file, Settings), settings or Settings())
        self.history_file = folder / "history.db"
        self.history = History(self.history_file) if history else None
        self.controller = ChatController(self.client, self.store, demo, notices=notices, history=self.history)
        controller = self.controller
        self.notes = Notebook(
            added=controller.message_added,
            changed=controller.message_changed,
            reset=controller.conversation_reset,
            phase=controller.phase_changed,
            loaded=controller.model_loaded,
            progress=controller.model_progress,
            badge=controller.badge_changed,
            banner=controller.banner_changed,
            options=controller.options_changed,
            notice=controller.notice,
        )

    def start(self) -> None:
        """Start and wait until something is loaded."""
        self.controller.start()
        self.until_phase("idle")

    def until_phase(self, phase: str) -> None:
        self.qtbot.waitUntil(lambda: self.controller.phase == phase, timeout=30_000)

    def ask(self, text: str = "hi") -> Message:
        """Say something and wait for the whole answer."""
        assert self.controller.send_text(text)
        self.qtbot.waitUntil(lambda: self.controller.phase in ("idle", "engine_down"), timeout=60_000)
        return self.last

    def until_text(self) -> None:
        """Wait until the answer has some text."""
        self.qtbot.waitUntil(lambda: bool(self.last.text), timeout=30_000)

    @property
    def last(self) -> Message:
        message = self.controller.conversation.last
        assert message is not None
        return message

    @property
    def banner(self) -> Any:
        return self.controller.banner

    def kill_engine(self) -> None:
        """Kill it from outside and wait until that is known."""
        os.kill(self.client.pid, signal.SIGKILL)
        self.until_phase("engine_down")

    def requests(self, kind: str) -> list[dict[str, Any]]:
        """What the engine was asked so far."""
        if not self.requests_file.exists():
            return []
        lines = self.requests_file.read_text("utf-8").splitlines()
        return [body for body in map(json.loads, lines) if body["kind"] == kind]

    def until_asked(self, kind: str, count: int) -> list[dict[str, Any]]:
        self.qtbot.waitUntil(lambda: len(self.requests(kind)) >= count, timeout=20_000)
        return self.requests(kind)
