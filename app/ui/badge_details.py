"""What stands behind the badge: opens on hover, stays after a click."""

from pathlib import Path

from PySide6.QtCore import QEvent, QTimer
from PySide6.QtGui import QEnterEvent
from PySide6.QtWidgets import QVBoxLayout, QWidget

from app.chat import phrases
from app.protocol.messages import Loaded
from app.protocol.servers import KIND_NAMES
from app.protocol.stats import GenerationStats, SpeculationState
from app.ui.answer_figures import AnswerFigures
from app.ui.badge import Badge
from app.ui.names import drafter_name
from app.ui.theme import GRID, Theme
from app.ui.widgets.labels import ElidedLabel, label
from app.ui.widgets.popover import Popover

_OPEN_AFTER_MS, _CLOSE_AFTER_MS = 350, 250
_WIDTH = 320


class BadgeDetails(Popover):
    """The popover of the badge."""

    def __init__(self, window: QWidget, badge: Badge, theme: Theme) -> None:
        super().__init__(window, badge, _WIDTH)
        self.setObjectName("badge details")
        self.setAccessibleName(self.tr("Speculation details"))
        self._badge = badge
        self._pinned = False
        self._has_numbers = False
        self._reason = ""
        self._title = label("", "strong", wrap=True)
        self._why = label("", "soft", wrap=True)
        self._figures = AnswerFigures(theme)
        self._drafter, self._target, self._draft = (ElidedLabel("small") for _ in range(3))
        self.column.setContentsMargins(2 * GRID, 2 * GRID, 2 * GRID, 2 * GRID)
        self.column.setSpacing(GRID)
        for widget in (self._title, self._why, self._figures):
            self.column.addWidget(widget)
        files = QVBoxLayout()
        files.setSpacing(2)
        for line in (self._drafter, self._target, self._draft):
            files.addWidget(line)
        self.column.addLayout(files)
        self._opening = self._timer("badge details open", _OPEN_AFTER_MS)
        self._opening.timeout.connect(self._open)
        self._closing = self._timer("badge details close", _CLOSE_AFTER_MS)
        self._closing.timeout.connect(self.hide)
        badge.hovered.connect(self._on_hover)
        badge.clicked.connect(self._on_click)
        self._loaded: Loaded | None = None
        self._drafted_by = ""
        self.show_answer(None, None)
        self.show_files(None)

    def _timer(self, name: str, ms: int) -> QTimer:
        timer = QTimer(self)
        timer.setObjectName(name)
        timer.setSingleShot(True)
        timer.setInterval(ms)
        return timer

    def set_theme(self, theme: Theme) -> None:
        self._figures.set_theme(theme)

    def show_answer(self, stats: GenerationStats | None, speculation: SpeculationState | None) -> None:
        """The numbers of the newest answer."""
        self._has_numbers = stats is not None
        unknown = stats is not None and "proposed" in stats.unknown
        self._reason = phrases.said(speculation.reason) if speculation is not None and unknown else ""
        self._figures.setVisible(self._has_numbers)
        self._drafter.setVisible(speculation is not None)
        if speculation is not None:
            words = self.tr("Drafter: {0}") if not speculation.lookahead else self.tr("Drafter: {0}, lookahead {1}")
            self._drafter.setText(words.format(drafter_name(speculation.drafter, self._loaded), speculation.lookahead))
        self._figures.show_answer(stats, speculation)
        self._drafted_by = speculation.drafter if speculation is not None else ""
        self._show_draft()
        if self.isVisible():
            self._write_words()

    def show_files(self, loaded: Loaded | None) -> None:
        """Which files are at work."""
        self._loaded = loaded
        target = Path(loaded.target.path) if loaded else None
        draft = Path(loaded.draft.path) if loaded and loaded.draft else None
        for widget, words, path in (
            (self._target, self.tr("Target: {0}"), target),
            (self._draft, self.tr("Draft model: {0}"), draft),
        ):
            widget.setText(words.format(path.name if path else self.tr("none")))
            widget.setToolTip(str(path) if path else "")
        self._show_draft()
        server = loaded.server if loaded is not None else None
        if loaded is not None and server is not None:
            self._target.setText(self.tr("{0} on {1}").format(loaded.target.name, server.name))
            self._target.setToolTip(f"{KIND_NAMES[server.kind]} {server.origin}")

    def _show_draft(self) -> None:
        """A loaded draft model that does not draft is not at work."""
        local = self._loaded is None or self._loaded.server is None
        self._draft.setVisible(local and self._drafted_by not in ("heads", "ngram", "off"))

    def _write_words(self) -> None:
        view = self._badge.view
        self._title.setText(view.headline)
        words = "\n".join((*view.parts, *filter(None, (self._reason,)))) if self._has_numbers else view.tooltip
        self._why.setText(words)
        self._why.setVisible(bool(words))
        if self.isVisible():
            self.fit()

    def _open(self) -> None:
        self._write_words()
        self.open_below()

    def _on_hover(self, inside: bool) -> None:
        if inside:
            self._closing.stop()
            self._opening.start()
        else:
            self._opening.stop()
            if not self._pinned:
                self._closing.start()

    def _on_click(self) -> None:
        self._opening.stop()
        if self.isVisible() and self._pinned:
            self.hide()
            return
        self._pinned = True
        self._open()

    def enterEvent(self, event: QEnterEvent) -> None:
        super().enterEvent(event)
        self._closing.stop()

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        if not self._pinned:
            self._closing.start()

    def setVisible(self, visible: bool) -> None:
        super().setVisible(visible)
        if not visible:
            self._pinned = False
