"""What a comparison found. Plain values that can be stored; everything derived is a property."""

import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from app.comparison.reply import Reply
from app.comparison.run import Plan
from app.protocol.options import DrafterName, SpeculationOptions
from app.protocol.stats import BadgeState, GenerationStats

NOISE = 0.02
"""A gain this near to 1 is no difference that could be measured."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Spread:
    """The median of paired ratios, and their range."""

    median: float
    low: float
    high: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """The numbers of one answer. `speed` in tokens/s, None for a single token."""

    tokens: int
    speed: float | None
    ttft_ms: float
    wait_s: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """One arm: all its answers, and the first of them in full.

    `stats`: counters of all answers together. `state`, `why`: what the engine said about speculation at the end.
    `times_ms`, `characters`: see `Reply`. `identical`: how many answers had the tokens of the plain one. `parts_at`:
    the first token (from 0) where one did not, None if all did. `gap`: how far plain decoding preferred its token
    there to the second choice (logits at temperature 0), None if that is not known. `by_character`: tokens are not
    known, so `parts_at` counts characters.
    """

    drafter: DrafterName
    lookahead: int | Literal["auto"]
    samples: tuple[Sample, ...]
    stats: GenerationStats
    state: BadgeState
    why: str
    text: str
    times_ms: tuple[int, ...]
    characters: tuple[int, ...]
    identical: int
    parts_at: int | None
    gap: float | None
    by_character: bool = False

    @property
    def speed(self) -> float | None:
        speeds = [sample.speed for sample in self.samples if sample.speed]
        return statistics.median(speeds) if speeds else None

    @property
    def ttft_ms(self) -> float:
        return statistics.median(sample.ttft_ms for sample in self.samples)

    @property
    def wait_s(self) -> float:
        return statistics.median(sample.wait_s for sample in self.samples)

    @property
    def tokens(self) -> int:
        """Of the first answer."""
        return self.samples[0].tokens


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """One comparison.

    `created`: seconds since the epoch. `target`, `draft`: absolute paths, the latter "" for none. `plan`: what was
    asked, enough to ask it again. `sides`: the arms, plain first. `proof`: token where answers in fixed shape parted
    for each arm with speculation, -1 for nowhere; empty if that was not tried.
    """

    id: str
    created: float
    target: str
    draft: str
    plan: Plan
    sides: tuple[Side, ...]
    proof: tuple[int, ...] = ()

    @property
    def prompt(self) -> str:
        """The question."""
        return next(turn.content for turn in reversed(self.plan.turns) if turn.role == "user")

    @property
    def seed(self) -> int:
        return self.plan.sampling.seed or 0

    @property
    def fixed_shape(self) -> int:
        """Rows every pass was padded to, 0 for none."""
        return self.plan.limits.fixed_shape

    @property
    def plain(self) -> Side:
        return self.sides[0]

    @property
    def others(self) -> tuple[Side, ...]:
        return self.sides[1:]

    def gain(self, side: Side) -> Spread | None:
        """Speed of an arm against plain decoding; None where no answer had two tokens."""
        return gain(self.plain.samples, side.samples)

    @property
    def best(self) -> Side:
        """The arm with speculation that gained most, or the first one where nothing could be measured."""
        return max(self.others, key=lambda side: spread.median if (spread := self.gain(side)) else 0.0)


def gain(plain: Sequence[Sample], other: Sequence[Sample]) -> Spread | None:
    """The paired ratios of speed; None where no answer had two tokens."""
    ratios = [two.speed / one.speed for one, two in zip(plain, other, strict=True) if one.speed and two.speed]
    return Spread(median=statistics.median(ratios), low=min(ratios), high=max(ratios)) if ratios else None


def sample(reply: Reply) -> Sample:
    """The numbers of an answer."""
    stats = reply.stats
    tokens = len(reply.tokens) if reply.has_tokens else stats.generated_tokens
    return Sample(tokens=tokens, speed=stats.speed, ttft_ms=stats.ttft_ms, wait_s=reply.wait_s)


def side(options: SpeculationOptions, replies: Sequence[Reply], plain: Sequence[Reply]) -> Side:
    """What became of one arm; `plain` are the answers of the first."""
    parted = [(at, one) for one, two in zip(plain, replies, strict=True) if (at := parting(one, two)) is not None]
    at, one = min(parted, key=lambda found: found[0]) if parted else (None, None)
    first = replies[0]
    return Side(
        drafter=options.drafter,
        lookahead=options.lookahead,
        samples=tuple(sample(reply) for reply in replies),
        stats=sum((reply.stats for reply in replies), GenerationStats()),
        state=first.speculation.state,
        why=first.speculation.reason,
        text=first.text,
        times_ms=first.times_ms,
        characters=first.characters,
        identical=len(replies) - len(parted),
        parts_at=at,
        by_character=not all(reply.has_tokens for reply in (*plain, *replies)),
        gap=one.margins[at] if one is not None and at is not None and at < len(one.margins) else None,
    )


def parting(one: Reply, two: Reply) -> int | None:
    """The first token (from 0) in which two answers differ, None if they are identical.

    Where one of them has no known tokens, the first character.
    """
    has_tokens = one.has_tokens and two.has_tokens
    first: Sequence[object] = one.tokens if has_tokens else one.text
    second: Sequence[object] = two.tokens if has_tokens else two.text
    for place, (a, b) in enumerate(zip(first, second, strict=False)):
        if a != b:
            return place
    return None if len(first) == len(second) else min(len(first), len(second))
