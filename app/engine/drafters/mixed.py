"""N-gram first, else the draft model: a copied passage costs nothing to propose."""

from collections.abc import Callable, Sequence

from app.engine.drafters.draft_model import DraftModel
from app.engine.drafters.ngram import Ngram
from app.engine.ports import GoOn, Proposal
from app.protocol.options import TokenSource


class Mixed:
    """Asks the n-gram table, and the draft model where that has nothing.

    Args:
        ngram: Asked first.
        draft: Asked where `ngram` has nothing to propose.
        wants: Whether a source is worth asking in this round (the policy's word).
    """

    source: TokenSource = "draft_model"

    def __init__(self, ngram: Ngram, draft: DraftModel, wants: Callable[[TokenSource], bool]) -> None:
        self._ngram = ngram
        self._draft = draft
        self._wants = wants

    def begin(self, history: Sequence[int]) -> None:
        self._ngram.begin(history)
        self._draft.begin(history)

    def behind(self, history: Sequence[int]) -> int:
        return self._draft.behind(history)

    def propose(self, history: Sequence[int], limit: int, go_on: GoOn) -> list[Proposal]:
        proposals = self._ngram.propose(history, limit, go_on) if self._wants("ngram") else []
        if proposals or not self._wants("draft_model"):
            return proposals
        return self._draft.propose(history, limit, go_on)

    def accept(self, history: Sequence[int], accepted: int) -> None:
        self._ngram.accept(history, accepted)
        self._draft.accept(history, accepted)

    def end(self, history: Sequence[int]) -> None:
        self._ngram.end(history)
        self._draft.end(history)

    def close(self) -> None:
        self._ngram.close()
        self._draft.close()
