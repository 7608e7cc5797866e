"""Messages and conversations as immutable values.

Every change makes a new value, so that a view can compare, and a store can write a message whenever it likes.
"""

import itertools
import time
import uuid
from collections import Counter
from dataclasses import dataclass, field, replace
from typing import Literal

from app.chat.attachments import Attachment, with_attachments
from app.chat.options import ChatOptions
from app.chat.thought import Thought
from app.core.thinking import without_thinking
from app.protocol.messages import FinishReason, Notice, Piece, Role, Turn
from app.protocol.options import DRAFT_SOURCES, TokenSource
from app.protocol.stats import GenerationStats, SpeculationState

Status = Literal["complete", "streaming", "interrupted", "failed"]


def new_id() -> str:
    """An identifier for a message, a conversation or a request: 32 hexadecimal digits."""
    return uuid.uuid4().hex


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """One message.

    `text`: exactly what the person typed or the model said. `pieces`: the same text by source (answers only); their
    texts join to `text`, neighbours have different sources.
    `status`: "interrupted" keeps the text there is, perhaps none (stopped by the person, engine gone, request failed on
    the way); "failed" was refused before it had any. `error`: the sentence that says why, or "".
    `stats`, `speculation`, `seed`, `reason`: as far as known; `reason` and `seed` come with the end.
    `token_counts`: how many tokens came from each source, sorted by source. `notices`: what there is to know about this
    answer, for example that old messages were left out. `attachments`: files that go with a question. `thought`: for an
    answer with a thinking part. `tokens`: of an answer that can go on, so that it goes on exactly.
    `ink`: what is known about every token, see `ink.unpacked`. `files`: absolute paths of the target and, if there was
    one, the draft model it was answered with.
    `parent`: id of the message this one follows, "" for a first one. `created`: seconds since the epoch.
    """

    id: str = field(default_factory=new_id)
    role: Role
    text: str = ""
    status: Status = "complete"
    pieces: tuple[Piece, ...] = ()
    stats: GenerationStats | None = None
    speculation: SpeculationState | None = None
    seed: int | None = None
    error: str = ""
    reason: FinishReason | None = None
    token_counts: tuple[tuple[TokenSource, int], ...] = ()
    notices: tuple[Notice, ...] = ()
    attachments: tuple[Attachment, ...] = ()
    thought: Thought | None = None
    tokens: tuple[int, ...] = ()
    ink: bytes = b""
    files: tuple[str, ...] = ()
    parent: str = ""
    created: float = field(default_factory=time.time, compare=False)

    @property
    def drafted_tokens(self) -> int:
        """Tokens of this answer that a drafter proposed; equals `stats.accepted` of a finished answer."""
        return sum(count for source, count in self.token_counts if source in DRAFT_SOURCES)

    @property
    def content(self) -> str:
        """What the model is shown of it in later turns: files with a question, an answer without its thinking."""
        if self.role == "assistant":
            return without_thinking(self.text, opened=self.thought is not None and self.thought.opened)
        return with_attachments(self.text, self.attachments) if self.attachments else self.text

    @property
    def is_unfinished(self) -> bool:
        """Is it an answer that could have gone on?"""
        if self.role != "assistant" or not self.text:
            return False
        return self.status == "interrupted" or self.reason in ("token_limit", "context_limit")


def counts(counter: Counter[TokenSource]) -> tuple[tuple[TokenSource, int], ...]:
    """Token counts in the form a `Message` holds them."""
    return tuple(sorted(counter.items()))


