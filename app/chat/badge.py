"""The words of the speculation badge."""

from dataclasses import dataclass

from app.protocol.stats import BadgeState


@dataclass(frozen=True, slots=True)
class BadgeView:
    """What the badge shows.

    `headline` is set in bold ("61 tok/s", "Speculation off"); `parts` follow with separators ("72 % accepted",
    "2.1x measured"); `tooltip` is plain text, lines separated by a line feed.
    """

    state: BadgeState
    headline: str
    parts: tuple[str, ...] = ()
    tooltip: str = ""
