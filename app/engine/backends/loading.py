"""Getting a model file ready: header, memory, weights, context."""

import os
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from app.core import machine, paths
from app.core.errors import EnvironmentFault, UserError
from app.core.gguf import (
    GgufFacts,
    chat_model_problem,
    checkpoint_bytes,
    describe,
    heads_bytes,
    heads_problem,
    kv_bytes,
    read_header,
)
from app.core.pairing import Vocabulary
from app.engine.backends.head_files import FoundHeads
from app.engine.backends.llamacpp import BATCH, Context, HeadContext, Weights, devices
from app.engine.cancel import CancelFlag
from app.engine.offload import device_bytes, layers_that_fit
from app.protocol.inspection import ENGINE_DIED
from app.protocol.inspection_store import InspectionStore
from app.protocol.messages import ModelFacts
from app.protocol.options import CacheType, FlashAttention

AUTOMATIC_CONTEXT = 8192
LEAST_CONTEXT = 64
MOST_CONTEXT = 16_777_216
BUFFERS = 200 * 1024 * 1024
"""Compute buffers and the library itself, a coarse allowance, bytes."""
_SCORE = 4  # bytes


NO_HEADS = FoundHeads(problem="Only a target has use for its prediction heads.")


@dataclass(frozen=True, slots=True)
class FileKey:
    """A file as it was; another key means other contents."""

    path: Path
    size: int
    changed: int


@dataclass(slots=True)
class Model:
    """A loaded file with its context."""

    key: FileKey
    gguf: GgufFacts
    weights: Weights
    context: Context
    threads: int
    gpu_asked: int | Literal["auto"]
    context_asked: int
    heads_asked: FoundHeads = field(default_factory=FoundHeads)
    heads: HeadContext | None = None
    head_weights: Weights | None = None
    why_no_heads: str = ""

    def close(self) -> None:
        if self.heads is not None:
            self.heads.close()
        if self.head_weights is not None:
            self.head_weights.close()
        self.context.close()
        self.weights.close()

    def facts(self) -> ModelFacts:
        """For the window."""
        weights = self.weights
        heads = heads_bytes(self.heads_asked.side or self.gguf, self.context.n_ctx) if self.heads else 0
        not_loaded = sum(self.gguf.layer_bytes[self.gguf.layers :])  # the library counts them all the same
        return ModelFacts(
            path=str(self.key.path),
            name=self.gguf.name,
            architecture=self.gguf.architecture,
            parameters=weights.parameters,
            size_bytes=weights.size_bytes,
            quantisation=self.gguf.quantisation,
            context_trained=weights.context_trained,
            vocabulary_type=weights.vocabulary_type,
            vocabulary_size=weights.n_vocab,
            has_template=bool(weights.template()),
            can_truncate=self.context.can_truncate,
            heads=self.gguf.nextn or (self.heads_asked.side.nextn if self.heads_asked.side else 0),
            layers=weights.layers,
            gpu_layers=min(weights.gpu_layers, weights.layers + 1),
            heads_bytes=heads,
            weights_mapped=weights.mapped,
            memory_bytes=weights.size_bytes
            - not_loaded
            + kv_bytes(self.gguf, self.context.n_ctx, self.cache_type, self.cache_type)
            + heads,
        )

    def cannot_forget(self) -> UserError:
        """Why nothing can be drafted for a model whose state cannot go back."""
        return UserError(
            "cannot_truncate",
            f"Speculation is not possible with this model: it is a {self.gguf.architecture} model, which keeps a "
            "running state and cannot take back rejected tokens.",
        )

    @property
    def cache_type(self) -> CacheType:
        return self.context.cache_type

    @property
    def flash_attention(self) -> FlashAttention:
        return self.context.flash_attention

    @property
    def device_bytes(self) -> int:
        """What it takes of an accelerator's memory, about."""
        layers = self.weights.gpu_layers
        return device_bytes(self.gguf, self.context.n_ctx, layers, self.cache_type) if devices() else 0

    def vocabulary(self) -> Vocabulary:
        """For the pairing rule."""
        return vocabulary_of(self.weights)


def vocabulary_of(weights: Weights) -> Vocabulary:
    """What the pairing rule looks at."""
    return Vocabulary(
        type=weights.vocabulary_type,
        size=weights.n_vocab,
        adds_bos=weights.adds_bos,
        adds_eos=weights.adds_eos,
        bos=weights.bos,
        eos=weights.eos,
        texts=lambda start, stop: [weights.token_text(token) for token in range(start, stop)],
    )


