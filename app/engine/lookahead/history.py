"""What answers have taught about a drafter on a target. What was learnt from one must not be used for another."""

import math
from collections import deque
from collections.abc import Iterable, Sequence
from typing import Any

from app.engine.lookahead.acceptance import KINDS, Acceptance, kind_of
from app.engine.lookahead.logistic import squash
from app.engine.lookahead.outlook import Outlook
from app.engine.lookahead.signals import TextSignals
from app.engine.lookahead.text_kind import TextKind
from app.engine.ports import Proposal

VERSION = 3
SAVED_LIMIT = 12.0
TRIAL = 2.5
"""What a pair may lose with a draft that has gained nothing yet."""
TURNS = 12.0
"""What it may lose besides where a text turns into another, or much is promised."""
_TRIAL_PER_TOKEN = 0.003  # of an answer: so much of the trial comes back
_LENGTH_STEP = 0.2
_USUAL_LENGTH = 120.0  # of answers, before any was seen
_SHORTEST_REST = 24.0  # tokens that may always be expected
_RARE = 5  # misses a hit, from which a draft is as good as never right
_SAVED_SHARE = 0.3
_RATE_KEEP = 0.95
_WINDOW = 48
_LUCK_STEP = 0.15
_LUCK_POWER = 4
_USUAL_LUCK = 0.5
_LEAST_CREDIT = 0.3  # share that is left where answers never gain
_STRANGE_SHARE = 0.35  # of what earlier gains may pay, where the prompt is not like one of theirs
_QUANTILES = 6
_USUAL_SCORES = (0.5, 1.0, 1.5, 0.0, 2.0, 3.0)
_FIRST_MOOD = 1.2


