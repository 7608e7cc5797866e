"""The list of models on this machine, with facts that are kept as long as the files do not change."""

import json
import os
import tempfile
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

from app.core import log
from app.core.errors import CancelledByUser, UserError
from app.core.gguf import GgufFacts, chat_model_problem, describe, read_header
from app.core.gguf.problems import DRAFTER_ONLY
from app.core.pairing import Vocabulary, VocabularyFacts, facts_of
from app.core.plain import PlainError, from_plain, hints, to_plain
from app.hub.attachments import attachments
from app.hub.folders import Folder, model_files
from app.hub.model_file import ModelFile, Role, Source
from app.hub.vocabulary import read_vocabulary

CACHE_VERSION = 2
_BROKEN_CODES = frozenset({"vocabulary_only", "no_architecture", "blocks_missing"})
_log = log.get("library")

Stamp = tuple[tuple[str, int, int], ...]
Report = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class Library:
    """What a scan found. `problems`: sentences about folders that could not be read."""

    models: tuple[ModelFile, ...]
    problems: tuple[str, ...]

    @property
    def chat_models(self) -> tuple[ModelFile, ...]:
        return tuple(model for model in self.models if model.role == "chat")

    def find(self, path: Path) -> ModelFile | None:
        """The model that `path` is, or is a part of."""
        return next((model for model in self.models if path == model.path or path in model.parts), None)

    def attachments_of(self, target: ModelFile) -> tuple[ModelFile, ...]:
        """Drafter files that belong to `target`, the surest first."""
        return attachments(target, self.models)


class Scanner:
    """Lists folders and remembers what it learnt about each file.

    Args:
        cache: A file for that; None to remember nothing. One that cannot be read or written is a loss of time only.
    """

    def __init__(self, cache: Path | None) -> None:
        self._cache_file = cache
        self._known: dict[str, Any] | None = None

    def scan(
        self,
        folders: Iterable[Folder],
        report: Report = lambda done, total: None,
        cancelled: Callable[[], bool] = lambda: False,
    ) -> Library:
        """Every model in `folders`; a file reachable by two ways is listed once, under the first.

        Raises:
            CancelledByUser: `cancelled` said so.
        """
        problems: list[str] = []
        found: dict[str, tuple[tuple[Path, ...], Source]] = {}
        for folder in folders:
            for parts in model_files(folder.path, problems):
                found.setdefault(os.path.realpath(parts[0]), (parts, folder.source))
        known = self._load() if self._known is None else self._known
        fresh: dict[str, Any] = {}
        models: list[ModelFile] = []
        for done, (parts, source) in enumerate(found.values()):
            if cancelled():
                raise CancelledByUser
            report(done, len(found))
            models.append(self._model(parts, source, known, fresh))
        report(len(found), len(found))
        if fresh != known:
            self._store(fresh)
        self._known = fresh
        models.sort(key=lambda model: (model.name.lower(), str(model.path)))
        return Library(tuple(models), tuple(problems))

    def _model(
        self, parts: tuple[Path, ...], source: Source, known: dict[str, Any], fresh: dict[str, Any]
    ) -> ModelFile:
        try:
            stamp = _stamp(parts)
        except OSError as error:
            gone = UserError("model_missing", f'"{parts[0].name}" cannot be read: {error.strerror or error}.')
            return ModelFile(path=parts[0], parts=parts, size_bytes=0, source=source, role="broken", problem=gone)
        key = str(parts[0])
        entry = known.get(key)
        model = _remembered(entry, parts, stamp, source)
        if model is None:
            model = inspect(parts[0], source, parts)
            entry = _to_remember(model, stamp)
        fresh[key] = entry
        return model

    def _load(self) -> dict[str, Any]:
        if self._cache_file is None:
            return {}
        try:
            body = json.loads(self._cache_file.read_bytes())
        except FileNotFoundError:
            return {}
        except (OSError, ValueError, RecursionError) as error:
            _log.info("the cache of model facts is not used: %s", error)
            return {}
        if not isinstance(body, dict) or body.get("version") != CACHE_VERSION:
            return {}
        models = body.get("models")
        return models if isinstance(models, dict) else {}

    def _store(self, known: dict[str, Any]) -> None:
        if self._cache_file is None:
            return
        text = json.dumps({"version": CACHE_VERSION, "models": known}, separators=(",", ":"))
        try:
            self._cache_file.parent.mkdir(parents=True, exist_ok=True)
            descriptor, name = tempfile.mkstemp(dir=self._cache_file.parent, prefix=".library.", suffix=".tmp")
            try:
                with os.fdopen(descriptor, "w", encoding="ascii") as file:
                    file.write(text)
                Path(name).replace(self._cache_file)
            except OSError:
                with suppress(OSError):
                    Path(name).unlink()
                raise
        except OSError as error:
            _log.info("the facts about models are not kept: %s", error)


