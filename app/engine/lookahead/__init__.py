"""How many tokens to propose. An explicit registry."""

from app.engine.lookahead.fixed import Fixed
from app.engine.ports import Costs, LookaheadPolicy
from app.protocol.options import SpeculationOptions

__all__ = ["PairHistory", "make"]

AUTO_UNTIL_MEASURED = 3


class PairHistory:
    """What policies have learnt about a loaded pair. Keep one per pair and pass it to every `make`."""


def make(options: SpeculationOptions, costs: Costs, state: PairHistory) -> LookaheadPolicy:
    """The policy these options ask for. It feeds `costs` with every round it observes."""
    if options.drafter == "off":
        return Fixed(0, 0.0, costs)
    lookahead = AUTO_UNTIL_MEASURED if options.lookahead == "auto" else options.lookahead
    return Fixed(lookahead, options.min_confidence, costs)
