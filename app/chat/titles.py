"""A name for a chat nobody named."""

import re

from app.chat.conversation import Conversation

UNTITLED = "New chat"
_MOST = 60
_MARKUP = re.compile(r"^(?:[#>*\-+=~`\s]|\d+[.)]\s)+|[*_`]{2,}")
_UNSEEN = re.compile("[\x00-\x1f\x7f\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]")


def automatic_title(conversation: Conversation) -> str:
    """The first words a person said, on one line of at most 60 characters; "New chat" if they said nothing readable."""
    for message in conversation.messages:
        if message.role == "user":
            for line in message.text[:4000].splitlines():
                words = " ".join(_MARKUP.sub("", _UNSEEN.sub(" ", line)).split())
                if any(letter.isalnum() for letter in words):
                    return shortened(words)
    return UNTITLED


def shortened(words: str, most: int = _MOST) -> str:
    """`words`, cut between two of them if they are longer than `most`."""
    if len(words) <= most:
        return words
    head = words[: most - 1]
    cut = head.rfind(" ")
    return (head[:cut] if cut > most // 2 else head).rstrip(" ,;:.-") + "…"
