"""The state machine of one chat with one engine.

    no_model > loading > idle > prefill > streaming > idle      stopping: a cancel is on its way
                                                                engine_down: until `restart`

It is fed with what the person does and with the engine's events; every method returns what changed. It knows nothing
of Qt, of time and of processes.
"""

from dataclasses import replace

from app.chat import changes as now
from app.chat.banner import NOTHING_TO_LEAVE_OUT, STOP_IS_OVERDUE
from app.chat.changes import Change
from app.chat.conversation import Conversation, Message
from app.chat.notices import LOAD_LATER, left_out
from app.chat.overflow import without_oldest
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

    def say(self, text: str) -> list[Change]:
        """Ask something. Nothing happens to blank text, or in another phase than idle."""
        if self._phase != "idle" or not text.strip():
            return []
        question = Message(role="user", text=text, parent=self._conversation.tip)
        self._conversation = self._conversation.with_message(question)
        return [now.MessageAdded(question), *self._ask(self._speculation)]

    def edit(self, message_id: str, text: str) -> list[Change]:
        """Ask this instead of an earlier question; the old one and what followed stay as another branch."""
        old = self._conversation.find(message_id)
        if self._phase != "idle" or old is None or old.role != "user" or not text.strip():
            return []
        return [*self._take(self._conversation.before(message_id)), *self.say(text)]

    def regenerate(self, message_id: str, seed: int | None) -> list[Change]:
        """Another answer to the same question; `seed` None for a new one. The old answer stays as another branch."""
        old = self._conversation.find(message_id)
        if self._phase != "idle" or old is None or old.role != "assistant":
            return []
        changes = self._take(self._conversation.before(message_id))
        return [*changes, *self._ask(self._speculation, replace(self.sampling, seed=seed))]

    def show_branch(self, message_id: str) -> list[Change]:
        """Show the branch with this message. Not while an answer is under way."""
        if self._generate is not None:
            return []
        shown = self._conversation.on_branch(message_id)
        return [] if shown is self._conversation else self._take(shown)

    def leave_out_oldest(self) -> list[Change]:
        """Go on without the oldest messages; a question that was too long with them is asked again."""
        if self._phase != "idle" or self.loaded is None:
            return []
        last = self._conversation.last
        unanswered = last is not None and not last.text
        asked = self._conversation.up_to_question() if unanswered else self._conversation
        shorter, count = without_oldest(asked, self.loaded.context)
        if not count:
            return self._show(NOTHING_TO_LEAVE_OUT)
        self._for_next_answer = (left_out(count),)
        if unanswered:
            return [*self._take(shorter), *self._ask(self._speculation)]
        self._conversation = shorter
        return [now.NoticeGiven(left_out(count)), *self._show(None)]

    def stop(self) -> list[Change]:
        """Cancel the answer or the load that is under way."""
        if self._generate is not None:
            self._engine.send(Cancel(id=self._generate.id))
            return self._enter("stopping")
        return self._enter("stopping") if self._loading.cancel() else []

    def new_chat(self) -> list[Change]:
        """Leave this conversation for an empty one; an answer that is under way is stopped."""
        return self.open(Conversation())

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

    def _take(self, conversation: Conversation) -> list[Change]:
        self._conversation = conversation
        return [now.ConversationReplaced(conversation)]
