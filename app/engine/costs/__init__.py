"""What passes and draft steps cost on this machine."""

from app.engine.costs.calibration import CATCH_UP_ROWS, CalibrationStep, calibration
from app.engine.costs.pair_costs import LONGEST, PairCosts, PassCosts
from app.engine.costs.store import CostStore, cost_key

__all__ = [
    "CATCH_UP_ROWS",
    "LONGEST",
    "CalibrationStep",
    "CostStore",
    "PairCosts",
    "PassCosts",
    "calibration",
    "cost_key",
]
