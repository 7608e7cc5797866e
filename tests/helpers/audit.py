"""Who reads which files: Python says of every file that is opened and every folder that is listed."""

import os
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_EVENTS = ("open", "os.scandir", "os.listdir")
# A hook cannot be taken away again: there is one, and it does nothing while nobody watches.
_watched: list[tuple[int, str, list[str]]] = []
_installed = False


@contextmanager
def opened_here(folder: Path) -> Iterator[list[str]]:
    """The paths in `folder` (and `folder`) that this thread opens or lists meanwhile, in order."""
    global _installed
    if not _installed:
        sys.addaudithook(_heard)
        _installed = True
    watch = (threading.get_ident(), str(folder), list[str]())
    _watched.append(watch)
    try:
        yield watch[2]
    finally:
        _watched.remove(watch)


def _heard(event: str, arguments: tuple[object, ...]) -> None:
    if not _watched or event not in _EVENTS or not isinstance(arguments[0], str | bytes | os.PathLike):
        return
    path = os.fsdecode(arguments[0])
    for thread, folder, found in _watched:
        if thread == threading.get_ident() and (path == folder or path.startswith(folder + os.sep)):
            found.append(path)
