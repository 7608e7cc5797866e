"""A message as one line of ASCII JSON, and back.

Unknown fields are ignored, so that an older side can talk to a newer one; unknown kinds and fields of the wrong type
are refused. ASCII keeps every text (U+2028, lone surrogates) on one line.
"""

import dataclasses
import functools
import json
import math
import types
import typing
from typing import Any, Literal, Union

from app.protocol.messages import KINDS, Message

MAX_LINE_BYTES = 64 * 1024 * 1024


class ProtocolError(Exception):
    """A line that is no message; says why."""


_NAMES: dict[type, str] = {kind: name for name, kind in KINDS.items()}


def encode(message: Message) -> bytes:
    """One line, newline included.

    Raises:
        ProtocolError: a float is not finite (JSON has no word for it).
    """
    body = {"kind": _NAMES[type(message)], **_plain(message)}
    try:
        return json.dumps(body, ensure_ascii=True, allow_nan=False, separators=(",", ":")).encode("ascii") + b"\n"
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
        raise ProtocolError(f"unknown kind {kind!r}")
    return typing.cast("Message", _build(cls, body, str(kind)))


def _refuse_constant(name: str) -> object:
    raise ValueError(f"{name} is not JSON")


def _plain(value: Any) -> Any:
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {name: _plain(getattr(value, name)) for name in _field_names(type(value))}
    if isinstance(value, (tuple, list)):
        return [_plain(item) for item in value]
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    return value


@functools.cache
def _field_names(cls: type) -> tuple[str, ...]:
    return tuple(f.name for f in dataclasses.fields(cls))


@functools.cache
def _hints(cls: type) -> dict[str, Any]:
    return typing.get_type_hints(cls)


@functools.cache
def _required(cls: type) -> frozenset[str]:
    return frozenset(
        f.name
        for f in dataclasses.fields(cls)
        if f.default is dataclasses.MISSING and f.default_factory is dataclasses.MISSING
    )


def _build(cls: type, body: dict[str, Any], where: str) -> Any:
    missing = _required(cls) - body.keys()
    if missing:
        raise ProtocolError(f"{where}: missing {', '.join(sorted(missing))}")
    known = {name: _read(hint, body[name], f"{where}.{name}") for name, hint in _hints(cls).items() if name in body}
    return cls(**known)


def _read(hint: Any, value: Any, where: str) -> Any:
    origin = typing.get_origin(hint)
    if origin in (Union, types.UnionType):
        return _read_union(typing.get_args(hint), value, where)
    if origin is Literal:
        if any(value == choice and type(value) is type(choice) for choice in typing.get_args(hint)):
            return value
        raise ProtocolError(f"{where}: {value!r} is not one of {typing.get_args(hint)}")
    if origin is tuple:
        item_hint = typing.get_args(hint)[0]
        if not isinstance(value, list):
            raise ProtocolError(f"{where}: not a list")
        return tuple(_read(item_hint, item, where) for item in value)
    if origin is dict:
        if not isinstance(value, dict):
            raise ProtocolError(f"{where}: not an object")
        return {key: _read(typing.get_args(hint)[1], item, where) for key, item in value.items()}
    if dataclasses.is_dataclass(hint) and isinstance(hint, type):
        if not isinstance(value, dict):
            raise ProtocolError(f"{where}: not an object")
        return _build(hint, value, where)
    return _read_scalar(hint, value, where)


def _read_union(choices: tuple[Any, ...], value: Any, where: str) -> Any:
    if value is None and type(None) in choices:
        return None
    for choice in choices:
        try:
            return _read(choice, value, where)
        except ProtocolError:
            continue
    raise ProtocolError(f"{where}: {value!r} has the wrong type")


def _read_scalar(hint: Any, value: Any, where: str) -> Any:
    if hint is float and isinstance(value, (int, float)) and not isinstance(value, bool):
        try:
            number = float(value)
        except OverflowError:
            number = math.inf
        if math.isfinite(number):
            return number
    elif hint in (int, str, bool) and type(value) is hint:
        return value
    raise ProtocolError(f"{where}: {str(value)[:80]!r} is not {getattr(hint, '__name__', hint)}")
