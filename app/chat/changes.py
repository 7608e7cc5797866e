"""What is different after something happened to a session."""

from dataclasses import dataclass

from app.chat.banner import Banner
from app.chat.conversation import Conversation, Message
from app.chat.options import ChatOptions
from app.protocol.messages import Loaded, Notice, Progress


@dataclass(frozen=True, slots=True)
class MessageAdded:
    """A message is new at the end."""

    message: Message


@dataclass(frozen=True, slots=True)
class MessageGrew:
    """The streaming answer has more text or newer numbers; `ChatSession.last` has it."""


@dataclass(frozen=True, slots=True)
class MessageEnded:
    """The streaming answer has its final form."""

    message: Message


@dataclass(frozen=True, slots=True)
class ConversationReplaced:
    """Another conversation, or the same with another branch or fewer messages."""

    conversation: Conversation


@dataclass(frozen=True, slots=True)
class ConversationLeft:
    """An answer was under way when another conversation took its place; this is how far it came."""

    conversation: Conversation


@dataclass(frozen=True, slots=True)
class OptionsChanged:
    """The chat on the screen is answered in another way."""

    options: ChatOptions


@dataclass(frozen=True, slots=True)
class PhaseChanged:
    """The session is in another phase."""

    phase: str


@dataclass(frozen=True, slots=True)
class BannerChanged:
    """The banner says something else, or nothing."""

    banner: Banner | None


@dataclass(frozen=True, slots=True)
class ModelLoaded:
    """Models are ready."""

    loaded: Loaded


@dataclass(frozen=True, slots=True)
class ModelProgress:
    """A load or a prefill went on."""

    progress: Progress


@dataclass(frozen=True, slots=True)
class NoticeGiven:
    """Something to say that stops nothing."""

    notice: Notice


Change = (
    MessageAdded
    | MessageGrew
    | MessageEnded
    | ConversationReplaced
    | ConversationLeft
    | OptionsChanged
    | PhaseChanged
    | BannerChanged
    | ModelLoaded
    | ModelProgress
    | NoticeGiven
)
