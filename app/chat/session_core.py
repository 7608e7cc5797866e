"""What a chat session is, and what the engine does to it."""

from dataclasses import replace
from typing import Literal

from app.chat import changes as now
from app.chat import remote_badge
from app.chat.answer import Answer, resumed
from app.chat.badge import BadgeView, describe, is_draft_problem
from app.chat.banner import CONTEXT_FULL, NOTHING_TO_LEAVE_OUT, STOP_IS_OVERDUE, Banner, answer_failed, engine_gone
from app.chat.changes import Change
from app.chat.connections import shown_name
from app.chat.conversation import Conversation, Message, new_id
from app.chat.loading import CANCELLED, Loading
from app.chat.notices import left_out
from app.chat.options import ChatOptions
from app.chat.overflow import without_oldest
from app.chat.ports import EnginePort
from app.chat.settings import Pair
from app.protocol.messages import (
    Delta,
    Event,
    Failed,
    Finished,
    Generate,
    Load,
    Loaded,
    Notice,
    Progress,
    Stats,
    Thinking,
)
from app.protocol.options import SamplingOptions, SpeculationOptions

Phase = Literal["no_model", "loading", "idle", "prefill", "streaming", "stopping", "engine_down"]


class SessionCore:
    """One conversation at a time, one request at a time.

    Attributes:
        sampling, speculation: What the next message is answered with; change them whenever you like.
        pair_gain: What a comparison measured with the loaded models and the chosen drafter, None if none did.
    """

    def __init__(self, engine: EnginePort, fallback: Pair) -> None:
        """`fallback` is loaded when nothing else can be."""
        self.sampling = SamplingOptions()
        self.pair_gain: float | None = None
        self._speculation = SpeculationOptions()
        self._engine = engine
        self._loading = Loading(engine, fallback)
        self._phase: Phase = "no_model"
        self._conversation = Conversation()
        self._generate: Generate | None = None
        self._answer: Answer | None = None
        self._banner: Banner | None = None
        self._retry: bool | None = None
        self._measured = False
        self._asked_with = self._speculation
        self._draft_problem = ""
        self._for_next_answer: tuple[Notice, ...] = ()

    # --- what is ----------------------------------------------------------------------------------------------------

    @property
    def phase(self) -> Phase:
        return self._phase

    @property
    def conversation(self) -> Conversation:
        if self._answer is None:
            return self._conversation
        return self._conversation.with_last(self._answer.message())

    @property
    def chat_options(self) -> ChatOptions:
        return self._conversation.options

    @property
    def last(self) -> Message | None:
        """The newest message, as it is now."""
        return self._answer.message() if self._answer is not None else self._conversation.last

    @property
    def loaded(self) -> Loaded | None:
        return self._loading.loaded

    @property
    def load_request(self) -> Load | None:
        """What the loaded models were asked for with, None without models."""
        return self._loading.good if self._loading.loaded is not None else None

    @property
    def banner(self) -> Banner | None:
        return self._banner

    @property
    def badge(self) -> BadgeView:
        answer = self.last if self._measured else None
        if self.loaded is not None and self.loaded.server is not None and not self._draft_problem:
            return remote_badge.describe(self.loaded.server, self._speculation, answer)
        return describe(self._speculation, self.loaded, answer, self._draft_problem, self.pair_gain)

    @property
    def speculation(self) -> SpeculationOptions:
        return self._speculation

    @speculation.setter
    def speculation(self, options: SpeculationOptions) -> None:
        if options != self._speculation:
            self._speculation, self._draft_problem = options, ""
            # A running answer goes on being measured with what it was asked with.
            self._measured = self._measured and self._generate is not None

    # --- what happens -----------------------------------------------------------------------------------------------

    def engine_stopped(self, sentence: str, hint: str, detail: str) -> list[Change]:
        """The engine is gone without being asked to."""
        answering = self._generate is not None and bool(self._conversation.messages)
        if self._loading.current is not None:
            hint = f"It was loading {shown_name(self._loading.current.target)}. {hint}".strip()
        self._loading.forget()
        changes = self._break_off(sentence)
        self._retry = None
        banner = engine_gone(sentence, hint, detail, answering=answering)
        return [*changes, *self._enter("engine_down"), *self._show(banner)]

    def apply(self, event: Event) -> list[Change]:
        """An event of the engine. Events of requests that were given up are ignored."""
        if isinstance(event, Failed) and not event.id:
            return [now.NoticeGiven(Notice(code=event.code, text=f"{event.sentence} {event.hint}".strip()))]
        event_id = getattr(event, "id", "")
        if self._generate is not None and event_id == self._generate.id:
            return self._apply_to_answer(event)
        if self._loading.current is not None and event_id == self._loading.current.id:
            return self._apply_to_load(event)
        return []

    def _apply_to_answer(self, event: Event) -> list[Change]:
        if isinstance(event, Progress):
            return [now.ModelProgress(event)]
        if isinstance(event, Failed):
            return self._refused(event)
        if isinstance(event, Finished):
            if self._answer is not None:
                self._answer.finish(event)
                # After another choice the badge speaks of the next message, not of this one.
                self._measured = self._asked_with == self._speculation
            is_full = event.reason == "context_limit" and self._answer is not None
            changes = [*(now.NoticeGiven(notice) for notice in event.notices), *self._end_answer()]
            return [*changes, *(self._overflow(CONTEXT_FULL, None) if is_full else ())]
        if self._answer is None:
            return []
        if isinstance(event, Thinking):
            self._answer.begin_thinking()
            return []
        if isinstance(event, Delta):
            self._answer.add(event)
            return [*(self._enter("streaming") if self._phase == "prefill" else ()), now.MessageGrew()]
        if isinstance(event, Stats):
            self._answer.note(event)
            self._measured = True
            return [now.MessageGrew()]
        return []

    def _apply_to_load(self, event: Event) -> list[Change]:
        changes: list[Change] = []
        before = self._loading.current
        for change in self._loading.apply(event):
            changes += self._show(change.banner) if isinstance(change, now.BannerChanged) else [change]
        if self._loading.current is before:
            return changes
        changes += self._stopped()
        if self._loading.current is not None:
            return [*changes, *self._enter("loading")]
        self._measured, self._draft_problem = False, ""
        retry, self._retry = self._retry, None
        if self._loading.loaded is None:
            return [*changes, *self._enter("no_model")]
        changes += self._enter("idle")
        return changes if retry is None else [*changes, *self.retry(plain=retry)]

    def _refused(self, event: Failed) -> list[Change]:
        assert self._generate is not None  # the only caller compared its id
        drafting = self._generate.speculation.drafter != "off"
        if self._answer is None:
            return self._end_answer()
        if event.code == CANCELLED:
            self._answer.cancel()
            return self._end_answer()
        self._answer.break_off(event.sentence, refused=True)
        if is_draft_problem(event.code):
            self._draft_problem = event.sentence
        banner = answer_failed(event, drafting=drafting)
        request, changes = self._generate, self._end_answer()
        if event.code == "prompt_too_long":
            return [*changes, *self._overflow(banner, request)]
        return [*changes, *self._show(banner)]

    def _overflow(self, banner: Banner, request: Generate | None) -> list[Change]:
        """The context is full: ask, or do what this chat wants then; `request`: what did not fit."""
        if self._conversation.options.overflow == "ask" or self._phase != "idle":
            return self._show(banner)
        went_on = request is not None and request.turns[-1].role == "assistant"
        before = self._conversation.left_out
        changes = self.leave_out_oldest()
        if went_on and self._conversation.left_out != before and self._conversation.can_go_on:
            changes += self._ask(self._speculation, going_on=True)
        return changes

    # --- steps ------------------------------------------------------------------------------------------------------

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
        notice = left_out(count, between=bool(shorter.held()))
        self._for_next_answer = (notice,)
        if unanswered:
            return [*self._take(shorter), *self._ask(self._speculation)]
        self._conversation = shorter
        return [now.NoticeGiven(notice), *self._show(None)]

    def retry(self, *, plain: bool) -> list[Change]:
        """Answer the newest question again; in phase "loading" as soon as the models are ready."""
        if self._phase == "loading":
            self._retry = plain
            return []
        shorter = self._conversation.up_to_question()
        if self._phase != "idle" or not shorter.messages:
            return []
        changes: list[Change] = []
        if shorter != self._conversation:
            self._conversation = shorter
            changes.append(now.ConversationReplaced(shorter))
        return changes + self._ask(SpeculationOptions() if plain else self._speculation)

    def _ask(
        self,
        speculation: SpeculationOptions,
        sampling: SamplingOptions | None = None,
        *,
        going_on: bool = False,
    ) -> list[Change]:
        notices, self._for_next_answer = self._for_next_answer, ()
        last, sampling = self._conversation.last, sampling or self.sampling
        if going_on and last is not None:
            answer = resumed(last, notices)
            self._conversation = asked = self._conversation.with_last(answer)
            sampling = sampling if answer.seed is None else replace(sampling, seed=answer.seed)
        else:
            tip, files = self._conversation.tip, self._files()
            answer = Message(role="assistant", status="streaming", parent=tip, notices=notices, files=files)
            asked, self._conversation = self._conversation, self._conversation.with_message(answer)
        request = Generate(
            id=new_id(),
            chat=asked.id,
            turns=asked.turns(going_on=going_on),
            answer_tokens=answer.tokens,
            plain_template=asked.options.plain_template,
            sampling=sampling,
            speculation=speculation,
        )
        self._generate, self._answer = request, Answer(answer)
        self._asked_with = self._speculation
        self._measured, self._draft_problem = False, ""
        changes = [now.MessageAdded(answer), *self._show(None), *self._enter("prefill")]
        self._engine.send(request)
        return changes

    def _files(self) -> tuple[str, ...]:
        if self.loaded is None:
            return ()
        draft = (self.loaded.draft.path,) if self.loaded.draft is not None else ()
        return (self.loaded.target.path, *draft)

    def _end_answer(self) -> list[Change]:
        changes = [*self._close_answer(), *self._stopped(), *self._enter("idle")]
        return [*changes, *self._enter("loading")] if self._loading.begin() else changes

    def _stopped(self) -> list[Change]:
        return self._show(None) if self._banner is STOP_IS_OVERDUE else []

    def _break_off(self, sentence: str) -> list[Change]:
        if self._answer is not None:
            self._answer.break_off(sentence)
        return self._close_answer()

    def _close_answer(self) -> list[Change]:
        self._generate = None
        if self._answer is None:
            return []
        message, self._answer = self._answer.message(), None
        self._conversation = self._conversation.with_last(message)
        return [now.MessageEnded(message)]

    def _take(self, conversation: Conversation) -> list[Change]:
        self._conversation = conversation
        return [now.ConversationReplaced(conversation)]

    def _enter(self, phase: Phase) -> list[Change]:
        if phase == self._phase:
            return []
        self._phase = phase
        return [now.PhaseChanged(phase)]

    def _show(self, banner: Banner | None) -> list[Change]:
        if banner == self._banner:
            return []
        self._banner = banner
        return [now.BannerChanged(banner)]
