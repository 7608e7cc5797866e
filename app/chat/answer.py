"""The answer that is being written."""

from collections import Counter
from dataclasses import replace

from app.chat.conversation import Message, Status, counts
from app.protocol.messages import Delta, Finished, Piece, Stats
from app.protocol.options import TokenSource


class Answer:
    """Collects what the engine sends into a `Message`.

    Adding a delta costs as much as the delta is long; only `message` touches the whole text.
    """

    def __init__(self, message: Message) -> None:
        self._message = message
        self._chunks: list[str] = []
        self._closed: list[Piece] = []
        self._source: TokenSource = "target"
        self._open: list[str] = []
        self._counter: Counter[TokenSource] = Counter()

    @property
    def id(self) -> str:
        return self._message.id

    def add(self, delta: Delta) -> None:
        """Append what one round brought."""
        self._counter.update(delta.sources)
        for piece in delta.pieces:
            if not piece.text:
                continue
            if piece.source != self._source:
                self._close()
                self._source = piece.source
            self._open.append(piece.text)
            self._chunks.append(piece.text)

    def note(self, stats: Stats) -> None:
        """Take the numbers so far."""
        self._message = replace(self._message, stats=stats.stats, speculation=stats.speculation)

    def finish(self, finished: Finished) -> None:
        """Take the numbers of the end; stopping leaves an answer interrupted."""
        self._message = replace(
            self._message,
            status="interrupted" if finished.reason == "cancelled" else "complete",
            stats=finished.stats,
            speculation=finished.speculation,
            seed=finished.seed,
            reason=finished.reason,
            notices=(*self._message.notices, *finished.notices),
        )

    def cancel(self) -> None:
        """It was stopped before the engine had numbers for it."""
        self._message = replace(self._message, status="interrupted", reason="cancelled")

    def break_off(self, sentence: str, *, refused: bool = False) -> None:
        """It ended badly, for the reason in `sentence`; `refused`: the engine said so. What is there stays."""
        status: Status = "failed" if refused and not self._chunks else "interrupted"
        self._message = replace(self._message, status=status, error=sentence)

    def message(self) -> Message:
        """The answer as it is now."""
        self._chunks = ["".join(self._chunks)] if self._chunks else []
        self._open = ["".join(self._open)] if self._open else []
        tail = (Piece(text=self._open[0], source=self._source),) if self._open else ()
        return replace(
            self._message,
            text=self._chunks[0] if self._chunks else "",
            pieces=(*self._closed, *tail),
            token_counts=counts(self._counter),
        )

    def _close(self) -> None:
        if self._open:
            self._closed.append(Piece(text="".join(self._open), source=self._source))
            self._open = []
