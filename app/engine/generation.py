"""One answer: prefill, first token, rounds, events.

A generator: closing it early, a cancel or an error leave the caches as law 2 says (cache = history without its last
token), because that is done in `finally`.
"""

import itertools
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from app.core.errors import CancelledByUser
from app.engine.cancel import CancelFlag
from app.engine.detokeniser import TextStream
from app.engine.ports import Drafter, LookaheadPolicy, TokenModel
from app.engine.prefix import keep_length
from app.engine.prompts import prompt_too_long
from app.engine.sampling import Sampler
from app.engine.speculation import Round, Speculator, cut_back
from app.engine.token_notes import TokenNotes
from app.protocol.messages import Delta, Event, Finished, FinishReason, Notice, Progress, Stats
from app.protocol.options import LimitOptions, SamplingOptions, TokenSource
from app.protocol.stats import GenerationStats, SpeculationState

STATS_EVERY_S = 0.2
PREFILL_CHUNK = 512


@dataclass(slots=True)
class Cached:
    """The target with the tokens its cache holds, kept from one answer to the next."""

    model: TokenModel
    held: list[int] = field(default_factory=list)

    def forget(self) -> None:
        """Empty the cache."""
        self.model.clear()
        self.held = []


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """Everything an answer needs.

    `unavailable`: why the drafter asked for cannot be used (the answer is then plain), "" if it can.
    `template_ms`: what rendering and tokenising took. `tell_margins`: deltas carry the target's margins.
    """

    id: str
    prompt: Sequence[int]
    sampling: SamplingOptions
    seed: int
    limits: LimitOptions
    stop: tuple[str, ...]
    reuse_cache: bool
    drafter: Drafter
    drafter_name: str
    policy: LookaheadPolicy
    piece: Callable[[int], bytes]
    cancel: CancelFlag
    template_ms: float = 0.0
    unavailable: str = ""
    tell_margins: bool = False
    notices: tuple[Notice, ...] = ()


