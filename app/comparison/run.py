"""Answers one question with several drafters, one after the other, in changing order.

Two answers at a time would slow each other down, so the next request is only made when the last one is over. Every
answer is isolated: clean caches, clean n-gram tables, nothing learnt from the answers before.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass, replace

from app.comparison.reply import Collector, Reply
from app.core.errors import UserError
from app.protocol.messages import Delta, Event, Finished, Generate, Turn
from app.protocol.options import MAX_LOOKAHEAD, LimitOptions, SamplingOptions, SpeculationOptions

PLAIN = SpeculationOptions(drafter="off")
MOST_REPEATS = 1000
_PROOF_ROWS = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Which model one arm is answered by. `target`: as in a `Load`; `name`: for people, with the server."""

    target: str
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What is compared.

    `arms`: the ways to answer, the first of which is plain. `sampling` names a seed: it is the same for all.
    `plain_template`: see `Generate`. `places`: the models of the arms where they are different ones, else empty.
    `isolated`: False lets the engine learn from answer to answer. `warm_up`: each arm first says one token that does
    not count, since a server may load its model when it is first asked.
    """

    turns: tuple[Turn, ...]
    sampling: SamplingOptions
    limits: LimitOptions
    arms: tuple[SpeculationOptions, ...]
    repeats: int = 3
    isolated: bool = True
    places: tuple[Place, ...] = ()
    plain_template: bool = False
    warm_up: bool = False

    def check(self) -> None:
        """Raise `UserError` with a sentence for the first wish that makes no sense."""
        if not 1 <= self.repeats <= MOST_REPEATS:
            text = f"{self.repeats} repeats are not possible."
            raise UserError("bad_option", text, f"It must be from 1 to {MOST_REPEATS}.")
        if not any(turn.content.strip() for turn in self.turns if turn.role == "user"):
            raise UserError("bad_option", "There is no question to compare answers to.", "Write a prompt.")
        if self.places and len(self.places) != len(self.arms):
            raise UserError("bad_option", "Each side needs a model.", "Choose two.")
        self.sampling.check()
        self.limits.check()
        for arm in self.arms:
            arm.check()


def proof_rows(arms: tuple[SpeculationOptions, ...]) -> int:
    """Rows of the fixed shape in which all these arms can be proven."""
    lookaheads = [arm.lookahead for arm in arms if arm.drafter != "off"]
    rows = [_PROOF_ROWS if number == "auto" else min(number, MAX_LOOKAHEAD) + 1 for number in lookaheads]
    return max(2, *rows)


class Run:
    """Hands out requests and takes their events.

    Attributes:
        replies: For each arm its answers so far, one a repetition.
        cancelled: An answer was stopped; there is no next request.
    """

    def __init__(self, plan: Plan, name: str, clock: Callable[[], float] = time.perf_counter) -> None:
        """`name` begins the ids of the requests. Raises `UserError` for a plan that makes no sense."""
        plan.check()
        self.plan = plan
        self.replies: list[list[Reply]] = [[] for _ in plan.arms]
        self.cancelled = False
        self._name = name
        self._clock = clock
        arms = len(plan.arms)
        self._warming = arms if plan.warm_up else 0
        counted = [(place + repeat) % arms for repeat in range(plan.repeats) for place in range(arms)]
        self._order: list[int] = [*range(self._warming), *counted]
        self._number = -1
        self._started = 0.0
        self._collector = Collector()

    @property
    def total(self) -> int:
        """Answers in all."""
        return len(self._order)

    @property
    def number(self) -> int:
        """The answer under way, from 0."""
        return max(self._number, 0)

    @property
    def arm(self) -> int:
        """The arm under way."""
        return self._order[self.number]

    @property
    def id(self) -> str:
        """Of the request under way."""
        return f"{self._name} {self._number}"

    @property
    def so_far(self) -> Collector:
        """What the answer under way has brought."""
        return self._collector

    @property
    def is_over(self) -> bool:
        return self.cancelled or self._number >= self.total

    def next(self) -> Generate | None:
        """The next request, whose clock starts now; None when all is done."""
        self._number += 1
        if self.is_over:
            return None
        self._collector = Collector()
        plan = self.plan
        request = Generate(
            id=self.id,
            chat=self._name,
            turns=plan.turns,
            sampling=plan.sampling,
            speculation=plan.arms[self.arm],
            limits=replace(plan.limits, max_tokens=1) if self._number < self._warming else plan.limits,
            reuse_cache=False,
            isolated=plan.isolated,
            plain_template=plan.plain_template,
        )
        self._started = self._clock()
        return request

    def take(self, event: Event) -> bool:
        """Take an event of the request under way; True if that is over now."""
        at_s = self._clock() - self._started
        if isinstance(event, Delta):
            self._collector.add(event, at_s)
        if not isinstance(event, Finished):
            return False
        if event.reason == "cancelled":
            self.cancelled = True
        elif self._number >= self._warming:
            self.replies[self.arm].append(self._collector.reply(event, at_s))
        return True
