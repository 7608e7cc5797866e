"""Files that are written as a whole or not at all."""

import contextlib
import os
import tempfile
from pathlib import Path


def replace_file(path: Path, content: bytes) -> None:
    """Put `content` in the place of what `path` held, once all of it is on the disk.

    Raises:
        OSError: it cannot be written; a file that was there is as it was, and nothing else is left behind.
    """
    target = Path(os.path.realpath(path))  # a link to a file elsewhere stays a link
    descriptor, name = tempfile.mkstemp(prefix=f".{target.name}.", suffix=".tmp", dir=target.parent)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        Path(name).replace(target)
    except BaseException:
        with contextlib.suppress(OSError):
            Path(name).unlink()
        raise
