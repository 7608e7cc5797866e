"""Comparisons that are kept: listed, added, removed, exported."""

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QObject, Signal

from app.bridge.background import Background
from app.comparison.result import Comparison
from app.comparison.words import line
from app.core import log
from app.core.errors import AppError, EnvironmentFault
from app.core.plain import PlainError, from_plain, to_plain
from app.protocol.messages import Notice
from app.store.comparisons import ComparisonFile, Record

_log = log.get("comparisons")


class ComparisonShelf(QObject):
    """Asks the disk on another thread; what cannot be written is kept until the window closes.

    Signals:
        changed: All comparisons, the newest first.
        notice: A `Notice`: something could not be read or written, or was exported.
    """

    changed = Signal(object)
    notice = Signal(object)

    def __init__(self, path: Path, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("comparison shelf")
        self._file = ComparisonFile(path)
        self._background = Background("comparisons", self)
        self._all: dict[str, Comparison] = {}

    @property
    def comparisons(self) -> tuple[Comparison, ...]:
        """The newest first."""
        return tuple(sorted(self._all.values(), key=lambda one: one.created, reverse=True))

    def start(self) -> None:
        """Read what was kept."""
        self._background.run(lambda _task: _understood(self._file.read()), self._take, self._tell)

    def shut_down(self) -> None:
        """Write what is not written yet; blocks until that is done."""
        self._background.finish()

    def keep(self, comparison: Comparison) -> None:
        """Add one, or a newer state of one."""
        self._all[comparison.id] = comparison
        self.changed.emit(self.comparisons)
        self._background.run(lambda _task: self._file.append(to_plain(comparison)), _nothing, self._tell)

    def remove(self, comparison_id: str) -> None:
        """Forget one for good."""
        if self._all.pop(comparison_id, None) is None:
            return
        self.changed.emit(self.comparisons)
        rest = [to_plain(one) for one in reversed(self.comparisons)]
        self._background.run(lambda _task: self._file.keep_only(rest), _nothing, self._tell)

    def export(self, comparison: Comparison, path: Path, then: Callable[[], object] = lambda: None) -> None:
        """Write one as a JSON line of its own file."""
        text = f"{line(comparison)}\n"

        def write() -> None:
            try:
                path.write_text(text, encoding="utf-8", errors="replace")
            except OSError as error:
                sentence = f"{path.name} could not be written ({error.strerror or error})."
                raise EnvironmentFault("not_exported", sentence, "Choose another folder.", repr(error)) from error

        def written(_nothing: None) -> None:
            self.notice.emit(Notice(code="exported", text=f"The comparison is saved as {path.name}."))
            then()

        self._background.run(lambda _task: write(), written, self._tell)

    def _take(self, read: list[Comparison]) -> None:
        self._all = {one.id: one for one in read} | self._all
        self.changed.emit(self.comparisons)

    def _tell(self, fault: AppError) -> None:
        _log.info("%s %s", fault, fault.detail)
        self.notice.emit(Notice(code=fault.code, text=str(fault)))


def _understood(records: list[Record]) -> list[Comparison]:
    found = []
    for record in records:
        try:
            one = from_plain(Comparison, record, "comparison")
            one.plan.check()
        except (PlainError, AppError) as error:
            _log.info("a kept comparison is not understood: %s", error)
            continue
        if len(one.sides) > 1 and all(side.samples for side in one.sides):
            found.append(one)
    return found


def _nothing(_result: object) -> None:
    pass
