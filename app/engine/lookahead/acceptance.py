"""How likely the target keeps a proposed token: a small logistic model, learnt while it is used.

The evidence, each a number that is near 0 when it says nothing:

- outlook: log of the draft's margin (see `Proposal`), or of the match length of an n-gram. Under shared noise the
  margin orders acceptance well; the probability alone does not (a token of probability 0.1 can be near certain).
- recent: how often proposals were right lately, so that the model follows the text.
- pair, triple: how often this token was right after the same one or two tokens before it, in this session. Texts repeat
  themselves, and so do the mistakes of a draft.
- kind: what the tokens of the text say (`text_kind`), added as it is; its own weight hardly moves.
- sureness: the logit of the draft's probability. Only where it is known, for what learns costs by the square of this.
"""

import math
from dataclasses import dataclass
from typing import Any

from app.engine.lookahead.logistic import Logistic, logit, squash
from app.engine.ports import Proposal

Evidence = tuple[float, ...]

TYPICAL = 0.7
"""Acceptance where nothing is known."""
_TYPICAL_LOGIT = logit(TYPICAL)
_UNSEEN = (0.0, 0.0, 0.0)
_OUTLOOK, _RECENT = 1, 2  # places in the evidence
_RECENT_STEP = 0.06
_FIRST_STEPS = 4.0
_TABLE_LIMIT = 20_000
_TABLE_KEEP = 0.98
_TABLE_PRIOR = 2.0
_SPREAD = (0.6, 0.25, 0.25, 0.25, 0.25, 0.05, 0.15)
_DRIFT = (3e-4, 2e-5, 2e-5, 2e-5, 2e-5, 2e-6, 2e-5)


@dataclass(frozen=True, slots=True)
class Kind:
    """Proposals that one model judges, and the weights it starts with (fitted to the tuning texts of tests/traces)."""

    name: str
    prior: tuple[float, ...]


GREEDY = Kind("greedy", (0.7, 0.95, 0.55, 0.5, 1.2, 1.0))
SAMPLED = Kind("sampled", (0.3, 0.6, 0.55, 0.2, 0.6, 1.0, 0.35))
COPIED = Kind("copied", (-0.2, 1.3, 0.3, 0.8, 0.75, 0.0))
KINDS = {kind.name: kind for kind in (GREEDY, SAMPLED, COPIED)}


def kind_of(proposal: Proposal) -> Kind:
    """The model that judges this proposal."""
    if proposal.margin is None:
        return COPIED
    return GREEDY if proposal.confidence is None else SAMPLED


class Acceptance:
    """Judges proposals of one kind from one drafter."""

    def __init__(self, kind: Kind) -> None:
        size = len(kind.prior)
        self._model = Logistic(kind.prior, _SPREAD[:size], _DRIFT[:size])
        self._recent = TYPICAL
        self._heard = 0
        self._luck = _TYPICAL_LOGIT  # logit of it
        self._seen: dict[tuple[int, ...], tuple[float, float, float]] = {}  # right, judged, evidence

    def evidence(self, proposal: Proposal, before: int, before2: int, kind: float = 0.0) -> Evidence:
        """What speaks for `proposal` after the tokens `before2`, `before` (-1 for unknown ones); `kind`: see above."""
        margin, token = proposal.margin, proposal.token
        if margin is None:
            outlook = math.log(proposal.match + 1.0) - 1.4
        else:
            outlook = math.log((margin if margin < 20.0 else 20.0) + 0.05)
        seen, confidence = self._seen, proposal.confidence
        pair = seen.get((before, token), _UNSEEN)[2]
        triple = seen.get((before2, before, token), _UNSEEN)[2]
        if confidence is None or margin is None:
            return 1.0, outlook, self._luck, pair, triple, kind
        return 1.0, outlook, self._luck, pair, triple, kind, logit(confidence)

    def score(self, evidence: Evidence) -> float:
        """The logit of the chance that the target keeps a token with this evidence."""
        return self._model.score(evidence)

    def copy_chances(self, score: float, match: int, count: int) -> list[float]:
        """Chances of the next `count` tokens of a copy whose token with this score had so many that agreed before it.

        Each token that is right makes the match longer, and the next one likelier.
        """
        growth = max(self._model.weights[_OUTLOOK], 0.0)
        start = math.log(match + 1.0)
        return [squash(score + growth * (math.log(match + 2.0 + n) - start)) for n in range(count)]

    def mood(self) -> float:
        """The part of the score that is the same for all tokens now."""
        weights = self._model.weights
        return weights[0] + weights[_RECENT] * self._luck

    def calm_down(self, share: float) -> None:
        """A new text: what was seen in the last one counts that much less."""
        self._heard = 0
        self._set_recent(self._recent + share * (TYPICAL - self._recent))

    def learn(self, evidence: Evidence, token: int, before: int, before2: int, *, kept: bool) -> None:
        """The target has answered for a token with this evidence."""
        self._model.learn(evidence, yes=kept)
        self._heard += 1
        step = max(_RECENT_STEP, 1.0 / (_FIRST_STEPS + self._heard))
        self._set_recent(self._recent + step * (kept - self._recent))
        if len(self._seen) > _TABLE_LIMIT:
            self._seen.clear()
        for key in ((before, token), (before2, before, token)):
            right, judged, _ = self._seen.get(key, _UNSEEN)
            right, judged = right * _TABLE_KEEP + kept, judged * _TABLE_KEEP + 1.0
            weight = logit((right + TYPICAL * _TABLE_PRIOR) / (judged + _TABLE_PRIOR)) - _TYPICAL_LOGIT
            self._seen[key] = right, judged, weight

    def _set_recent(self, recent: float) -> None:
        self._recent = recent
        self._luck = logit(recent)

    def to_dict(self) -> dict[str, Any]:
        """As JSON knows it, without what belongs to one session."""
        return {"weights": self._model.weights, "recent": self._recent}

    def restore(self, stored: dict[str, Any]) -> None:
        """Take over what `to_dict` gave; raises ValueError, TypeError or KeyError where it is something else."""
        recent = float(stored["recent"])
        if not 0.0 <= recent <= 1.0:
            raise ValueError("not an acceptance")
        self._model.restore(stored["weights"])
        self._set_recent(recent)
