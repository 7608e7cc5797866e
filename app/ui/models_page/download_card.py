"""One download of the list."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QVBoxLayout, QWidget

from app.protocol.download_messages import DownloadProgress
from app.ui.models_page.download_controls import DownloadControls, Trouble
from app.ui.models_page.progress_line import ProgressLine
from app.ui.models_page.style import restyle
from app.ui.theme import GRID
from app.ui.widgets.labels import label


class DownloadCard(QFrame):
    """Title, bar, what is wrong, buttons.

    Signals:
        pause_wanted, resume_wanted, cancel_wanted, load_wanted: The id of the download.
        settings_wanted: See `DownloadControls`.
        link_chosen: The address of a page.
    """

    pause_wanted = Signal(str)
    resume_wanted = Signal(str)
    cancel_wanted = Signal(str)
    load_wanted = Signal(str)
    settings_wanted = Signal()
    link_chosen = Signal(str)

    def __init__(self, download: DownloadProgress, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._id = download.id
        self.setProperty("ground", "card")
        self._title = label("", "strong", wrap=True)
        self._file = label("", "small", wrap=True)
        self.progress = ProgressLine()
        self.trouble = Trouble()
        self.controls = DownloadControls()
        layout = QVBoxLayout(self)
        layout.setContentsMargins(2 * GRID, 2 * GRID - 2, 2 * GRID, 2 * GRID - 2)
        layout.setSpacing(GRID - 2)
        for widget in (self._title, self.progress, self._file, self.trouble, self.controls):
            layout.addWidget(widget)
        controls = self.controls
        controls.pause_wanted.connect(lambda: self.pause_wanted.emit(self._id))
        controls.resume_wanted.connect(lambda: self.resume_wanted.emit(self._id))
        controls.cancel_wanted.connect(lambda: self.cancel_wanted.emit(self._id))
        controls.load_wanted.connect(lambda: self.load_wanted.emit(self._id))
        controls.settings_wanted.connect(self.settings_wanted)
        self.trouble.link_chosen.connect(self.link_chosen)

    def show_download(self, download: DownloadProgress, *, loadable: bool) -> None:
        """Show how far it is. `loadable`: its files are in the library."""
        self._id = download.id
        self._title.setText(download.title)
        self.progress.show_download(download)
        file = download.file if download.state in ("running", "waiting") else ""
        self._file.setText(file)
        self._file.setVisible(bool(file))
        self.trouble.show_trouble(download.sentence, download.hint)
        self.controls.show_download(download, loadable=loadable)
        restyle(self, "lively", "true" if download.state == "running" else "")
