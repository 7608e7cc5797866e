"""The plug points of the engine: what a model, a drafter, a lookahead policy and a backend have to offer.

"Off" and "fixed" are implementations, not branches in the loop.
"""

import enum
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from app.engine.cancel import CancelFlag
from app.protocol.messages import Count, Counted, Event, Generate, Load, Loaded
from app.protocol.options import TokenSource
from app.protocol.stats import CostCurve

Logits = npt.NDArray[np.float32]


class TokenModel(Protocol):
    """A causal language model with one cached sequence, as speculation needs it.

    The cache holds `length` tokens at positions 0 .. length - 1.
    """

    @property
    def n_ctx(self) -> int:
        """Tokens a conversation may have. The cache has a little more room, for padding and proposals."""
        ...

    @property
    def n_vocab(self) -> int: ...

    @property
    def length(self) -> int: ...

    @property
    def owed(self) -> int:
        """Tokens at the end of the cache that have to be computed again; the next `decode` does that.

        Recurrent and hybrid models can only go back to a state that was saved, and prediction heads may need a token
        computed once more.
        """
        ...

    @property
    def keeps_state(self) -> bool:
        """True for recurrent and hybrid models, for which going back may cost a further pass."""
        ...

    @property
    def can_truncate(self) -> bool:
        """False for a model with running state that cannot even be saved: it can only be emptied."""
        ...

    @property
    def end_tokens(self) -> frozenset[int]:
        """Tokens that end an answer."""
        ...

    def decode(self, tokens: Sequence[int], *, every_row: bool = False) -> None:
        """Append tokens to the cache and compute logits, of every row or of the last only.

        On any error the cache holds a prefix of what it held plus `tokens`, and `length` says how much.

        Raises:
            CancelledByUser: the abort hook of the model said so.
            EngineFault: the library refused.
        """
        ...

    def logits(self, row: int) -> Logits:
        """Scores of the next token after row `row` of the last `decode`; -1 is its last row.

        Shape (n_vocab,), valid until the next `decode`, not to be written to.
        """
        ...

    def truncate(self, keep: int) -> None:
        """Cut the cache to its first `keep` tokens.

        Raises:
            EngineFault: the model cannot do that (see `can_truncate`); the cache is then empty, never wrong.
        """
        ...

    def clear(self) -> None:
        """Empty the cache."""
        ...

    def pay(self, most: int) -> None:
        """Compute at most `most` of the tokens that are owed. Raises what `decode` raises."""
        ...

    def mark(self) -> None:
        """The conversation may come back to this length: an edited or regenerated turn starts here.

        Models that keep a state compute what they owe for it. Raises what `decode` raises.
        """
        ...


class Proposal(NamedTuple):
    """One drafted token.

    `margin`: gap between the best and the second-best noisy score of the draft (the logit gap at temperature 0), the
    best predictor of acceptance under shared noise; None where there is no distribution (n-grams).
    `confidence`: probability the draft gave the token, 0 to 1; None if not computed.
    `match`: for n-grams, how many tokens before it agreed with the place it was copied from; 0 for other sources.
    """

    token: int
    source: TokenSource
    margin: float | None = None
    confidence: float | None = None
    match: int = 0


class Verdict(enum.IntEnum):
    """What becomes of a proposal: only `DROP` is false."""

    DROP = 0
    GO_ON = 1
    LAST = 2


GoOn = Callable[[Proposal], Verdict]
"""Asked after each proposal: stop without it, keep it and go on drafting, or keep it and stop."""


class Drafter(Protocol):
    """Proposes tokens. Everything but `propose` may be a no-op. Proposing nothing is always allowed.

    One answer: `begin`, then per round in which it is asked `propose` and `accept`, at last `end`.
    """

    @property
    def source(self) -> TokenSource:
        """What its tokens are marked with."""
        ...

    def begin(self, history: Sequence[int]) -> None:
        """A new answer starts after `history` (whole token history, the seed token included)."""
        ...

    def behind(self, history: Sequence[int]) -> int:
        """Tokens of `history` it would have to process before it can propose."""
        ...

    def propose(self, history: Sequence[int], limit: int, go_on: GoOn) -> list[Proposal]:
        """At most `limit` tokens to follow `history`. Stops where `go_on` says so."""
        ...

    def accept(self, history: Sequence[int], accepted: int) -> None:
        """After the pass: `history` as it is now, `accepted` of the proposed tokens are in it."""
        ...

    def end(self, history: Sequence[int]) -> None:
        """The answer is over (also after an error): leave the caches as law 2 says."""
        ...

    def close(self) -> None:
        """Free what is held. Twice is fine."""
        ...


