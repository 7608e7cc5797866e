"""Adding models from disk to the models folder, and removing models."""

import contextlib
import errno
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Literal

from app.core.errors import UserError
from app.core.gguf import read_header
from app.hub.control import Control
from app.hub.disk import RESERVE
from app.hub.faults import explain_disk
from app.hub.model_file import ModelFile
from app.hub.part_file import check_room_for, part_path

_BLOCK = 4 << 20

Report = Callable[[int, int], None]


def add(
    path: Path,
    models: Path,
    how: Literal["link", "copy"],
    control: Control,
    report: Report = lambda done, total: None,
    *,
    reserve: int = RESERVE,
) -> Path:
    """Make the model at `path` (with all parts of a split set) one of the models folder.

    Args:
        path: A GGUF file, any part of a set.
        models: The models folder.
        how: "link" costs no room and depends on the original; "copy" does neither.
        control: Stops a copy.
        report: Told bytes done and bytes in all.
        reserve: Bytes to leave free on the disk.

    Returns:
        The new place of the first part.

    Raises:
        UserError: it is no model, or another one of this name is there.
        EnvironmentFault: the disk.
        Stopped: `control` said so; nothing is left of the copy.
    """
    header = read_header(path)
    places = [models / part.name for part in header.parts]
    for part, place in zip(header.parts, places, strict=True):
        if place.exists() and place.samefile(part):
            continue
        if os.path.lexists(place):
            raise UserError(
                "already_there",
                f'There is already a file "{place.name}" in the models folder.',
                "Rename one of the two.",
            )
    try:
        models.mkdir(parents=True, exist_ok=True)
        if how == "copy":
            _copy_all(header.parts, places, header.size_bytes, control, report, reserve)
        else:
            for part, place in zip(header.parts, places, strict=True):
                if not place.exists():
                    _link(part.absolute(), place)
            report(header.size_bytes, header.size_bytes)
    except OSError as error:
        raise explain_disk(error, str(models)) from error
    return places[0]


def remove(model: ModelFile, models: Path) -> int:
    """Delete a model and what a download left of it; links are removed, not what they point to.

    Returns:
        Bytes that are free now.

    Raises:
        UserError: it is not ours to delete.
        EnvironmentFault: it cannot be deleted.
    """
    if model.source in ("builtin", "huggingface", "lmstudio"):
        owner = {"builtin": "belongs to Outpace itself", "huggingface": "is in the cache of Hugging Face"}
        where = owner.get(model.source, "belongs to LM Studio")
        raise UserError("not_ours", f'"{model.name}" {where} and is left alone.', "Delete it there, if at all.")
    freed = 0
    try:
        for part in model.parts:
            if not part.is_symlink():
                freed += part.stat().st_size
            part.unlink()
    except FileNotFoundError as error:
        raise UserError("model_missing", f'"{model.name}" is already gone.', "", str(error)) from error
    except OSError as error:
        raise explain_disk(error, str(model.path)) from error
    _remove_empty(model.path.parent, models)
    return freed


def _copy_all(
    parts: tuple[Path, ...], places: list[Path], total: int, control: Control, report: Report, reserve: int
) -> None:
    check_room_for(places[0].parent, total, reserve)
    done = 0
    made: list[Path] = []
    try:
        for part, place in zip(parts, places, strict=True):
            if place.exists():
                done += part.stat().st_size
                continue
            temporary = part_path(place)
            made.append(temporary)
            with part.open("rb", buffering=0) as source, temporary.open("wb", buffering=0) as target:
                while block := source.read(_BLOCK):
                    control.check()
                    target.write(block)
                    done += len(block)
                    report(done, total)
                os.fsync(target.fileno())
            shutil.copystat(part, temporary)
            temporary.replace(place)
            made[-1] = place
    except BaseException:
        for path in made:
            with contextlib.suppress(OSError):
                path.unlink()
        raise


def _link(original: Path, place: Path) -> None:
    try:
        place.symlink_to(original)
    except OSError as error:
        # Windows lets only some people make links of this kind; the other kind needs the same disk.
        if error.errno not in (errno.EPERM, errno.EACCES, errno.EINVAL) and getattr(error, "winerror", 0) != 1314:
            raise
        place.hardlink_to(original)


def _remove_empty(folder: Path, root: Path) -> None:
    while folder != root and root in folder.parents:
        try:
            folder.rmdir()
        except OSError:
            return
        folder = folder.parent
