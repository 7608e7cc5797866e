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
        draft_gain_changed: What was measured with the loaded target and draft model, None for nothing.
    """

    changed = Signal(object)
    draft_gain_changed = Signal(object)

    def __init__(self, chat: ChatController, store: SettingsStore[Gains], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._chat = chat
        self._store = store
        store.changed.connect(self.changed)
        store.changed.connect(self._tell_chat)
        chat.message_changed.connect(self._on_message)
        chat.model_loaded.connect(self._tell_chat)
        chat.options_changed.connect(self._tell_chat)

    @property
    def gains(self) -> Gains:
        return self._store.value

    def note(self, target: str, draft: str, drafter: str, gain: float) -> None:
        """A comparison measured this. Absolute paths, "" without a draft model."""
        self._store.replace_value(self._store.value.with_gain(target, draft, gain, drafter))

    def of_loaded(self) -> float | None:
        """What was measured with the loaded models and the chosen drafter, None for nothing."""
        loaded, drafter = self._chat.loaded, self._chat.speculation.drafter
        if loaded is None or drafter == "off":
            return None
        draft = loaded.draft.path if loaded.draft is not None and drafter in ("draft_model", "mixed") else ""
        return self.gains.with_drafter(loaded.target.path, draft, drafter)

    def shut_down(self) -> None:
        """Write what is not written yet; for the end of the application."""
        self._store.flush()

    def _on_message(self, message: Message) -> None:
        state, loaded = message.speculation, self._chat.loaded
        if message.status != "complete" or state is None or loaded is None or loaded.draft is None:
            return
        if state.gain is not None and state.gain_kind == "measured" and state.drafter in ("draft_model", "mixed"):
            self.note(loaded.target.path, loaded.draft.path, state.drafter, state.gain)

    def _tell_chat(self) -> None:
        self._chat.note_pair_gain(self.of_loaded())
        loaded = self._chat.loaded
        draft = loaded.draft.path if loaded is not None and loaded.draft is not None else ""
        self.draft_gain_changed.emit(self.gains.of(loaded.target.path).get(draft) if loaded is not None else None)