def inspect_file(path: Path) -> tuple[FileKey, GgufFacts]:
    """What a file is.

    Raises:
        UserError: it is no model one can chat with; the sentence says why.
    """
    gguf = describe(read_header(path))
    problem = chat_model_problem(gguf)
    if problem is not None:
        raise problem
    state = gguf.path.stat()
    # Any part stands for a split set, but llama.cpp wants the first.
    return FileKey(gguf.path, state.st_size, state.st_mtime_ns), gguf


def rehearse(gguf: GgufFacts, inspections: InspectionStore | None, cancel: CancelFlag) -> None:
    """Let another process load a file that has never been looked at: one that crashes llama.cpp must not do it here.

    Raises:
        UserError: it cannot be loaded.
        CancelledByUser: `cancel` was set.
    """
    if inspections is None or gguf.path in paths.demo_pair():
        return
    found = inspections.known(gguf.parts) or inspections.look([gguf.parts], cancel.is_set).get(gguf.path)
    if found is not None and found.problem is not None:
        raise found.problem


def rehearse_heads(gguf: GgufFacts, heads: FoundHeads, inspections: InspectionStore | None, cancel: CancelFlag) -> str:
    """The same for the prediction heads of a target; returns why they cannot be loaded, "" if nothing is against it.

    Raises:
        CancelledByUser: `cancel` was set.
    """
    if heads.problem or inspections is None or gguf.path in paths.demo_pair():
        return heads.problem
    file = heads.side.path if heads.side is not None else gguf.path
    found = inspections.heads(file, gguf.parts, cancel.is_set)
    if found is None or found.problem is None:
        return ""
    if found.problem.code == ENGINE_DIED:
        return f"The prediction heads in {file.name} are not loaded: they make the engine crash."
    return str(found.problem)


def context_length(asked: int, gguf: GgufFacts) -> int:
    """Tokens of context: as asked, else what the model was trained for, at most `AUTOMATIC_CONTEXT`.

    Raises:
        UserError: the number makes no sense.
    """
    if asked == 0:
        return min(gguf.context_trained or AUTOMATIC_CONTEXT, AUTOMATIC_CONTEXT)
    if not LEAST_CONTEXT <= asked <= MOST_CONTEXT:
        raise UserError(
            "bad_option",
            f"A context of {asked:,} tokens is not possible.",
            f"Choose a number from {LEAST_CONTEXT:,} to {MOST_CONTEXT:,}, or 0 for automatic.",
        )
    return asked


def thread_count(asked: int) -> int:
    """Threads: as asked, else the physical cores.

    Raises:
        UserError: the number makes no sense.
    """
    if asked == 0:
        return machine.physical_cores()
    if not 1 <= asked <= 512:
        raise UserError(
            "bad_option", f"{asked:,} threads are not possible.", "Choose a number from 1 to 512, or 0 for automatic."
        )
    return asked


def need_bytes(
    gguf: GgufFacts, context: int, cache_type: CacheType = "F16", flash_attention: FlashAttention = "auto"
) -> int:
    """Memory a model takes: weights, cache, buffers."""
    cache = kv_bytes(gguf, context, cache_type, cache_type, with_heads=not heads_problem(gguf))
    # Without flash attention every head has a number for each pair of a token at hand and one of the context.
    scores = gguf.heads * BATCH * context * _SCORE if flash_attention == "off" else 0
    return gguf.weight_bytes + cache + checkpoint_bytes(gguf) + BUFFERS + scores


def fits(
    gguf: GgufFacts, context: int, cache_type: CacheType = "F16", flash_attention: FlashAttention = "auto"
) -> bool:
    """Whether main memory holds a model with so many tokens beside all that is there; unknown counts as no."""
    free = machine.memory_available()
    return free is not None and need_bytes(gguf, context, cache_type, flash_attention) <= free


def check_memory(
    gguf: GgufFacts,
    context: int,
    on_device: int,
    already_used: int,
    cache_type: CacheType = "F16",
    flash_attention: FlashAttention = "auto",
) -> None:
    """Refuse what cannot fit into main memory.

    Args:
        gguf: The model.
        context: Tokens.
        on_device: Bytes of it that go to an accelerator.
        already_used: Bytes that will be freed for it.
        cache_type: Of its cache.
        flash_attention: See `need_bytes`.

    Raises:
        EnvironmentFault: with the numbers.
    """
    free = machine.memory_available()
    if free is None:
        return
    need = need_bytes(gguf, context, cache_type, flash_attention) - on_device
    room = free + already_used
    if need > room:
        advice = "Close other programs, or choose a smaller model."
        if kv_bytes(gguf, context, cache_type, cache_type) > need // 2:
            advice = "Choose a shorter context."
        if need_bytes(gguf, context, cache_type) - on_device <= room:
            advice = "Switch flash attention on, or choose a shorter context."
        raise EnvironmentFault(
            "not_enough_memory",
            f"{gguf.path.name} with a context of {context:,} tokens needs about {_gb(need)} of memory; "
            f"{_gb(room)} are free.",
            advice,
        )


