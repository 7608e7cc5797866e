"""What to leave out when a chat has filled the model's context."""

from dataclasses import replace

from app.chat.conversation import Conversation

_LETTERS_PER_TOKEN = 3.0
"""For text nobody has counted yet; on the low side, so that rather too much is left out than too little."""


def without_oldest(conversation: Conversation, context: int) -> tuple[Conversation, int]:
    """Leave out whole exchanges from the front until about half of the context is free, at least one more than now.

    Nothing is removed: `left_out` moves. What the chat wants to hold on to (`held`) stays.

    Args:
        conversation: With the branch that is too long. A question at its end stays; after an answer, all can go.
        context: Tokens the model holds.

    Returns:
        The conversation, and how many messages of its branch are left out in all; 0 if nothing can be left out.
    """
    held = {message.id for message in conversation.held()}
    kept = [message for message in conversation.kept() if message.role != "system" and message.id not in held]
    starts = [number for number, message in enumerate(kept) if message.role == "user" and number > 0]
    if kept and kept[-1].role != "user":
        starts.append(len(kept))
    if not starts:
        return conversation, 0
    # A server may not tell its context: half of what there was is a guess that works the second time at the latest.
    known = context or sum(len(m.content) for m in kept) / letters_per_token(conversation)
    room = known / 2 * letters_per_token(conversation) - sum(len(m.content) for m in conversation.held())
    lengths = [len(message.content) for message in kept]
    start = next((n for n in starts if sum(lengths[n:]) <= room), starts[-1])
    newest = kept[start - 1]
    said = [message for message in conversation.messages if message.role != "system"]
    count = said.index(newest) + 1 - len(held)
    return replace(conversation, left_out=newest.id), count


def letters_per_token(conversation: Conversation) -> float:
    """Characters a token of this chat stands for, as measured on its newest long answer."""
    for message in reversed(conversation.messages):
        if message.stats is not None and message.stats.generated_tokens >= 16 and message.text:
            return len(message.text) / message.stats.generated_tokens
    return _LETTERS_PER_TOKEN
