"""The state machine of one chat with one engine.

    no_model > loading > idle > prefill > streaming > idle      stopping: a cancel is on its way
                                                                engine_down: until `restart`

It is fed with what the person does and with the engine's events; every method returns what changed. It knows nothing
of Qt, of time and of processes.
"""

from collections.abc import Sequence
from dataclasses import replace

from app.chat import changes as now
from app.chat.attachments import Attachment
from app.chat.banner import STOP_IS_OVERDUE, other_pair
from app.chat.changes import Change
from app.chat.conversation import Conversation, Message
from app.chat.notices import LOAD_LATER
from app.chat.options import ChatOptions
from app.chat.session_core import Phase, SessionCore
from app.chat.settings import LoadOptions, Pair
from app.protocol.messages import Cancel

__all__ = ["ChatSession", "Phase"]


class ChatSession(SessionCore):
    """What the person can do. Nothing happens in a phase in which it makes no sense."""

    def load(
        self, pair: Pair, options: LoadOptions, *, draft_required: bool = False, remembered: bool = False
    ) -> list[Change]:
        """Make a pair ready: at once, or after the answer that is under way.

        `remembered`: nobody asked for it just now, so a failure is a notice and no banner.
        """
        self._loading.want(pair, options, draft_required=draft_required, remembered=remembered)
        if self._generate is not None:
            return [now.NoticeGiven(LOAD_LATER)]
        self._loading.begin()
        return [*self._show(None), *self._enter("loading")]

    def say(self, text: str, attachments: Sequence[Attachment] = ()) -> list[Change]:
        """Ask something, with files. Nothing happens to blank text, or in another phase than idle."""
        if self._phase != "idle" or not text.strip():
            return []
        question = Message(role="user", text=text, attachments=tuple(attachments), parent=self._conversation.tip)
        self._conversation = self._conversation.with_message(question)
        return [now.MessageAdded(question), *self._ask(self._speculation)]

    def edit(self, message_id: str, text: str, attachments: Sequence[Attachment] = ()) -> list[Change]:
        """Ask this instead of an earlier question; the old one and what followed stay as another branch."""
        old = self._conversation.find(message_id)
        if self._phase != "idle" or old is None or old.role != "user" or not text.strip():
            return []
        return [*self._take(self._conversation.before(message_id)), *self.say(text, attachments)]

    def regenerate(self, message_id: str, seed: int | None) -> list[Change]:
        """Another answer to the same question; `seed` None for a new one. The old answer stays as another branch."""
        old = self._conversation.find(message_id)
        if self._phase != "idle" or old is None or old.role != "assistant":
            return []
        changes = self._take(self._conversation.before(message_id))
        return [*changes, *self._ask(self._speculation, replace(self.sampling, seed=seed))]

    def go_on(self) -> list[Change]:
        """Let the last answer go on where it ended. Nothing happens where it cannot."""
        if self._phase != "idle" or not self._conversation.can_go_on:
            return []
        return self._ask(self._speculation, going_on=True)

    def use_plain_template(self) -> list[Change]:
        """From now on this chat is written as a dialogue with names; the question that was refused is asked again."""
        options = replace(self._conversation.options, plain_template=True)
        return [*self.set_options(options), *self._show(None), *self.retry(plain=False)]

    def set_options(self, options: ChatOptions) -> list[Change]:
        """Answer this chat in another way from the next message on."""
        if options == self._conversation.options:
            return []
        self._conversation = replace(self._conversation, options=options)
        return [now.OptionsChanged(options)]

    def offer_pair(self, wanted: Pair, loaded: Pair) -> list[Change]:
        """Say that this chat was answered by other models than those that are loaded."""
        return self._show(other_pair(wanted, loaded))

    def show_branch(self, message_id: str) -> list[Change]:
        """Show the branch with this message. Not while an answer is under way."""
        if self._generate is not None:
            return []
        shown = self._conversation.on_branch(message_id)
        return [] if shown is self._conversation else self._take(shown)

    def stop(self) -> list[Change]:
        """Cancel the answer or the load that is under way."""
        if self._generate is not None:
            self._engine.send(Cancel(id=self._generate.id))
            return self._enter("stopping")
        return self._enter("stopping") if self._loading.cancel() else []

    def new_chat(self, options: ChatOptions | None = None) -> list[Change]:
        """Leave this conversation for an empty one; an answer that is under way is stopped."""
        return self.open(Conversation(options=options or ChatOptions()))

    def open(self, conversation: Conversation) -> list[Change]:
        """Leave this conversation for another one; an answer that is under way is stopped."""
        changes = [*self.leave(), *(self.stop() if self._generate is not None else ())]
        self._measured, self._draft_problem, self._for_next_answer = False, "", ()
        changes += self._take(conversation)
        # That the engine or the model is missing is true in every chat.
        return changes if self._phase in ("engine_down", "no_model") else [*changes, *self._show(None)]

    def leave(self) -> list[Change]:
        """Break off the answer that is under way, without telling the engine."""
        if self._answer is None:
            return []
        self._answer.cancel()
        left = self._conversation.with_last(self._answer.message())
        self._answer = None
        return [now.ConversationLeft(left)]

    def dismiss(self) -> list[Change]:
        """Take the banner away."""
        return self._show(None)

    def restart(self) -> list[Change]:
        """The engine is a new one: load what was loaded last. An answer under way is broken off."""
        changes = self._break_off("The engine was restarted.")
        self._loading.again()
        return [*changes, *self._show(None), *self._enter("loading")]

    def stop_is_overdue(self) -> list[Change]:
        """The engine was asked to stop and should have done so by now."""
        return self._show(STOP_IS_OVERDUE) if self._phase == "stopping" else []
