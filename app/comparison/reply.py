"""One answer of a comparison, as it was seen from outside of the engine."""

from dataclasses import dataclass

from app.protocol.messages import Delta, Finished, FinishReason
from app.protocol.stats import GenerationStats, SpeculationState


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """One answer.

    `wait_s`: from sending the request to its end, as a person waits. `margins`: the target's, a token each (see
    `Delta`), or empty. `times_ms`, `characters`: when how much of the text was there, both growing.
    """

    text: str
    tokens: tuple[int, ...]
    margins: tuple[float, ...]
    stats: GenerationStats
    reason: FinishReason
    speculation: SpeculationState
    wait_s: float
    times_ms: tuple[int, ...]
    characters: tuple[int, ...]

    @property
    def has_tokens(self) -> bool:
        """Are the tokens known? Servers tell the text only."""
        return -1 not in self.tokens and (bool(self.tokens) or not self.text)


class Collector:
    """Makes a `Reply` of events; times in seconds since the request was sent."""

    def __init__(self) -> None:
        self._text: list[str] = []
        self._length = 0
        self._tokens: list[int] = []
        self._margins: list[float] = []
        self._times: list[int] = []
        self._characters: list[int] = []

    @property
    def tokens(self) -> int:
        """How many came so far."""
        return len(self._tokens)

    @property
    def text(self) -> str:
        """What came so far."""
        self._text = ["".join(self._text)]
        return self._text[0]

    def add(self, delta: Delta, at_s: float) -> None:
        """Take what one round brought."""
        self._tokens += delta.tokens
        self._margins += delta.margins
        more = "".join(piece.text for piece in delta.pieces)
        if more:
            self._text.append(more)
            self._length += len(more)
            self._times.append(round(at_s * 1000))
            self._characters.append(self._length)

    def reply(self, finished: Finished, at_s: float) -> Reply:
        """The answer is over."""
        return Reply(
            text=self.text,
            tokens=tuple(self._tokens),
            margins=tuple(self._margins),
            stats=finished.stats,
            reason=finished.reason,
            speculation=finished.speculation,
            wait_s=at_s,
            times_ms=tuple(self._times),
            characters=tuple(self._characters),
        )
