"""Why nothing is drafted, in words with numbers."""

from app.engine.ports import Costs


def plain_is_faster(costs: Costs, chance: float) -> str:
    """No length of draft pays. `chance`: of a proposal to be kept, 0 to 1."""
    plain, step = costs.pass_s(1) * 1000, costs.draft_s() * 1000
    checking = f"checking one more {costs.pass_s(2) * 1000 - plain:.1f} ms"
    drafting = f" and drafting it {step:.1f} ms" if step > 0 else ""
    return (
        f"Plain decoding is faster here: a token takes {plain:.1f} ms, {checking}{drafting}, "
        f"but only about {chance:.0%} of the proposals would be kept."
    )


def lost_too_much(lost_s: float) -> str:
    """The ledger forbids it. `lost_s`: seconds lost in this answer."""
    return f"Drafting has cost {lost_s * 1000:.0f} ms more than it saved in this answer, so it waits."
