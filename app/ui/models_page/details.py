"""The chosen model: what it is, what can be done with it, and what could draft for it."""

from PySide6.QtCore import QPoint, Signal
from PySide6.QtWidgets import QFrame, QVBoxLayout, QWidget

from app.bridge.item_models.drafts import DraftRow
from app.bridge.models_controller import short_title
from app.bridge.pair_desk import PairDesk
from app.bridge.timers import single_shot
from app.hub.catalogue import Part
from app.hub.memory_plan import Plan
from app.hub.model_file import ModelFile
from app.ui import figures
from app.ui.models_page import words
from app.ui.models_page.buttons import button
from app.ui.models_page.memory_view import MemoryView
from app.ui.models_page.row_delegate import RowLook, Tone
from app.ui.models_page.row_list import RowList
from app.ui.theme import GRID, Theme
from app.ui.widgets.column import ScrollColumn
from app.ui.widgets.flow import FlowLayout
from app.ui.widgets.labels import ElidedLabel, label

_DELETABLE = ("models", "added")
_PATIENCE_MS = 200


class DetailsPane(QFrame):
    """Shows what a `PairDesk` has on it.

    Signals:
        load_wanted: Load the chosen pair.
        reveal_wanted, delete_wanted: The `ModelFile` that is shown.
        offer_wanted: Download the draft that is offered.
    """

    load_wanted = Signal()
    reveal_wanted = Signal(object)
    delete_wanted = Signal(object)
    offer_wanted = Signal()

    def __init__(self, theme: Theme, desk: PairDesk, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("ground", "card")
        self._desk = desk
        self._in_use = False
        self._title = label("", "heading", wrap=True)
        self._path = ElidedLabel("small")
        self._facts = label("", "soft", wrap=True)
        self._problem = label("", "caution", wrap=True)
        self.memory = MemoryView(theme)
        self._drafts_title = label("", "strong", wrap=True)
        self._drafts_state = label(self.tr("Comparing vocabularies…"), "small", wrap=True)
        self._patience = single_shot(self, "patience with verdicts", _PATIENCE_MS, self._drafts_state.show)
        self.drafts = RowList(theme, self.tr("Draft models"), desk.drafts, self._look, grows=True)
        self._offer = label("", "", wrap=True)
        self.get_offer = button(self.tr("Download"), self.offer_wanted.emit)
        self.load = button(self.tr("Load"), self.load_wanted.emit, "primary")
        self.reveal = button(self.tr("Show in folder"), lambda: self.reveal_wanted.emit(desk.target))
        self.delete = button(self.tr("Delete…"), lambda: self.delete_wanted.emit(desk.target), "danger")
        self._drafts_state.hide()
        self._area = ScrollColumn()
        self._build()
        self.drafts.chosen.connect(self._on_chosen)
        self.drafts.used.connect(self._on_used)
        desk.target_changed.connect(self._show_target)
        desk.judging.connect(self._show_judging)
        desk.draft_changed.connect(self._show_draft)
        desk.plan_changed.connect(self._show_plan)
        desk.offer_changed.connect(self._show_offer)
        desk.drafts.modelReset.connect(lambda: self._show_draft(desk.draft))
        self._show_target(desk.target)
        self._show_plan(desk.plan)
        self._show_offer(desk.offer)

    def _build(self) -> None:
        column = self._area.column
        column.setContentsMargins(2 * GRID, 2 * GRID, 2 * GRID, GRID)
        column.setSpacing(GRID)
        for words_ in (self._title, self._facts, self._path, self._problem):
            column.addWidget(words_)
        column.addSpacing(GRID // 2)
        column.addWidget(self.memory)
        column.addWidget(self._drafts_title)
        column.addWidget(self._drafts_state)
        column.addWidget(self.drafts)
        column.addWidget(self._offer)
        column.addWidget(self.get_offer)
        column.addStretch(1)
        foot = QFrame()
        foot.setProperty("hairline", "top")
        actions = FlowLayout()
        for action in (self.load, self.reveal, self.delete):
            actions.addWidget(action)
        margins = QVBoxLayout(foot)
        margins.setContentsMargins(2 * GRID, GRID + 2, 2 * GRID, GRID + 2)
        margins.addLayout(actions)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(1, 1, 1, 1)
        layout.setSpacing(0)
        layout.addWidget(self._area, 1)
        layout.addWidget(foot)

    def set_theme(self, theme: Theme) -> None:
        self.memory.set_theme(theme)
        self.drafts.set_theme(theme)

    def set_loaded(self, *, in_use: bool) -> None:
        """Whether the shown model is the target or the draft at work: it cannot be deleted then."""
        self._in_use = in_use
        self._update_actions()

    # --- what is shown ----------------------------------------------------------------------------------------------

    def _show_target(self, model: ModelFile | None) -> None:
        self.setEnabled(model is not None)
        self._title.setText(model.name if model is not None else self.tr("No model is chosen"))
        self._path.setText(str(model.path) if model is not None else "")
        self._facts.setText(words.facts_of(model) if model is not None else "")
        problem = model.problem if model is not None else None
        self._problem.setText(str(problem) if problem is not None else "")
        self._problem.setVisible(problem is not None)
        chat = model is not None and model.role == "chat"
        for widget in (self._drafts_title, self.drafts):
            widget.setVisible(chat)
        if not chat:
            self._drafts_state.hide()
        if model is not None:
            self._drafts_title.setText(self.tr("Drafts for {0}").format(model.name))
        self._update_actions()

    def _show_judging(self, judging: bool) -> None:
        # Only where it takes a while: words that come and go at once are unrest.
        if judging:
            self._patience.start()
        else:
            self._patience.stop()
            self._drafts_state.hide()

    def _show_draft(self, path: str) -> None:
        self.drafts.go_to(self._desk.drafts.find(path))
        self.drafts.viewport().update()
        self._update_actions()

    def _show_plan(self, plan: Plan | None) -> None:
        self.memory.show_plan(plan)
        self.drafts.viewport().update()  # the plan knows whether there are heads

    def _show_offer(self, part: Part | None) -> None:
        for widget in (self._offer, self.get_offer):
            widget.setVisible(part is not None)
        if part is not None:
            self._offer.setText(self.tr("No model here can draft for it, but {0} would.").format(short_title(part)))
            self.get_offer.setText(self.tr("Download the one that fits ({0})").format(figures.size(part.size)))

    def _update_actions(self) -> None:
        model, desk = self._desk.target, self._desk
        chat = model is not None and model.role == "chat"
        in_use = desk.draft_in_use
        if in_use is None:
            text, possible = self.tr("Load pair") if desk.draft else self.tr("Load"), chat
        else:
            text = self.tr("Use as draft") if desk.draft else self.tr("Use no draft")
            possible = desk.draft != in_use
            text = text if possible else self.tr("Loaded")
        self.load.setText(text)
        self.load.setEnabled(possible)
        self.load.setVisible(chat)
        deletable = model is not None and model.source in _DELETABLE
        self.delete.setEnabled(deletable and not self._in_use)
        reason = ""
        if model is not None and not deletable:
            reason = self.tr("It belongs to another program, or to Outpace itself.")
        elif self._in_use:
            reason = self.tr("It is loaded right now: load another model first.")
        self.delete.setToolTip(reason)
        self.delete.setAccessibleDescription(reason)

    def _look(self, row: DraftRow) -> RowLook:
        chosen = row.path == self._desk.draft
        in_use: tuple[tuple[str, Tone], ...] = ((self.tr("in use"), "accent"),) if row.in_use else ()
        verdict = row.verdict
        if verdict is None:
            heads = self._desk.plan is not None and any(part.kind == "heads" for part in self._desk.plan.segments)
            words_ = (
                self.tr("Its prediction heads draft then, and text that repeats.")
                if heads
                else self.tr("Only text that repeats is drafted then.")
            )
            return RowLook(name=self.tr("No draft model"), chips=in_use, lines=(words_,), choice=chosen)
        tone: Tone = "good" if row.fits else "warn"
        fits = (self.tr("fits") if row.fits else self.tr("does not fit"), tone)
        right = figures.size(verdict.model.size_bytes)
        if verdict.gain is not None:
            right = self.tr("{0} measured").format(figures.times(verdict.gain))
        return RowLook(
            name=verdict.model.name,
            chips=(fits, *in_use),
            right=right,
            lines=(verdict.sentence,),
            muted=not row.fits,
            choice=chosen,
        )

    # --- what the person does ---------------------------------------------------------------------------------------

    def _on_chosen(self, row: DraftRow) -> None:
        self._desk.choose_draft(row.path)
        place = self.drafts.rect_of(self._desk.drafts.find(row.path))
        top = self.drafts.pos() + place.topLeft()
        for corner in (QPoint(0, top.y() + place.height()), QPoint(0, top.y())):
            self._area.ensureVisible(corner.x(), corner.y(), 0, GRID)

    def _on_used(self, row: DraftRow) -> None:
        if row.fits and self.load.isEnabled():
            self.load_wanted.emit()
