"""The queue of downloads, in its order."""

from collections.abc import Sequence
from dataclasses import replace

from PySide6.QtCore import QModelIndex

from app.bridge.item_models.rows import RowsModel
from app.protocol.download_messages import DownloadProgress, DownloadState

_ACTIVE: frozenset[DownloadState] = frozenset({"queued", "running", "waiting"})


class DownloadsModel(RowsModel[DownloadProgress]):
    """One row a download; new ones come at the end."""

    def words(self, row: DownloadProgress) -> str:
        return row.title

    def sentence(self, row: DownloadProgress) -> str:
        percent = f"{round(100 * row.done / row.total)} %" if row.total else ""
        return ", ".join(part for part in (row.title, row.state, percent, row.sentence) if part)

    def key(self, row: DownloadProgress) -> object:
        return row.id

    def find(self, download_id: str) -> DownloadProgress | None:
        """The download with this id."""
        return next((row for row in self._rows if row.id == download_id), None)

    @property
    def active(self) -> int:
        """How many are not over and not stopped."""
        return sum(row.state in _ACTIVE for row in self._rows)

    def put(self, progress: DownloadProgress) -> None:
        """Add a download, or show how far it is."""
        for number, row in enumerate(self._rows):
            if row.id == progress.id:
                if row != progress:
                    self._rows[number] = progress
                    self.dataChanged.emit(self.index(number), self.index(number))
                return
        end = len(self._rows)
        self.beginInsertRows(QModelIndex(), end, end)
        self._rows.append(progress)
        self.endInsertRows()

    def remove(self, download_id: str) -> None:
        """Forget a download; an unknown id is fine."""
        for number, row in enumerate(self._rows):
            if row.id == download_id:
                self.beginRemoveRows(QModelIndex(), number, number)
                del self._rows[number]
                self.endRemoveRows()
                return

    def keep_only(self, downloads: Sequence[DownloadProgress]) -> None:
        """These are all there are."""
        ids = {progress.id for progress in downloads}
        for row in list(self._rows):
            # What is complete is forgotten by a new process, and still of interest here.
            if row.id not in ids and row.state != "done":
                self.remove(row.id)
        for progress in downloads:
            self.put(progress)

    def fail_all(self, code: str, sentence: str, hint: str) -> None:
        """Nobody works on them any more."""
        for row in list(self._rows):
            if row.state in _ACTIVE:
                self.put(replace(row, state="failed", code=code, sentence=sentence, hint=hint))
