"""Sentences for things that stop nothing."""

from app.protocol.messages import Notice

LOAD_LATER = Notice(code="load_later", text="The model changes as soon as this answer is complete.")


def last_model_failed(sentence: str) -> Notice:
    """The model of the last time cannot be loaded, for the reason in `sentence`."""
    text = f"The model of last time could not be loaded: {sentence} The demo pair is loaded instead."
    return Notice(code="last_model_failed", text=text)


def left_out(count: int, *, between: bool = False) -> Notice:
    """So many messages are not shown to the model any more; `between`: those after the first exchange."""
    if between:
        messages = "The message after the first answer was" if count == 1 else f"{count} messages in the middle were"
        return Notice(code="left_out", text=f"{messages} left out of what the model sees: the context was full.")
    messages = "The oldest message was" if count == 1 else f"The {count} oldest messages were"
    return Notice(code="left_out", text=f"{messages} left out of what the model sees: the context was full.")
