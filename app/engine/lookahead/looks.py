"""Looks at the draft while paused: rarer the longer they show nothing new, and within a budget of their own."""

_CREDIT = 0.15
_SHARE = 0.003
_LONGEST_GAP = 64


class Looks:
    """Those of one answer. Times in plain passes."""

    def __init__(self) -> None:
        self._gap = 1
        self._waited = 1
        self._credit = _CREDIT

    def due(self, cost: float) -> bool:
        """A paused round: should it have a look, for `cost`? If so, it is paid for."""
        self._waited += 1
        self._credit += _SHARE
        if self._waited < self._gap or self._credit < cost:
            return False
        self._credit -= cost
        self._waited = 0
        self._gap = min(self._gap * 2, _LONGEST_GAP)
        return True

    def encourage(self) -> None:
        """Drafting has just paid."""
        self._gap = 1
