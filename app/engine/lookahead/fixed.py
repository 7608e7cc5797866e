"""A lookahead the person chose, honoured exactly."""

from collections.abc import Sequence

from app.engine.ports import Costs, Proposal, RoundOutcome, Verdict
from app.protocol.options import TokenSource


class Fixed:
    """Proposes `lookahead` tokens in every round that has room for them; 0 is plain decoding."""

    def __init__(self, lookahead: int, min_confidence: float, costs: Costs) -> None:
        """`min_confidence`: a token the draft gave less probability than this, 0 to 1, is dropped."""
        self._lookahead = lookahead
        self._min_confidence = min_confidence
        self._costs = costs
        self._tokens = 0
        self._seconds = 0.0

    def begin(self, source: TokenSource, behind: int = 0, context: int = 0, prompt: Sequence[int] = ()) -> None:
        self._tokens = 0
        self._seconds = 0.0

    def wants(self, source: TokenSource) -> bool:
        return True

    def plan(self, room: int) -> int:
        return max(0, min(self._lookahead, room))

    def go_on(self, proposal: Proposal) -> Verdict:
        unsure = proposal.confidence is not None and proposal.confidence < self._min_confidence
        return Verdict.DROP if unsure else Verdict.GO_ON

    def observe(self, outcome: RoundOutcome) -> None:
        self._costs.observe(outcome)
        self._tokens += outcome.kept
        self._seconds += outcome.draft_s + outcome.pass_s

    @property
    def pause_reason(self) -> str:
        return ""

    @property
    def gain(self) -> float | None:
        plain = self._costs.pass_s(1)
        if not self._lookahead or plain <= 0 or self._seconds <= 0:
            return None
        return self._tokens * plain / self._seconds
