"""The downloads there are, and what can be done with them."""

from PySide6.QtCore import QObject, Signal

from app.bridge.download_client import PROCESS_GONE, DownloadClient
from app.bridge.item_models.downloads import DownloadsModel
from app.bridge.process_outcome import ProcessOutcome
from app.protocol.download_messages import (
    CancelDownload,
    DownloadCancelled,
    DownloadProgress,
    Downloads,
    PauseDownload,
    ResumeDownload,
)


class DownloadDesk(QObject):
    """Keeps a list of what the download process says.

    Signals:
        changed: Something about some download.
        finished: The id of a download that is complete now.
    """

    changed = Signal()
    finished = Signal(str)

    def __init__(self, client: DownloadClient, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._client = client
        self.downloads = DownloadsModel(self)
        client.received.connect(self._on_event)
        client.stopped.connect(self._on_process_lost)

    def pause(self, download_id: str) -> None:
        """Stop it for now, also over restarts."""
        self._client.send(PauseDownload(id=download_id))

    def resume(self, download_id: str) -> None:
        """Go on with one that is paused, waits or failed."""
        self._client.send(ResumeDownload(id=download_id))

    def cancel(self, download_id: str) -> None:
        """Forget a download with its incomplete files; one that is complete is only taken off the list."""
        self._client.send(CancelDownload(id=download_id))

    def _on_event(self, event: object) -> None:
        if isinstance(event, DownloadProgress):
            known = self.downloads.find(event.id)
            self.downloads.put(event)
            if event.state == "done" and (known is None or known.state != "done"):
                self.finished.emit(event.id)
        elif isinstance(event, DownloadCancelled):
            self.downloads.remove(event.id)
        elif isinstance(event, Downloads):
            self.downloads.keep_only(event.downloads)
        else:
            return
        self.changed.emit()

    def _on_process_lost(self, outcome: ProcessOutcome) -> None:
        self.downloads.fail_all(PROCESS_GONE, outcome.sentence, "Try again.")
        self.changed.emit()
