"""The body of a request, with no more fields than the server takes."""

from typing import Any

from app.core.errors import UserError
from app.engine.backends.openai_http.exchange import Refusal
from app.engine.backends.openai_http.kinds.base import Kind
from app.protocol.messages import Generate
from app.protocol.servers import ServerAccess, Told

_NEEDED = frozenset({"model", "messages", "prompt", "stream", "temperature", "max_tokens", "stop"})


def body(request: Generate, seed: int, kind: Kind, access: ServerAccess, told: Told) -> dict[str, Any]:
    """What to POST.

    Raises:
        UserError: an answer should go on, which this kind of server cannot.
    """
    if request.turns and request.turns[-1].role == "assistant" and not kind.can_go_on:
        raise UserError(
            "server_cannot_go_on", "This server cannot let an answer go on where it ended.", "Ask it to go on instead."
        )
    sampling, limits = request.sampling, request.limits
    fields: dict[str, Any] = {
        "model": access.model,
        "stream": True,
        "stream_options": kind.stream_options(),
        "temperature": sampling.temperature,
        "top_p": sampling.top_p,
        "seed": seed,
    }
    if request.prompt is not None:
        fields["prompt"] = request.prompt
    else:
        fields["messages"] = [{"role": turn.role, "content": turn.content} for turn in request.turns]
    if sampling.presence_penalty:
        fields["presence_penalty"] = sampling.presence_penalty
    if sampling.frequency_penalty:
        fields["frequency_penalty"] = sampling.frequency_penalty
    if limits.max_tokens:
        fields["max_tokens"] = limits.max_tokens
    if limits.stop:
        fields["stop"] = list(limits.stop)
    return fields | kind.extras(request, access, told)


def unwelcome(fields: dict[str, Any], refusal: Refusal) -> list[str]:
    """The fields this refusal names and an answer can do without."""
    if refusal.status not in (400, 422):
        return []
    return [name for name in fields if name not in _NEEDED and name in refusal.text]
