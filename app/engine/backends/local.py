"""Answers from a model on this machine, with every drafter it allows."""

import secrets
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Literal

from app.core.errors import AppError, EngineFault, UserError
from app.core.gguf import GgufFacts
from app.engine.backends import caches, loading
from app.engine.backends.calibration import Calibrator
from app.engine.backends.drafting import NO_DRAFT, Drafting, draft_problem
from app.engine.backends.head_files import FoundHeads, find_heads
from app.engine.backends.llamacpp import devices
from app.engine.backends.llamacpp.huge_pages import BLOCK, HugePages
from app.engine.backends.loading import FileKey, Model
from app.engine.backends.target import Target, make_target
from app.engine.cancel import CancelFlag
from app.engine.costs import CostStore
from app.engine.generation import Answer, Task
from app.engine.lookahead import make
from app.engine.prompts import PLAIN_STOP
from app.engine.sampling import Sampler
from app.protocol.inspection_store import InspectionStore
from app.protocol.messages import Count, Counted, Event, Finished, Generate, Load, Loaded, Progress, Thinking
from app.protocol.options import MAX_SEED, CacheType, FlashAttention

_MOVED_AT_ONCE = 2 * BLOCK
"""Bytes, about 10 ms: so long a message may have to wait."""


class LocalBackend:
    """A `Backend` on llama.cpp."""

    def __init__(self, costs: CostStore | None = None, inspections: InspectionStore | None = None) -> None:
        """`costs`: where measured costs are kept between runs. `inspections`: of files, before they are loaded."""
        self._costs = costs
        self._inspections = inspections
        self._calibrator: Calibrator | None = None
        self._target: Target | None = None
        self._drafting: Drafting | None = None
        self._pages: HugePages | None = None

    # loading

    def load(self, request: Load, cancel: CancelFlag, emit: Callable[[Event], None]) -> Loaded:
        """See `Backend.load`. A target that is loaded with the same settings is kept, and so is a draft.

        What is loaded goes only when its successor is there, if memory allows.
        """
        if self._calibrator is not None:
            self._calibrator.save()  # a draft that goes is not asked later
        key, gguf = loading.inspect_file(loading.absolute(request.target))
        threads = loading.thread_count(request.threads)
        context = loading.context_length(request.context, gguf)
        draft_file, why_no_draft = self._inspect_draft(request)
        caches.check_cache_type(gguf, request.cache_type, request.flash_attention)
        target = self._target
        heads = find_heads(gguf, request.heads)
        wish = _Wish(key, context, threads, request.gpu_layers, request.cache_type, request.flash_attention, heads)
        if target is not None and _Wish.of(target.model) != wish:
            target = None
        leaving = [
            self._drafting.draft if self._drafting else None,
            self._target.model if self._target and target is None else None,
        ]
        gpu_layers, draft_gpu_layers, on_device = loading.gpu_plan(
            gguf,
            draft_file[1] if draft_file else None,
            context,
            request.gpu_layers,
            held=sum(model.device_bytes for model in leaving if model),
            cache_type=request.cache_type,
            draft_context=request.draft_context,
            draft_asked=request.draft_gpu_layers,
        )

        def report(stage: str) -> Callable[[float], None]:
            def progress(share: float) -> None:
                emit(
                    Progress(
                        id=request.id,
                        stage="load_draft" if stage == "draft" else "load_target",
                        done=round(share * 1000),
                        total=1000,
                    )
                )

            return progress

        if target is None:
            loading.rehearse(gguf, self._inspections, cancel)
            why_no_heads = loading.rehearse_heads(gguf, heads, self._inspections, cancel)
            self._make_room(gguf, context, on_device, request)
            model = loading.open_model(
                key,
                gguf,
                context=context,
                threads=threads,
                gpu_layers=gpu_layers,
                gpu_asked=request.gpu_layers,
                cache_type=request.cache_type,
                flash_attention=request.flash_attention,
                heads=heads,
                why_no_heads=why_no_heads,
                progress=report("target"),
                cancel=cancel,
            )
            self.unload()
            target = self._target = make_target(model)
            self._drafting = Drafting(model)
        drafting = self._drafting
        if drafting is None:
            raise EngineFault("internal", "The target has lost its drafters.")
        if draft_file is None:
            drafting.drop_draft(why_no_draft)
        else:
            self._load_draft(request, target.model, drafting, draft_file, draft_gpu_layers, report("draft"), cancel)
        if self._calibrator is None:
            self._calibrator = Calibrator(target.model, drafting, self._costs)
        else:
            self._calibrator.restart()
        self._pages = HugePages()
        return _loaded(request.id, target, drafting)

    def idle(self, cancel: CancelFlag) -> bool:
        """See `Backend.idle`: measures what passes cost, then moves the weights to large pages."""
        if self._calibrator is not None and self._calibrator.step(cancel):
            return True
        return self._pages is not None and self._pages.move(_MOVED_AT_ONCE)

    def _make_room(self, gguf: GgufFacts, context: int, on_device: int, request: Load) -> None:
        """Free what is loaded, unless main memory holds the next model beside it."""
        how = request.cache_type, request.flash_attention
        if not on_device and loading.fits(gguf, context, *how):
            return
        old = self._target.model if self._target else None
        used = loading.need_bytes(old.gguf, old.context.n_ctx, old.cache_type, old.flash_attention) if old else 0
        loading.check_memory(gguf, context, on_device, used, *how)
        self.unload()

    @staticmethod
    def _inspect_draft(request: Load) -> tuple[tuple[FileKey, GgufFacts] | None, str]:
        """The draft's file, and why there is none."""
        if not request.draft:
            return None, NO_DRAFT
        try:
            return loading.inspect_file(loading.absolute(request.draft)), ""
        except AppError as error:
            if request.draft_required:
                raise
            return None, str(error)

    def _load_draft(
        self,
        request: Load,
        target: Model,
        drafting: Drafting,
        file: tuple[FileKey, GgufFacts],
        gpu_layers: int,
        progress: Callable[[float], None],
        cancel: CancelFlag,
    ) -> None:
        key, gguf = file
        asked = 0 if request.draft_gpu_layers == 0 else request.gpu_layers
        how = request.cache_type, request.flash_attention
        followed = request.draft_context or target.context.n_ctx
        held = drafting.draft
        wish = _Wish(key, followed, target.threads, asked, *how, loading.NO_HEADS)
        if held is not None and _Wish.of(held) == wish:
            return
        try:
            caches.check_cache_type(gguf, *how)
            context = caches.draft_context(request, gguf, target.context.n_ctx)
            loading.rehearse(gguf, self._inspections, cancel)
            if not target.context.can_truncate:
                raise target.cannot_forget()
            if gpu_layers or not loading.fits(gguf, context, *how):
                drafting.drop_draft(NO_DRAFT)
                loading.check_memory(gguf, context, 0, 0, *how)
            draft = loading.open_model(
                key,
                gguf,
                context=context,
                context_asked=followed,
                threads=target.threads,
                gpu_layers=gpu_layers,
                gpu_asked=asked,
                cache_type=request.cache_type,
                flash_attention=request.flash_attention,
                progress=progress,
                cancel=cancel,
            )
            problem = draft_problem(target, draft)
            if problem is not None:
                draft.close()
                raise problem
        except AppError as error:
            if request.draft_required:
                raise
            drafting.drop_draft(str(error))
            return
        drafting.set_draft(draft)

    def unload(self) -> None:
        self._pages = None
        if self._calibrator is not None:
            self._calibrator.save()
            self._calibrator = None
        if self._drafting is not None:
            self._drafting.close()
            self._drafting = None
        if self._target is not None:
            self._target.model.close()
            self._target = None

    def close(self) -> None:
        self.unload()

    # answering

    def generate(self, request: Generate, cancel: CancelFlag) -> Iterator[Event]:
        """See `Backend.generate`.

        Raises:
            UserError: options that make no sense, an explicit drafter that cannot be used, a prompt that does not fit.
            EngineFault: the target failed.
        """
        started = time.perf_counter()
        for options in (request.sampling, request.speculation, request.limits):
            options.check()
        target, drafting = self._target, self._drafting
        if target is None or drafting is None:
            raise UserError("no_model", "No model is loaded.", "Open a model first.")
        target.formatter.watch(cancel)
        name, unavailable = drafting.usable(request.speculation)
        learnt = drafting.learnt(name).apart() if request.isolated else drafting.learnt(name)
        clean = request.isolated or not request.reuse_cache
        policy = make(replace(request.speculation, drafter=name), learnt.costs, learnt.history)
        drafter = drafting.make("off" if unavailable else name, policy)
        prompt = target.prompt(request)
        seed = request.sampling.seed
        seed = secrets.randbelow(MAX_SEED + 1) if seed is None else seed
        sampler = Sampler(request.sampling, seed, prompt)
        target.model.context.watch(cancel)
        # Above temperature 0 `auto` judges proposals by it too.
        judged = request.sampling.temperature > 0 and request.speculation.lookahead == "auto"
        confident = judged or request.speculation.min_confidence > 0
        drafting.prepare(sampler, cancel, confident=confident, clean=clean)
        stop = request.limits.stop
        if target.stops_at_names(request):
            stop = (*stop, PLAIN_STOP)
        task = Task(
            id=request.id,
            prompt=prompt,
            sampling=request.sampling,
            seed=seed,
            limits=request.limits,
            stop=stop,
            reuse_cache=not clean,
            drafter=drafter,
            drafter_name=name,
            policy=policy,
            piece=target.model.weights.piece,
            cancel=cancel,
            template_ms=(time.perf_counter() - started) * 1000,
            unavailable=unavailable,
            tell_margins=request.isolated,
        )
        if target.begins_thinking(request, prompt):
            yield Thinking(id=request.id)
        drafts = drafting.draft is not None and not unavailable and name in ("draft_model", "mixed")
        followed = drafting.draft.context.n_ctx if drafting.draft and drafts else 0
        for event in Answer(target.cached, task, sampler).events():
            yield caches.with_outgrown(event, followed) if isinstance(event, Finished) else event

    def count(self, request: Count, cancel: CancelFlag) -> Counted:
        """See `Backend.count`."""
        if self._target is None:
            raise UserError("no_model", "No model is loaded.", "Open a model first.")
        return self._target.count(request, cancel)


