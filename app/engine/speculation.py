"""One round: propose, check everything in one pass of the target, keep what the target itself says.

Laws 1 to 3 of the design. The last token of the history is outside the cache and opens the pass. Row by row the
target's own choice is appended, and the walk goes on while the draft agrees. Afterwards the cache is cut to the history
without its last token, also when anything goes wrong. Plain decoding is the same round with an empty draft.
"""

import itertools
import time
from collections.abc import Callable
from typing import NamedTuple

from app.core import log
from app.core.errors import AppError, CancelledByUser
from app.engine.ports import Drafter, LookaheadPolicy, Proposal, RoundOutcome, TokenModel, Verdict
from app.engine.sampling import Sampler
from app.protocol.options import TokenSource

_log = log.get("speculation")

_TAIL = 32
"""Tokens of the prompt a policy is told."""

Keep = Callable[[int, TokenSource], bool]
"""Takes one kept token and its source; True if the answer goes on after it."""


class Round(NamedTuple):
    """What one round did. Times in seconds. `goes_on` is False when `Keep` ended the answer.

    For every kept token: `margins`, the target's (see `sampling.Choice`), and `drafts`, what was proposed in its place.
    """

    proposed: int
    verified: int
    accepted: int
    kept: int
    draft_s: float
    verify_s: float
    sample_s: float
    goes_on: bool
    margins: tuple[float, ...] = ()
    drafts: tuple[Proposal | None, ...] = ()


class Speculator:
    """Runs rounds for one answer.

    Args:
        model: The target. Its cache holds the history without the last token.
        drafter: What proposes.
        policy: How much.
        sampler: The choice rule, its context being the history.
        fixed_shape: Rows every pass is padded to, 0 for none (law 5: the proof mode).
    """

    def __init__(
        self, model: TokenModel, drafter: Drafter, policy: LookaheadPolicy, sampler: Sampler, fixed_shape: int = 0
    ) -> None:
        self._model = model
        self._drafter = drafter
        self._policy = policy
        self._sampler = sampler
        # What cannot be cut cannot be padded, and its passes have one row each anyway.
        self._fixed_shape = fixed_shape if model.can_truncate else 0
        self._offered: list[Proposal] = []
        self._planned = 0.0
        self.drafter_fault = ""
        """Why drafting stopped in mid-answer; "" as long as it works."""

    def begin(self, history: list[int]) -> None:
        """A new answer starts after `history` (its first token included)."""
        behind = 0
        try:
            self._drafter.begin(history)
            behind = self._drafter.behind(history)
        except Exception as error:  # noqa: BLE001 (law 7)
            self._drop_drafter(error)
        self._policy.begin(self._drafter.source, behind, len(history), history[-_TAIL:])

    def end(self, history: list[int]) -> None:
        """The answer is over, however it ended: the caches of a drafter are cut too, also of one that failed."""
        try:
            self._drafter.end(history)
        except Exception as error:  # noqa: BLE001 (law 7)
            self._drop_drafter(error)

    def run(self, history: list[int], room: int, keep: Keep) -> Round:
        """One round. Kept tokens are appended to `history` and given to `keep` in order.

        Args:
            history: Every token so far, at least one.
            room: Most tokens this round may add, >= 1.
            keep: See `Keep`; nothing after a False is kept.

        Raises:
            CancelledByUser: the pass was aborted; `history` is as before.
            EngineFault: the pass failed; `history` is as before.
        """
        started = time.perf_counter()
        draft = self._propose(history, room - 1)
        drafted = time.perf_counter()
        before = len(history)
        goes_on = True
        accepted = 0
        margins: list[float] = []
        owed = self._model.owed
        try:
            rows = [history[-1], *(proposal.token for proposal in draft)]
            self._model.decode(rows + rows[-1:] * (self._fixed_shape - len(rows)), every_row=True)
            passed = time.perf_counter()
            for row in range(len(rows)):
                choice = self._sampler.choose(self._model.logits(row), len(history))
                drafted_here = draft[row] if row < len(draft) else None
                agrees = drafted_here is not None and drafted_here.token == choice.token
                source: TokenSource = "target"
                if drafted_here is not None:
                    source = drafted_here.source if agrees else "correction"
                accepted += agrees
                margins.append(choice.margin)
                history.append(choice.token)
                self._sampler.push(choice.token)
                goes_on = keep(choice.token, source)
                if not goes_on or not agrees:
                    break
        finally:
            cut_back(self._model, len(history) - 1)
        sampled = time.perf_counter()
        if self._planned:
            self._accept(history, accepted)
        self._policy.observe(
            RoundOutcome(
                offered=tuple(self._offered),
                verified=len(draft),
                accepted=accepted,
                kept=len(history) - before,
                rows=max(len(rows), self._fixed_shape),
                draft_s=drafted - self._planned if self._planned else 0.0,
                pass_s=sampled - drafted,
                context=before,
                target_margins=tuple(margins),
                last_token=history[-1],
                owed=owed,
            )
        )
        return Round(
            proposed=max(len(self._offered), len(draft)),  # a drafter may have asked about fewer than it returned
            verified=len(draft),
            accepted=accepted,
            kept=len(history) - before,
            draft_s=drafted - started,
            verify_s=passed - drafted,
            sample_s=sampled - passed,
            goes_on=goes_on,
            margins=tuple(margins),
            drafts=(*draft[: len(margins)], *[None] * (len(margins) - len(draft))),
        )

    def _propose(self, history: list[int], room: int) -> list[Proposal]:
        self._offered = []
        self._planned = 0.0
        if self.drafter_fault or not self._model.can_truncate:
            return []
        if self._fixed_shape:
            room = min(room, self._fixed_shape - 1)
        limit = self._policy.plan(room) if room > 0 else 0
        if limit < 1:
            return []
        self._planned = time.perf_counter()
        # An id the target does not know must never reach it: the library would end the process.
        known = self._model.n_vocab
        try:
            draft = self._drafter.propose(history, limit, self._ask)[:limit]
            return list(itertools.takewhile(lambda proposal: 0 <= proposal.token < known, draft))
        except CancelledByUser:
            raise
        except Exception as error:  # noqa: BLE001 (law 7: a drafter never breaks a message, whatever it does)
            self._drop_drafter(error)
            return []

    def _ask(self, proposal: Proposal) -> Verdict:
        self._offered.append(proposal)
        return self._policy.go_on(proposal)

    def _accept(self, history: list[int], accepted: int) -> None:
        if self.drafter_fault:
            return
        try:
            self._drafter.accept(history, accepted)
        except Exception as error:  # noqa: BLE001 (law 7)
            self._drop_drafter(error)

    def _drop_drafter(self, error: Exception) -> None:
        if self.drafter_fault:
            return
        self.drafter_fault = error.sentence if isinstance(error, AppError) else "The draft stopped working."
        _log.warning("drafter dropped: %r", error)


def cut_back(model: TokenModel, keep: int) -> None:
    """Cut the cache to `keep` tokens, or empty it where the model cannot be cut and holds more."""
    if model.length <= keep:
        return
    if model.can_truncate:
        model.truncate(keep)
    else:
        model.clear()
