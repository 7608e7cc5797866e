"""What is known about every token of an answer, in two or three bytes each.

A byte with the source, plus 128 where a byte follows that says how sure the drafter was (in percent); then the number
of characters the token completed, base 128, lowest part first.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from app.protocol.messages import Delta
from app.protocol.options import TokenSource
from app.store.pieces import SOURCES

UNKNOWN = -1
_SURE = 0x80
_UNFINISHED = 3
"""Characters at most that bytes without their end become when an answer is over."""


@dataclass(frozen=True, slots=True)
class InkedToken:
    """One token. `start`, `end`: its characters in the text. `sure`: percent, `UNKNOWN` if nobody knows."""

    source: TokenSource
    sure: int
    start: int
    end: int


def packed(delta: Delta) -> bytes:
    """The tokens of a round; empty if the engine says nothing about them."""
    if not len(delta.lengths) == len(delta.sure) == len(delta.sources):
        return b""
    result = bytearray()
    for source, sure, length in zip(delta.sources, delta.sure, delta.lengths, strict=True):
        place = SOURCES.index(source)
        result += bytes((place | _SURE, min(sure, 100))) if sure >= 0 else bytes((place,))
        while length > 0x7F:
            result.append(0x80 | (length & 0x7F))
            length >>= 7
        result.append(length)
    return bytes(result)


def unpacked(ink: bytes, characters: int) -> tuple[InkedToken, ...]:
    """The tokens of a text of so many characters; empty when the bytes do not fit it.

    A stop text cuts the end off, and an unfinished character at the end belongs to the last token.
    """
    tokens: list[InkedToken] = []
    start = 0
    for source, sure, length in _read(ink):
        if source >= len(SOURCES):
            return ()
        end = min(start + length, characters)
        tokens.append(InkedToken(SOURCES[source], sure, start, end))
        start = end
    missing = characters - start
    if not tokens or missing > _UNFINISHED:
        return ()
    last = tokens[-1]
    return (*tokens[:-1], InkedToken(last.source, last.sure, last.start, characters)) if missing else tuple(tokens)


def token_at(tokens: Sequence[InkedToken], place: int) -> InkedToken | None:
    """The token this character (from 0) belongs to: the one that completed it."""
    low, high = 0, len(tokens)
    while low < high:
        middle = (low + high) // 2
        if tokens[middle].end <= place:
            low = middle + 1
        else:
            high = middle
    return tokens[low] if low < len(tokens) and tokens[low].start <= place else None


def length(ink: bytes) -> int:
    """Characters all its tokens completed."""
    return sum(count for _, _, count in _read(ink))


def _read(ink: bytes) -> Iterator[tuple[int, int, int]]:
    """Place of the source, how sure, characters; ends where the bytes make no sense."""
    at = 0
    while at < len(ink):
        source, sure = ink[at] & ~_SURE, UNKNOWN
        if ink[at] & _SURE:
            at += 1
            sure = ink[at] if at < len(ink) else UNKNOWN
        at += 1
        count, shift = 0, 0
        while at < len(ink) and ink[at] & 0x80 and shift < 56:
            count |= (ink[at] & 0x7F) << shift
            shift += 7
            at += 1
        if at >= len(ink):
            return
        yield source, sure, count | ink[at] << shift
        at += 1
