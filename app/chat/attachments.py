"""Text files that go with a question."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

_FENCES = re.compile(r"^\s*(`{3,})", re.MULTILINE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Attachment:
    """A file as it was when it was attached. `tokens`: how long it is for the model that was loaded, 0 if unknown."""

    name: str
    text: str
    tokens: int = 0


def with_attachments(text: str, attachments: Iterable[Attachment]) -> str:
    """What the model is shown: each file with its name, in a fence longer than any in it, and then the question."""
    parts = []
    for item in attachments:
        fence = "`" * (max((len(found) for found in _FENCES.findall(item.text)), default=2) + 1)
        body = item.text if item.text.endswith("\n") else f"{item.text}\n"
        parts.append(f"{item.name}:\n{fence}\n{body}{fence}")
    return "\n\n".join([*parts, text])
