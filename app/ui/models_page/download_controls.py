"""The buttons of a download: what is possible depends on its state."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from app.protocol.download_messages import DownloadProgress
from app.ui.models_page.buttons import button
from app.ui.models_page.words import with_links
from app.ui.widgets.flow import FlowLayout
from app.ui.widgets.labels import label

_TOKEN = ("gated_no_token", "gated_no_access", "token_refused", "forbidden", "repository_not_found")
_SETTINGS = ("offline", "folder_read_only", "file_too_large", "disk_error")


class DownloadControls(QWidget):
    """Pause, resume, retry, cancel, load, dismiss.

    Signals:
        pause_wanted, resume_wanted, cancel_wanted, load_wanted: A button; resume is also retry, cancel also dismiss.
        settings_wanted: What is wrong can be changed among the settings of the page.
    """

    pause_wanted = Signal()
    resume_wanted = Signal()
    cancel_wanted = Signal()
    load_wanted = Signal()
    settings_wanted = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.pause = button(self.tr("Pause"), self.pause_wanted.emit)
        self.resume = button(self.tr("Resume"), self.resume_wanted.emit, "primary")
        self.load = button(self.tr("Load now"), self.load_wanted.emit, "primary")
        self.settings = button(self.tr("Settings…"), self.settings_wanted.emit)
        self.cancel = button(self.tr("Cancel"), self.cancel_wanted.emit, "quiet")
        self._all = (self.resume, self.load, self.settings, self.pause, self.cancel)
        row = FlowLayout()
        for one in self._all:
            row.addWidget(one)
        self.setLayout(row)

    def show_download(self, download: DownloadProgress, *, loadable: bool) -> None:
        """Offer what makes sense now. `loadable`: the files are in the library."""
        state = download.state
        self.pause.setVisible(state in ("queued", "running", "waiting"))
        self.resume.setVisible(state in ("paused", "failed", "waiting"))
        self.resume.setText(self.tr("Resume") if state == "paused" else self.tr("Try again"))
        self.load.setVisible(state == "done")
        self.load.setEnabled(loadable)
        self.settings.setVisible(state == "failed" and download.code in (*_TOKEN, *_SETTINGS))
        self.settings.setText(self.tr("Enter a token…") if download.code in _TOKEN else self.tr("Settings…"))
        self.cancel.setText(self.tr("Remove from list") if state == "done" else self.tr("Cancel"))
        for one in self._all:
            one.setAccessibleName(f"{one.text()}: {download.title}")


class Trouble(QWidget):
    """What went wrong, with links.

    Signals:
        link_chosen: The address of a page.
    """

    link_chosen = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._sentence = label("", "problem", wrap=True)
        self._hint = label("", "", wrap=True)
        self._hint.setTextFormat(self._hint.textFormat().RichText)
        self._hint.setTextInteractionFlags(
            self._hint.textInteractionFlags().LinksAccessibleByMouse
            | self._hint.textInteractionFlags().LinksAccessibleByKeyboard
        )
        self._hint.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._hint.linkActivated.connect(self.link_chosen)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(2)
        layout.addWidget(self._sentence)
        layout.addWidget(self._hint)
        self.show_trouble("", "")

    @property
    def text(self) -> str:
        return self._sentence.text()

    def show_trouble(self, sentence: str, hint: str) -> None:
        """Say this, or nothing."""
        self.setVisible(bool(sentence))
        if sentence != self._sentence.text():
            self._sentence.setText(sentence)
        html = with_links(hint)
        if html != self._hint.text():
            self._hint.setText(html)
            # Only links need the keyboard.
            has_link = "<a " in html
            self._hint.setFocusPolicy(Qt.FocusPolicy.StrongFocus if has_link else Qt.FocusPolicy.NoFocus)
        self._hint.setVisible(bool(hint))
        self._hint.setAccessibleName(hint)
        self._sentence.setAccessibleName(f"{sentence} {hint}".strip())
