"""What one event of a stream says, whatever server sent it."""

import json
from dataclasses import dataclass, field
from typing import Any

from app.core.errors import EngineFault

MAX_DEPTH = 32
DONE = "[DONE]"


@dataclass(frozen=True, slots=True)
class Chunk:
    """`text` of the answer, `reasoning` before it, `finish`: why it ends, "" while it goes on. `error`: or None."""

    text: str = ""
    reasoning: str = ""
    finish: str = ""
    error: Any = None
    body: dict[str, Any] = field(default_factory=dict)
    choice: dict[str, Any] = field(default_factory=dict)


def parse(data: str, name: str) -> Chunk:
    """Read one event.

    Raises:
        EngineFault: it is no JSON object, or nested without reason.
    """
    try:
        body = json.loads(data)
    except (ValueError, RecursionError):
        body = None
    if not isinstance(body, dict) or not _is_shallow(body):
        raise EngineFault(
            "server_garbled",
            f"{name} sent something that is no part of an answer.",
            "Check that its address is the one of a language model server.",
            data[:300],
        )
    if body.get("error") is not None or body.get("object") == "error":
        return Chunk(error=body, body=body)
    choices = body.get("choices")
    choice = choices[0] if isinstance(choices, list) and choices and isinstance(choices[0], dict) else {}
    delta = choice.get("delta", choice.get("message"))
    delta = delta if isinstance(delta, dict) else {}
    return Chunk(
        text=_text(delta.get("content")) or _text(choice.get("text")),
        reasoning=_text(delta.get("reasoning_content")) or _text(delta.get("reasoning")),
        finish=_text(choice.get("finish_reason")),
        body=body,
        choice=choice,
    )


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _is_shallow(value: Any) -> bool:
    level = [value]
    for _ in range(MAX_DEPTH):
        inner: list[Any] = []
        for item in level:
            if isinstance(item, dict):
                inner.extend(item.values())
            elif isinstance(item, list):
                inner.extend(item)
        if not inner:
            return True
        level = inner
    return False
