"""Files that are written as a whole or not at all."""

import contextlib
import os
import tempfile
from pathlib import Path

from app.core.errors import EnvironmentFault


def write_whole(path: Path, text: str) -> None:
    """Write `text` to `path` as UTF-8.

    Raises:
        EnvironmentFault: it cannot be written; a file that was there is as it was.
    """
    try:
        descriptor, name = tempfile.mkstemp(prefix=f".{path.name}.", suffix=".tmp", dir=path.parent)
        try:
            with os.fdopen(descriptor, "wb") as file:
                file.write(text.encode("utf-8", "replace"))
            Path(name).replace(path)
        except BaseException:
            with contextlib.suppress(OSError):
                Path(name).unlink()
            raise
    except OSError as error:
        raise EnvironmentFault(
            "not_exported",
            f"{path.name} could not be written ({error.strerror or error}).",
            "Choose another folder.",
            repr(error),
        ) from error
