"""Where downloaded files go, and whether there is room for them."""

import os
import shutil
from pathlib import Path, PurePosixPath

from app.core.errors import UserError

RESERVE = 64 << 20
"""Bytes always left free: settings and chats must still find room."""
_FORBIDDEN = frozenset('<>:"|?*\\') | {chr(code) for code in range(32)}
_DEVICES = frozenset({"con", "prn", "aux", "nul", *(f"{n}{i}" for n in ("com", "lpt") for i in range(1, 10))})


def place(root: Path, repo: str, name: str) -> Path:
    """Where a file of a repository is kept: `root/owner/model/name`.

    Raises:
        UserError: a name that would lead out of `root`, or that some system cannot store. Names come from the network.
    """
    parts = [*PurePosixPath(repo).parts, *PurePosixPath(name).parts]
    bad = not name or repo.count("/") > 1 or "//" in name or name.startswith("/") or name.endswith("/")
    for part in parts:
        bad = bad or bool(_FORBIDDEN & set(part)) or part[-1] in " ."  # which "." and ".." end in
        bad = bad or part.split(".")[0].lower() in _DEVICES or len(os.fsencode(part)) > 240
    if bad or not parts:
        raise UserError(
            "bad_file_name", f'"{name[:80]}" in "{repo[:80]}" is no name for a file.', "Choose another file."
        )
    return root.joinpath(*parts)


def is_writable(folder: Path) -> bool:
    """Whether something can be put into a folder, or the folder can be made."""
    for candidate in (folder, *folder.parents):
        try:
            if candidate.exists():
                return candidate.is_dir() and os.access(candidate, os.W_OK | os.X_OK)
        except OSError:
            return False
    return False


def free_bytes(folder: Path) -> int | None:
    """Room on the disk of `folder`, or of its nearest existing parent; None if unknown."""
    for candidate in (folder, *folder.parents):
        try:
            return shutil.disk_usage(candidate).free
        except FileNotFoundError:
            continue
        except OSError:
            return None
    return None
