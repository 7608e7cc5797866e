"""One pair of the catalogue, from "Download pair" to "Load"."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import QComboBox, QFrame, QHBoxLayout, QSizePolicy, QVBoxLayout, QWidget

from app.bridge.item_models.catalogue import CatalogueRow, short_name
from app.ui import figures
from app.ui.models_page.buttons import button
from app.ui.models_page.download_controls import DownloadControls, Trouble
from app.ui.models_page.progress_line import ProgressLine
from app.ui.models_page.style import restyle
from app.ui.theme import GRID
from app.ui.widgets.flow import FlowLayout
from app.ui.widgets.labels import label

_DOT = " \N{MIDDLE DOT} "


class DraftChoice(QComboBox):
    """A choice that is left alone by the wheel unless it has the focus: it stands on a page that scrolls."""

    def __init__(self) -> None:
        super().__init__()
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)

    def wheelEvent(self, event: QWheelEvent) -> None:
        if self.hasFocus():
            super().wheelEvent(event)
        else:
            event.ignore()


class PairCard(QFrame):
    """Shows a `CatalogueRow`.

    Signals:
        get_wanted: Download the pair; carries its id.
        draft_chosen: (id, number) another draft.
        load_wanted: A `Pair` of files that are here.
        pause_wanted, resume_wanted, cancel_wanted: The id of its download.
        settings_wanted: See `DownloadControls`.
        link_chosen: The address of a page.
    """

    get_wanted = Signal(str)
    draft_chosen = Signal(str, int)
    load_wanted = Signal(object)
    pause_wanted = Signal(str)
    resume_wanted = Signal(str)
    cancel_wanted = Signal(str)
    settings_wanted = Signal()
    link_chosen = Signal(str)

    def __init__(self, row: CatalogueRow, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._row = row
        self.setProperty("ground", "card")
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Minimum)
        self._title = label("", "strong")
        self._chip = label("", "chip")
        self._words = label("", "soft", wrap=True)
        self.draft = DraftChoice()
        self.draft.activated.connect(lambda number: self.draft_chosen.emit(self._row.pair.id, number))
        self._draft_words = label(self.tr("Draft model"), "small")
        self.progress = ProgressLine()
        self.trouble = Trouble()
        self.trouble.link_chosen.connect(self.link_chosen)
        self.get = button(self.tr("Download pair"), lambda: self.get_wanted.emit(self._row.pair.id), "primary")
        self.load = button(self.tr("Load"), lambda: self.load_wanted.emit(self._row.here), "primary")
        self.controls = DownloadControls()
        self.controls.pause_wanted.connect(lambda: self.pause_wanted.emit(self._row.download_id))
        self.controls.resume_wanted.connect(lambda: self.resume_wanted.emit(self._row.download_id))
        self.controls.cancel_wanted.connect(lambda: self.cancel_wanted.emit(self._row.download_id))
        self.controls.load_wanted.connect(lambda: self.load_wanted.emit(self._row.here))
        self.controls.settings_wanted.connect(self.settings_wanted)
        self._build()
        self.show_row(row)

    def _build(self) -> None:
        layout = QVBoxLayout(self)
        layout.setContentsMargins(2 * GRID, 2 * GRID - 2, 2 * GRID, 2 * GRID - 2)
        layout.setSpacing(GRID - 2)
        head = FlowLayout()
        head.addWidget(self._title)
        head.addWidget(self._chip)
        layout.addLayout(head)
        layout.addWidget(self._words)
        self._choice = QWidget()
        choice = QHBoxLayout(self._choice)
        choice.setContentsMargins(0, 0, 0, 0)
        choice.addWidget(self._draft_words)
        choice.addWidget(self.draft)
        choice.addStretch(1)
        layout.addWidget(self._choice)
        layout.addStretch(1)
        layout.addWidget(self.progress)
        layout.addWidget(self.trouble)
        foot = FlowLayout()
        foot.addWidget(self.get)
        foot.addWidget(self.load)
        layout.addLayout(foot)
        layout.addWidget(self.controls)

    @property
    def row(self) -> CatalogueRow:
        return self._row

    def show_row(self, row: CatalogueRow) -> None:
        """Show this state of the pair."""
        self._row = row
        self._title.setText(row.title)
        self._show_chip(row)
        self._show_words(row)
        self._show_choice(row)
        download = row.download
        self.progress.setVisible(download is not None)
        self.controls.setVisible(download is not None)
        if download is not None:
            self.progress.show_download(download)
            self.controls.show_download(download, loadable=row.here is not None)
        fault = row.fault
        if fault is not None:
            self.trouble.show_trouble(fault.sentence, fault.hint)
        else:
            self.trouble.show_trouble(download.sentence if download else "", download.hint if download else "")
        self.load.setVisible(row.here is not None and download is None)
        self.load.setAccessibleName(f"{self.load.text()}: {row.title}")
        self.get.setVisible(row.here is None and download is None)
        self.get.setEnabled(not row.asking)
        self.get.setText(self._get_words(row))
        self.get.setAccessibleName(f"{self.get.text()}: {row.title}")
        restyle(self.get, "kind", "primary" if row.fit != "too_large" else "")
        lively = "true" if download is not None and download.state in ("queued", "running", "waiting") else ""
        restyle(self, "lively", lively)

    def _get_words(self, row: CatalogueRow) -> str:
        if row.asking:
            return self.tr("Looking it up…")
        if row.fault is not None:
            return self.tr("Try again")
        return self.tr("Download pair") if row.draft_part is not None else self.tr("Download")

    def _show_chip(self, row: CatalogueRow) -> None:
        if row.here is not None:
            words, tone = self.tr("in your library"), "good"
        elif row.recommended:
            words, tone = self.tr("best for this computer"), "good"
        else:
            words, tone = "", ""
        self._chip.setText(words)
        self._chip.setVisible(bool(words))
        restyle(self._chip, "chip", tone)

    def _show_words(self, row: CatalogueRow) -> None:
        pair = row.pair
        good_for = pair.good_for[:1].upper() + pair.good_for[1:]
        facts = [pair.licence, figures.size(row.size)]
        if any(part.gated for part in (pair.target, *pair.draft)):
            facts.append(self.tr("needs an access token"))
        if row.fit == "too_large" and row.recommended:
            facts.append(self.tr("more than is free here"))
        if row.draft_part is None and pair.drafter == "ngram":
            facts.append(self.tr("drafts from the text so far"))
        self._words.setText(f"{good_for}\n{_DOT.join(part for part in facts if part)}")

    def _show_choice(self, row: CatalogueRow) -> None:
        several = len(row.pair.draft) > 1 and row.download is None
        self._choice.setVisible(several)
        names = [f"{short_name(part)} ({figures.size(part.size)})" for part in row.pair.draft]
        if [self.draft.itemText(i) for i in range(self.draft.count())] != names:
            self.draft.clear()
            self.draft.addItems(names)
        self.draft.setCurrentIndex(row.draft)
        name = self.tr("Draft model for {0}").format(row.pair.title)
        self.draft.setAccessibleName(name)
        self.draft.view().setAccessibleName(name)
        self.draft.setEnabled(not row.asking)
