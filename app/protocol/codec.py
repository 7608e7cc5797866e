"""A message as one line of ASCII JSON, and back.

Unknown fields are ignored, so that an older side can talk to a newer one; unknown kinds and fields of the wrong type
are refused. ASCII keeps every text (U+2028, lone surrogates) on one line.
"""

import json
import reprlib
import typing

from app.core.plain import PlainError, from_plain, to_plain
from app.protocol.messages import KINDS, Message

MAX_LINE_BYTES = 64 * 1024 * 1024


class ProtocolError(Exception):
    """A line that is no message; says why."""


_ENCODER = json.JSONEncoder(ensure_ascii=True, allow_nan=False, separators=(",", ":"))  # made once: a line each pass
_NAMES: dict[type, str] = {kind: name for name, kind in KINDS.items()}


def encode(message: Message) -> bytes:
    """One line, newline included.

    Raises:
        ProtocolError: a float is not finite (JSON has no word for it).
    """
    body = {"kind": _NAMES[type(message)], **to_plain(message)}
    try:
        return _ENCODER.encode(body).encode("ascii") + b"\n"
    except ValueError as error:
        raise ProtocolError(f"cannot encode {body['kind']}: {error}") from error


def decode(line: bytes) -> Message:
    """The message in one line, with or without its newline.

    Raises:
        ProtocolError: not JSON, no object, unknown kind, a required field missing or of the wrong type.
    """
    if len(line) > MAX_LINE_BYTES:
        raise ProtocolError(f"line of {len(line)} bytes is over the limit")
    try:
        body = json.loads(line, parse_constant=_refuse_constant)
    except (ValueError, RecursionError) as error:
        raise ProtocolError(f"not JSON: {error}") from error
    if not isinstance(body, dict):
        raise ProtocolError("not an object")
    kind = body.get("kind")
    cls = KINDS.get(kind) if isinstance(kind, str) else None
    if cls is None:
        raise ProtocolError(f"unknown kind {reprlib.repr(kind)}")
    try:
        return typing.cast("Message", from_plain(cls, body, str(kind)))
    except (PlainError, RecursionError) as error:
        raise ProtocolError(str(error)) from error


def _refuse_constant(name: str) -> object:
    raise ValueError(f"{name} is not JSON")
