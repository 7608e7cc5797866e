"""Sentences for things that stop nothing."""

from app.protocol.messages import Notice

CONTEXT_FULL = Notice(
    code="context_full",
    text="The context is full, so the answer ends here. Start a new chat, or load the model with a longer context.",
)
LOAD_LATER = Notice(code="load_later", text="The model changes as soon as this answer is complete.")


def last_model_failed(sentence: str) -> Notice:
    """The model of the last time cannot be loaded, for the reason in `sentence`."""
    text = f"The model of last time could not be loaded: {sentence} The demo pair is loaded instead."
    return Notice(code="last_model_failed", text=text)
