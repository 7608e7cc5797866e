"""The one object the widgets talk to."""

from typing import Literal

from PySide6.QtCore import QObject, Signal, Slot

from app.chat.banner import Banner
from app.chat.conversation import Conversation
from app.chat.session import Phase
from app.chat.settings import LoadOptions, Settings
from app.protocol.messages import Loaded
from app.protocol.options import SamplingOptions, SpeculationOptions

__all__ = ["Banner", "ChatController"]


class ChatController(QObject):
    """A conversation with the engine.

    Signals:
        message_added: A new `Message` at the end of the conversation.
        message_changed: A `Message` with a known id; about 30 times a second while it streams, and always at its end.
        conversation_reset: Another `Conversation`, or one that lost messages.
        phase_changed: The session's `Phase`.
        model_loaded: A `Loaded`.
        model_progress: A `Progress` of a load or a prefill.
        badge_changed: A `BadgeView`.
        banner_changed: A `Banner`, or None when there is nothing to say.
        options_changed: Sampling, speculation or load options, or the recent models, are different now.
        notice: A `Notice` that stops nothing.
    """

    message_added = Signal(object)
    message_changed = Signal(object)
    conversation_reset = Signal(object)
    phase_changed = Signal(str)
    model_loaded = Signal(object)
    model_progress = Signal(object)
    badge_changed = Signal(object)
    banner_changed = Signal(object)
    options_changed = Signal()
    notice = Signal(object)

    @property
    def conversation(self) -> Conversation:
        raise NotImplementedError

    @property
    def phase(self) -> Phase:
        raise NotImplementedError

    @property
    def loaded(self) -> Loaded | None:
        raise NotImplementedError

    @property
    def sampling(self) -> SamplingOptions:
        raise NotImplementedError

    @property
    def speculation(self) -> SpeculationOptions:
        raise NotImplementedError

    @property
    def load_options(self) -> LoadOptions:
        raise NotImplementedError

    @property
    def settings(self) -> Settings:
        raise NotImplementedError

    def start(self) -> None:
        """Start the engine and load the last pair, or the demo pair."""
        raise NotImplementedError

    @Slot(str)
    def send_text(self, text: str) -> None:
        """Say something. Blank text, or a phase other than "idle", does nothing."""
        raise NotImplementedError

    @Slot()
    def stop(self) -> None:
        """Stop the answer, or the load, that is under way."""
        raise NotImplementedError

    @Slot()
    def new_chat(self) -> None:
        """Leave this conversation for an empty one."""
        raise NotImplementedError

    @Slot(str)
    def open_model(self, path: str) -> None:
        """Load another target, without a draft model unless it was last used with one."""
        raise NotImplementedError

    @Slot(str)
    def choose_draft(self, path: str) -> None:
        """Take this draft model for the loaded target; "" for none."""
        raise NotImplementedError

    @Slot(object)
    def set_sampling(self, options: SamplingOptions) -> None:
        """Take effect at the next message."""
        raise NotImplementedError

    @Slot(object)
    def set_speculation(self, options: SpeculationOptions) -> None:
        """Take effect at the next message."""
        raise NotImplementedError

    def set_load_options(self, context: int, threads: int, gpu_layers: int | Literal["auto"]) -> None:
        """Load the pair again with these."""
        raise NotImplementedError

    def set_theme(self, theme: str) -> None:
        """Remember "system", "light" or "dark"."""
        raise NotImplementedError

    @Slot(str)
    def run_banner_action(self, action: str) -> None:
        """Do what a button of the banner says."""
        raise NotImplementedError

    def retry(self, *, plain: bool = False) -> None:
        """Answer the last question again; `plain` without speculation, this once."""
        raise NotImplementedError
