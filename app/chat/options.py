"""What belongs to one chat besides its messages."""

from dataclasses import dataclass
from typing import Literal

from app.chat.settings import Pair
from app.protocol.options import SamplingOptions, SpeculationOptions

Overflow = Literal["ask", "drop_oldest", "keep_ends"]
"""What happens when a chat does not fit the context any more: the person is asked; the oldest messages are left out;
those between the first exchange and the newest ones are."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatOptions:
    """How a chat is answered.

    `pair`: what answered it last, None while nothing has; an empty target is the demo pair. `system`: the system
    prompt, "" for none. `sampling`, `speculation`: None while the chat has none of its own and takes what was used
    last.
    `plain_template`: the model's own template refused this chat.
    """

    pair: Pair | None = None
    system: str = ""
    sampling: SamplingOptions | None = None
    speculation: SpeculationOptions | None = None
    overflow: Overflow = "ask"
    plain_template: bool = False
