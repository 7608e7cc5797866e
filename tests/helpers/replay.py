"""Replay a lookahead policy on recorded texts with any cost curve: exact, instant, no clock.

The text does not depend on the drafter (law 4 of the design), so what a draft would propose at each position of a text
is recorded once (benchmarks/record_traces.py), and the real policy object is driven through `begin`, `plan`, `go_on`
and `observe` as the engine's loop does it. Times come from a `Curve`; the policy may be shown them with noise, the
result never has any.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from app.engine.costs import PairCosts
from app.engine.drafters.ngram import Ngram
from app.engine.lookahead.fixed import Fixed
from app.engine.ports import LookaheadPolicy, Proposal, RoundOutcome, Verdict
from tests.helpers.curves import Curve, CurveAt, Noise
from tests.helpers.traces import Text


@dataclass(frozen=True, slots=True)
class Round:
    """One replayed round: where it began, what it proposed and verified, how much it kept, how long it took (ms)."""

    position: int
    steps: int
    verified: int
    kept: int
    ms: float


Drafting = Literal["draft_model", "ngram", "mixed"]


class _Proposer:
    """Proposes what the real drafters would: the recorded draft, and the engine's own n-gram table."""

    def __init__(self, text: Text, drafting: Drafting, policy: LookaheadPolicy) -> None:
        self._text = text
        self._policy = policy
        self._draft = drafting != "ngram"
        self._ngram = Ngram() if drafting != "draft_model" else None
        self._mixed = drafting == "mixed"
        self._history = [*text.prompt, text.tokens[0]]
        if self._ngram:
            self._ngram.begin(self._history)
        self.offered: list[Proposal] = []
        self.steps = 0

    def propose(self, position: int, limit: int, longest: int) -> tuple[int, int]:
        """Offer proposals to the policy; returns how many it keeps, and how many of those are right."""
        self.offered = []
        self.steps = 0
        kept: list[Proposal] = []
        if self._ngram and (not self._mixed or self._policy.wants("ngram")):
            self._history += self._text.tokens[len(self._history) - len(self._text.prompt) : position + 1]
            kept = self._ngram.propose(self._history, limit, self._ask)
        if self._draft and not kept and (not self._mixed or self._policy.wants("draft_model")):
            for n in range(min(limit, longest)):
                proposal = self._text.proposal(position, n)
                if proposal is None:
                    break
                self.steps += 1
                verdict = self._ask(proposal)
                if not verdict:
                    break
                kept.append(proposal)
                if verdict is Verdict.LAST:
                    break
        follow = self._text.tokens[position + 1 : position + 1 + len(kept)]
        right = 0
        while right < len(follow) and kept[right].token == follow[right]:
            right += 1
        return len(kept), right

    def _ask(self, proposal: Proposal) -> Verdict:
        self.offered.append(proposal)
        return self._policy.go_on(proposal)


def replay(
    policy: LookaheadPolicy,
    text: Text,
    curve: Curve | CurveAt,
    *,
    drafting: Drafting = "draft_model",
    noise: Noise | None = None,
    forgets: bool = True,
    behind: int = 0,
) -> list[Round]:
    """Drive `policy` through one answer.

    Args:
        drafting: What proposes.
        noise: Applied to the times the policy is shown.
        forgets: False for a model that computes what it kept of a round once more after a rejection.
        behind: Tokens the draft has to catch up with before it can propose: the prompt, in a chat.
    """
    at = curve if callable(curve) else lambda _: curve
    shown = noise or Noise()
    policy.begin(
        "ngram" if drafting == "ngram" else "draft_model",
        behind=behind,
        context=len(text.prompt),
        prompt=text.prompt[-32:],
    )
    proposer = _Proposer(text, drafting, policy)
    rounds = []
    position, total, owed = 0, len(text), 0
    while position < total:
        now = at(position)
        room = total - position - 1
        limit = policy.plan(room) if room else 0
        verified, accepted = proposer.propose(position, limit, now.longest) if limit else (0, 0)
        offered = tuple(proposer.offered) if limit else ()
        steps = proposer.steps if limit else 0
        kept = accepted + 1
        step = now.step * (1.0 + now.step_slope * (len(text.prompt) + position))
        draft = now.start + steps * step + behind * now.catch_up if steps else 0.0
        behind = 0 if steps else behind + kept
        spent = now.cost(verified + 1 + owed)
        rounds.append(Round(position, steps, verified, kept, draft + spent))
        position += kept
        policy.observe(
            RoundOutcome(
                offered=offered,
                verified=verified,
                accepted=accepted,
                kept=kept,
                rows=verified + 1,
                draft_s=shown(draft) / 1e3,
                pass_s=shown(spent) / 1e3,
                context=len(text.prompt) + position,
                target_margins=text.target_margins[position - kept + 1 : position + 1],
                last_token=text.tokens[position],
                owed=owed,
            )
        )
        owed = kept if not forgets and accepted < verified else 0
    return rounds


def plain_ms(text: Text, curve: Curve) -> float:
    return len(text) * curve.passes[0]


def fixed_ms(text: Text, curve: Curve, lookahead: int, start: int = 0) -> float:
    """Always `lookahead` proposals, from position `start` on."""
    total, position, spent = len(text), start, 0.0
    runs = text.runs
    while position < total:
        n = min(lookahead, total - position - 1)
        spent += n * curve.step + curve.passes[n]
        position += min(n, runs[position]) + 1
    return spent


def oracle_ms(text: Text, curve: Curve) -> float:
    """The best choice at every position, knowing all that comes. Catching up costs it nothing."""
    total = len(text)
    best = [0.0] * (total + 1)
    for i in range(total - 1, -1, -1):
        longest = min(curve.longest, text.runs[i], total - i - 1)
        best[i] = min(curve.passes[n] + n * curve.step + best[min(total, i + n + 1)] for n in range(longest + 1))
    return best[0]


def ms(rounds: Sequence[Round]) -> float:
    return sum(r.ms for r in rounds)


def fixed_copies_ms(text: Text, curve: Curve, lookahead: int) -> float:
    """Always `lookahead` proposals of the n-gram table, where it has some."""
    return ms(replay(Fixed(lookahead, 0.0, PairCosts()), text, curve, drafting="ngram"))
