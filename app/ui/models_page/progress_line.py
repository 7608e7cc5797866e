"""A bar with words below it, for a download or a copy."""

from PySide6.QtWidgets import QProgressBar, QVBoxLayout, QWidget

from app.protocol.download_messages import DownloadProgress
from app.ui.models_page import words
from app.ui.models_page.style import restyle
from app.ui.theme import GRID
from app.ui.widgets.labels import label

_STEPS = 1000
_TONES = {"paused": "still", "queued": "still", "waiting": "still", "failed": "bad", "done": "good"}


class ProgressLine(QWidget):
    """How far something is, in total."""

    def __init__(self, name: str = "", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.bar = QProgressBar()
        self.bar.setRange(0, _STEPS)
        self.bar.setTextVisible(False)
        self.bar.setAccessibleName(name)
        self.words = label("", "small", wrap=True)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(GRID // 2)
        layout.addWidget(self.bar)
        layout.addWidget(self.words)

    def show_download(self, download: DownloadProgress) -> None:
        """How far a download is."""
        self.bar.setAccessibleName(download.title)
        self.show_share(download.done, download.total, words.progress(download), _TONES.get(download.state, ""))

    def show_share(self, done: int, total: int, text: str, tone: str = "") -> None:
        """`done` of `total` bytes; an unknown total shows nothing of the bar."""
        self.bar.setValue(min(done * _STEPS // total, _STEPS) if total else 0)
        self.bar.setAccessibleDescription(text)
        restyle(self.bar, "tone", tone)
        if self.words.text() != text:
            self.words.setText(text)
