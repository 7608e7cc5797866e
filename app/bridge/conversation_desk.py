"""What the person does with conversations; everything said is stored before the engine sees it."""

from collections.abc import Callable, Sequence

from PySide6.QtCore import QObject, Signal, Slot

from app.bridge.engine_client import EngineClient
from app.bridge.history import History
from app.bridge.history_keeper import Opened
from app.bridge.session_voice import SessionVoice
from app.bridge.stored_first import StoredFirst
from app.bridge.timers import single_shot
from app.chat import changes
from app.chat.attachments import Attachment
from app.chat.conversation import Conversation
from app.chat.options import ChatOptions
from app.chat.settings import Pair

_KEEP_EVERY_MS = 700
"""A growing answer is stored this often; with the time of writing that stays below a second."""
_PATIENCE_MS = 3000
"""A disk that is slower than this does not keep the engine waiting."""


class ConversationDesk(SessionVoice):
    """Says, edits, answers again, opens chats.

    Signals:
        unsent_restored: Text that was written and not sent, for a conversation that was opened just now.
        about_to_leave: Another conversation is about to take the place of this one.
    """

    unsent_restored = Signal(str)
    about_to_leave = Signal()

    def __init__(self, client: EngineClient, fallback: Pair, history: History | None, parent: QObject | None) -> None:
        """Without `history` nothing is stored."""
        self._gate = StoredFirst(client)
        super().__init__(client if history is None else self._gate, fallback, parent)
        self._history = history
        self._shown = ""
        self._unsent_in_new_chat = ""
        self._keep_timer = single_shot(self, "keep the answer", _KEEP_EVERY_MS, self._keep)
        self._patience = single_shot(self, "disk is slow", _PATIENCE_MS, self._release_all)
        if history is not None:
            history.lane.notice.connect(self.notice)

    @property
    def history(self) -> History | None:
        return self._history

    # --- what the person does ---------------------------------------------------------------------------------------

    @Slot(str, result=bool)
    def send_text(self, text: str, attachments: Sequence[Attachment] = ()) -> bool:
        """Say something. False, and nothing happens, for blank text or in a phase other than "idle"."""
        return self._answered(lambda: self._session.say(text, attachments))

    def edit(self, message_id: str, text: str, attachments: Sequence[Attachment] = ()) -> bool:
        """Ask this instead of an earlier question. False, and nothing happens, when that is impossible now."""
        return self._answered(lambda: self._session.edit(message_id, text, attachments))

    def regenerate(self, message_id: str, seed: int | None = None) -> bool:
        """Answer again, with this seed or a new one. False, and nothing happens, when that is impossible now."""
        return self._answered(lambda: self._session.regenerate(message_id, seed))

    @Slot(result=bool)
    def go_on(self) -> bool:
        """Let the last answer go on. False, and nothing happens, when that is impossible now."""
        return self._answered(self._session.go_on)

    @Slot(str)
    def show_branch(self, message_id: str) -> None:
        """Show the branch with this message."""
        self._tell(self._session.show_branch(message_id))

    @Slot()
    def stop(self) -> None:
        """Stop the answer, or the load, that is under way."""
        self._tell(self._session.stop())

    @Slot()
    def new_chat(self) -> None:
        """Leave this conversation for an empty one."""
        self.about_to_leave.emit()
        was_empty = not self.conversation.messages
        if self._history is not None:
            self._history.keeper.flush_unsent()
        self._tell(self._session.new_chat(self._options_of_new_chat()))
        if self._history is not None and not was_empty:
            self.unsent_restored.emit(self._unsent_in_new_chat)

    @Slot(str)
    def open_chat(self, chat_id: str) -> None:
        """Leave this conversation for a stored one."""
        if self._history is None or chat_id == self.conversation.id:
            return
        self.about_to_leave.emit()
        self._history.keeper.flush_unsent()
        self._history.keeper.open(chat_id, self._show_opened)

    def throw_away(self, chat_id: str) -> None:
        """Take a chat off the list, and away from the screen; `History.library` brings it back."""
        if self._history is None:
            return
        if chat_id == self.conversation.id:
            self.new_chat()
        self._history.library.throw_away(chat_id)

    def note_unsent(self, text: str) -> None:
        """Remember what is written and not sent."""
        if self._history is not None:
            if not self.conversation.messages:
                self._unsent_in_new_chat = text
            self._history.keeper.note_unsent(self.conversation, text)

    # --- steps ------------------------------------------------------------------------------------------------------

    def _start_history(self) -> None:
        if self._history is not None:
            self._history.start(self._show_first)

    def _end_history(self) -> None:
        """Store everything; blocks until that is done."""
        self._keep_timer.stop()
        self._patience.stop()
        self._gate.drop()
        if self._history is not None:
            for change in self._session.leave():
                self._tell_one(change)
            self._history.shut_down()

    def _show_first(self, opened: Opened) -> None:
        if self.conversation.messages:
            return
        if opened.conversation.messages:
            self._show_opened(opened)
        else:
            self._unsent_in_new_chat = opened.unsent
            self.unsent_restored.emit(opened.unsent)

    def _show_opened(self, opened: Opened) -> None:
        self.about_to_leave.emit()
        self._tell(self._session.open(opened.conversation))
        self.unsent_restored.emit(opened.unsent)
        self._note_opened()

    def _answered(self, ask: Callable[[], Sequence[changes.Change]]) -> bool:
        happened = ask()
        if happened:
            # First, so that it is stored together with the question.
            for change in self._session.set_options(self._options_in_force()):
                self._tell_one(change)
        self._tell(happened)
        return bool(happened)

    def _options_of_new_chat(self) -> ChatOptions:
        """What an empty chat begins with."""
        return ChatOptions()

    def _options_in_force(self) -> ChatOptions:
        """What the answer that begins now is given with."""
        return self.chat_options

    def _note_opened(self) -> None:
        """A stored chat is on the screen now."""

    def _note_changes(self, happened: Sequence[changes.Change]) -> None:
        if self._history is None or not happened:
            return
        if all(isinstance(change, changes.MessageGrew) for change in happened):
            if not self._keep_timer.isActive():
                self._keep_timer.start()
            return
        kinds = (
            changes.MessageAdded,
            changes.MessageEnded,
            changes.ConversationReplaced,
            changes.OptionsChanged,
        )
        if any(isinstance(change, kinds) for change in happened):
            self._keep()

    def _note_left(self, conversation: Conversation) -> None:
        if self._history is not None:
            self._history.keeper.keep(conversation)

    def _keep(self) -> None:
        assert self._history is not None  # the callers looked
        self._keep_timer.stop()
        conversation, mark = self.conversation, self._gate.mark
        if self._gate.is_holding:
            self._patience.start()
        self._history.keeper.keep(conversation, lambda: self._release(mark))
        shown = conversation.id if conversation.messages else ""
        if shown != self._shown:
            self._shown = shown
            self._history.keeper.note_open(conversation)

    def _release(self, mark: int) -> None:
        self._gate.release(mark)
        if not self._gate.is_holding:
            self._patience.stop()

    def _release_all(self) -> None:
        self._gate.release(self._gate.mark)