class PairHistory:
    """Keep one per drafter of a loaded target and pass it to every `make`. Times in units of a plain pass."""

    def __init__(self) -> None:
        self.signals = TextSignals()
        self.kind = TextKind()
        self.outlook = Outlook()
        self.heeds_outlook = True
        self.answers = 0
        """In this session."""
        self.saved = 0.0
        """Gains of earlier answers that may be risked again."""
        self.trial = TRIAL
        """What may be risked to begin with a draft that has gained nothing yet; what it cost comes back slowly."""
        self.turns = TURNS
        """The same where a text has turned into another, or much is promised; only gains bring it back."""
        self.hits = self.misses = 0
        """First tokens of drafts in this session that were right, and that were not, also where they were only seen."""
        self._models: dict[str, Acceptance] = {}
        self._drafting: Acceptance | None = None
        self._first_scores: deque[float] = deque(_USUAL_SCORES, maxlen=_WINDOW)
        self._later_scores: deque[float] = deque(_USUAL_SCORES, maxlen=_WINDOW)
        self._tokens = 1.0
        self._time = 1.0
        self._gained = 0.0
        self._luck = _USUAL_LUCK
        self._length = _USUAL_LENGTH
        self._so_far = 0

    def begin(self, prompt: Sequence[int] = ()) -> None:
        """A new answer, after this prompt (its end is enough)."""
        if self.answers:
            self.outlook.learn(self._gained)
        self.answers += 1
        if self._gained:
            self._luck += _LUCK_STEP * ((self._gained > 0) - self._luck)
        self.saved += self._gained * _SAVED_SHARE if self._gained > 0 else self._gained
        self.saved = min(max(self.saved, 0.0), SAVED_LIMIT)
        self.trial = min(self.trial + max(self._gained, 0.0) + _TRIAL_PER_TOKEN * self._so_far, TRIAL)
        self.turns = min(self.turns + max(self._gained, 0.0), TURNS)
        if self._so_far:
            self._length += _LENGTH_STEP * (self._so_far - self._length)
        self._gained, self._so_far = 0.0, 0
        self.signals.begin()
        self.kind.begin(prompt)
        self.outlook.begin(prompt)
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

    def judged(self, model: Acceptance, score: float, place: int) -> None:
        """A draft's token with this score, the `place`-th of its round (from 0), was answered for."""
        (self._later_scores if place else self._first_scores).append(score - model.mood())

    def chances(self, stale: float) -> tuple[list[float], list[float]]:
        """The spread of chances of a draft's next tokens: of the first of a round, and of those after a good one.

        Args:
            stale: How little is known about the draft now, 0 to 1; the signals of the text stand in for it.
        """
        # First tokens are drafted in every round. Alone, the later ones would stay as bad as they once were.
        mood = self.mood
        first = _quantiles(self._first_scores, mood)
        later = _quantiles([*self._first_scores, *self._later_scores], mood)
        if stale >= 0.02:
            chances = [squash(score) for score in first]
            missing = stale * (self.signals.chance() - sum(chances) / len(chances))
            slope = sum([chance * (1.0 - chance) for chance in chances]) / len(chances)
            shift = max(-2.0, min(2.0, missing / max(slope, 0.05)))
            first, later = ([score + shift for score in scores] for scores in (first, later))
        return [squash(score) for score in first], [squash(score) for score in later]

    @property
    def rate(self) -> float:
        """Tokens per plain pass's time lately."""
        return self._tokens / self._time

    def book(self, tokens: int, time: float) -> None:
        """A round kept `tokens` in `time`."""
        self._tokens = self._tokens * _RATE_KEEP + tokens
        self._time = self._time * _RATE_KEEP + time
        self._gained += tokens - time
        self._so_far += tokens

    def book_plain(self, rounds: int) -> None:
        """So many plain rounds in a row kept a token each."""
        keep = _RATE_KEEP**rounds
        new = (1.0 - keep) / (1.0 - _RATE_KEEP)
        self._tokens = self._tokens * keep + new
        self._time = self._time * keep + new
        self._so_far += rounds

    @property
    def savings(self) -> float:
        """Of `saved`, what this answer may risk: nothing where answers to such prompts have lost."""
        return 0.0 if self.doubtful else self.saved

    @property
    def doubtful(self) -> bool:
        """Answers to such prompts have lost, and that is to be heeded."""
        return self.heeds_outlook and self.outlook.bad

    @property
    def familiar(self) -> float:
        """How sure it is that answers to such prompts gain, 0 to 1; 1 as well where that is not to be heeded."""
        return self.outlook.good if self.heeds_outlook else 1.0

    @property
    def promising(self) -> bool:
        """The draft is one that is right at times, however bad it may be on some text."""
        return _RARE * self.hits > self.misses

    def rest(self, room: int) -> float:
        """Tokens that may be expected of the rest of this answer, in which there is room for so many."""
        return min(max(self._length - self._so_far, 0.5 * self._so_far, _SHORTEST_REST), room)

    def credit(self, most: float, saved: float) -> float:
        """What a new answer may lose at once.

        Less where answers often gain nothing, or have lost to such prompts, or none to such prompts is known: what
        others have gained says little then, and a short one must not pay for it.

        Args:
            most: With no regard to gains.
            saved: Of earlier gains.
        """
        if self.doubtful:
            return most * _LEAST_CREDIT
        usual = min(1.0, self._luck / _USUAL_LUCK)
        saved *= self._luck**_LUCK_POWER * max(self.familiar, _STRANGE_SHARE)
        return most * max(usual, _LEAST_CREDIT) + min(self.saved, saved)

    def reprice(self, ratio: float) -> None:
        """A plain pass takes `ratio` of what was thought."""
        self._time /= ratio

    def to_dict(self) -> dict[str, Any]:
        """As JSON knows it, without what belongs to one session."""
        return {
            "version": VERSION,
            "saved": self.saved,
            "trial": self.trial,
            "turns": self.turns,
            "luck": self._luck,
            "rate": self.rate,
            "first_scores": list(self._first_scores),
            "later_scores": list(self._later_scores),
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
        # Files of earlier versions have none of these three.
        self.trial = _within(stored.get("trial", TRIAL), 0.0, TRIAL)
        self.turns = _within(stored.get("turns", TURNS), 0.0, TURNS)
        self._luck = _within(stored.get("luck", _USUAL_LUCK), 0.0, 1.0)
        self._tokens = _within(stored["rate"], 0.1, 30.0)
        for name in ("first_scores", "later_scores"):
            scores = [_within(score, -10.0, 10.0) for score in stored[name]]
            setattr(self, f"_{name}", deque(scores or _USUAL_SCORES, maxlen=_WINDOW))
        self.signals.restore(stored["signals"])
        for name, value in stored["models"].items():
            self._models[name] = Acceptance(KINDS[name])
            self._models[name].restore(value)
            if name != "copied":
                self._drafting = self._models[name]


def _quantiles(scores: Iterable[float], mood: float) -> list[float]:
    ordered = sorted(scores)
    size = len(ordered)
    return [ordered[int((k + 0.5) * size / _QUANTILES)] + mood for k in range(_QUANTILES)]


def _within(value: Any, low: float, high: float) -> float:
    number = float(value)
    if math.isnan(number):
        raise ValueError("not a number")
    return min(max(number, low), high)
