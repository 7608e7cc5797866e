"""What a banner above the composer says."""

from dataclasses import dataclass
from pathlib import PurePath
from typing import Literal

from app.chat.connections import shown_name
from app.chat.settings import Pair
from app.core.translation import translate
from app.protocol.messages import Failed

BannerAction = Literal[
    "restart", "retry", "retry_plain", "leave_out", "new_chat", "plain_template", "load_pair", "report", "dismiss"
]


@dataclass(frozen=True, slots=True)
class Banner:
    """A problem that needs the person's eye. `detail` is for "Copy details" and may be ""."""

    kind: Literal["error", "warning", "info"]
    sentence: str
    hint: str = ""
    detail: str = ""
    actions: tuple[BannerAction, ...] = ("dismiss",)


STOP_IS_OVERDUE = Banner(
    "warning",
    "The engine does not react to Stop.",
    "Wait, or restart it. The text so far stays.",
    actions=("restart", "dismiss"),
)


CONTEXT_FULL = Banner(
    "warning",
    "The context is full, so the answer ends here.",
    "Go on without the oldest messages (they stay in the chat, but the model no longer sees them), start a new chat,"
    " or load the model with a longer context.",
    actions=("leave_out", "new_chat", "dismiss"),
)
NOTHING_TO_LEAVE_OUT = Banner(
    "error",
    "This message alone is too long for the context.",
    "Shorten it, or load the model with a longer context.",
    actions=("new_chat", "dismiss"),
)


def other_pair(wanted: Pair, loaded: Pair) -> Banner:
    """The chat that was opened was answered by other models than those that are loaded."""
    words = translate("banner", "This chat was answered by {0}; loaded is {1}.")
    sentence = words.format(_pair_words(wanted), _pair_words(loaded))
    hint = translate("banner", "The next answer comes from what is loaded, unless you load the other one.")
    return Banner("info", sentence, hint, actions=("load_pair", "dismiss"))


def load_failed(event: Failed) -> Banner:
    """A model could not be loaded."""
    return Banner("error", event.sentence, event.hint, event.detail)


def answer_failed(event: Failed, *, drafting: bool) -> Banner:
    """A request was refused or broke; `drafting`: it could be tried without speculation."""
    actions: tuple[BannerAction, ...] = ("retry", "retry_plain", "dismiss") if drafting else ("retry", "dismiss")
    if event.code == "prompt_too_long":
        actions = ("leave_out", "new_chat", "dismiss")
    if event.code == "template_failed":
        actions = ("plain_template", "new_chat", "dismiss")
    return Banner("error", event.sentence, event.hint, event.detail, actions)


def engine_gone(sentence: str, hint: str, detail: str, *, answering: bool) -> Banner:
    """The engine process ended by itself; `answering`: in the middle of an answer."""
    retries: tuple[BannerAction, ...] = ("retry", "retry_plain") if answering else ()
    return Banner("error", sentence, hint, detail, ("restart", *retries, "dismiss"))


def _pair_words(pair: Pair) -> str:
    target = shown_name(pair.target).removesuffix(".gguf")
    if not pair.draft:
        return translate("banner", "{0} without a draft model").format(target)
    return translate("banner", "{0} with {1}").format(target, PurePath(pair.draft).stem)
