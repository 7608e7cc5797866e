"""Split sets: NAME-00001-of-00003.gguf and its brothers."""

import re
from pathlib import Path

_PART = re.compile(r"(?P<stem>.+)-(?P<number>\d{5})-of-(?P<count>\d{5})(?P<suffix>\.gguf)", re.IGNORECASE | re.DOTALL)


def part_of(name: str) -> tuple[str, int, int] | None:
    """(common stem, number from 1, count) of a part's file name, or None for any other name."""
    match = _PART.fullmatch(name)
    if match is None:
        return None
    number, count = int(match["number"]), int(match["count"])
    return (match["stem"], number, count) if 1 <= number <= count else None


def sibling(path: Path, number: int) -> Path:
    """Where part `number` (from 1) of the same set lies; `path` is any part."""
    match = _PART.fullmatch(path.name)
    if match is None:
        raise ValueError(f"{path.name} is not a part of a split set")
    return path.with_name(f"{match['stem']}-{number:05d}-of-{match['count']}{match['suffix']}")
