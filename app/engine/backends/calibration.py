"""Measures what passes and draft steps cost, while nobody waits, and keeps that and what answers teach between runs.

One step at a time, so that a message never waits for more than the step that is running, and that one is aborted by the
cancel flag. What a step decodes is cut off again: the caches are as before.
"""

import time
from collections import deque
from collections.abc import Generator, Iterator

from app.core import log
from app.core.errors import AppError, CancelledByUser, EngineFault
from app.engine.backends.drafting import Drafting
from app.engine.backends.llamacpp import Context, devices, versions
from app.engine.backends.loading import Model
from app.engine.cancel import CancelFlag
from app.engine.costs import CATCH_UP_ROWS, CalibrationStep, CostStore, PairCosts, calibration, cost_key
from app.engine.lookahead import PairHistory
from app.protocol.options import DrafterName

_log = log.get("costs")
_HEAD_STEPS = (1, 1, CATCH_UP_ROWS, 1, CATCH_UP_ROWS, 1)
"""Rows of the passes of prediction heads that are timed; one row is a draft step. The first one warms up."""


class Calibrator:
    """Costs of one target and its draft: restored, measured, stored.

    Args:
        target: The target.
        drafting: Its drafters.
        store: Where costs are kept between runs; None to forget them.
    """

    def __init__(self, target: Model, drafting: Drafting, store: CostStore | None) -> None:
        self._target = target
        self._drafting = drafting
        self._store = store
        self._plan: Generator[CalibrationStep, float | None, None] | None = None
        self._next: CalibrationStep | None = None
        self._of_heads: deque[int] = deque()
        self._stored_version = -1
        self.restart()

    def restart(self) -> None:
        """Measure (again): the models have just been loaded, or another draft has."""
        self._restore()
        self._plan = calibration(draft=self._drafting.draft is not None)
        # A model with running state would have to be brought back to it after every step.
        self._next = None if self._target.context.keeps_state else next(self._plan, None)
        heads = self._head_costs()
        self._of_heads = deque(_HEAD_STEPS if heads is not None and not heads.draft_s() else ())

    def step(self, cancel: CancelFlag) -> bool:
        """Do one step; False when nothing is left to do."""
        if self._plan is None or self._next is None:
            if self._of_heads:
                self._time_heads()
            return bool(self._of_heads)
        try:
            seconds = self._measure(self._next, cancel)
            self._next = self._plan.send(seconds)
        except CancelledByUser:
            return True  # somebody waits; the next idle moment goes on with this step
        except StopIteration:
            self._next = None
            self.save()
        except AppError as error:
            _log.info("calibration ended: %s", error)
            self._next = None
        return self._next is not None or bool(self._of_heads)

    def save(self) -> None:
        """Store what is known of costs and drafters, if it changed. Call it before a draft goes."""
        passes = self._drafting.passes
        if self._store is None:
            return
        try:
            if passes.measured() and passes.version != self._stored_version:
                self._stored_version = passes.version
                self._store.save(_key(self._target), passes.to_dict())
                if self._drafting.draft is not None:
                    costs = self._drafting.learnt("draft_model").costs
                    self._store.save(_key(self._drafting.draft), costs.to_dict())
            heads = self._head_costs()
            if heads is not None and heads.draft_s():
                self._store.save(f"heads of {_key(self._target)}", heads.to_dict())
            for key, history in self._histories():
                if history.answers:
                    self._store.save(key, history.to_dict())
        except OSError as error:
            _log.info("costs are not stored: %s", error)

    def _measure(self, step: CalibrationStep, cancel: CancelFlag) -> float | None:
        if step.kind == "pass":
            seconds = _timed(self._target.context, step.rows, cancel, every_row=True)
            self._drafting.passes.tell(step.rows, seconds, self._target.context.length)
            return seconds
        draft = self._drafting.draft
        if draft is None:
            return None
        seconds = _timed(draft.context, step.rows, cancel, every_row=False)
        costs = self._drafting.learnt("draft_model").costs
        if step.kind == "step":
            again = _timed(draft.context, step.rows, cancel, every_row=False)
            costs.tell_step(again)
            costs.tell_start(seconds - again)
            return seconds + again
        costs.tell_catch_up(max(seconds - costs.start_s(), 0.0) / step.rows)
        return seconds

    def _head_costs(self) -> PairCosts | None:
        """Those of the target's own heads, None where it has none."""
        return self._drafting.learnt("heads").costs if self._target.heads is not None else None

    def _time_heads(self) -> None:
        """Time one pass of the prediction heads; they are as before."""
        rows, heads = self._of_heads.popleft(), self._target.heads
        if heads is None:
            return
        first = len(self._of_heads) == len(_HEAD_STEPS) - 1
        started = time.perf_counter()
        try:
            heads.practise(rows)
        except AppError as error:
            _log.info("the prediction heads are not timed: %s", error)
            self._of_heads.clear()
            return
        seconds = time.perf_counter() - started
        costs = self._drafting.learnt("heads").costs
        if rows > 1:
            costs.tell_catch_up(seconds / rows)
        elif not first:
            costs.tell_step(seconds)
        if not self._of_heads:
            self.save()

    def _restore(self) -> None:
        draft = self._drafting.draft
        if self._store is None:
            return
        try:
            stored = self._store.load(_key(self._target))
            if stored and not self._drafting.passes.measured():
                self._drafting.passes.restore(stored)
            stored = self._store.load(_key(draft)) if draft else None
            if stored and not self._drafting.learnt("draft_model").costs.draft_s():
                self._drafting.learnt("draft_model").costs.restore(stored)
            heads = self._head_costs()
            stored = self._store.load(f"heads of {_key(self._target)}") if heads is not None else None
            if stored and heads is not None and not heads.draft_s():
                heads.restore(stored)
            for key, history in self._histories():
                stored = self._store.load(key)
                if stored and not history.answers:
                    history.restore(stored)
        except (OSError, ValueError, TypeError, KeyError, AttributeError) as error:
            _log.info("stored costs are of no use: %s", error)

    def _histories(self) -> Iterator[tuple[str, PairHistory]]:
        """What answers have taught about each drafter, and where that is stored."""
        drafting = self._drafting
        names: list[DrafterName] = ["ngram"]
        if self._target.heads is not None:
            names.append("heads")
        if drafting.draft is not None:
            names.append("draft_model")
        for name in names:
            models = [self._target, drafting.draft] if name == "draft_model" and drafting.draft else [self._target]
            yield f"{name} {' '.join(_key(model) for model in models)}", drafting.learnt(name).history


def _key(model: Model) -> str:
    where = [f"{model.weights.gpu_layers} layers", *(device.name for device in devices())]
    if model.cache_type != "F16":
        where.append(model.cache_type)
    if model.flash_attention != "auto":
        where.append(f"flash attention {model.flash_attention}")
    return cost_key([model.key.path], where, model.threads, "/".join(versions()))


def _timed(context: Context, rows: int, cancel: CancelFlag, *, every_row: bool) -> float:
    """Seconds of a pass over made-up tokens after what the cache holds; they are cut off again."""
    before = context.length
    if before + rows > context.n_ctx:
        raise EngineFault("context_full", "The context is full.")
    context.watch(cancel)
    tokens = [context.n_vocab // 2] * rows
    try:
        started = time.perf_counter()
        context.decode(tokens, every_row=every_row)
        context.logits(-1).argmax()
        return time.perf_counter() - started
    finally:
        context.truncate(before)