@dataclass(frozen=True, slots=True)
class _Wish:
    """How a file is asked to be loaded. What came of it may differ: "auto" layers depend on the room there is."""

    key: FileKey
    context: int
    threads: int
    gpu_layers: int | Literal["auto"]
    cache_type: CacheType
    flash_attention: FlashAttention
    heads: FoundHeads

    @classmethod
    def of(cls, model: Model) -> "_Wish":
        asked = model.context_asked, model.threads, model.gpu_asked
        return cls(model.key, *asked, model.cache_type, model.flash_attention, model.heads_asked)


def _loaded(request_id: str, target: Target, drafting: Drafting) -> Loaded:
    model, draft = target.model, drafting.draft
    followed = draft.context.n_ctx if draft else 0
    notices = target.notices
    if 0 < followed < model.context.n_ctx:
        notices = (*notices, caches.shorter_draft(followed))
    found = devices()
    return Loaded(
        id=request_id,
        target=model.facts(),
        draft=drafting.draft_facts(),
        context=model.context.n_ctx,
        threads=model.threads,
        devices=tuple(f"{device.name}: {device.description}" for device in found),
        template="plain" if target.plain_template else "model",
        why_not=drafting.why_not(),
        notices=notices,
        target_loaded_at=target.loaded_at,
        costs=drafting.learnt("draft_model" if drafting.draft else "ngram").costs.curve(),
        device_free=sum(device.free for device in found),
        device_total=sum(device.total for device in found),
        cache_type=model.cache_type,
        draft_context=followed,
    )