def inspect(path: Path, source: Source = "added", parts: tuple[Path, ...] = ()) -> ModelFile:
    """What one file, or the split set it belongs to, is. Never raises for a bad file: that is in `problem`."""
    try:
        header = read_header(path)
        facts = describe(header)
        problem = chat_model_problem(facts)
        vocabulary = None if problem else facts_of(read_vocabulary(header))
    except UserError as error:
        there = parts or (path,)
        return ModelFile(path=path, parts=there, size_bytes=_size(there), source=source, role="broken", problem=error)
    return ModelFile(
        path=facts.path,
        parts=facts.parts,
        size_bytes=facts.size_bytes,
        source=source,
        role=_role(problem),
        facts=facts,
        vocabulary=vocabulary,
        problem=problem,
    )


def vocabulary_of(model: ModelFile) -> Vocabulary:
    """The whole vocabulary of a model of the role "chat"; all but its texts as llama.cpp sees it, if it has looked.

    Raises:
        UserError: the file is gone or changed.
    """
    found = read_vocabulary(read_header(model.path))
    if model.vocabulary is None:
        return found
    known = model.vocabulary
    return replace(
        found, type=known.type, adds_bos=known.adds_bos, bos=known.bos, adds_eos=known.adds_eos, eos=known.eos
    )


def _role(problem: UserError | None) -> Role:
    if problem is None:
        return "chat"
    if problem.code == DRAFTER_ONLY:
        return "drafter"
    return "broken" if problem.code in _BROKEN_CODES else "other"


def _size(parts: tuple[Path, ...]) -> int:
    total = 0
    for part in parts:
        with suppress(OSError):
            total += part.stat().st_size
    return total


def _stamp(parts: tuple[Path, ...]) -> Stamp:
    states = [(str(part), part.stat()) for part in parts]
    return tuple((name, state.st_size, state.st_mtime_ns) for name, state in states)


def _to_remember(model: ModelFile, stamp: Stamp) -> dict[str, Any] | None:
    # A broken file costs little to look at again, and may be mended without a new date (a missing part that is back).
    if model.facts is None or (model.problem and model.role == "broken"):
        return None
    names = [field.name for field in fields(GgufFacts) if field.name not in ("path", "parts")]
    return {
        "stamp": to_plain(stamp),
        "facts": {name: to_plain(getattr(model.facts, name)) for name in names},
        "vocabulary": to_plain(model.vocabulary) if model.vocabulary else None,
    }


def _remembered(entry: Any, parts: tuple[Path, ...], stamp: Stamp, source: Source) -> ModelFile | None:
    if not isinstance(entry, dict) or entry.get("stamp") != to_plain(stamp):
        return None
    try:
        body = entry["facts"]
        values = {name: from_plain(hint, body[name], name) for name, hint in hints(GgufFacts).items() if name in body}
        facts = GgufFacts(path=parts[0], parts=parts, **values)
        vocabulary = from_plain(VocabularyFacts | None, entry["vocabulary"], "vocabulary")
    except (PlainError, KeyError, TypeError):
        return None
    problem = chat_model_problem(facts)
    if problem is None and vocabulary is None:
        return None
    return ModelFile(
        path=parts[0],
        parts=parts,
        size_bytes=facts.size_bytes,
        source=source,
        role=_role(problem),
        facts=facts,
        vocabulary=vocabulary,
        problem=problem,
    )
