"""The answer that is being written."""

from collections import Counter
from dataclasses import replace

from app.chat.conversation import Message, Status, counts
from app.chat.ink import length, packed
from app.chat.thought import ThoughtWatch
from app.protocol.messages import Delta, Finished, Notice, Piece, Stats
from app.protocol.options import TokenSource
from app.protocol.stats import GenerationStats


class Answer:
    """Collects what the engine sends into a `Message`.

    Adding a delta costs as much as the delta is long; only `message` touches the whole text.
    """

    def __init__(self, message: Message) -> None:
        """`message`: empty, or an answer that goes on."""
        self._message = message
        self._earlier = message.stats
        self._chunks: list[str] = [message.text] if message.text else []
        pieces = message.pieces or ((Piece(text=message.text, source="target"),) if message.text else ())
        self._closed: list[Piece] = list(pieces[:-1])
        self._source: TokenSource = pieces[-1].source if pieces else "target"
        self._open: list[str] = [pieces[-1].text] if pieces else []
        self._counter: Counter[TokenSource] = Counter(dict(message.token_counts))
        self._tokens = list(message.tokens)
        self._thought = ThoughtWatch(message.thought, message.text)
        # Where it does not cover the whole text, nothing could be said of what follows.
        self._ink = bytearray(message.ink if length(message.ink) == len(message.text) else b"")

    @property
    def id(self) -> str:
        return self._message.id

    def add(self, delta: Delta) -> None:
        """Append what one round brought."""
        self._counter.update(delta.sources)
        # Those of servers are not known, and mean nothing to another model.
        self._tokens += [token for token in delta.tokens if token >= 0]
        self._ink += packed(delta)
        for piece in delta.pieces:
            if not piece.text:
                continue
            if piece.source != self._source:
                self._close()
                self._source = piece.source
            self._open.append(piece.text)
            self._chunks.append(piece.text)
        self._thought.add("".join(piece.text for piece in delta.pieces), len(delta.tokens), self._whole)

    def begin_thinking(self) -> None:
        """The prompt has opened the thinking part."""
        self._thought.open()

    def note(self, stats: Stats) -> None:
        """Take the numbers so far."""
        self._message = replace(self._message, stats=self._all(stats.stats), speculation=stats.speculation)

    def finish(self, finished: Finished) -> None:
        """Take the numbers of the end; stopping leaves an answer interrupted."""
        self._message = replace(
            self._message,
            status="interrupted" if finished.reason == "cancelled" else "complete",
            stats=self._all(finished.stats),
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
        text = self._whole()
        self._open = ["".join(self._open)] if self._open else []
        tail = (Piece(text=self._open[0], source=self._source),) if self._open else ()
        message = replace(
            self._message,
            text=text,
            pieces=(*self._closed, *tail),
            token_counts=counts(self._counter),
            thought=self._thought.result(text, final=self._message.status != "streaming"),
            ink=bytes(self._ink),
        )
        return replace(message, tokens=tuple(self._tokens) if message.is_unfinished else ())

    def _whole(self) -> str:
        self._chunks = ["".join(self._chunks)] if self._chunks else []
        return self._chunks[0] if self._chunks else ""

    def _all(self, stats: GenerationStats) -> GenerationStats:
        """Together with the part that goes on; its first token is the one that was waited for."""
        old = self._earlier
        if old is None:
            return stats
        return replace(
            old + stats,
            prompt_tokens=old.prompt_tokens,
            cached_tokens=old.cached_tokens,
            template_ms=old.template_ms,
            prefill_ms=old.prefill_ms,
            first_sample_ms=old.first_sample_ms,
        )

    def _close(self) -> None:
        if self._open:
            self._closed.append(Piece(text="".join(self._open), source=self._source))
            self._open = []


def resumed(message: Message, notices: tuple[Notice, ...]) -> Message:
    """An answer that goes on. Half a character at its end is written again."""
    text = message.text.removesuffix("\ufffd")
    pieces = message.pieces
    if text != message.text and pieces:
        last = replace(pieces[-1], text=pieces[-1].text.removesuffix("\ufffd"))
        pieces = (*pieces[:-1], *([last] if last.text else []))
    return replace(
        message,
        text=text,
        pieces=pieces,
        status="streaming",
        reason=None,
        error="",
        notices=(*message.notices, *notices),
    )
