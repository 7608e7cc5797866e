"""Answers from a model on this machine, with every drafter it allows."""

import secrets
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Literal

from app.core import log
from app.core.errors import AppError, EngineFault, UserError
from app.core.gguf import GgufFacts
from app.core.pairing import mismatch
from app.engine.backends import loading
from app.engine.backends.llamacpp import devices
from app.engine.backends.loading import FileKey, Model
from app.engine.cancel import CancelFlag
from app.engine.drafters.draft_model import DraftModel
from app.engine.drafters.mixed import Mixed
from app.engine.drafters.ngram import Ngram
from app.engine.drafters.off import Off
from app.engine.generation import Answer, Cached, Task
from app.engine.lookahead import PairHistory, make
from app.engine.ports import Drafter, LookaheadPolicy
from app.engine.prompts import PLAIN_STOP, Formatter, PromptBuilder, plain_template
from app.engine.sampling import Sampler
from app.engine.template_guard import GuardedFormatter, guarded
from app.protocol.messages import Event, Generate, Load, Loaded, Notice, Progress
from app.protocol.options import MAX_SEED, DrafterName, SpeculationOptions
from app.protocol.stats import CostCurve

_log = log.get("engine")

_NO_DRAFT = "No draft model is loaded."


class PairCosts:  # INTERIM
    def observe(self, outcome: object) -> None:
        pass

    def pass_s(self, rows: int) -> float:
        return 0.0

    def draft_s(self) -> float:
        return 0.0

    def curve(self) -> CostCurve:
        return CostCurve()


@dataclass(slots=True)
class _Target:
    model: Model
    loaded_at: float
    cached: Cached
    formatter: GuardedFormatter
    builder: PromptBuilder
    plain_template: bool
    notices: tuple[Notice, ...]
    ngram: Ngram = field(default_factory=Ngram)


@dataclass(slots=True)
class _Pair:
    """What is learnt about one target with one draft; gone with them."""

    draft: Model | None = None
    drafter: DraftModel | None = None
    why_no_draft: str = _NO_DRAFT
    costs: PairCosts = field(default_factory=PairCosts)
    history: PairHistory = field(default_factory=PairHistory)