@dataclass(frozen=True, slots=True, kw_only=True)
class Conversation:
    """A tree of messages, of which one branch is shown.

    `messages`: that branch, in the order it was said. `others`: messages of other branches, parents before children.
    `left_out`: id of the newest message the model is not shown any more, "" for none. `options`: how it is answered.
    """

    id: str = field(default_factory=new_id)
    messages: tuple[Message, ...] = ()
    others: tuple[Message, ...] = ()
    left_out: str = ""
    options: ChatOptions = field(default_factory=ChatOptions)

    @property
    def last(self) -> Message | None:
        return self.messages[-1] if self.messages else None

    @property
    def tip(self) -> str:
        """What the next message follows: the id of the last one, "" without messages."""
        return self.messages[-1].id if self.messages else ""

    @property
    def all(self) -> tuple[Message, ...]:
        """Messages of every branch, parents before children."""
        return (*self.others, *self.messages) if not self.others else tuple(_parents_first(self))

    def find(self, message_id: str) -> Message | None:
        """The message of this branch with this id, or None."""
        return next((m for m in self.messages if m.id == message_id), None)

    def with_message(self, message: Message) -> "Conversation":
        """A copy with `message` at the end."""
        return replace(self, messages=(*self.messages, message))

    def with_last(self, message: Message) -> "Conversation":
        """A copy where `message` takes the place of the newest one."""
        return replace(self, messages=(*self.messages[:-1], message))

    def up_to_question(self) -> "Conversation":
        """A copy whose branch ends with the newest message of the person; empty if there is none."""
        keep = len(self.messages)
        while keep and self.messages[keep - 1].role != "user":
            keep -= 1
        return self._cut(keep)

    def up_to(self, message_id: str) -> "Conversation":
        """A copy whose branch ends with this message, as it is if it is unknown."""
        found = next((n for n, m in enumerate(self.messages, 1) if m.id == message_id), len(self.messages))
        return self._cut(found)

    def before(self, message_id: str) -> "Conversation":
        """A copy whose branch ends before this message. What followed becomes another branch, if it says anything."""
        return self._cut(next((n for n, m in enumerate(self.messages) if m.id == message_id), len(self.messages)))

    def _cut(self, keep: int) -> "Conversation":
        rest = self.messages[keep:]
        if not rest:
            return self
        while rest and not rest[-1].text:
            rest = rest[:-1]
        return replace(self, messages=self.messages[:keep], others=(*self.others, *rest))

    def on_branch(self, message_id: str) -> "Conversation":
        """A copy that shows the branch of this message, and below it always the newest one; itself if it is unknown."""
        everything = self.all
        known = {message.id: message for message in everything}
        if message_id not in known:
            return self
        branch = [known[message_id]]
        while branch[-1].parent in known:
            branch.append(known[branch[-1].parent])
        branch.reverse()
        children: dict[str, Message] = {}
        for message in everything:
            newest = children.get(message.parent)
            if newest is None or message.created >= newest.created:
                children[message.parent] = message
        while branch[-1].id in children:
            branch.append(children[branch[-1].id])
        shown = {message.id for message in branch}
        others = tuple(message for message in everything if message.id not in shown)
        return replace(self, messages=tuple(branch), others=others)

    def forks(self) -> dict[str, tuple[str, ...]]:
        """For messages of the branch with alternatives: the ids of all of them, oldest first, their own included."""
        if not self.others:
            return {}
        groups: dict[str, list[Message]] = {}
        for message in self.all:
            groups.setdefault(message.parent, []).append(message)
        result = {}
        for message in self.messages:
            group = groups[message.parent]
            if len(group) > 1:
                result[message.id] = tuple(m.id for m in sorted(group, key=lambda m: m.created))
        return result

    def turns(self, *, going_on: bool = False) -> tuple[Turn, ...]:
        """What the model is shown: interrupted answers included, refused questions and earlier thinking left out.

        Roles alternate, since many chat templates insist on it: a question that was stopped before its answer began is
        joined with the next one. What is left out because the context is full is left out here.

        Args:
            going_on: The last message is an answer that goes on: it is shown as it stands.
        """
        system = self.options.system
        turns = [Turn(role="system", content=system)] if system.strip() else []
        kept = self.kept()
        for message, answer in itertools.zip_longest(kept, kept[1:]):
            content = message.text if going_on and answer is None else message.content
            if not content or (answer is not None and answer.status == "failed"):
                continue
            if turns and turns[-1].role == message.role:
                joined = f"{turns.pop().content}\n\n{content}"
                turns.append(Turn(role=message.role, content=joined))
            else:
                turns.append(Turn(role=message.role, content=content))
        return tuple(turns)

    def kept(self) -> tuple[Message, ...]:
        """Messages of the branch that the model is still shown."""
        first = next((n for n, m in enumerate(self.messages, 1) if m.id == self.left_out), 0)
        held = {message.id for message in self.held()}
        earlier = (m for m in self.messages[:first] if m.role == "system" or m.id in held)
        return (*earlier, *self.messages[first:])

    def held(self) -> tuple[Message, ...]:
        """The first question with its answer, where it is to stay when others are left out."""
        if self.options.overflow != "keep_ends":
            return ()
        questions = [n for n, m in enumerate(self.messages) if m.role == "user"][:2]
        return self.messages[questions[0] : questions[1]] if len(questions) == 2 else ()

    @property
    def can_go_on(self) -> bool:
        """Is the last message an answer that could go on?"""
        last = self.last
        if last is None or not last.is_unfinished:
            return False
        kept = [message for message in self.kept() if message.role != "system"]
        return len(kept) > 1 and kept[-2].role == "user"

    def totals(self) -> GenerationStats:
        """Counters and times of all answers together."""
        return sum((m.stats for m in self.messages if m.stats is not None), GenerationStats())


def _parents_first(conversation: Conversation) -> list[Message]:
    waiting = [*conversation.others, *conversation.messages]
    children: dict[str, list[Message]] = {}
    known = {message.id for message in waiting}
    for message in waiting:
        children.setdefault(message.parent if message.parent in known else "", []).append(message)
    result: list[Message] = []
    stack = list(reversed(children.get("", ())))
    while stack:
        message = stack.pop()
        result.append(message)
        stack += reversed(children.get(message.id, ()))
    return result
