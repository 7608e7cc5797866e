"""Messages and conversations as immutable values.

Every change makes a new value, so that a view can compare, and a store can write a message whenever it likes.
"""

import itertools
import uuid
from collections import Counter
from dataclasses import dataclass, field, replace
from typing import Literal

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
    `token_counts`: how many tokens came from each source, sorted by source. `notices`: what the engine said with the
    end, for example that old turns were dropped.
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

    @property
    def drafted_tokens(self) -> int:
        """Tokens of this answer that a drafter proposed; equals `stats.accepted` of a finished answer."""
        return sum(count for source, count in self.token_counts if source in DRAFT_SOURCES)


def counts(counter: Counter[TokenSource]) -> tuple[tuple[TokenSource, int], ...]:
    """Token counts in the form a `Message` holds them."""
    return tuple(sorted(counter.items()))


@dataclass(frozen=True, slots=True, kw_only=True)
class Conversation:
    """Messages in the order they were said."""

    id: str = field(default_factory=new_id)
    messages: tuple[Message, ...] = ()

    @property
    def last(self) -> Message | None:
        return self.messages[-1] if self.messages else None

    def find(self, message_id: str) -> Message | None:
        """The message with this id, or None."""
        return next((m for m in self.messages if m.id == message_id), None)

    def with_message(self, message: Message) -> "Conversation":
        """A copy with `message` at the end."""
        return replace(self, messages=(*self.messages, message))

    def with_last(self, message: Message) -> "Conversation":
        """A copy where `message` takes the place of the newest one."""
        return replace(self, messages=(*self.messages[:-1], message))

    def up_to_question(self) -> "Conversation":
        """A copy that ends with the newest message of the person; empty if there is none."""
        keep = len(self.messages)
        while keep and self.messages[keep - 1].role != "user":
            keep -= 1
        return replace(self, messages=self.messages[:keep])

    def turns(self) -> tuple[Turn, ...]:
        """What the model is shown: interrupted answers included, refused questions left out.

        Roles alternate, since many chat templates insist on it: a question that was stopped before its answer began is
        joined with the next one.
        """
        turns: list[Turn] = []
        for message, answer in itertools.zip_longest(self.messages, self.messages[1:]):
            if not message.text or (answer is not None and answer.status == "failed"):
                continue
            if turns and turns[-1].role == message.role:
                joined = f"{turns.pop().content}\n\n{message.text}"
                turns.append(Turn(role=message.role, content=joined))
            else:
                turns.append(Turn(role=message.role, content=message.text))
        return tuple(turns)

    def totals(self) -> GenerationStats:
        """Counters and times of all answers together."""
        return sum((m.stats for m in self.messages if m.stats is not None), GenerationStats())