class LocalBackend:
    """A `Backend` on llama.cpp."""

    def __init__(self) -> None:
        self._target: _Target | None = None
        self._pair = _Pair()

    # loading

    def load(self, request: Load, cancel: CancelFlag, emit: Callable[[Event], None]) -> Loaded:
        """See `Backend.load`. A target that is loaded with the same settings is kept, and so is a draft.

        What is loaded goes only when its successor is there, if memory allows.
        """
        key, gguf = loading.inspect_file(loading.absolute(request.target))
        threads = loading.thread_count(request.threads)
        context = loading.context_length(request.context, gguf)
        draft_file, why_no_draft = self._inspect_draft(request)
        target = self._target
        if target is not None and not _same(target.model, key, context, threads, request.gpu_layers):
            target = None
        leaving = [self._pair.draft, self._target.model if self._target and target is None else None]
        gpu_layers, draft_gpu_layers, on_device = loading.gpu_plan(
            gguf,
            draft_file[1] if draft_file else None,
            context,
            request.gpu_layers,
            held=sum(model.device_bytes for model in leaving if model),
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
            self._make_room(gguf, context, on_device)
            model = loading.open_model(
                key,
                gguf,
                context=context,
                threads=threads,
                gpu_layers=gpu_layers,
                gpu_asked=request.gpu_layers,
                progress=report("target"),
                cancel=cancel,
            )
            self.unload()
            target = self._target = _make_target(model)
        if draft_file is None:
            self._drop_draft(why_no_draft)
        else:
            self._load_draft(request, target, draft_file, draft_gpu_layers, report("draft"), cancel)
        return self._loaded(request.id, target)

    def _make_room(self, gguf: GgufFacts, context: int, on_device: int) -> None:
        """Free what is loaded, unless main memory holds the next model beside it."""
        if not on_device and loading.fits(gguf, context):
            return
        old = self._target
        used = loading.need_bytes(old.model.gguf, old.model.context.n_ctx) if old else 0
        loading.check_memory(gguf, context, on_device, used)
        self.unload()

    @staticmethod
    def _inspect_draft(request: Load) -> tuple[tuple[FileKey, GgufFacts] | None, str]:
        """The draft's file, and why there is none."""
        if not request.draft:
            return None, _NO_DRAFT
        try:
            return loading.inspect_file(loading.absolute(request.draft)), ""
        except AppError as error:
            if request.draft_required:
                raise
            return None, str(error)

    def _load_draft(
        self,
        request: Load,
        target: _Target,
        file: tuple[FileKey, GgufFacts],
        gpu_layers: int,
        progress: Callable[[float], None],
        cancel: CancelFlag,
    ) -> None:
        context, threads = target.model.context.n_ctx, target.model.threads
        held = self._pair.draft
        if held is not None and _same(held, file[0], context, threads, request.gpu_layers):
            return
        try:
            if not target.model.weights.can_truncate:
                raise _cannot_forget(target.model)
            if gpu_layers or not loading.fits(file[1], context):
                self._drop_draft(_NO_DRAFT)
                loading.check_memory(file[1], context, 0, 0)
            draft = loading.open_model(
                *file,
                context=context,
                threads=threads,
                gpu_layers=gpu_layers,
                gpu_asked=request.gpu_layers,
                progress=progress,
                cancel=cancel,
            )
            problem = _draft_problem(target.model, draft)
            if problem is not None:
                draft.close()
                raise problem
        except AppError as error:
            if request.draft_required:
                raise
            self._drop_draft(str(error))
            return
        self._drop_draft(_NO_DRAFT)
        self._pair = _Pair(
            draft=draft, drafter=DraftModel(draft.context, target.model.weights.n_vocab), why_no_draft=""
        )

    def _drop_draft(self, reason: str) -> None:
        if self._pair.draft is not None:
            self._pair.draft.close()
        self._pair = _Pair(why_no_draft=reason)

    def _loaded(self, request_id: str, target: _Target) -> Loaded:
        model = target.model
        found = devices()
        return Loaded(
            id=request_id,
            target=model.facts(),
            draft=self._pair.draft.facts() if self._pair.draft else None,
            context=model.context.n_ctx,
            threads=model.threads,
            devices=tuple(f"{device.name}: {device.description}" for device in found),
            template="plain" if target.plain_template else "model",
            why_not=self._why_not(target),
            notices=target.notices,
            target_loaded_at=target.loaded_at,
            costs=self._pair.costs.curve(),
            device_free=sum(device.free for device in found),
            device_total=sum(device.total for device in found),
        )

    def _why_not(self, target: _Target) -> dict[str, str]:
        if not target.model.weights.can_truncate:
            reason = str(_cannot_forget(target.model))
            return dict.fromkeys(("ngram", "draft_model", "mixed", "heads"), reason)
        reasons = {"heads": _why_no_heads(target.model.gguf)}
        if self._pair.why_no_draft:
            reasons["draft_model"] = reasons["mixed"] = self._pair.why_no_draft
        return reasons

    def unload(self) -> None:
        self._drop_draft(_NO_DRAFT)
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
        target = self._target
        if target is None:
            raise UserError("no_model", "No model is loaded.", "Open a model first.")
        target.formatter.watch(cancel)
        name, unavailable = self._usable(request.speculation, target)
        policy = make(replace(request.speculation, drafter=name), self._pair.costs, self._pair.history)
        drafter = self._make_drafter("off" if unavailable else name, target, policy)
        prompt = _prompt(target, request)
        seed = request.sampling.seed
        seed = secrets.randbelow(MAX_SEED + 1) if seed is None else seed
        sampler = Sampler(request.sampling, seed, prompt)
        target.model.context.watch(cancel)
        if self._pair.draft is not None and self._pair.drafter is not None:
            self._pair.draft.context.watch(cancel)
            self._pair.drafter.use(sampler, confident=request.speculation.min_confidence > 0)
            if not request.reuse_cache:
                self._pair.drafter.forget()
        stop = request.limits.stop
        if target.plain_template and request.prompt is None:
            stop = (*stop, PLAIN_STOP)
        task = Task(
            id=request.id,
            prompt=prompt,
            sampling=request.sampling,
            seed=seed,
            limits=request.limits,
            stop=stop,
            reuse_cache=request.reuse_cache,
            drafter=drafter,
            drafter_name=name,
            policy=policy,
            piece=target.model.weights.piece,
            cancel=cancel,
            template_ms=(time.perf_counter() - started) * 1000,
            unavailable=unavailable,
        )
        yield from Answer(target.cached, task, sampler).events()

    def _usable(self, options: SpeculationOptions, target: _Target) -> tuple[DrafterName, str]:
        """The drafter to use, and why it cannot be used after all ("" if it can)."""
        reason = self._why_not(target).get(options.drafter, "")
        if reason and options.explicit:
            label = options.drafter.replace("_", " ")
            raise UserError(
                "drafter_unavailable",
                f"The drafter you chose ({label}) cannot be used: {reason}",
                "Choose another drafter, or switch speculation off.",
            )
        if reason and options.drafter == "mixed" and target.model.weights.can_truncate:
            return "ngram", ""
        return options.drafter, reason

    def _make_drafter(self, name: DrafterName, target: _Target, policy: LookaheadPolicy) -> Drafter:
        model = self._pair.drafter
        if name == "off":
            return Off()
        if name == "ngram":
            return target.ngram
        if model is None:
            raise EngineFault("drafter_missing", f"The drafter {name} is not ready.")
        return Mixed(target.ngram, model, policy.wants) if name == "mixed" else model


def _prompt(target: _Target, request: Generate) -> list[int]:
    return target.builder.conversation(request.turns) if request.prompt is None else target.builder.raw(request.prompt)


def _same(model: Model, key: FileKey, context: int, threads: int, gpu_asked: int | Literal["auto"]) -> bool:
    # What was asked for, not what came of it: "auto" gives another number once the model itself takes room.
    return (
        model.key == key
        and model.context.n_ctx == context
        and model.threads == threads
        and model.gpu_asked == gpu_asked
    )


def _make_target(model: Model) -> _Target:
    weights = model.weights
    notices: list[Notice] = []
    formatter: Formatter = plain_template
    plain = True
    template = weights.template()
    if not template.strip():
        text = "This model has no chat template (a base model?). A plain dialogue is used; answers may ramble."
        notices.append(Notice(code="no_template", text=text))
    else:
        try:
            formatter = guarded(lambda: weights.formatter(template), CancelFlag(), every_line=False)
            plain = False
        except Exception as error:  # noqa: BLE001 (a template is a program from a file; its parser can raise anything)
            _log.info("chat template does not parse: %r", error)
            reason = " ".join(str(error).split())[:200]
            text = f"The model's chat template cannot be read ({reason}). A plain dialogue is used instead."
            notices.append(Notice(code="bad_template", text=text))
    if not weights.can_truncate:
        notices.append(Notice(code="cannot_truncate", text=str(_cannot_forget(model))))
    bounded = GuardedFormatter(formatter)
    return _Target(
        model=model,
        loaded_at=time.time(),
        cached=Cached(model.context),
        formatter=bounded,
        builder=PromptBuilder(weights, bounded, room=model.context.n_ctx),
        plain_template=plain,
        notices=tuple(notices),
    )


def _draft_problem(target: Model, draft: Model) -> UserError | None:
    name = draft.key.path.name
    if not draft.weights.can_truncate:
        return UserError(
            "incompatible_draft",
            f"{name} cannot draft: it is a {draft.gguf.architecture} model, which cannot take back tokens.",
            "Choose another draft model.",
        )
    found = mismatch(target.vocabulary(), draft.vocabulary())
    if found is None:
        return None
    return UserError(
        "incompatible_draft",
        f"{name} cannot draft for {target.key.path.name}: {found.sentence}",
        "Choose a smaller model of the target's own family.",
    )


def _cannot_forget(model: Model) -> UserError:
    return UserError(
        "cannot_truncate",
        f"Speculation is not possible with this model: it is a {model.gguf.architecture} model, which keeps a running "
        "state and cannot take back rejected tokens.",
    )


def _why_no_heads(gguf: GgufFacts) -> str:
    if gguf.nextn:
        return "This file has prediction heads, but this version of Outpace cannot use them yet."
    return "This file has no prediction heads."
