"""What answers to prompts like this one have gained, so that what was lost with one kind of them is not lost again.

A draft that pays for JSON loses on code, in every answer anew: until that shows, a short answer has lost several
percent. So what an answer gained teaches a weight for each of the last tokens of its prompt, and their sum is what the
next one with such tokens may be expected to gain (normalised least mean squares, Widrow and Hoff 1960). Tokens of most
prompts, as those of the chat template, say nothing about one of them and are left out; of a prompt of its own kind
nothing is expected, neither gain nor loss.

Where a loss is expected, an answer may lose next to nothing. It then teaches little, and the expectation fades, so that
after some more answers drafting is tried again.
"""

from collections.abc import Sequence

TAIL = 32
"""Tokens of a prompt looked at."""
_STEP, _FADE = 0.6, 0.05  # where something was drafted, and where nothing was
_MOST = 3.0  # plain passes an answer teaches
_BAD, _GOOD = -0.4, 0.5  # plain passes
_COMMON = 0.5  # share of the prompts from which a token says nothing
_LIMIT = 20_000


class Outlook:
    """Follows one answer after the other. Gains in plain passes."""

    def __init__(self) -> None:
        self._forget()
        self._telling: list[int] = []
        self._expected = 0.0

    def begin(self, prompt: Sequence[int]) -> None:
        """A new answer, after this prompt (its end is enough)."""
        if len(self._prompts) > _LIMIT:
            self._forget()
        tokens = set(prompt[-TAIL:])
        self._telling = [token for token in tokens if self._prompts.get(token, 0) <= _COMMON * self._answers]
        self._expected = sum([self._weights.get(token, 0.0) for token in self._telling])
        for token in tokens:
            self._prompts[token] = self._prompts.get(token, 0) + 1
        self._answers += 1

    @property
    def bad(self) -> bool:
        """Answers to such prompts have lost."""
        return self._expected < _BAD

    @property
    def good(self) -> float:
        """How sure it is that answers to such prompts gain: 0 where they lose or none is known, at most 1."""
        return min(1.0, max(0.0, self._expected / _GOOD))

    def learn(self, gained: float) -> None:
        """The answer is over and has gained that much, 0 if nothing was drafted."""
        if self.bad and gained <= 0:
            gained = 0.0  # little was to be lost, so that it was little says nothing
        step = _STEP if gained else _FADE
        error = max(-_MOST, min(_MOST, gained)) - self._expected
        for token in self._telling:
            self._weights[token] = self._weights.get(token, 0.0) + step * error / len(self._telling)

    def _forget(self) -> None:
        self._weights: dict[int, float] = {}
        self._prompts: dict[int, int] = {}  # how many had a token
        self._answers = 0
