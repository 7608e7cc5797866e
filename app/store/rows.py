"""What the history holds, as plain values."""

import re
from dataclasses import dataclass

_LONE_SURROGATE = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatRow:
    """One chat. Times in seconds since the epoch.

    `has_own_title`: the person named it. `leaf`: id of the newest message of the branch that is shown, "" without
    messages. `left_out`: id of the newest message the model is not shown any more, "" for none. `unsent`: what was
    written and not sent. `deleted`: when it was thrown away, None while it is there. `options`: JSON of how it is
    answered, "" for a chat that has nothing of its own.
    """

    id: str
    title: str = ""
    has_own_title: bool = False
    pinned: bool = False
    created: float
    changed: float
    leaf: str = ""
    left_out: str = ""
    unsent: str = ""
    deleted: float | None = None
    options: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class MessageRow:
    """One message of a tree.

    `parent`: id of the message before it, "" for the first one of a chat. `sources`: see `pieces`. `details`: JSON of
    whatever else there is to know.
    """

    id: str
    chat: str
    parent: str = ""
    role: str
    status: str
    created: float
    text: str
    sources: bytes = b""
    details: str = "{}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """A chat that was found. `excerpt`: some text around the words in a message, "" when the title has them."""

    chat: ChatRow
    excerpt: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stored:
    """A chat with all its messages, parents before children."""

    chat: ChatRow
    messages: tuple[MessageRow, ...]


def storable(text: str) -> str:
    """`text` of the same length without halves of characters, which no file can hold."""
    return _LONE_SURROGATE.sub("\ufffd", text)
