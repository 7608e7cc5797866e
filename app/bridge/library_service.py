"""The models on this computer: listed, judged, planned for, deleted. All of it on another thread."""

import time
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from PySide6.QtCore import QObject, Signal

from app.bridge.background import Background, Task
from app.core.errors import AppError, CancelledByUser
from app.core.pairing import Vocabulary
from app.hub.confirming import apply_known, confirm, unconfirmed
from app.hub.folders import Folder, found_elsewhere
from app.hub.library import Library, Scanner, vocabulary_of
from app.hub.model_file import ModelFile
from app.hub.pairing import Verdict, judge_all
from app.protocol.inspection_store import InspectionStore

T = TypeVar("T")
_REPORT_S = 0.05
_VOCABULARIES = 4
"""Kept at once; the largest take some ten megabytes each."""


@dataclass(frozen=True, slots=True)
class Found:
    """What is on the disk. `elsewhere`: folders of other apps that exist, listed or not."""

    library: Library
    elsewhere: tuple[Folder, ...]


class LibraryService(QObject):
    """Asks the disk, never in the window's thread.

    Signals:
        changed: A `Found`, after every scan.
        progress: (done, total) models of a scan that takes a while; 0, 0 when it is over.
    """

    changed = Signal(object)
    progress = Signal(int, int)

    def __init__(
        self, scanner: Scanner, inspections: InspectionStore, background: Background, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._scanner = scanner
        self._inspections = inspections
        self._background = background
        # Of its own: looking at a file takes a second, and nobody has to wait for it.
        self._inspecting = Background("inspecting models", self)
        self._vocabularies = _Vocabularies()
        self.library = Library((), ())
        self.scanned = False

    def scan(self, models: Path, added: Sequence[str], builtin: Path) -> None:
        """List everything anew.

        Args:
            models: The folder downloads go to.
            added: Further folders.
            builtin: The folder of the demo pair.
        """

        def work(task: Task) -> Found:
            elsewhere = found_elsewhere()
            sources = {folder.path: folder.source for folder in elsewhere}
            folders = [Folder(models, "models")]
            folders += [Folder(Path(path), sources.get(Path(path), "added")) for path in added]
            folders.append(Folder(builtin, "builtin"))
            told = time.monotonic()

            def report(done: int, total: int) -> None:
                nonlocal told
                if time.monotonic() - told >= _REPORT_S:
                    told = time.monotonic()
                    self.progress.emit(done, total)

            found = self._scanner.scan(folders, report, lambda: task.cancelled)
            return Found(apply_known(found, self._inspections), elsewhere)

        self._inspecting.cancel("inspect")
        self._background.run(work, self._take, key="scan")

    @property
    def inspecting(self) -> bool:
        """Is llama.cpp looking at files?"""
        return self._inspecting.busy

    def shut_down(self) -> None:
        """Look at nothing more; for the end of the application."""
        self._inspecting.shut_down()

    def judge(
        self,
        target: ModelFile,
        gains: Mapping[Path, float],
        then: Callable[[tuple[Verdict, ...]], object],
        failed: Callable[[AppError], object],
    ) -> None:
        """A verdict for every other model as a draft for `target`; a later call replaces one that is not answered."""
        library = self.library

        def work(task: Task) -> tuple[Verdict, ...]:
            return judge_all(target, library.models, self._vocabularies.reader(task), gains)

        self._background.run(work, then, failed, key="judge")

    def work(self, work: Callable[[Task], T], then: Callable[[T], object], key: str) -> None:
        """Something else to do there; a later call with the same key replaces one that is not answered."""
        self._background.run(work, then, key=key)

    def forget(self, key: str) -> None:
        """What was asked for with this key is not of interest any more."""
        self._background.cancel(key)

    def delete(
        self,
        model: ModelFile,
        models: Path,
        then: Callable[[int], object],
        failed: Callable[[AppError], object],
    ) -> None:
        """Remove the files of a model; `then` gets the bytes that became free. `models`: where downloads go to."""

        def work(_task: Task) -> int:
            # Here: it takes a tenth of a second to import, and most starts never need it.
            from app.hub import keeping

            return keeping.remove(model, models)

        self._background.run(work, then, failed)

    def _take(self, found: Found) -> None:
        self.library, self.scanned = found.library, True
        self.progress.emit(0, 0)
        self.changed.emit(found)
        if unconfirmed(found.library):
            self._confirm(found)

    def _confirm(self, found: Found) -> None:
        """Look at the next few files that llama.cpp has not seen."""

        def work(task: Task) -> Library | None:
            return next(confirm(found.library, self._inspections, lambda: task.cancelled), None)

        def done(library: Library | None) -> None:
            if library is not None:
                self._take(Found(library, found.elsewhere))

        self._inspecting.run(work, done, key="inspect")


class _Vocabularies:
    """The last vocabularies that were read, by digest: many files share one."""

    def __init__(self) -> None:
        self._known: OrderedDict[str, Vocabulary] = OrderedDict()

    def reader(self, task: Task) -> Callable[[ModelFile], Vocabulary]:
        def read(model: ModelFile) -> Vocabulary:
            if task.cancelled:
                raise CancelledByUser
            digest = model.vocabulary.digest if model.vocabulary is not None else ""
            found = self._known.get(digest)
            if found is None:
                found = self._known[digest] = vocabulary_of(model)
            self._known.move_to_end(digest)
            while len(self._known) > _VOCABULARIES:
                self._known.popitem(last=False)
            return found

        return read
