"""Pretended machines on which a pair needs just one rung of the memory ladder."""

from app.core.gguf import GgufFacts
from app.hub.memory_plan import Budget, Plan, make_plan

RUNGS = ("draft_context", "draft_on_cpu", "quantised_cache", "fewer_layers", "draft_off")
_STEP = 250_000


def plan_with(rung: str, target: GgufFacts, draft: GgufFacts, context: int) -> Plan:
    """A plan with this rung and as few others as possible, for small models; its budget says for which machine."""
    wanted = make_plan(target, draft, context, Budget(1 << 40, 1 << 40)).total
    alone = make_plan(target, draft, context, Budget(1 << 40)).total
    best: Plan | None = None
    for share in range(1, 600):
        on_gpu = Budget(1 << 40, wanted.vram - share * _STEP)
        without = Budget(alone.ram - share * _STEP)
        for budget in (without, on_gpu):
            if min(budget.ram, budget.vram + 1) <= 0:
                continue
            plan = make_plan(target, draft, context, budget)
            if plan.problem is None and rung in [step.code for step in plan.steps]:
                best = plan if best is None or len(plan.steps) < len(best.steps) else best
    assert best is not None, f"no machine needs {rung}"
    return best
