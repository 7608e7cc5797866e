"""When passes have to be timed for their own sake, because costs drift while nobody looks."""

_PLAIN_SHARE = 0.004  # of the time, for timing plain passes while drafting wins
_SOONEST, _LATEST = 8, 40  # tokens between two of them
_SAFE_GAIN = 0.35  # from here on drafting would still win if a plain pass became a quarter faster
_MOVED = 1.15  # how far V(1) has to move until the other passes are in doubt


class CostWatch:
    """Lives as long as its policy."""

    def __init__(self) -> None:
        self.doubt = False
        """V(1) has moved, and no longer pass was timed since: the others may have moved too."""
        self._since_plain = 0
        self._moved = 1.0

    def begin(self) -> None:
        """A new answer."""
        self._since_plain = 0

    def plain_is_due(self, gain: float) -> bool:
        """Should the next pass be a plain one? Rarely while drafting gains much, since a plain pass then costs most.

        Args:
            gain: Speed against plain decoding lately, minus 1.
        """
        gap = max(gain / _PLAIN_SHARE, _SOONEST)
        return self._since_plain > (min(gap, _LATEST) if gain < _SAFE_GAIN else gap)

    def plain_passed(self) -> None:
        """A plain pass was made."""
        self._since_plain = 0

    def plain_moved(self, ratio: float) -> None:
        """V(1) is now known to be `ratio` of what it was."""
        self._moved *= ratio
        if not 1.0 / _MOVED < self._moved < _MOVED:
            self.doubt, self._moved = True, 1.0

    def long_passed(self, tokens: int, *, unsettled: bool) -> None:
        """A pass with more rows kept `tokens`; `unsettled` if its time was not the expected one."""
        self._since_plain += tokens
        self.doubt = self.doubt and unsettled
        self._moved = 1.0
