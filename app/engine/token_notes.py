"""What is told about every token of an answer, besides its text: for the ink view and for comparisons."""

import math
from dataclasses import dataclass, field

from app.engine.ports import Proposal

UNKNOWN = -1
_MOST = 1e6
"""No JSON has a word for infinity: the margin of a token that had no rival."""


@dataclass(slots=True)
class TokenNotes:
    """Since the last delta; see there for what the lists mean. `tell_margins`: else there are none."""

    tell_margins: bool = False
    lengths: list[int] = field(default_factory=list)
    sure: list[int] = field(default_factory=list)
    margins: list[float] = field(default_factory=list)

    def add_round(self, margins: tuple[float, ...], drafts: tuple[Proposal | None, ...]) -> None:
        """Take the notes of the tokens one round kept."""
        self.sure += [UNKNOWN if draft is None else percent_sure(draft) for draft in drafts]
        if self.tell_margins:
            self.margins += [round(min(margin, _MOST), 4) for margin in margins]

    def clear(self) -> None:
        """They have been told."""
        self.lengths.clear()
        self.sure.clear()
        self.margins.clear()


def percent_sure(proposal: Proposal) -> int:
    """How sure the drafter was, 0 to 100.

    Its probability where that was computed. Else the probability against its second choice alone, which costs nothing:
    1 / (1 + exp(-margin)). `UNKNOWN` for n-grams, which have no opinion.
    """
    if proposal.confidence is not None:
        return round(100 * proposal.confidence)
    if proposal.margin is None:
        return UNKNOWN
    return round(100 / (1 + math.exp(-min(max(proposal.margin, 0.0), 50.0))))