def gpu_plan(
    target: GgufFacts,
    draft: GgufFacts | None,
    context: int,
    asked: int | Literal["auto"],
    held: int = 0,
    *,
    cache_type: CacheType = "F16",
    draft_context: int = 0,
    draft_asked: int | Literal["auto"] = "auto",
) -> tuple[int, int, int]:
    """Layers of the target and of the draft on the accelerator, and the target's bytes there.

    `auto` puts the draft there first, since every draft step waits for it, then as much of the target as fits.
    `held`: bytes there of models that go away for these. `draft_context`: tokens the draft follows, 0 for `context`.

    Raises:
        UserError: a negative number.
    """
    for number in (asked, draft_asked):
        if number != "auto" and number < 0:
            raise UserError("bad_option", f"{number} GPU layers are not possible.", "Choose 0 or more, or automatic.")
    found = devices()
    free = sum(device.free for device in found) + held
    if not found or asked == 0:
        return 0, 0, 0
    draft_layers = 0
    if draft and draft_asked != 0:
        followed = draft_context or context
        draft_layers = layers_that_fit(draft, followed, free, cache_type)
        draft_layers = draft_layers if draft_asked == "auto" else min(draft_layers, draft_asked)
        free -= device_bytes(draft, followed, draft_layers, cache_type)
    layers = layers_that_fit(target, context, free, cache_type) if asked == "auto" else asked
    return layers, draft_layers, device_bytes(target, context, layers, cache_type)


def open_model(
    key: FileKey,
    gguf: GgufFacts,
    *,
    context: int,
    context_asked: int = 0,
    threads: int,
    gpu_layers: int,
    gpu_asked: int | Literal["auto"],
    cache_type: CacheType = "F16",
    flash_attention: FlashAttention = "auto",
    heads: FoundHeads = NO_HEADS,
    why_no_heads: str = "",
    progress: Callable[[float], None],
    cancel: CancelFlag,
) -> Model:
    """Read the weights and make the context.

    `gpu_asked`: what the person asked for, of which `gpu_layers` came; the same for `context_asked` (0 for what came).
    `heads`: those to load with it; where that fails, or `why_no_heads` says so, the model is loaded without.

    Raises:
        CancelledByUser, UserError, EnvironmentFault: nothing stays allocated.
    """
    problem = heads.problem or why_no_heads
    own_heads = not problem and heads.side is None
    try:
        weights = Weights(key.path, gpu_layers, progress, cancel, heads=own_heads)
    except UserError as error:
        if not own_heads:
            raise
        # Perhaps it is only the heads: then the target can still answer.
        weights = Weights(key.path, gpu_layers, progress, cancel)
        problem = f"The prediction heads of this file cannot be loaded. {error.sentence}"
    try:
        made = Context(weights, context, threads, cache_type, flash_attention)
        model = Model(key, gguf, weights, made, threads, gpu_asked, context_asked or context, heads)
    except BaseException:
        weights.close()
        raise
    if not problem:
        try:
            _add_heads(model, gpu_layers, cancel)
        except (UserError, EnvironmentFault) as error:
            problem = str(error)
        except BaseException:
            model.close()
            raise
    model.why_no_heads = problem
    return model


def _add_heads(model: Model, gpu_layers: int, cancel: CancelFlag) -> None:
    side = model.heads_asked.side
    if side is not None:
        need = heads_bytes(side, model.context.n_ctx) + side.input_bytes + side.output_bytes
        free = machine.memory_available()
        if gpu_layers <= 0 and free is not None and need > free:
            raise EnvironmentFault(
                "not_enough_memory",
                f"The prediction heads in {side.path.name} need about {_gb(need)} of memory; {_gb(free)} are free.",
            )
        layers = side.nextn + 1 if gpu_layers > 0 else 0
        model.head_weights = Weights(side.path, layers, lambda _share: None, cancel, heads=True)
    try:
        model.heads = HeadContext(model.context, model.threads, model.head_weights)
    except EnvironmentFault:
        if model.head_weights is not None:
            model.head_weights.close()
            model.head_weights = None
        raise


def absolute(path: str) -> Path:
    """The path of a request, `~` understood.

    Raises:
        UserError: it is empty or cannot be a path.
    """
    if not path or "\0" in path:
        raise UserError("missing_file", "No model file was named.", "Choose a GGUF file.")
    return Path(os.path.abspath(paths.typed(path)))  # noqa: PTH100 (resolve() would follow links of a cache)


def _gb(size: int) -> str:
    return f"{size / 1e9:,.1f} GB"
