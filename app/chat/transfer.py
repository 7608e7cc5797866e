"""Chats as files: JSON that can be read again, Markdown for reading."""

import json
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path

from app.chat.archive import (
    Details,
    conversation_of,
    message_of,
    options_of,
    options_text,
    read,
    row_of,
    written,
)
from app.chat.attachments import with_attachments
from app.chat.conversation import Message, Status
from app.chat.options import ChatOptions
from app.chat.titles import UNTITLED, automatic_title
from app.chat.whole_file import write_whole
from app.core.errors import EnvironmentFault, UserError
from app.core.plain import PlainError, from_plain, to_plain
from app.protocol.messages import Piece, Role
from app.protocol.options import TokenSource
from app.store.rows import ChatRow, Stored

_FORMAT, _VERSION = "outpace-chat", 1
_MOST_BYTES = 256 * 1024 * 1024
_HINT = "Choose a JSON file that Outpace exported."
_NAMES = {"user": "You", "assistant": "Answer", "system": "System prompt"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """So many characters came from this source."""

    source: TokenSource
    length: int


@dataclass(frozen=True, slots=True, kw_only=True)
class FileMessage:
    """A message in a JSON file."""

    id: str
    parent: str = ""
    role: Role
    status: Status = "complete"
    created: float = 0.0
    text: str
    sources: tuple[Span, ...] = ()
    details: Details = field(default_factory=Details)


@dataclass(frozen=True, slots=True, kw_only=True)
class FileChat:
    """A whole JSON file."""

    format: str
    version: int
    title: str = ""
    created: float = 0.0
    leaf: str = ""
    left_out: str = ""
    options: ChatOptions = field(default_factory=ChatOptions)
    messages: tuple[FileMessage, ...] = ()


def exported(stored: Stored, path: Path) -> None:
    """Write a chat to `path`: JSON if its name ends so, else Markdown.

    Raises:
        EnvironmentFault: it cannot be written; a file that was there is as it was.
    """
    write_whole(path, as_json(stored) if path.suffix.lower() == ".json" else as_markdown(stored))


def as_json(stored: Stored) -> str:
    """All branches, with statistics and sources."""
    messages = []
    for row in stored.messages:
        message = message_of(row)
        messages.append(
            FileMessage(
                id=row.id,
                parent=row.parent,
                role=message.role,
                status=message.status,
                created=row.created,
                text=row.text,
                sources=tuple(Span(source=p.source, length=len(p.text)) for p in message.pieces),
                # Where somebody keeps models is nobody else's business.
                details=replace(read(row.details), files=tuple(Path(file).name for file in message.files)),
            )
        )
    chat = FileChat(
        format=_FORMAT,
        version=_VERSION,
        title=stored.chat.title,
        created=stored.chat.created,
        leaf=stored.chat.leaf,
        left_out=stored.chat.left_out,
        options=replace(options_of(stored.chat.options), pair=None),
        messages=tuple(messages),
    )
    return json.dumps(to_plain(chat), indent=1, ensure_ascii=False) + "\n"


def as_markdown(stored: Stored) -> str:
    """The branch that is shown."""
    parts = [f"# {stored.chat.title or UNTITLED}"]
    system = options_of(stored.chat.options).system
    if system.strip():
        parts.append(f"## {_NAMES['system']}\n\n{system}")
    for message in conversation_of(stored).messages:
        heading = _NAMES[message.role]
        if message.status in ("interrupted", "failed"):
            heading += f" ({message.status})"
        parts.append(f"## {heading}\n\n{with_attachments(message.text, message.attachments)}")
    return "\n\n".join(parts).rstrip("\n") + "\n"


def imported(path: Path, now: float, new_id: Callable[[], str]) -> Stored:
    """The chat in a JSON file of ours, with new ids.

    Raises:
        UserError: it is none, or one of a newer version.
        EnvironmentFault: it cannot be read.
    """
    try:
        if path.stat().st_size > _MOST_BYTES:
            raise UserError("not_imported", f"{path.name} is too large for a chat.", _HINT)
        content = path.read_bytes()
    except OSError as error:
        sentence = f"{path.name} cannot be read ({error.strerror or error})."
        raise EnvironmentFault("not_imported", sentence, detail=repr(error)) from error
    try:
        body = json.loads(content)
        if not isinstance(body, dict) or body.get("format") != _FORMAT:
            raise PlainError("no chat of ours")
        if type(body.get("version")) is int and body["version"] > _VERSION:
            raise UserError("not_imported", f"{path.name} was exported by a newer Outpace.", "Update Outpace first.")
        chat = from_plain(FileChat, body, path.name)
    except (ValueError, PlainError, RecursionError) as error:
        sentence = f"{path.name} is no chat exported by Outpace."
        raise UserError("not_imported", sentence, _HINT, str(error)) from error
    assert isinstance(chat, FileChat)  # from_plain builds what it is told to
    return renewed(_stored(chat, now), now, new_id)


def renewed(stored: Stored, now: float, new_id: Callable[[], str]) -> Stored:
    """A copy with ids of its own, changed now, not pinned."""
    chat_id = new_id()
    names = {row.id: new_id() for row in stored.messages}
    rows = tuple(
        replace(row, id=names[row.id], chat=chat_id, parent=names.get(row.parent, "")) for row in stored.messages
    )
    chat = replace(
        stored.chat,
        id=chat_id,
        changed=now,
        pinned=False,
        unsent="",
        deleted=None,
        leaf=names.get(stored.chat.leaf, ""),
        left_out=names.get(stored.chat.left_out, ""),
    )
    return Stored(chat=chat, messages=rows)


def _stored(file: FileChat, now: float) -> Stored:
    rows, known = [], set[str]()
    for item in file.messages:
        if item.id in known:
            continue
        status: Status = "interrupted" if item.status == "streaming" else item.status
        message = Message(
            id=item.id,
            role=item.role,
            status=status,
            text=item.text,
            pieces=_pieces(item),
            parent=item.parent if item.parent in known else "",
            created=item.created,
        )
        rows.append(replace(row_of(message, ""), details=written(item.details)))
        known.add(item.id)
    chat = ChatRow(
        id="",
        title=" ".join(file.title.split())[:200],
        has_own_title=True,
        created=file.created or now,
        changed=now,
        leaf=file.leaf,
        left_out=file.left_out,
        options=options_text(options_of(options_text(file.options))),
    )
    stored = Stored(chat=chat, messages=tuple(rows))
    return stored if chat.title else replace(stored, chat=replace(chat, title=automatic_title(conversation_of(stored))))


def _pieces(item: FileMessage) -> tuple[Piece, ...]:
    pieces, start = [], 0
    for span in item.sources:
        if span.length <= 0:
            return ()
        pieces.append(Piece(text=item.text[start : start + span.length], source=span.source))
        start += span.length
    return tuple(pieces) if start == len(item.text) else ()
