"""From a finished run to its result."""

import time
import uuid
from dataclasses import replace

from app.comparison.result import Comparison, side
from app.comparison.run import Plan, Run, proof_rows


def result(run: Run, target: str, draft: str) -> Comparison:
    """What `run` found, which is over and was not cancelled. `target`, `draft`: absolute paths, "" for no draft."""
    plan, plain = run.plan, run.replies[0]
    return Comparison(
        id=uuid.uuid4().hex,
        created=time.time(),
        target=target,
        draft=draft,
        plan=plan,
        sides=tuple(side(arm, got, plain) for arm, got in zip(plan.arms, run.replies, strict=True)),
    )


def proof_of(plan: Plan, repeats: int = 1) -> Plan:
    """The same `repeats` times, with every pass padded to one shape, so that rounding cannot tip a near tie."""
    limits = replace(plan.limits, fixed_shape=proof_rows(plan.arms))
    return replace(plan, limits=limits, repeats=repeats)


def with_proof(comparison: Comparison, proof: Run) -> Comparison:
    """A copy that knows how its proof ended."""
    plain = proof.replies[0]
    sides = [side(arm, got, plain) for arm, got in zip(proof.plan.arms, proof.replies, strict=True)]
    return replace(comparison, proof=tuple(-1 if found.parts_at is None else found.parts_at for found in sides[1:]))
