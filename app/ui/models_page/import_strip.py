"""A strip that asks what to do with dropped files, and shows how far a copy is."""

from pathlib import Path

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QVBoxLayout, QWidget

from app.bridge.importer import ImportProgress
from app.ui import figures
from app.ui.models_page.buttons import button
from app.ui.models_page.progress_line import ProgressLine
from app.ui.theme import GRID
from app.ui.widgets.flow import FlowLayout
from app.ui.widgets.labels import label


class ImportStrip(QFrame):
    """Hidden while there is nothing to ask or to show.

    Signals:
        copy_wanted, link_wanted: Do this with the dropped files (a list of `Path`s).
        cancel_wanted: Stop the copy.
    """

    copy_wanted = Signal(object)
    link_wanted = Signal(object)
    cancel_wanted = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("ground", "note")
        self._files: list[Path] = []
        self._question = label("", "strong", wrap=True)
        self._words = label("", "soft", wrap=True)
        self._progress = ProgressLine(self.tr("Copy"))
        self.copy = button(
            self.tr("Copy into the models folder"), lambda: self.copy_wanted.emit(self._take()), "primary"
        )
        self.link = button(self.tr("Use it where it is"), lambda: self.link_wanted.emit(self._take()))
        self.cancel = button(self.tr("Cancel"), self._on_cancel)
        self._actions = FlowLayout()
        for action in (self.copy, self.link, self.cancel):
            self._actions.addWidget(action)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(2 * GRID, GRID + 4, 2 * GRID, GRID + 4)
        layout.setSpacing(GRID)
        for widget in (self._question, self._words, self._progress):
            layout.addWidget(widget)
        layout.addLayout(self._actions)
        self.hide()

    def ask(self, files: list[Path]) -> None:
        """What is to be done with these?"""
        self._files = files
        name = files[0].name
        more = len(files) - 1
        self._question.setText(
            self.tr("Add {0} and {1} more to your models?").format(name, more)
            if more
            else self.tr("Add {0} to your models?").format(name)
        )
        self._words.setText(
            self.tr(
                "A copy needs room on the disk and does not depend on the original. Used where it is, it needs none."
            )
        )
        self._show_parts(asking=True)

    def show_progress(self, progress: ImportProgress | None) -> None:
        """How far a copy is; None when none is under way."""
        if progress is None:
            self.hide()
            return
        waiting = self.tr(", {0} more to come").format(progress.waiting) if progress.waiting else ""
        self._question.setText(self.tr("Adding {0}").format(progress.name) + waiting)
        done = figures.size(progress.done) if progress.done else "0 B"
        text = self.tr("{0} of {1}").format(done, figures.size(progress.total)) if progress.total else ""
        self._progress.show_share(progress.done, progress.total, text)
        self._show_parts(asking=False)

    def _show_parts(self, *, asking: bool) -> None:
        for widget in (self._words, self.copy, self.link):
            widget.setVisible(asking)
        self._progress.setVisible(not asking)
        self.setAccessibleName(self._question.text())
        self.show()
        if asking:
            self.copy.setFocus()

    def _take(self) -> list[Path]:
        files, self._files = self._files, []
        self.hide()
        return files

    def _on_cancel(self) -> None:
        if not self._take():
            self.cancel_wanted.emit()
