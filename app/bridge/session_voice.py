"""What changes in a session, as signals of one object."""

from collections.abc import Sequence

from PySide6.QtCore import QObject, Signal

from app.bridge.throttle import Throttle
from app.bridge.timers import single_shot
from app.chat import changes
from app.chat.badge import BadgeView
from app.chat.banner import Banner
from app.chat.conversation import Conversation
from app.chat.options import ChatOptions
from app.chat.ports import EnginePort
from app.chat.session import ChatSession, Phase
from app.chat.settings import Pair
from app.protocol.messages import Loaded

STOP_OVERDUE_MS = 2000


class SessionVoice(QObject):
    """A session that is heard. Growth of an answer is told about 30 times a second, everything else at once.

    Signals:
        message_added: A new `Message` at the end of the conversation.
        message_changed: A `Message` with a known id; about 30 times a second while it streams, and always at its end.
        conversation_reset: Another `Conversation`, or one that lost messages.
        phase_changed: The session's `Phase`.
        model_loaded: A `Loaded`.
        model_progress: A `Progress` of a load or a prefill.
        badge_changed: A `BadgeView`.
        banner_changed: A `Banner`, or None when there is nothing to say.
        notice: A `Notice` that stops nothing.
        chat_options_changed: The `ChatOptions` of the chat on the screen, or of another one that took its place.
    """

    message_added = Signal(object)
    message_changed = Signal(object)
    conversation_reset = Signal(object)
    phase_changed = Signal(str)
    model_loaded = Signal(object)
    model_progress = Signal(object)
    badge_changed = Signal(object)
    banner_changed = Signal(object)
    notice = Signal(object)
    chat_options_changed = Signal(object)

    def __init__(self, engine: EnginePort, fallback: Pair, parent: QObject | None) -> None:
        super().__init__(parent)
        self._session = ChatSession(engine, fallback)
        self._badge = self._session.badge
        self._throttle = Throttle(self._tell_growth, self)
        self._stop_timer = single_shot(self, "stop is overdue", STOP_OVERDUE_MS, self._on_stop_overdue)

    @property
    def conversation(self) -> Conversation:
        return self._session.conversation

    @property
    def chat_options(self) -> ChatOptions:
        """How the chat on the screen is answered."""
        return self._session.chat_options

    @property
    def phase(self) -> Phase:
        return self._session.phase

    @property
    def loaded(self) -> Loaded | None:
        return self._session.loaded

    @property
    def badge(self) -> BadgeView:
        return self._badge

    @property
    def banner(self) -> Banner | None:
        return self._session.banner

    def _tell(self, happened: Sequence[changes.Change]) -> None:
        for change in happened:
            self._tell_one(change)
        self._note_changes(happened)
        if not all(isinstance(change, changes.MessageGrew) for change in happened):
            self._tell_badge()

    def _tell_one(self, change: changes.Change) -> None:
        match change:
            case changes.MessageGrew():
                self._throttle.trigger()
            case changes.MessageAdded(message):
                self.message_added.emit(message)
            case changes.MessageEnded(message):
                self._throttle.cancel()
                self.message_changed.emit(message)
            case changes.ConversationReplaced(conversation):
                self._throttle.cancel()
                self._note_chat_options()
                self.conversation_reset.emit(conversation)
                self.chat_options_changed.emit(conversation.options)
            case changes.OptionsChanged(options):
                self._note_chat_options()
                self.chat_options_changed.emit(options)
            case changes.ConversationLeft(conversation):
                self._note_left(conversation)
            case changes.PhaseChanged(phase):
                self._watch_stop(phase)
                self.phase_changed.emit(phase)
            case changes.BannerChanged(banner):
                self.banner_changed.emit(banner)
            case changes.ModelLoaded(loaded):
                self._note_loaded()
                self.model_loaded.emit(loaded)
            case changes.ModelProgress(progress):
                self.model_progress.emit(progress)
            case changes.NoticeGiven(notice):
                self.notice.emit(notice)

    def _note_loaded(self) -> None:
        """Models are ready; before anybody hears of it."""

    def _note_chat_options(self) -> None:
        """The chat on the screen is answered in another way, or is another one; before anybody hears of it."""

    def _note_changes(self, happened: Sequence[changes.Change]) -> None:
        """Everybody has heard of this."""

    def _note_left(self, conversation: Conversation) -> None:
        """An answer was under way in this conversation, which is not shown any more."""

    def _tell_growth(self) -> None:
        message = self._session.last
        if message is not None and message.status == "streaming":
            self.message_changed.emit(message)
            self._tell_badge()

    def _tell_badge(self) -> None:
        badge = self._session.badge
        if badge != self._badge:
            self._badge = badge
            self.badge_changed.emit(badge)

    def _watch_stop(self, phase: str) -> None:
        if phase == "stopping":
            self._stop_timer.start()
        else:
            self._stop_timer.stop()

    def _on_stop_overdue(self) -> None:
        self._tell(self._session.stop_is_overdue())

    def _hush(self) -> None:
        """No more timers."""
        self._throttle.cancel()
        self._stop_timer.stop()
