"""`--fit`: load a pair the way the memory plan says, each thing that is given up said on stderr."""

import sys
from dataclasses import replace

from app.core import machine, paths
from app.core.gguf import describe, read_header
from app.hub.memory_plan import Budget, make_plan
from app.protocol.messages import Load
from app.protocol.options import HEADS_OFF


def free_device_memory() -> int:
    """Free bytes on the accelerators."""
    from app.engine.backends.llamacpp import devices  # the native library is only loaded where it is asked

    return sum(device.free for device in devices())


def fitted(request: Load, free_vram: int) -> Load:
    """The request with what has to be given up.

    Args:
        request: What was asked for; of its layers a number is a wish.
        free_vram: Free bytes on the accelerators.

    Raises:
        UserError: a file cannot be read.
        EnvironmentFault: nothing helps.
    """
    from app.engine.backends.head_files import find_heads  # as above
    from app.engine.backends.loading import context_length

    target = describe(read_header(paths.typed(request.target)))
    draft = describe(read_header(paths.typed(request.draft))) if request.draft else None
    heads = find_heads(target, request.heads)
    free = machine.memory_available()
    plan = make_plan(
        target,
        draft,
        context_length(request.context, target),
        Budget(1 << 60 if free is None else free, free_vram),
        gpu_layers=None if request.gpu_layers == "auto" else request.gpu_layers,
        kv_type=request.cache_type,
        side=heads.side,
        with_heads=not heads.problem,
    )
    if plan.problem is not None:
        raise plan.problem
    taken, placement = {step.code for step in plan.steps}, plan.placement
    for step in plan.steps:
        sys.stderr.write(step.sentence + "\n")
    flash_attention = request.flash_attention
    if placement.kv_type != "F16" and flash_attention == "off":
        flash_attention = "auto"
        sys.stderr.write("Flash attention stays on: smaller caches need it.\n")
    with_draft = bool(request.draft) and placement.with_draft
    return replace(
        request,
        heads=HEADS_OFF if "heads_off" in taken else request.heads,
        draft=request.draft if with_draft else "",
        draft_required=with_draft,
        flash_attention=flash_attention,
        cache_type=placement.kv_type,
        draft_context=placement.draft_context if "draft_context" in taken else request.draft_context,
        draft_gpu_layers=0 if "draft_on_cpu" in taken else request.draft_gpu_layers,
        gpu_layers=placement.gpu_layers if "fewer_layers" in taken else request.gpu_layers,
    )