class RoundOutcome(NamedTuple):
    """What one round did, for the policy.

    `offered`: all proposals the policy was asked about, in order, the last one perhaps dropped.
    `verified`: how many of them went into the pass. `accepted`: how many were kept.
    `kept`: tokens the round added (accepted + the target's own, fewer at an end).
    `rows`: rows of the pass. `draft_s`: seconds the drafter took, deciding whether to ask not included;
    0 if it was not asked. `pass_s`: seconds. `context`: tokens before the round.
    `target_margins`: per kept token the gap of the target's own noisy scores.
    `owed`: tokens the model had to compute once more in the same pass, because something was taken back before.
    `last_token`: the last kept token, which opens the next pass; -1 if not told. It says whether a dropped proposal
    would have been right, so that a look at the draft teaches something without a row in the pass.
    """

    offered: tuple[Proposal, ...]
    verified: int
    accepted: int
    kept: int
    rows: int
    draft_s: float
    pass_s: float
    context: int
    target_margins: tuple[float, ...] = ()
    last_token: int = -1
    owed: int = 0


class LookaheadPolicy(Protocol):
    """Decides how many tokens to propose."""

    def begin(self, source: TokenSource, behind: int = 0, context: int = 0, prompt: Sequence[int] = ()) -> None:
        """A new answer with this drafter starts.

        `prompt`: the last tokens before it, which say what kind of text it will be.
        `behind`: tokens the drafter has to process before it can propose (the prompt, for a draft model).
        """
        ...

    def wants(self, source: TokenSource) -> bool:
        """Is it worth asking this source in this round? For drafters with several sources, before a costly one."""
        ...

    def plan(self, room: int) -> int:
        """Largest number of tokens to propose in this round, 0 to `room`; 0 is a plain round."""
        ...

    def go_on(self, proposal: Proposal) -> Verdict:
        """Is `proposal` worth verifying, and another one worth drafting? Called once per drafted token, in order."""
        ...

    def observe(self, outcome: RoundOutcome) -> None: ...

    @property
    def pause_reason(self) -> str:
        """Why nothing is drafted, in words with numbers; "" while drafting."""
        ...

    @property
    def gain(self) -> float | None:
        """Estimated speed against plain decoding, None if unknown."""
        ...


class Costs(Protocol):
    """Measured or learnt costs of the loaded pair, seconds."""

    @property
    def version(self) -> int:
        """Grows when the relative costs of passes have changed."""
        ...

    @property
    def check(self) -> int:
        """Rows of a pass that should be timed, because its cost is known from an earlier run only; 0 for none.

        The machine may have been busy then.
        """
        ...

    def at(self, context: int) -> None:
        """The next round comes after so many tokens: everything below is for that."""
        ...

    def pass_s(self, rows: int) -> float:
        """V(n): a target pass with `rows` rows; 0 while nothing is known."""
        ...

    def draft_s(self) -> float:
        """D: one draft step; 0 while nothing is known."""
        ...

    def start_s(self) -> float:
        """What the first step of a draft takes more than the others: the pass before has used the caches."""
        ...

    def catch_up_s(self) -> float:
        """A token the drafter has to process besides its steps, after it was not asked for a while."""
        ...

    def rejection_s(self) -> float:
        """What a rejected proposal makes the next pass dearer, where the model cannot forget; 0 elsewhere."""
        ...

    def unsettled(self, rows: int) -> bool:
        """The last pass with so many rows took unexpectedly long or short: another one would tell more."""
        ...

    def observe(self, outcome: RoundOutcome, behind: int = 0) -> None:
        """Refine the estimates with a real round, in which the drafter first had to process `behind` tokens.

        The policy calls this once per round, the loop does not.
        """
        ...

    def curve(self) -> CostCurve: ...


class Backend(Protocol):
    """Answers requests: local llama.cpp or a remote server."""

    def load(self, request: Load, cancel: CancelFlag, emit: Callable[[Event], None]) -> Loaded:
        """Make models ready; `emit` takes progress events meanwhile.

        Raises:
            CancelledByUser: `cancel` was set.
            AppError: with a sentence. What was usable before still is, if memory allowed.
        """
        ...

    def generate(self, request: Generate, cancel: CancelFlag) -> Iterator[Event]:
        """Progress, Delta and Stats events, then `Finished`. Closing the iterator early leaves the caches right."""
        ...

    def count(self, request: Count, cancel: CancelFlag) -> Counted:
        """How many tokens a conversation and texts are.

        Raises:
            UserError: there is no model, or it cannot count.
            CancelledByUser: `cancel` was set.
        """
        ...

    def idle(self, cancel: CancelFlag) -> bool:
        """Do a little work that nobody waits for; False when there is none. `cancel` is set when somebody waits."""
        ...

    def unload(self) -> None: ...

    def close(self) -> None: ...
