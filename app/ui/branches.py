"""Changed questions and other answers: from the buttons of messages to the conversation and back."""

from collections.abc import Sequence

from PySide6.QtCore import QCoreApplication, QObject, Signal

from app.bridge.chat_controller import ChatController
from app.chat.attachments import Attachment
from app.chat.conversation import Conversation, Message
from app.ui.composer import Composer
from app.ui.transcript import TranscriptView
from app.ui.transcript.actions import Action


class Branches(QObject):
    """A question is changed in the composer; what was written there comes back afterwards.

    Signals:
        editing: Whether the composer holds an earlier question.
    """

    editing = Signal(bool)

    def __init__(
        self, transcript: TranscriptView, composer: Composer, controller: ChatController, parent: QObject
    ) -> None:
        super().__init__(parent)
        self._transcript = transcript
        self._composer = composer
        self._controller = controller
        self._edited = ""
        self._kept = ""
        transcript.action_asked.connect(self._on_action)
        composer.cancelled.connect(self.cancel)
        controller.conversation_reset.connect(self._on_conversation)
        controller.message_added.connect(lambda _message: self._on_added())
        controller.phase_changed.connect(self._on_phase)
        self._on_phase(controller.phase)

    @property
    def is_editing(self) -> bool:
        return bool(self._edited)

    @property
    def edited(self) -> str:
        """Id of the question that is being changed, "" for none."""
        return self._edited

    def send(self, text: str, attachments: Sequence[Attachment] = ()) -> bool:
        """Ask the changed question; False if that is impossible now."""
        # Not any more while the conversation changes, which takes the old question off the screen.
        message_id, self._edited = self._edited, ""
        if not self._controller.edit(message_id, text, attachments):
            self._edited = message_id
            return False
        self._leave(self._kept)
        return True

    def cancel(self) -> bool:
        """Leave the question as it was; False if none is being changed."""
        if not self.is_editing:
            return False
        self._leave(self._kept)
        self._composer.setFocus()
        return True

    def edit_last(self) -> None:
        """Change the newest question."""
        self._edit(self._newest("user"))

    def regenerate_last(self) -> None:
        """Answer the newest question again, with a new seed."""
        message = self._newest("assistant")
        if message is not None:
            self._controller.regenerate(message.id)

    def go_on(self) -> None:
        """Let the last answer go on, if it can."""
        self._controller.go_on()

    def _on_added(self) -> None:
        self._show_forks(self._controller.conversation)
        self._transcript.offer_going_on("")

    def _newest(self, role: str) -> Message | None:
        return next((m for m in reversed(self._controller.conversation.messages) if m.role == role), None)

    def _on_action(self, message_id: str, action: Action) -> None:
        message = self._controller.conversation.find(message_id)
        if message is None:
            return
        if action == "edit":
            self._edit(message)
        elif action == "go_on":
            self._controller.go_on()
        elif action in ("again", "again_same"):
            self._controller.regenerate(message_id, message.seed if action == "again_same" else None)
        elif action in ("previous", "next"):
            self._walk(message_id, action)

    def _walk(self, message_id: str, action: Action) -> None:
        group = self._controller.conversation.forks().get(message_id, ())
        number = (group.index(message_id) if group else 0) + (1 if action == "next" else -1)
        if 0 <= number < len(group):
            self._controller.show_branch(group[number])
            self._transcript.show_action(group[number], action)

    def _edit(self, message: Message | None) -> None:
        if message is None or self._controller.phase != "idle":
            return
        if not self.is_editing:
            self._kept = self._composer.edit.text()
        self._edited = message.id
        self.editing.emit(True)
        words = QCoreApplication.translate("Branches", "Changing an earlier message: the chat goes on from there.")
        self._composer.set_task(words)
        self._composer.put_text(message.text)
        self._composer.setFocus()

    def _leave(self, text: str) -> None:
        self._edited = self._kept = ""
        self._composer.set_task("")
        self._composer.put_text(text)
        self.editing.emit(False)

    def _on_conversation(self, conversation: Conversation) -> None:
        if self.is_editing and conversation.find(self._edited) is None:
            # In another chat or branch; the former brings its own text.
            self._leave(self._kept)
        self._show_forks(conversation)
        self._offer_going_on(conversation)

    def _on_phase(self, phase: str) -> None:
        self._transcript.set_can_act(phase == "idle")
        if phase == "idle":
            self._offer_going_on(self._controller.conversation)

    def _offer_going_on(self, conversation: Conversation) -> None:
        self._transcript.offer_going_on(conversation.tip if conversation.can_go_on else "")

    def _show_forks(self, conversation: Conversation) -> None:
        forks = conversation.forks()
        self._transcript.set_forks({name: (group.index(name), len(group)) for name, group in forks.items()})
