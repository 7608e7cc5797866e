"""Conversations as the rows a store holds, and back."""

import base64
import json
import zlib
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import TypeVar, cast, get_args

from app.chat.attachments import Attachment
from app.chat.conversation import Conversation, Message, Status
from app.chat.options import ChatOptions
from app.chat.thought import Thought
from app.chat.titles import automatic_title
from app.core.errors import UserError
from app.core.plain import PlainError, from_plain, to_plain
from app.protocol.messages import FinishReason, Notice, Role
from app.protocol.options import TokenSource
from app.protocol.stats import GenerationStats, SpeculationState
from app.store.pieces import packed, unpacked
from app.store.rows import ChatRow, MessageRow, Stored

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Details:
    """What of a message has no column of its own."""

    stats: GenerationStats | None = None
    speculation: SpeculationState | None = None
    seed: int | None = None
    error: str = ""
    reason: FinishReason | None = None
    tokens: dict[str, int] = field(default_factory=dict)
    notices: tuple[Notice, ...] = ()
    attachments: tuple[Attachment, ...] = ()
    thought: Thought | None = None
    answer_tokens: tuple[int, ...] = ()
    ink: str = ""
    files: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Batch:
    """What has to be written for a conversation to be stored."""

    chat: ChatRow
    messages: tuple[Message, ...]
    removed: tuple[str, ...]

    def rows(self) -> tuple[MessageRow, ...]:
        return tuple(row_of(message, self.chat.id) for message in self.messages)


class Archive:
    """Knows what of one conversation is stored already."""

    def __init__(self, chat: ChatRow | None = None, messages: Iterable[Message] = ()) -> None:
        """`chat` and `messages` as they were read; nothing for a conversation that is new."""
        self._chat = chat
        self._stored = {message.id: message for message in messages}

    def pending(self, conversation: Conversation, now: float) -> Batch | None:
        """What is not stored yet, None if nothing; an empty chat is not worth storing."""
        everything = conversation.all
        changed = tuple(message for message in everything if self._stored.get(message.id) is not message)
        removed = tuple(self._stored.keys() - {message.id for message in everything})
        chat = self._chat
        if chat is None:
            if not everything:
                return None
            chat = ChatRow(id=conversation.id, created=now, changed=now)
        wanted = replace(
            chat,
            title=chat.title or automatic_title(conversation),
            changed=now if changed else chat.changed,
            leaf=conversation.tip,
            left_out=conversation.left_out,
            options=options_text(conversation.options),
        )
        return Batch(wanted, changed, removed) if changed or removed or wanted != self._chat else None

    def note(self, batch: Batch) -> None:
        """This was written."""
        self._chat = batch.chat
        self._stored.update((message.id, message) for message in batch.messages)
        for message_id in batch.removed:
            self._stored.pop(message_id, None)

    def forget(self) -> None:
        """The file is another one now: nothing is stored."""
        self._chat, self._stored = None, {}


def row_of(message: Message, chat_id: str) -> MessageRow:
    """A message as a row of this chat."""
    details = Details(
        stats=message.stats,
        speculation=message.speculation,
        seed=message.seed,
        error=message.error,
        reason=message.reason,
        tokens=dict(message.token_counts),
        notices=message.notices,
        attachments=message.attachments,
        thought=message.thought,
        answer_tokens=message.tokens,
        ink=_as_text(message.ink),
        files=message.files,
    )
    return MessageRow(
        id=message.id,
        chat=chat_id,
        parent=message.parent,
        role=message.role,
        status=message.status,
        created=message.created,
        text=message.text,
        sources=packed(message.pieces),
        details=written(details),
    )


def message_of(row: MessageRow) -> Message:
    """The message a row stands for; what cannot be understood of its details is left out."""
    details = read(row.details)
    counts = tuple(sorted((s, n) for s, n in details.tokens.items() if s in get_args(TokenSource)))
    role: Role = row.role if row.role in get_args(Role) else "user"  # type: ignore[assignment]  # just compared
    status: Status = row.status if row.status in get_args(Status) else "interrupted"  # type: ignore[assignment]  # just compared
    return Message(
        id=row.id,
        role=role,
        text=row.text,
        status=status,
        pieces=unpacked(row.text, row.sources),
        stats=details.stats,
        speculation=details.speculation,
        seed=details.seed,
        error=details.error,
        reason=details.reason,
        token_counts=counts,  # type: ignore[arg-type]  # the names were compared
        notices=details.notices,
        attachments=details.attachments,
        thought=details.thought,
        tokens=details.answer_tokens,
        ink=_as_bytes(details.ink),
        files=details.files,
        parent=row.parent,
        created=row.created,
    )


def conversation_of(stored: Stored) -> Conversation:
    """The conversation a stored chat stands for, with the branch that was shown last."""
    messages = tuple(message_of(row) for row in stored.messages)
    options = options_of(stored.chat.options)
    found = Conversation(id=stored.chat.id, others=messages, left_out=stored.chat.left_out, options=options)
    if not messages:
        return found
    shown = found.on_branch(stored.chat.leaf)
    return shown if shown is not found else found.on_branch(messages[-1].id)


def written(details: Details) -> str:
    """JSON without what is not known."""
    return _short(details, Details())


def read(text: str) -> Details:
    """Details from JSON; empty if they make no sense."""
    return _understood(text, Details())


def options_text(options: ChatOptions) -> str:
    """JSON, "" for a chat that has nothing of its own."""
    return _short(options, ChatOptions()) if options != ChatOptions() else ""


def options_of(text: str) -> ChatOptions:
    """Options from JSON; those of a new chat if they make no sense."""
    options = _understood(text, ChatOptions()) if text else ChatOptions()
    try:
        for part in (options.sampling, options.speculation):
            if part is not None:
                part.check()
    except UserError:
        return replace(options, sampling=None, speculation=None)
    return options


def _short(value: T, empty: T) -> str:
    usual = to_plain(empty)
    return json.dumps({k: v for k, v in to_plain(value).items() if v != usual[k]}, separators=(",", ":"))


def _understood(text: str, empty: T) -> T:
    try:
        return cast("T", from_plain(type(empty), json.loads(text), "stored"))
    except (ValueError, PlainError, RecursionError):
        return empty


def _as_text(ink: bytes) -> str:
    return base64.b64encode(zlib.compress(ink, 1)).decode("ascii") if ink else ""


def _as_bytes(text: str) -> bytes:
    try:
        return zlib.decompress(base64.b64decode(text)) if text else b""
    except (ValueError, zlib.error):
        return b""