class Answer:
    """Runs one task on a target.

    Args:
        cached: The target.
        task: What to do.
        sampler: The choice rule, its context being the prompt.
    """

    def __init__(self, cached: Cached, task: Task, sampler: Sampler) -> None:
        self._cached = cached
        self._task = task
        self._sampler = sampler
        self._model = cached.model
        # Asked for with every token.
        self._end_tokens, self._n_ctx = cached.model.end_tokens, cached.model.n_ctx
        self._piece, self._max_tokens = task.piece, task.limits.max_tokens
        self._history = list(task.prompt)
        self._text = TextStream(task.stop)
        self._tokens: list[int] = []  # these three: since the last delta
        self._sources: list[TokenSource] = []
        self._notes = TokenNotes(task.tell_margins)
        self._reason: FinishReason | None = None
        self._speculator = Speculator(
            self._model, task.drafter, task.policy, sampler, fixed_shape=task.limits.fixed_shape
        )
        self._counts = _Counts(prompt_tokens=len(task.prompt), template_ms=task.template_ms)

    def events(self) -> Iterator[Event]:
        """Progress, Delta, Stats, and `Finished` at last (also after a cancel).

        Raises:
            UserError: the prompt does not fit the context.
            EngineFault: the target failed.
        """
        room = self._model.n_ctx - len(self._history)
        if room < 1:
            raise prompt_too_long(f"{len(self._history):,}", self._model.n_ctx)
        try:
            yield from self._prefill()
            yield from self._first_token()
            yield from self._rounds()
        except CancelledByUser:
            self._reason = "cancelled"
        finally:
            self._settle()
        self._text.finish()
        yield from self._delta()
        yield Finished(
            id=self._task.id,
            reason=self._reason or "end",
            stats=self._counts.stats(),
            speculation=self._speculation(),
            seed=self._task.seed,
            notices=self._task.notices,
        )

    def _prefill(self) -> Iterator[Event]:
        started = time.perf_counter()
        wanted = self._history
        if not self._task.reuse_cache or self._task.limits.fixed_shape:
            self._cached.forget()
        held = self._cached.held
        keep = keep_length(held, wanted, can_truncate=self._model.can_truncate)
        cut_back(self._model, keep)
        keep = min(keep, self._model.length)
        cached = self._counts.cached_tokens = keep - self._model.owed
        while self._model.owed > PREFILL_CHUNK:
            done = keep - self._model.owed
            yield Progress(id=self._task.id, stage="prefill", done=done, total=len(wanted), cached=cached)
            self._stop_if_cancelled()
            self._model.pay(PREFILL_CHUNK)
        last = len(wanted)
        if self._model.keeps_state and keep < last - 1:
            last -= 1  # the state before the last token is what a regenerated answer starts from
        chunks = [*range(keep, last, PREFILL_CHUNK), *range(last, len(wanted))]
        for start, stop in itertools.pairwise([*chunks, len(wanted)]):
            if len(wanted) - cached > PREFILL_CHUNK:
                yield Progress(id=self._task.id, stage="prefill", done=start, total=len(wanted), cached=cached)
            self._stop_if_cancelled()
            if stop == len(wanted):
                self._model.mark()
            self._model.decode(wanted[start:stop])
        self._counts.prefill_ms = _ms(started)

    def _first_token(self) -> Iterator[Event]:
        started = time.perf_counter()
        choice = self._sampler.choose(self._model.logits(-1), len(self._history))
        self._history.append(choice.token)
        self._sampler.push(choice.token)
        self._keep(choice.token, "target")
        self._notes.add_round((choice.margin,), (None,))
        self._counts.first_sample_ms = _ms(started)
        self._counts.first_token_at = self._counts.last_token_at = time.perf_counter()
        yield from self._delta()

    def _rounds(self) -> Iterator[Event]:
        if self._reason is None:
            self._speculator.begin(self._history)
        told = time.perf_counter()
        while self._reason is None:
            self._stop_if_cancelled()
            done = self._speculator.run(self._history, self._room(), self._keep)
            self._counts.add(done)
            self._notes.add_round(done.margins, done.drafts)
            yield from self._delta()
            if time.perf_counter() - told > STATS_EVERY_S:
                told = time.perf_counter()
                yield Stats(id=self._task.id, stats=self._counts.stats(), speculation=self._speculation())

    def _room(self) -> int:
        room = self._n_ctx - len(self._history)
        return min(room, self._max_tokens - self._counts.generated_tokens) if self._max_tokens else room

    def _keep(self, token: int, source: TokenSource) -> bool:
        """Count one token; False at the first end: end token, stop text, token limit, context."""
        self._tokens.append(token)
        self._sources.append(source)
        text = self._text
        text.brought = 0
        count = self._counts.generated_tokens = self._counts.generated_tokens + 1
        if token in self._end_tokens:
            self._reason = "end"
        elif text.push(self._piece(token), source):
            self._reason = "stop_string"
        elif count == self._max_tokens:
            self._reason = "token_limit"
        elif len(self._history) >= self._n_ctx:
            self._reason = "context_limit"
        self._notes.lengths.append(text.brought)
        return self._reason is None

    def _delta(self) -> tuple[Delta] | tuple[()]:
        """What is new, if anything is."""
        pieces, tokens, notes = self._text.take(), self._tokens, self._notes
        if not (pieces or tokens):
            return ()
        delta = Delta(
            id=self._task.id,
            pieces=pieces,
            tokens=tuple(tokens),
            sources=tuple(self._sources),
            lengths=tuple(notes.lengths),
            sure=tuple(notes.sure),
            margins=tuple(notes.margins),
        )
        tokens.clear()
        self._sources.clear()
        notes.clear()
        return (delta,)

    def _stop_if_cancelled(self) -> None:
        if self._task.cancel.is_set():
            raise CancelledByUser

    def _settle(self) -> None:
        """Law 2 at every exit."""
        cut_back(self._model, len(self._history) - 1)
        self._cached.held = self._history[: self._model.length]
        self._speculator.end(self._history)

    def _speculation(self) -> SpeculationState:
        task, counts = self._task, self._counts
        gain = task.policy.gain
        if gain is not None and counts.passes:
            # No pass is cheaper than a plain one, so the gain cannot exceed the tokens per pass, whatever the estimate
            # of a plain pass says that was made while the machine was busy.
            gain = min(gain, counts.generated_tokens / counts.passes)
        state = SpeculationState(
            drafter=task.drafter_name,
            gain=gain,
            gain_kind="" if gain is None else "estimated",
            lookahead=counts.last_verified,
        )
        return _with_state(state, task, counts, self._speculator.drafter_fault)


