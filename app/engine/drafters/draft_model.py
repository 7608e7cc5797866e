"""A small model of the target's family proposes tokens by the target's own choice rule and noise.

The draft keeps its cache between rounds and never decodes a token twice: after a pass the cache is cut to the kept
text, so that the next round decodes one token, or two after full acceptance. Its last proposal is not decoded before it
is known to be accepted.
"""

from collections.abc import Sequence

from app.core.errors import AppError, EngineFault
from app.engine.ports import GoOn, Proposal, TokenModel, Verdict
from app.engine.prefix import common_length
from app.engine.sampling import Sampler
from app.protocol.options import TokenSource

CATCH_UP = 256
"""Tokens decoded at most before a round: a long prompt is caught up with in steps that do not stall the stream."""


class DraftModel:
    """Drafter on a second `TokenModel`.

    Args:
        model: The draft; owned by the caller.
        vocabulary: Size of the target's vocabulary; ids from there on are never proposed.
        one_by_one: Decode the two tokens that are due after full acceptance in a pass each. llama.cpp builds its graph
            anew whenever the rows of a pass change, which takes longer than a very small model saves by one pass less
            (0.3 to 0.4 ms of a round of 31, measured with 16 M parameters on two cores).
    """

    source: TokenSource = "draft_model"

    def __init__(self, model: TokenModel, vocabulary: int, *, one_by_one: bool = False) -> None:
        self._model = model
        self._vocabulary = vocabulary
        self._one_by_one = one_by_one
        self._held: list[int] = []
        self._agreed = 0  # so many tokens of the cache are known to be the history's
        self._sampler: Sampler | None = None
        self._confident = False

    @property
    def held(self) -> tuple[int, ...]:
        """The tokens in the draft's cache."""
        return tuple(self._held)

    def use(self, sampler: Sampler, *, confident: bool) -> None:
        """Choose by this sampler from now on: the answer's own, so that noise and penalties are shared.

        Args:
            sampler: The target's.
            confident: Give every proposal its confidence (a minimum confidence is asked for).
        """
        self._sampler = sampler
        self._confident = confident

    def forget(self) -> None:
        """Empty the cache (a comparison starts clean)."""
        self._model.clear()
        self._held = []
        self._agreed = 0

    def begin(self, history: Sequence[int]) -> None:
        del self._held[self._model.length :]  # the cache may have been emptied since
        self._agreed = common_length(self._held, history)
        self._cut(history)

    def behind(self, history: Sequence[int]) -> int:
        return len(history) - len(self._held)

    def propose(self, history: Sequence[int], limit: int, go_on: GoOn) -> list[Proposal]:
        sampler = self._sampler
        limit = min(limit, self._model.n_ctx - len(history))
        if sampler is None or limit < 1:
            return []
        behind = history[len(self._held) :]
        if len(behind) > CATCH_UP:
            self._decode(behind[:CATCH_UP])
            return []
        if self._one_by_one and len(behind) == 2:
            self._decode(behind[:1])
            behind = behind[1:]
        self._decode(behind)
        self._agreed = len(history)
        proposals: list[Proposal] = []
        pushed = 0
        try:
            while True:
                row = self._model.logits(-1)[: self._vocabulary]
                choice = sampler.choose(row, len(history) + len(proposals), confident=self._confident)
                proposal = Proposal(choice.token, "draft_model", choice.margin, choice.confidence)
                verdict = go_on(proposal)
                if not verdict:
                    break
                proposals.append(proposal)
                if verdict is Verdict.LAST or len(proposals) == limit or choice.token in self._model.end_tokens:
                    break
                sampler.push(choice.token)
                pushed += 1
                self._decode([choice.token])
        finally:
            for _ in range(pushed):
                sampler.pop()
        return proposals

    def accept(self, history: Sequence[int], accepted: int) -> None:
        self._cut(history)

    def end(self, history: Sequence[int]) -> None:
        self._cut(history)

    def close(self) -> None:
        self._sampler = None
        self._held = []

    def _decode(self, tokens: Sequence[int]) -> None:
        if max(tokens) >= self._model.n_vocab:
            raise EngineFault("unknown_token", "The draft model does not know a token of this text.")
        try:
            self._model.decode(tokens)
        finally:
            # After an error the cache may hold some of them, or even fewer than before.
            self._held.extend(tokens)
            del self._held[self._model.length :]

    def _cut(self, history: Sequence[int]) -> None:
        """Law 2: the cache holds a prefix of the history without its last token."""
        most = min(len(self._held), len(history) - 1)
        keep = min(self._agreed, most)
        while keep < most and self._held[keep] == history[keep]:
            keep += 1
        if keep < len(self._held):
            if not self._model.can_truncate:
                self.forget()
                return
            del self._held[keep:]
            try:
                self._model.truncate(keep)
            except AppError:
                self.forget()
                raise
        self._agreed = keep
