"""Which part of an answer came from which source, in two or three bytes a part."""

from collections.abc import Iterable

from app.protocol.messages import Piece
from app.protocol.options import TokenSource

# The places are written to disk: only append.
SOURCES: tuple[TokenSource, ...] = ("target", "correction", "draft_model", "ngram", "heads")


def packed(pieces: Iterable[Piece]) -> bytes:
    """Source and length (characters, base 128, lowest part first) of every piece; the texts are stored elsewhere."""
    result = bytearray()
    for piece in pieces:
        result.append(SOURCES.index(piece.source))
        length = len(piece.text)
        while length > 0x7F:
            result.append(0x80 | (length & 0x7F))
            length >>= 7
        result.append(length)
    return bytes(result)


def unpacked(text: str, sources: bytes) -> tuple[Piece, ...]:
    """The pieces of `text`; empty when the bytes do not fit it, since a wrong colour is worse than none."""
    pieces: list[Piece] = []
    at = start = 0
    while at < len(sources):
        source, length, shift = sources[at], 0, 0
        at += 1
        while True:
            if at >= len(sources) or shift > 56:
                return ()
            length |= (sources[at] & 0x7F) << shift
            shift += 7
            at += 1
            if sources[at - 1] < 0x80:
                break
        if source >= len(SOURCES) or start + length > len(text):
            return ()
        pieces.append(Piece(text=text[start : start + length], source=SOURCES[source]))
        start += length
    return tuple(pieces) if start == len(text) else ()
