"""Does the pair fit, and if not, what to give up first: the ladder, each step said in a sentence.

The steps, in order: a smaller context for the draft, the draft on the CPU, a quantised cache, fewer layers of the
target on the accelerator, no prediction heads that are in a file of their own, no draft at all. Where nothing helps,
the numbers say so. A step is kept only if it helps, and undone where a later one made it unnecessary.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from app.core.errors import EnvironmentFault
from app.core.gguf import GgufFacts, can_be_quantised
from app.hub.estimates import Amount, need, side_need
from app.protocol.options import CacheType

PROGRAM = 200 << 20
"""Main memory of the engine process itself."""
DEVICE_PROGRAM = 300 << 20
"""Accelerator memory the driver takes for a process that uses it."""
LEAST_DRAFT_CONTEXT = 2048
LEAST_CONTEXT = 512
QUANTISED: CacheType = "Q8_0"


@dataclass(frozen=True, slots=True)
class Budget:
    """Free bytes. `vram` 0: no accelerator."""

    ram: int
    vram: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Placement:
    """How the pair is loaded. `gpu_layers` of the target count the output matrix; `draft_on_gpu` is all or nothing."""

    context: int
    draft_context: int
    kv_type: CacheType
    gpu_layers: int
    draft_on_gpu: bool
    with_draft: bool


@dataclass(frozen=True, slots=True)
class Segment:
    """A piece of the memory bar. `kind`: program, target, target_cache, heads, draft, draft_cache or buffers."""

    kind: str
    amount: Amount


@dataclass(frozen=True, slots=True)
class Step:
    """A rung that was taken.

    Codes: draft_context, draft_on_cpu, quantised_cache, fewer_layers, draft_off, heads_off.
    """

    code: str
    sentence: str


@dataclass(frozen=True, slots=True)
class Plan:
    """The answer. `problem` is None if the pair fits in the way `placement` says."""

    placement: Placement
    segments: tuple[Segment, ...]
    steps: tuple[Step, ...]
    budget: Budget
    problem: EnvironmentFault | None

    @property
    def total(self) -> Amount:
        total = Amount()
        for segment in self.segments:
            total += segment.amount
        return total


def make_plan(
    target: GgufFacts,
    draft: GgufFacts | None,
    context: int,
    budget: Budget,
    *,
    gpu_layers: int | None = None,
    kv_type: CacheType = "F16",
    target_stays: bool = False,
    side: GgufFacts | None = None,
    with_heads: bool = True,
) -> Plan:
    """Find the best way to load the pair within the budget.

    Args:
        target: The target.
        draft: The draft model, None for none.
        context: Tokens of conversation.
        budget: Free memory.
        gpu_layers: Layers of the target on the accelerator, None for all.
        kv_type: Tensor type of the caches.
        target_stays: The target is loaded as it says here, and only what concerns the draft can be given up.
        side: The file with the target's prediction heads, None where they are in its own or there are none.
        with_heads: Prediction heads are loaded where there are some.
    """
    layers = min(target.layers + 1 if gpu_layers is None else gpu_layers, target.layers + 1) if budget.vram else 0
    wish = Placement(
        context=context,
        draft_context=context,
        kv_type=kv_type,
        gpu_layers=layers,
        draft_on_gpu=draft is not None and budget.vram > 0,
        with_draft=draft is not None,
    )
    heads = _Heads(with_heads, side if with_heads else None)
    attempt = _Attempt(target, draft, budget, heads, target_stays=target_stays)
    best, steps = attempt.climb(wish)
    if heads.side is not None and not attempt.fits(best):
        # The engine leaves such heads out by itself where there is no room for them.
        attempt = _Attempt(target, draft, budget, _Heads(loaded=False), target_stays=target_stays)
        best, steps = attempt.climb(wish)
        steps = (Step("heads_off", "The prediction heads are left out: there is no room for them."), *steps)
    if draft is not None and not attempt.fits(best):
        alone = replace(wish, with_draft=False, draft_on_gpu=False, draft_context=0)
        alone, more = attempt.climb(alone)
        if target_stays or attempt.fits(alone):
            needed = _readable(attempt.over(best))
            off = Step("draft_off", f"The target is loaded without its draft model: together they lack {needed}.")
            best, steps = alone, (*(step for step in steps if step.code == "heads_off"), off, *more)
    fits = attempt.fits(best) or (target_stays and not best.with_draft)
    problem = None if fits else _refusal(attempt, wish)
    return Plan(best, attempt.segments(best), steps if problem is None else (), budget, problem)


_Rung = Callable[[Placement], Iterator[tuple[Placement, Step]]]


@dataclass(frozen=True, slots=True)
class _Heads:
    """Whether heads are loaded, and their file where that is not the target's own."""

    loaded: bool
    side: GgufFacts | None = None


