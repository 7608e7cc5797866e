"""Frozen dataclasses as plain JSON values, and back, by their type annotations.

Known types: dataclasses, tuples of one item type, dictionaries with string keys, unions, Literal, int, float, str, bool
and None. Unknown keys are ignored; missing fields take their default. Floats are finite.
"""

import dataclasses
import functools
import math
import types
import typing
from typing import Any, Literal, Union

_SCALARS = frozenset((int, str, float, bool, type(None)))


class PlainError(ValueError):
    """A plain value that does not fit its type; says where and why."""


def to_plain(value: Any) -> Any:
    """What `json.dumps` can write: dataclasses become dictionaries, tuples lists."""
    kind = type(value)
    if kind in _SCALARS:
        return value
    if kind is tuple or kind is list:
        return [item if type(item) in _SCALARS else to_plain(item) for item in value]
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {name: to_plain(getattr(value, name)) for name in _field_names(type(value))}
    if isinstance(value, (tuple, list)):
        return [to_plain(item) for item in value]
    if isinstance(value, dict):
        return {key: to_plain(item) for key, item in value.items()}
    return value


def from_plain(hint: Any, value: Any, where: str) -> Any:
    """The value of type `hint` that `value` stands for; `where` names it in errors.

    Raises:
        PlainError: it stands for none.
    """
    origin = typing.get_origin(hint)
    if origin in (Union, types.UnionType):
        return _read_union(typing.get_args(hint), value, where)
    if origin is Literal:
        if any(value == choice and type(value) is type(choice) for choice in typing.get_args(hint)):
            return value
        raise PlainError(f"{where}: {_short(value)} is not one of {typing.get_args(hint)}")
    if origin is tuple:
        if not isinstance(value, list):
            raise PlainError(f"{where}: not a list")
        return tuple(from_plain(typing.get_args(hint)[0], item, where) for item in value)
    if origin is dict:
        if not isinstance(value, dict):
            raise PlainError(f"{where}: not an object")
        return {key: from_plain(typing.get_args(hint)[1], item, where) for key, item in value.items()}
    if dataclasses.is_dataclass(hint) and isinstance(hint, type):
        if not isinstance(value, dict):
            raise PlainError(f"{where}: not an object")
        return _build(hint, value, where)
    return _read_scalar(hint, value, where)


@functools.cache
def hints(cls: type) -> dict[str, Any]:
    """The resolved annotations of a dataclass, in the order of its fields."""
    return typing.get_type_hints(cls)


@functools.cache
def _field_names(cls: type) -> tuple[str, ...]:
    return tuple(f.name for f in dataclasses.fields(cls))


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
        raise PlainError(f"{where}: missing {', '.join(sorted(missing))}")
    known = {name: from_plain(hint, body[name], f"{where}.{name}") for name, hint in hints(cls).items() if name in body}
    return cls(**known)


def _read_union(choices: tuple[Any, ...], value: Any, where: str) -> Any:
    if value is None and type(None) in choices:
        return None
    for choice in choices:
        try:
            return from_plain(choice, value, where)
        except PlainError:
            continue
    raise PlainError(f"{where}: {_short(value)} has the wrong type")


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
    raise PlainError(f"{where}: {_short(value)} is not {getattr(hint, '__name__', hint)}")


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:80]}..."
