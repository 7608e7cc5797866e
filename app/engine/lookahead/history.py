"""What answers have taught about a drafter on a target. What was learnt from one must not be used for another."""

import math
from collections import deque
from typing import Any

from app.engine.lookahead.acceptance import KINDS, Acceptance, kind_of
from app.engine.lookahead.logistic import squash
from app.engine.lookahead.signals import TextSignals
from app.engine.ports import Proposal

VERSION = 1
SAVED_LIMIT = 12.0
_SAVED_SHARE = 0.3
_RATE_KEEP = 0.95
_WINDOW = 48
_QUANTILES = 6
_FIRST_SCORES = (0.5, 1.0, 1.5, 0.0, 2.0, 3.0)
_FIRST_MOOD = 1.2


class PairHistory:
    """Keep one per drafter of a loaded target and pass it to every `make`. Times in units of a plain pass."""

    def __init__(self) -> None:
        self.signals = TextSignals()
        self.saved = 0.0
        """Gains of earlier rounds that may be risked again."""
        self.look_gap = 1
        """Rounds between looks at the draft while paused."""
        self._models: dict[str, Acceptance] = {}
        self._drafting: Acceptance | None = None
        self._scores: deque[float] = deque(_FIRST_SCORES, maxlen=_WINDOW)
        self._tokens = 1.0
        self._time = 1.0

    def begin(self) -> None:
        """A new answer."""
        self.signals.begin()
        self.look_gap = 1
        for model in self._models.values():
            model.calm_down(0.3)

    def model(self, proposal: Proposal) -> Acceptance:
        """The model that judges this proposal."""
        kind = kind_of(proposal)
        model = self._models.get(kind.name)
        if model is None:
            model = self._models[kind.name] = Acceptance(kind)
        if proposal.margin is not None:
            self._drafting = model
        return model

    @property
    def mood(self) -> float:
        """The part of a draft's scores that is the same for all its tokens now."""
        return self._drafting.mood() if self._drafting else _FIRST_MOOD

    def judged(self, model: Acceptance, score: float) -> None:
        """A draft's token with this score was answered for."""
        self._scores.append(score - model.mood())

    def chances(self, stale: float) -> list[float]:
        """The spread of chances of a draft's tokens to come.

        Args:
            stale: How little is known about the draft now, 0 to 1; the signals of the text stand in for it.
        """
        ordered, mood = sorted(self._scores), self.mood
        size = len(ordered)
        scores = [ordered[int((k + 0.5) * size / _QUANTILES)] + mood for k in range(_QUANTILES)]
        chances = [squash(score) for score in scores]
        if stale < 0.02:
            return chances
        missing = stale * (self.signals.chance() - sum(chances) / _QUANTILES)
        slope = sum([chance * (1.0 - chance) for chance in chances]) / _QUANTILES
        shift = max(-2.0, min(2.0, missing / max(slope, 0.05)))
        return [squash(score + shift) for score in scores]

    @property
    def rate(self) -> float:
        """Tokens per plain pass's time lately."""
        return self._tokens / self._time

    def book(self, tokens: int, time: float) -> None:
        """A round kept `tokens` in `time`."""
        self._tokens = self._tokens * _RATE_KEEP + tokens
        self._time = self._time * _RATE_KEEP + time
        gained = tokens - time
        self.saved += gained * _SAVED_SHARE if gained > 0 else gained
        self.saved = min(max(self.saved, 0.0), SAVED_LIMIT)

    def reprice(self, ratio: float) -> None:
        """A plain pass takes `ratio` of what was thought."""
        self._time /= ratio

    def to_dict(self) -> dict[str, Any]:
        """As JSON knows it, without what belongs to one session."""
        return {
            "version": VERSION,
            "saved": self.saved,
            "rate": self.rate,
            "scores": list(self._scores),
            "signals": self.signals.to_dict(),
            "models": {name: model.to_dict() for name, model in self._models.items()},
        }

    def restore(self, stored: dict[str, Any]) -> None:
        """Take over what `to_dict` gave; where it is something else, start anew."""
        fresh = PairHistory()
        try:
            if stored["version"] != VERSION:
                return
            fresh._fill(stored)
        except (KeyError, TypeError, ValueError, AttributeError):
            return
        self.__dict__.update(fresh.__dict__)

    def _fill(self, stored: dict[str, Any]) -> None:
        self.saved = _within(stored["saved"], 0.0, SAVED_LIMIT)
        self._tokens = _within(stored["rate"], 0.1, 30.0)
        scores = [_within(score, -10.0, 10.0) for score in stored["scores"]]
        self._scores = deque(scores or _FIRST_SCORES, maxlen=_WINDOW)
        self.signals.restore(stored["signals"])
        for name, value in stored["models"].items():
            self._models[name] = Acceptance(KINDS[name])
            self._models[name].restore(value)
            if name != "copied":
                self._drafting = self._models[name]


def _within(value: Any, low: float, high: float) -> float:
    number = float(value)
    if math.isnan(number):
        raise ValueError("not a number")
    return min(max(number, low), high)
