"""What the last tokens of a text say about the drafts in it: they go far in JSON, and not in code.

A draft that was right a few times may be the beginning of a table or of a function; its margins look alike. The tokens
of the text tell the two apart. Every token has a weight, and the sum over the last few different ones is added to the
score of every proposal. After a round these weights move by what the score was wrong by, divided by their number
(normalised least mean squares, Widrow and Hoff 1960, on the logistic loss). A text begins with the end of its prompt,
so that what was asked for counts before anything is answered.
"""

from collections import deque
from collections.abc import Sequence

WINDOW = 12
"""Tokens looked at."""
_STEP = 0.2
_MOST = 2.0  # of the score
_LIMIT = 8192


class TextKind:
    """Follows one text after the other."""

    def __init__(self) -> None:
        self._weights: dict[int, float] = {}
        self._window: deque[int] = deque(maxlen=WINDOW)

    def begin(self, prompt: Sequence[int]) -> None:
        """A new text, after this prompt (its end is enough)."""
        self._window.clear()
        self._window.extend(prompt)

    def token(self, token: int) -> None:
        """A token was kept."""
        self._window.append(token)

    def score(self) -> float:
        """What is to be added to the scores of proposals here; 0 where nothing is known."""
        return max(-_MOST, min(_MOST, self._total()))

    def learn(self, error: float) -> None:
        """Proposals were right so much more often here than their scores said, summed up over a round."""
        weights, tokens = self._weights, set(self._window)
        if len(weights) > _LIMIT:
            weights.clear()
        if error * self._total() > _MOST * abs(error):
            return  # it says so as strongly as it may already
        for token in tokens:
            weights[token] = weights.get(token, 0.0) + _STEP * error / len(tokens)

    def _total(self) -> float:
        weights = self._weights
        return sum([weights.get(token, 0.0) for token in set(self._window)])