def _with_state(state: SpeculationState, task: Task, counts: "_Counts", fault: str) -> SpeculationState:
    if task.unavailable or fault:
        return replace(state, state="unavailable", reason=task.unavailable or fault, gain=None, gain_kind="")
    if task.drafter_name == "off":
        return replace(state, state="off", gain=None, gain_kind="")
    if task.policy.pause_reason:
        return replace(state, state="paused", reason=task.policy.pause_reason)
    if counts.verified:
        return replace(state, state="active")
    return replace(state, state="idle", reason=_idle_reason(task.drafter_name, counts), gain=None, gain_kind="")


def _idle_reason(drafter: str, counts: "_Counts") -> str:
    if counts.passes == 0:
        return "The answer was over after its first token."
    if counts.proposed:
        return "Every proposed token was below the minimum confidence."
    if drafter == "ngram":
        return "Nothing in this text has repeated so far."
    return "Nothing has been proposed so far."


@dataclass(slots=True)
class _Counts:
    """Counters of one answer as they grow. Times in seconds, `perf_counter`, unless the name says ms."""

    prompt_tokens: int
    template_ms: float
    cached_tokens: int = 0
    generated_tokens: int = 0
    passes: int = 0
    proposed: int = 0
    verified: int = 0
    accepted: int = 0
    last_verified: int = 0
    prefill_ms: float = 0.0
    first_sample_ms: float = 0.0
    first_token_at: float = 0.0
    last_token_at: float = 0.0
    draft_s: float = 0.0
    verify_s: float = 0.0
    sample_s: float = 0.0
    accepted_at: list[int] = field(default_factory=list)
    verified_at: list[int] = field(default_factory=list)

    def add(self, done: Round) -> None:
        self.passes += 1
        self.proposed += done.proposed
        self.verified += done.verified
        self.accepted += done.accepted
        self.last_verified = done.verified
        self.draft_s += done.draft_s
        self.verify_s += done.verify_s
        self.sample_s += done.sample_s
        self.last_token_at = time.perf_counter()
        while len(self.verified_at) < done.verified:
            self.verified_at.append(0)
            self.accepted_at.append(0)
        for place in range(done.verified):
            self.verified_at[place] += 1
            self.accepted_at[place] += place < done.accepted

    def stats(self) -> GenerationStats:
        decode_s = self.last_token_at - self.first_token_at
        return GenerationStats(
            prompt_tokens=self.prompt_tokens,
            cached_tokens=self.cached_tokens,
            generated_tokens=self.generated_tokens,
            passes=self.passes,
            proposed=self.proposed,
            verified=self.verified,
            accepted=self.accepted,
            accepted_by_position=tuple(self.accepted_at),
            verified_by_position=tuple(self.verified_at),
            template_ms=self.template_ms,
            prefill_ms=self.prefill_ms,
            first_sample_ms=self.first_sample_ms,
            decode_ms=decode_s * 1000,
            draft_ms=self.draft_s * 1000,
            verify_ms=self.verify_s * 1000,
            sample_ms=self.sample_s * 1000,
            other_ms=max(0.0, decode_s - self.draft_s - self.verify_s - self.sample_s) * 1000,
        )


def _ms(started: float) -> float:
    return (time.perf_counter() - started) * 1000
