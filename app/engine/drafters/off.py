"""Plain decoding: the drafter that proposes nothing."""

from collections.abc import Sequence

from app.engine.ports import GoOn, Proposal
from app.protocol.options import TokenSource


class Off:
    """Proposes nothing, holds nothing."""

    source: TokenSource = "target"

    def begin(self, history: Sequence[int]) -> None:
        pass

    def behind(self, history: Sequence[int]) -> int:
        return 0

    def propose(self, history: Sequence[int], limit: int, go_on: GoOn) -> list[Proposal]:
        return []

    def accept(self, history: Sequence[int], accepted: int) -> None:
        pass

    def end(self, history: Sequence[int]) -> None:
        pass

    def close(self) -> None:
        pass
