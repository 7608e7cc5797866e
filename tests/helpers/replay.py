"""Replay a lookahead policy on recorded texts with any cost curve: exact, instant, no clock.

The text does not depend on the drafter (law 4 of the design), so what a draft would propose at each position of a text
is recorded once (benchmarks/record_traces.py), and the real policy object is driven through `begin`, `plan`, `go_on`
and `observe` as the engine's loop does it. Times come from a `Curve`; the policy may be shown them with noise, the
result never has any.
"""

import gzip
import json
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from app.engine.costs import PairCosts, calibration
from app.engine.ports import LookaheadPolicy, Proposal, RoundOutcome, Verdict

TRACES = Path(__file__).parents[1] / "traces" / "demo_pair.json.gz"


@dataclass(frozen=True)
class Curve:
    """What things cost, in ms: `passes[n - 1]` a pass with n rows, `step` a draft step.

    `catch_up`: each token a draft has to process after it was not asked for a while (rounds that draft include one or
    two in their steps).
    """

    name: str
    passes: tuple[float, ...]
    step: float
    catch_up: float = 0.0

    @property
    def longest(self) -> int:
        return len(self.passes) - 1

    def scaled(self, plain: float = 1.0, *, all_passes: float = 1.0) -> "Curve":
        """Another machine mood: the 1-row pass or everything becomes slower by a factor."""
        first, *rest = (cost * all_passes for cost in self.passes)
        return Curve(f"{self.name} moved", (first * plain, *rest), self.step * all_passes, self.catch_up * all_passes)


_Q4 = (7.2, 12.4, 16.1, 20.7, 24.6, 29.5, 33, 41, 45, 49, 53, 57, 61, 65, 69, 73, 77)

CURVES = (
    # The five of the sketch (9 rows there, carried on here to 17) ...
    Curve("Q4_K on 2 cores, 16 M draft", _Q4, 0.9, 0.5),
    Curve("Q4_K on 2 cores, 0.6 M draft", _Q4, 0.15, 0.05),
    Curve(
        "F16 on 2 cores, 16 M draft",
        (20, 31.5, 32.7, 33.8, 35.3, 36.5, 47, 50, 52, 54, 57, 59, 62, 64, 66, 68, 71),
        0.7,
        0.3,
    ),
    Curve(
        "GPU-like",
        (10, 10.2, 10.4, 10.7, 11, 11.3, 11.6, 12, 12.4, 12.7, 13, 13.3, 13.6, 13.9, 14.2, 14.5, 15.2),
        1.0,
        0.02,
    ),
    Curve("stepped tiles", (10, 20, 21, 21, 36, 37, 37, 31, 48, 49, 49, 48, 62, 63, 63, 58, 75), 0.5, 0.2),
    # ... and two more: gemma-3-270m Q4_0 on 2 AVX-512 cores (design.md; rows between the measured ones interpolated),
    # and a draft of a fifth of the target's cost on a device where rows are nearly free.
    Curve("gemma Q4_0 on 2 cores", (16, 28, 33, 33, 52, 60, 56, 52, 72, 70, 68, 66, 67, 68, 68, 69, 92), 1.2, 0.7),
    Curve(
        "large draft on a GPU",
        (25, 25.4, 25.8, 26.2, 26.6, 27, 27.5, 28, 30, 30.5, 31, 31.5, 32, 32.5, 33, 33.5, 36),
        5.0,
        0.1,
    ),
)


@dataclass
class Text:
    """One recorded text: position i is what is proposed after `tokens[: i + 1]`."""

    workload: str
    temperature: float
    split: str
    question: str
    prompt: tuple[int, ...]
    tokens: tuple[int, ...]
    target_margins: tuple[float, ...]
    right: tuple[bool, ...]
    proposals: tuple[Proposal, ...]
    after_wrong: dict[int, tuple[Proposal, ...]] = field(default_factory=dict)

    def __len__(self) -> int:
        """Tokens to decode: all but the first, which the prefill gives."""
        return len(self.tokens) - 1

    @cached_property
    def runs(self) -> tuple[int, ...]:
        """How many proposals in a row are right from each position on."""
        runs = [0] * (len(self) + 1)
        for i in range(len(self) - 1, -1, -1):
            runs[i] = runs[i + 1] + 1 if self.right[i] else 0
        return tuple(runs)

    def proposal(self, position: int, n: int) -> Proposal | None:
        """The n-th (from 0) proposal of a round that starts at `position`; None beyond the recording."""
        run = self.runs[position]
        if n <= run:
            return self.proposals[position + n] if position + n < len(self) else None
        tail = self.after_wrong.get(position + run, ())
        return tail[n - run - 1] if n - run - 1 < len(tail) else None


def load(path: Path = TRACES) -> list[Text]:
    """All recorded texts."""
    data = json.loads(gzip.decompress(path.read_bytes()))
    steps = data["steps"]
    texts = []
    for entry in data["texts"]:
        greedy = entry["temperature"] == 0.0
        wrong = {int(place): (token, tail) for place, (token, tail) in entry["wrong"].items()}
        tokens = entry["text"]
        # The engine's draft model computes no confidence at temperature 0.
        sure: Callable[[int], float | None] = (lambda _: None) if greedy else (lambda percent: percent / 100)
        proposals = tuple(
            Proposal(wrong[i][0] if i in wrong else tokens[i + 1], "draft_model", margin / steps, sure(percent))
            for i, (margin, percent) in enumerate(zip(entry["margins"], entry["confidences"], strict=True))
        )
        # What follows a wrong token is never kept; its ids and probabilities are not recorded.
        after = {
            place: tuple(Proposal(-2 - n, "draft_model", m / steps, sure(60)) for n, m in enumerate(tail))
            for place, (_, tail) in wrong.items()
        }
        texts.append(
            Text(
                workload=entry["workload"],
                temperature=entry["temperature"],
                split=entry["split"],
                question=entry["question"],
                prompt=tuple(entry["prompt"]),
                tokens=tuple(tokens),
                target_margins=tuple(m / steps for m in entry["target_margins"]),
                right=tuple(i not in wrong for i in range(len(proposals))),
                proposals=proposals,
                after_wrong=after,
            )
        )
    return texts


