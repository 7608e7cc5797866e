"""Exports, and a sentence where they cannot be written."""

from pathlib import Path

from app.core.errors import EnvironmentFault
from app.core.replacing import replace_file


def write_whole(path: Path, text: str) -> None:
    """Write `text` to `path` as UTF-8.

    Raises:
        EnvironmentFault: it cannot be written; a file that was there is as it was.
    """
    try:
        replace_file(path, text.encode("utf-8", "replace"))
    except OSError as error:
        raise EnvironmentFault(
            "not_exported",
            f"{path.name} could not be written ({error.strerror or error}).",
            "Choose another folder.",
            repr(error),
        ) from error
