"""What the target's own choices say about how well a draft would do, free of charge.

While nothing is drafted nothing is learnt about the draft, but the text goes on: prose turns into code or JSON, or
starts to repeat itself. Then the target's margins grow, and its tokens become those that followed the same two tokens
before. How acceptance follows these two signals is learnt while drafting.
"""

import math
from collections.abc import Sequence
from typing import Any

from app.engine.lookahead.logistic import Logistic, squash

_PRIOR = (0.3, 1.0, 0.1)
_SPREAD = (0.45, 0.3, 0.55)
_DRIFT = (1e-3, 1e-4, 1e-4)
_MARGIN_STEP = 0.12
_REPEAT_STEP = 0.08
_USUAL_MARGIN = 0.7  # log scale
_USUAL_REPEATS = 0.3
_TABLE_LIMIT = 20_000
_TURNED = 0.15
_LEAST_SEEN, _MOST_SEEN = 4, 12


class TextSignals:
    """Follows one text after the other."""

    def __init__(self) -> None:
        self._model = Logistic(_PRIOR, _SPREAD, _DRIFT)
        self._margin = _USUAL_MARGIN
        self._repeats = _USUAL_REPEATS
        self._followers: dict[tuple[int, int], int] = {}

    def begin(self) -> None:
        """A new text."""
        self._margin += 0.5 * (_USUAL_MARGIN - self._margin)

    def margins(self, margins: Sequence[float]) -> None:
        """The target's margins of newly kept tokens."""
        for margin in margins:
            self._margin += _MARGIN_STEP * (math.log(min(margin, 20.0) + 0.05) - self._margin)

    def token(self, before2: int, before: int, token: int) -> None:
        """A token was kept after `before2`, `before`."""
        key = (before2, before)
        self._repeats += _REPEAT_STEP * ((self._followers.get(key) == token) - self._repeats)
        if len(self._followers) > _TABLE_LIMIT:
            self._followers.clear()
        self._followers[key] = token

    def evidence(self) -> tuple[float, float, float]:
        """The signals now."""
        return 1.0, self._margin, self._repeats - _USUAL_REPEATS

    def chance(self) -> float:
        """Acceptance to expect of a draft now, 0 to 1."""
        return squash(self._model.score(self.evidence()))

    def learn(self, evidence: Sequence[float], *, kept: bool) -> None:
        """A proposal was judged while the signals were these."""
        self._model.learn(evidence, yes=kept)

    def to_dict(self) -> dict[str, Any]:
        """As JSON knows it, without what belongs to one session."""
        return {"weights": self._model.weights}

    def restore(self, stored: dict[str, Any]) -> None:
        """Take over what `to_dict` gave; raises ValueError, TypeError or KeyError where it is something else."""
        self._model.restore(stored["weights"])


class Turn:
    """Tells, during a pause, when the text has turned into one that a draft does better on: prose into code or JSON."""

    def __init__(self) -> None:
        self._usual = 0.0
        self._seen = 0

    def follow(self, chance: float) -> None:
        """By the signals, a draft would be right with this chance now; 0 if they were not asked."""
        if chance:
            self._seen = min(self._seen + 1, _MOST_SEEN)
            self._usual += (chance - self._usual) / self._seen

    def seen(self, chance: float) -> bool:
        """Is this chance far above what was usual?"""
        return self._seen >= _LEAST_SEEN and chance > self._usual + _TURNED
