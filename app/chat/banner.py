"""What a banner above the composer says."""

from dataclasses import dataclass
from typing import Literal

BannerAction = Literal["restart", "retry", "retry_plain", "dismiss"]


@dataclass(frozen=True, slots=True)
class Banner:
    """A problem that needs the person's eye. `detail` is for "Copy details" and may be ""."""

    kind: Literal["error", "warning", "info"]
    sentence: str
    hint: str = ""
    detail: str = ""
    actions: tuple[BannerAction, ...] = ("dismiss",)
