"""Long texts in parts."""

from collections.abc import Iterator

CHUNK = 4096
"""Characters read at once, so that a long text does not hold up the window."""


def chunks(text: str, start: int = 0) -> Iterator[int]:
    """Lengths at which to feed a long text, the last one being all of it; cuts at line ends where it can."""
    at = start
    while len(text) - at > CHUNK:
        line_end = text.find("\n", at + CHUNK, at + 2 * CHUNK)
        at = line_end + 1 if line_end >= 0 else at + CHUNK
        if at < len(text):
            yield at
    yield len(text)
