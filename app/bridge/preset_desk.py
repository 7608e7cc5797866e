"""Presets and the defaults of models: kept in a file of their own."""

from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import QObject, Signal

from app.bridge.background import Background
from app.bridge.chat_controller import ChatController
from app.bridge.settings_store import SettingsStore
from app.chat.options import ChatOptions
from app.chat.presets import Preset, Presets, export_preset, import_preset, named
from app.core.errors import AppError
from app.protocol.messages import Notice


class PresetDesk(QObject):
    """Saves how the chat on the screen is answered, and applies it to others.

    Signals:
        changed: The new `Presets`.
        notice: A `Notice`: what was done, or could not be.
    """

    changed = Signal(object)
    notice = Signal(object)

    def __init__(
        self, controller: ChatController, store: SettingsStore[Presets], parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self.setObjectName("preset desk")
        self._controller = controller
        self._store = store
        self._background = Background("preset files", self)
        store.changed.connect(self.changed)
        store.failed.connect(self.notice)
        controller.defaults = self._options_for

    @property
    def presets(self) -> Presets:
        return self._store.value

    @property
    def has_defaults(self) -> bool:
        """Has the loaded model defaults of its own?"""
        return self._store.value.default_for(self._target) is not None

    def save(self, name: str) -> None:
        """Keep how this chat is answered under a name; one that is there already is replaced. Blank: nothing."""
        words = named(name)
        if words:
            self._store.replace_value(self._store.value.with_preset(self._now(words)))

    def apply(self, name: str) -> None:
        """Answer this chat as the preset says."""
        preset = self._store.value.find(name)
        if preset is not None:
            self._controller.set_chat_options(preset.applied(self._controller.chat_options))

    def remove(self, name: str) -> None:
        """Forget a preset; chats that use it stay as they are."""
        self._store.replace_value(self._store.value.without(name))

    def use_as_default(self) -> None:
        """New chats with the loaded model begin as this one is answered."""
        if self._target:
            self._store.replace_value(self._store.value.with_default(self._target, self._now("")))
            self._say("default_kept", "New chats with this model begin like this.")

    def forget_default(self) -> None:
        """New chats with the loaded model begin with what was used last."""
        self._store.replace_value(self._store.value.with_default(self._target, None))

    def export(self, name: str, path: Path) -> None:
        """Write a preset into a file."""
        preset = self._store.value.find(name)
        if preset is not None:
            self._background.run(
                lambda _task: export_preset(preset, path),
                lambda _done: self._say("exported", f"The preset is saved as {path.name}."),
                self._on_failed,
            )

    def import_file(self, path: Path) -> None:
        """Add the preset of a file; if its name is taken it gets a number."""
        self._background.run(lambda _task: import_preset(path), self._add, self._on_failed)

    def shut_down(self) -> None:
        """Write what is not written yet; for the end of the application."""
        self._background.finish()
        self._store.flush()

    # --- steps ------------------------------------------------------------------------------------------------------

    @property
    def _target(self) -> str:
        loaded = self._controller.loaded
        return loaded.target.path if loaded is not None else ""

    def _options_for(self, target: str) -> ChatOptions:
        preset = self._store.value.default_for(target)
        return ChatOptions() if preset is None else preset.applied(ChatOptions())

    def _now(self, name: str) -> Preset:
        options = self._controller.chat_options
        return Preset(
            name=name,
            system=options.system,
            sampling=self._controller.sampling,
            speculation=replace(self._controller.speculation, explicit=False),
            overflow=options.overflow,
        )

    def _add(self, preset: Preset) -> None:
        name, number = preset.name, 2
        while self._store.value.find(name) not in (None, preset):
            name, number = f"{preset.name} {number}", number + 1
        self._store.replace_value(self._store.value.with_preset(replace(preset, name=name)))
        self._say("imported", f'The preset "{name}" is there now.')

    def _on_failed(self, fault: AppError) -> None:
        self._say(fault.code, str(fault))

    def _say(self, code: str, text: str) -> None:
        self.notice.emit(Notice(code=code, text=text))
