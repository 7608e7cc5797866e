"""Remembers what draft models brought, as it is measured."""

from PySide6.QtCore import QObject, Signal

from app.bridge.chat_controller import ChatController
from app.bridge.settings_store import SettingsStore
from app.chat.conversation import Message
from app.chat.gains import Gains


class GainKeeper(QObject):
    """Listens to finished answers.

    Signals:
        changed: The new `Gains`.
    """

    changed = Signal(object)

    def __init__(self, chat: ChatController, store: SettingsStore[Gains], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._chat = chat
        self._store = store
        store.changed.connect(self.changed)
        chat.message_changed.connect(self._on_message)

    @property
    def gains(self) -> Gains:
        return self._store.value

    def shut_down(self) -> None:
        """Write what is not written yet; for the end of the application."""
        self._store.flush()

    def _on_message(self, message: Message) -> None:
        state, loaded = message.speculation, self._chat.loaded
        if message.status != "complete" or state is None or loaded is None or loaded.draft is None:
            return
        if state.gain is not None and state.gain_kind == "measured" and state.drafter in ("draft_model", "mixed"):
            self._store.replace_value(self._store.value.with_gain(loaded.target.path, loaded.draft.path, state.gain))
