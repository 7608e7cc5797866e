"""How long the answer that is being written has been thinking."""

import time
from collections.abc import Callable
from dataclasses import dataclass

from app.core.thinking import LONGEST_MARK, closes, split


@dataclass(frozen=True, slots=True, kw_only=True)
class Thought:
    """What the thinking of an answer took.

    `opened`: the prompt had opened it, so that the text has no opening mark. `seconds`: from the first token on.
    """

    opened: bool = False
    tokens: int = 0
    seconds: float = 0.0


class ThoughtWatch:
    """Looks for the end of the thinking; costs as much as the new text is long, except where something closes."""

    def __init__(self, earlier: Thought | None, text: str, clock: Callable[[], float] = time.monotonic) -> None:
        """`earlier`, `text`: of the part of an answer that goes on now."""
        self._clock = clock
        self._earlier = earlier or Thought()
        self._opened = self._earlier.opened
        self._began = 0.0
        self._tokens = 0
        self._ended: Thought | None = None
        self._tail = text[-LONGEST_MARK:]
        if text and not split(text, opened=self._opened, final=False).is_open:
            self._ended = self._earlier

    def open(self) -> None:
        """The prompt has opened the thinking."""
        self._opened = True

    def add(self, text: str, tokens: int, whole: Callable[[], str]) -> None:
        """More of the answer came; `whole` gives all of it."""
        if self._ended is not None:
            return
        self._began = self._began or self._clock()
        self._tokens += tokens
        recent, self._tail = self._tail + text, (self._tail + text)[-LONGEST_MARK:]
        if closes(recent):
            found = split(whole(), opened=self._opened, final=False)
            if found.has_thinking and not found.is_open:
                self._ended = self._so_far()

    def result(self, text: str, *, final: bool) -> Thought | None:
        """What it took so far; None for a text without thinking."""
        if self._ended is not None:
            return self._ended if split(text, opened=self._opened, final=final).has_thinking else None
        found = split(text, opened=self._opened, final=final)
        return self._so_far() if found.has_thinking else Thought(opened=True) if self._opened else None

    def _so_far(self) -> Thought:
        seconds = self._clock() - self._began if self._began else 0.0
        return Thought(
            opened=self._opened,
            tokens=self._earlier.tokens + self._tokens,
            seconds=self._earlier.seconds + seconds,
        )
