"""Bytes of tokens to text, across token edges, and the text before the first stop string.

Two things are held back: bytes that do not yet form a character, and text that could become a stop string. What is
given out is never taken back.
"""

import codecs
from collections.abc import Sequence

from app.protocol.messages import Piece
from app.protocol.options import TokenSource


class TextStream:
    """Turns the tokens of one answer into pieces of text.

    Args:
        stop: Texts that end the answer; none of them is empty.
    """

    def __init__(self, stop: Sequence[str] = ()) -> None:
        self._decoder = codecs.getincrementaldecoder("utf-8")(errors="replace")
        self._unfinished = False
        self._stop = tuple(stop)
        self._longest = max(map(len, self._stop), default=0)
        self._starts = frozenset(text[0] for text in self._stop)
        self._held: list[Piece] = []
        self._ready: list[Piece] = []
        self._ended = False
        self.brought = 0
        """Characters the last token completed, whether or not they are certain yet."""

    def push(self, data: bytes, source: TokenSource) -> bool:
        """Add one token's bytes; True if a stop string is complete now (nothing more is taken after that)."""
        if self._ended:
            self.brought = 0
            return True
        text = self._text_of(data)
        self.brought = len(text)
        if text and (self._held or not self._starts.isdisjoint(text)):
            self._add(text, source)
            self._ended = self._release()
        elif text:
            _append(self._ready, text, source)
        return self._ended

    def _text_of(self, data: bytes) -> str:
        if not self._unfinished:
            try:
                return data.decode()  # nearly every token is whole characters
            except UnicodeDecodeError:
                pass
        text = self._decoder.decode(data)
        self._unfinished = bool(self._decoder.getstate()[0])
        return text

    def take(self) -> tuple[Piece, ...]:
        """The text that has become certain since the last call."""
        ready, self._ready = self._ready, []
        return tuple(ready)

    def finish(self) -> None:
        """No more tokens: what was held back becomes certain, an unfinished character becomes U+FFFD."""
        if self._ended:
            return
        rest = self._decoder.decode(b"", final=True)
        if rest:
            self._add(rest, self._held[-1].source if self._held else "target")
            if self._release():
                self._ended = True
                return
        self._ended = True
        self._ready = _joined(self._ready, self._held)
        self._held = []

    def _add(self, text: str, source: TokenSource) -> None:
        self._held = _joined(self._held, [Piece(text=text, source=source)])

    def _release(self) -> bool:
        text = "".join(piece.text for piece in self._held)
        # Of several stop strings the first to be complete counts, so that it does not matter how the text is cut up.
        found = [(at + len(stop), at) for stop in self._stop if (at := text.find(stop)) >= 0]
        certain = min(found)[1] if found else len(text) - self._possible_start(text)
        sure, rest = _split(self._held, certain)
        self._ready = _joined(self._ready, sure)
        self._held = [] if found else rest
        return bool(found)

    def _possible_start(self, text: str) -> int:
        """Length of the longest end of `text` that some stop string begins with."""
        for size in range(min(self._longest - 1, len(text)), 0, -1):
            end = text[-size:]
            if any(stop.startswith(end) for stop in self._stop):
                return size
        return 0


def _split(pieces: Sequence[Piece], at: int) -> tuple[list[Piece], list[Piece]]:
    before: list[Piece] = []
    after: list[Piece] = []
    for piece in pieces:
        cut = max(0, min(at, len(piece.text)))
        if cut:
            before.append(Piece(text=piece.text[:cut], source=piece.source))
        if cut < len(piece.text):
            after.append(Piece(text=piece.text[cut:], source=piece.source))
        at -= len(piece.text)
    return before, after


def _joined(pieces: list[Piece], more: Sequence[Piece]) -> list[Piece]:
    """`pieces` and `more`, neighbours of one source merged."""
    result = list(pieces)
    for piece in more:
        _append(result, piece.text, piece.source)
    return result


def _append(pieces: list[Piece], text: str, source: TokenSource) -> None:
    if pieces and pieces[-1].source == source:
        text = pieces.pop().text + text
    pieces.append(Piece(text=text, source=source))
