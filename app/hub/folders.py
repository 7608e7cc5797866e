"""Where model files lie: our own folder, folders the person adds, and what other apps already downloaded."""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from app.core.gguf.split import part_of
from app.hub.model_file import Source

MAX_DEPTH = 8
MAX_FILES = 50_000


@dataclass(frozen=True, slots=True)
class Folder:
    """A folder with models."""

    path: Path
    source: Source


def found_elsewhere(home: Path | None = None) -> tuple[Folder, ...]:
    """Folders of other apps that exist: the Hugging Face cache and LM Studio's models. They are only ever read."""
    home = home or Path.home()
    candidates = [Folder(_hugging_face_cache(home), "huggingface")]
    candidates += [Folder(path, "lmstudio") for path in _lm_studio(home)]
    return tuple(folder for folder in candidates if _is_folder(folder.path))


def model_files(folder: Path, problems: list[str]) -> Iterator[tuple[Path, ...]]:
    """Every model below `folder`: one path for an ordinary file, the existing parts in order for a split set.

    Links to folders are followed, each real folder once. What cannot be read is said in `problems`, in sentences.
    """
    sets: dict[tuple[Path, str, int], dict[int, Path]] = {}
    for path in _ggufs(folder, problems):
        part = part_of(path.name)
        if part is None:
            yield (path,)
        else:
            stem, number, count = part
            sets.setdefault((path.parent, stem, count), {})[number] = path
    for numbered in sets.values():
        yield tuple(numbered[number] for number in sorted(numbered))


def _ggufs(folder: Path, problems: list[str]) -> Iterator[Path]:
    seen: set[str] = set()
    stack = [(folder, 0)]
    count = 0
    while stack:
        here, depth = stack.pop()
        real = os.path.realpath(here)
        if real in seen:
            continue
        seen.add(real)
        try:
            with os.scandir(here) as entries:
                listing = sorted(entries, key=lambda entry: entry.name)
        except FileNotFoundError:
            continue
        except OSError as error:
            problems.append(f'The folder "{here}" cannot be read: {error.strerror or error}.')
            continue
        for entry in listing:
            if _is_folder_entry(entry):
                if depth < MAX_DEPTH and not _is_rubbish(entry.name):
                    stack.append((Path(entry.path), depth + 1))
            elif entry.name.lower().endswith(".gguf") and not entry.name.startswith("."):
                count += 1
                if count > MAX_FILES:
                    problems.append(f'"{folder}" has more than {MAX_FILES:,} models; the rest is left out.')
                    return
                yield Path(entry.path)


def _is_folder_entry(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:
        return False


def _is_rubbish(name: str) -> bool:
    # Blobs of the Hugging Face cache are linked from its snapshots, under their real names.
    return name in ("blobs", ".locks", "$RECYCLE.BIN", ".Trash", "node_modules", ".git")


def _is_folder(path: Path) -> bool:
    try:
        return path.is_dir()
    except OSError:
        return False


def _hugging_face_cache(home: Path) -> Path:
    direct = os.environ.get("HF_HUB_CACHE") or os.environ.get("HUGGINGFACE_HUB_CACHE")
    if direct:
        return Path(direct).expanduser()
    root = os.environ.get("HF_HOME")
    if root:
        return Path(root).expanduser() / "hub"
    cache = os.environ.get("XDG_CACHE_HOME")
    return (Path(cache) if cache else home / ".cache") / "huggingface" / "hub"


def _lm_studio(home: Path) -> tuple[Path, ...]:
    try:
        pointed = (home / ".lmstudio-home-pointer").read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError):
        pointed = ""
    roots = [Path(pointed)] if pointed else []
    roots += [home / ".lmstudio", home / ".cache" / "lm-studio"]
    return tuple(dict.fromkeys(root / "models" for root in roots))