class _Attempt:
    def __init__(
        self, target: GgufFacts, draft: GgufFacts | None, budget: Budget, heads: _Heads, *, target_stays: bool
    ) -> None:
        self.target = target
        self.heads = heads
        self.draft = draft
        self.budget = budget
        self._rungs: tuple[_Rung, ...] = (self._smaller_draft_context, self._draft_on_cpu)
        if not target_stays:
            self._rungs += (self._quantised, self._fewer_layers)

    def climb(self, wish: Placement) -> tuple[Placement, tuple[Step, ...]]:
        """The first placement that fits, or the most modest one, with the steps that led to it."""
        steps: list[Step] = []
        now = wish
        for rung in self._rungs:
            if self.fits(now):
                break
            for candidate, step in rung(now):
                # A rung that frees nothing where it is short would be given up for nothing.
                if self.over(candidate) < self.over(now):
                    steps = [old for old in steps if old.code != step.code] + [step]
                    now = candidate
                if self.fits(now):
                    break
        return self._undo(now, wish, steps)

    def _undo(self, now: Placement, wish: Placement, steps: list[Step]) -> tuple[Placement, tuple[Step, ...]]:
        if self.fits(now):
            for code, earlier in (
                ("draft_on_cpu", replace(now, draft_on_gpu=wish.draft_on_gpu)),
                ("draft_context", replace(now, draft_context=wish.draft_context)),
            ):
                if self.fits(earlier):
                    now, steps = earlier, [step for step in steps if step.code != code]
                    break
        return now, tuple(steps)

    def fits(self, placement: Placement) -> bool:
        return self.over(placement) == 0

    def over(self, placement: Placement) -> int:
        """Bytes that are missing, of both kinds of memory."""
        total = self.total(placement)
        return max(total.ram - self.budget.ram, 0) + max(total.vram - self.budget.vram, 0)

    def total(self, placement: Placement) -> Amount:
        total = Amount()
        for segment in self.segments(placement):
            total += segment.amount
        return total

    def segments(self, now: Placement) -> tuple[Segment, ...]:
        uses_gpu = now.gpu_layers > 0 or now.draft_on_gpu
        target = need(
            self.target,
            now.context,
            kv_type=now.kv_type,
            gpu_layers=now.gpu_layers,
            with_heads=self.heads.loaded and self.heads.side is None,
        )
        bare = need(self.target, now.context, kv_type=now.kv_type, gpu_layers=now.gpu_layers)
        segments = [
            Segment("program", Amount(PROGRAM, DEVICE_PROGRAM if uses_gpu else 0)),
            Segment("target", bare.weights),
            Segment("target_cache", bare.cache),
        ]
        if target != bare:
            segments.append(Segment("heads", target.total - bare.total))
        if self.heads.side is not None:
            side = side_need(self.target, self.heads.side, now.context, gpu_layers=now.gpu_layers)
            segments.append(Segment("heads", side))
        buffers = bare.buffers
        if self.draft is not None and now.with_draft:
            layers = self.draft.layers + 1 if now.draft_on_gpu else 0
            draft = need(self.draft, now.draft_context, kv_type=now.kv_type, gpu_layers=layers)
            segments += [Segment("draft", draft.weights), Segment("draft_cache", draft.cache)]
            buffers += draft.buffers
        return (*segments, Segment("buffers", buffers))

    def _smaller_draft_context(self, now: Placement) -> Iterator[tuple[Placement, Step]]:
        size = now.draft_context // 2
        while now.with_draft and size >= LEAST_DRAFT_CONTEXT:
            sentence = f"The draft model's context is {size:,} tokens; beyond that it stops drafting."
            yield replace(now, draft_context=size), Step("draft_context", sentence)
            size //= 2

    def _draft_on_cpu(self, now: Placement) -> Iterator[tuple[Placement, Step]]:
        if now.with_draft and now.draft_on_gpu:
            step = Step("draft_on_cpu", "The draft model runs on the CPU: there is no room for it on the accelerator.")
            yield replace(now, draft_on_gpu=False), step

    def _quantised(self, now: Placement) -> Iterator[tuple[Placement, Step]]:
        models = [self.target] if self.draft is None or not now.with_draft else [self.target, self.draft]
        if now.kv_type == "F16" and all(can_be_quantised(facts) for facts in models):
            sentence = f"The cache is kept in {QUANTISED}, about half its size; what is kept is a little less exact."
            yield replace(now, kv_type=QUANTISED), Step("quantised_cache", sentence)

    def _fewer_layers(self, now: Placement) -> Iterator[tuple[Placement, Step]]:
        for layers in range(now.gpu_layers - 1, -1, -1):
            where = f"{layers} of {self.target.layers + 1} layers of the target are on the accelerator."
            step = Step(
                "fewer_layers", where if layers else "The target runs on the CPU: the accelerator is too small."
            )
            yield replace(now, gpu_layers=layers), step


def _refusal(attempt: _Attempt, wish: Placement) -> EnvironmentFault:
    """What the target alone would need in the most modest way, against what there is."""
    alone = replace(wish, with_draft=False, draft_on_gpu=False, draft_context=0)
    smallest = min(
        (attempt.climb(alone)[0], replace(alone, gpu_layers=0, kv_type=QUANTISED)), key=lambda now: attempt.over(now)
    )
    total, budget = attempt.total(smallest), attempt.budget
    free = f"{_readable(budget.ram)} of memory"
    if budget.vram:
        free += f" and {_readable(budget.vram)} on the accelerator"
    hint = "Choose a smaller model or quantisation, or close other programs."
    shorter = wish.context // 2
    while shorter >= LEAST_CONTEXT:
        if attempt.fits(attempt.climb(replace(alone, context=shorter))[0]):
            hint = f"With {shorter:,} tokens of context it would fit. Or choose a smaller model or quantisation."
            break
        shorter //= 2
    return EnvironmentFault(
        "does_not_fit",
        f'"{attempt.target.name}" needs {_readable(total.ram + total.vram)} with {wish.context:,} tokens of context; '
        f"{free} are free, {_readable(attempt.over(smallest))} too little.",
        hint,
    )


def _readable(size: int) -> str:
    return f"{size / 1e9:.1f} GB" if size >= 999_500_000 else f"{max(round(size / 1e6), 1):,} MB"