def always_wrong(length: int = 200, margin: float = 1.2) -> Text:
    """A text of which the draft never gets a token right."""
    wrong = tuple(Proposal(1, "draft_model", margin) for _ in range(length))
    return Text(
        workload="always wrong",
        temperature=0.0,
        split="held_out",
        question="",
        prompt=(2,) * 20,
        tokens=(3,) * (length + 1),
        target_margins=(1.0,) * (length + 1),
        right=(False,) * length,
        proposals=wrong,
        after_wrong=dict.fromkeys(range(length), wrong[:15]),
    )


def joined(first: Text, second: Text) -> Text:
    """`second` right after `first`, as one answer: a change of subject in mid-text."""
    offset = len(first.tokens)
    # The place between the two: the first token of the second text, which nothing foresaw.
    gap = Proposal(-1, "draft_model", 0.1, None if first.temperature == 0.0 else 0.3)
    return Text(
        workload=f"{first.workload}, then {second.workload}",
        temperature=first.temperature,
        split=first.split,
        question=first.question,
        prompt=first.prompt,
        tokens=first.tokens + second.tokens,
        target_margins=first.target_margins + second.target_margins,
        right=(*first.right, False, *second.right),
        proposals=(*first.proposals, gap, *second.proposals),
        after_wrong=first.after_wrong | {offset + place: tail for place, tail in second.after_wrong.items()},
    )


CurveAt = Callable[[int], Curve]
"""The curve that holds at a position of a text."""


@dataclass
class Noise:
    """What a busy machine does to measured times: every time a few percent off, now and then one far off."""

    spread: float = 0.0
    outliers: float = 0.0
    seed: int = 0
    _random: random.Random = field(init=False)

    def __post_init__(self) -> None:
        self._random = random.Random(self.seed)

    def __call__(self, seconds: float) -> float:
        if not self.spread:
            return seconds
        if self._random.random() < self.outliers:
            return seconds * self._random.uniform(2.0, 10.0)
        return seconds * max(0.5, self._random.gauss(1.0, self.spread))


@dataclass(frozen=True, slots=True)
class Round:
    """One replayed round: where it began, what it proposed and verified, how much it kept, how long it took (ms)."""

    position: int
    steps: int
    verified: int
    kept: int
    ms: float


def replay(
    policy: LookaheadPolicy,
    text: Text,
    curve: Curve | CurveAt,
    *,
    noise: Noise | None = None,
) -> list[Round]:
    """Drive `policy` through one answer.

    Args:
        noise: Applied to the times the policy is shown.
    """
    at = curve if callable(curve) else lambda _: curve
    shown = noise or Noise()
    policy.begin("draft_model", behind=0)
    rounds = []
    position, total, behind = 0, len(text), 0
    while position < total:
        now = at(position)
        room = total - position - 1
        limit = min(policy.plan(room), now.longest) if room else 0
        offered: list[Proposal] = []
        verified = 0
        while verified < limit:
            proposal = text.proposal(position, verified)
            if proposal is None:
                break
            offered.append(proposal)
            verdict = policy.go_on(proposal)
            if not verdict:
                break
            verified += 1
            if verdict is Verdict.LAST:
                break
        accepted = min(verified, text.runs[position])
        kept = accepted + 1
        draft = len(offered) * now.step + (behind * now.catch_up if offered else 0.0)
        behind = 0 if offered else behind + kept
        spent = now.passes[verified]
        position += kept
        rounds.append(Round(position - kept, len(offered), verified, kept, draft + spent))
        policy.observe(
            RoundOutcome(
                offered=tuple(offered),
                verified=verified,
                accepted=accepted,
                kept=kept,
                rows=verified + 1,
                draft_s=shown(draft) / 1e3,
                pass_s=shown(spent) / 1e3,
                context=len(text.prompt) + position,
                target_margins=text.target_margins[position - kept + 1 : position + 1],
                last_token=text.tokens[position],
            )
        )
    return rounds


def calibrated(curve: Curve, noise: Noise | None = None) -> PairCosts:
    """Costs as the engine knows them after its calibration on a machine with this curve."""
    costs = PairCosts()
    shown = noise or Noise()
    plan = calibration(draft=True)
    seconds: float | None = None
    try:
        while True:
            step = plan.send(seconds)
            if step.kind == "pass":
                seconds = shown(curve.passes[step.rows - 1] / 1e3)
                costs.passes.tell(step.rows, seconds)
            elif step.kind == "step":
                seconds = shown(curve.step / 1e3)
                costs.tell_step(seconds)
            else:
                seconds = shown(step.rows * curve.catch_up / 1e3)
                costs.tell_catch_up(seconds / step.rows)
    except StopIteration:
        return costs


def plain_ms(text: Text, curve: Curve) -> float:
    return len(text) * curve.passes[0]


def fixed_ms(text: Text, curve: Curve, lookahead: int) -> float:
    """Always `lookahead` proposals."""
    total, position, spent = len(text), 0, 0.0
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
