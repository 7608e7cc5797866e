"""How many tokens to propose. An explicit registry."""

from app.engine.lookahead.auto import Auto
from app.engine.lookahead.fixed import Fixed
from app.engine.lookahead.history import PairHistory
from app.engine.ports import Costs, LookaheadPolicy
from app.protocol.options import SpeculationOptions

__all__ = ["PairHistory", "make"]


def make(options: SpeculationOptions, costs: Costs, history: PairHistory) -> LookaheadPolicy:
    """The policy these options ask for. It feeds `costs` and `history` with every round it observes."""
    if options.drafter == "off":
        return Fixed(0, 0.0, costs)
    if options.lookahead == "auto":
        return Auto(options.drafter, options.min_confidence, costs, history)
    return Fixed(options.lookahead, options.min_confidence, costs)
