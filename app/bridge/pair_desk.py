"""The chosen target, what could draft for it, and whether the two fit into memory."""

from collections.abc import Callable, Sequence
from pathlib import Path

from PySide6.QtCore import QObject, Signal

from app.bridge.draft_offer import draft_for
from app.bridge.item_models.catalogue import find_part
from app.bridge.item_models.drafts import DraftsModel
from app.bridge.library_service import LibraryService
from app.bridge.load_planner import LoadPlanner
from app.bridge.machine_facts import MachineFacts
from app.chat.gains import Gains
from app.chat.settings import LoadOptions, Pair
from app.core.errors import AppError
from app.hub import catalogue
from app.hub.memory_plan import Plan
from app.hub.model_file import ModelFile
from app.hub.pairing import Verdict
from app.protocol.messages import Loaded

_LARGEST_UNASKED = 1 / 4
"""Draft size / target size from which on a draft is likely too big to pay."""


class PairDesk(QObject):
    """One target at a time.

    Signals:
        target_changed: The chosen `ModelFile`, or None.
        judging: Whether verdicts are being worked out.
        failed: An `AppError`: they could not be.
        draft_changed: Path of the chosen draft, "" for none.
        plan_changed: A `Plan` for the two, None while there is none.
        offer_changed: A catalogue `Part` that would draft for the target and is not here, or None.
    """

    target_changed = Signal(object)
    judging = Signal(bool)
    failed = Signal(object)
    draft_changed = Signal(str)
    plan_changed = Signal(object)
    offer_changed = Signal(object)

    def __init__(
        self, library: LibraryService, remembered: Callable[[str], str], parent: QObject | None = None
    ) -> None:
        """`remembered`: gives the draft a target was last used with, by paths, "" for none."""
        super().__init__(parent)
        self._library = library
        self._remembered = remembered
        self.drafts = DraftsModel(self)
        self.target: ModelFile | None = None
        self.draft = ""
        self.plan: Plan | None = None
        self.offer: catalogue.Part | None = None
        self._chosen_by_hand = False
        self._verdicts: tuple[Verdict, ...] | None = None
        self.planner = LoadPlanner(library)
        self._pairs: Sequence[catalogue.Pair] = ()
        self._seen: tuple[object, ...] = ()
        self._gains = Gains()

    # --- what is chosen ---------------------------------------------------------------------------------------------

    @property
    def _loaded(self) -> Loaded | None:
        return self.planner.loaded

    @property
    def is_loaded(self) -> bool:
        """Is the chosen target the loaded one?"""
        return (
            self._loaded is not None and self.target is not None and self._loaded.target.path == str(self.target.path)
        )

    @property
    def draft_in_use(self) -> str | None:
        """The draft the chosen target is loaded with, "" for none, None while the target is not loaded."""
        if not self.is_loaded or self._loaded is None:
            return None
        return self._loaded.draft.path if self._loaded.draft is not None else ""

    @property
    def pair(self) -> Pair | None:
        """What a load would ask for; without verdicts yet, the draft of last time."""
        if self.target is None or self.target.role != "chat":
            return None
        target = str(self.target.path)
        return Pair(target=target, draft=self.draft if self._verdicts is not None else self._remembered(target))

    def is_in_use(self, model: ModelFile) -> bool:
        """Is it the loaded target, or its draft?"""
        loaded = self._loaded
        if loaded is None:
            return False
        return str(model.path) in (loaded.target.path, loaded.draft.path if loaded.draft is not None else "")

    def choose_target(self, model: ModelFile | None) -> None:
        """Look at another model; choosing the same one again looks at it anew."""
        again = model is not None and self.target is not None and model.path == self.target.path
        self.target = model
        if not again:
            self._chosen_by_hand, self._verdicts, self.draft = False, None, ""
            self.drafts.replace([])
        self.target_changed.emit(model)
        self._judge()

    def choose_draft(self, path: str) -> None:
        """Take a candidate into the plan; one that does not fit is left out."""
        row = self.drafts.find(path)
        if row >= 0 and self.drafts.rows[row].fits:
            self._chosen_by_hand = True
            self._take_draft(path)

    # --- what it depends on -----------------------------------------------------------------------------------------

    def note_loaded(self, loaded: Loaded | None) -> None:
        """Other models are loaded now."""
        if loaded is self._loaded:
            return
        self.planner.loaded = loaded
        self._chosen_by_hand = False
        self._show_verdicts()
        self.target_changed.emit(self.target)

    def note_machine(self, facts: MachineFacts) -> None:
        """More or less memory is free now."""
        if facts.budget != self.planner.machine.budget:
            self.planner.machine = facts
            self._make_plan()

    def note_options(self, options: LoadOptions) -> None:
        """Loads will be done differently."""
        if options != self.planner.options:
            self.planner.options = options
            self._make_plan()

    def note_catalogue(self, pairs: Sequence[catalogue.Pair]) -> None:
        """Drafts that can be downloaded."""
        self._pairs = pairs
        self._make_offer()

    def note_gains(self, gains: Gains) -> None:
        """What was measured."""
        target = str(self.target.path) if self.target is not None else ""
        news = gains.of(target) != self._gains.of(target)
        self._gains = gains
        if news:
            self._judge()

    def note_library(self) -> None:
        """Files may have come or gone."""
        models = self._library.library.models
        seen = tuple((model.path, model.size_bytes, model.role, model.vocabulary) for model in models)
        if seen != self._seen and self.target is not None:
            self.choose_target(self._library.library.find(self.target.path))
        self._seen = seen

    # --- steps ------------------------------------------------------------------------------------------------------

    def _judge(self) -> None:
        target = self.target
        if target is None or target.role != "chat":
            self._take_verdicts(None)
            return
        gains = {Path(draft): gain for draft, gain in self._gains.of(str(target.path)).items()}
        self._tell_judging(now=True)
        self._library.judge(target, gains, self._take_verdicts, self._on_failed)

    def _tell_judging(self, *, now: bool) -> None:
        self.judging.emit(now)

    def _take_verdicts(self, verdicts: tuple[Verdict, ...] | None) -> None:
        self._tell_judging(now=False)
        self._verdicts = verdicts
        self._show_verdicts()

    def _on_failed(self, fault: AppError) -> None:
        self._take_verdicts(None)
        self.failed.emit(fault)

    def _show_verdicts(self) -> None:
        if self._verdicts is None:
            self.drafts.replace([])
        else:
            self.drafts.show_verdicts(self._verdicts, self.draft_in_use)
            if not self._chosen_by_hand or self.drafts.find(self.draft) < 0:
                self._take_draft(self._usual_draft())
                self._chosen_by_hand = False
        self._make_offer()
        self._make_plan()

    def _usual_draft(self) -> str:
        """The one in use, else that of last time, else the best."""
        if self.draft_in_use is not None:
            return self.draft_in_use
        fitting = [verdict for verdict in self._verdicts or () if verdict.fits]
        remembered = self._remembered(str(self.target.path)) if self.target is not None else ""
        if any(str(verdict.model.path) == remembered for verdict in fitting):
            return remembered
        return next((str(verdict.model.path) for verdict in fitting if _pays(verdict)), "")

    def _take_draft(self, path: str) -> None:
        self.draft = path
        self.draft_changed.emit(path)
        self._make_plan()

    def _make_offer(self) -> None:
        offer = None
        if self.target is not None and self._verdicts is not None and not any(v.fits for v in self._verdicts):
            offer = draft_for(self._pairs, self.target)
            if offer is not None and find_part(self._library.library, offer):
                offer = None
        if offer != self.offer:
            self.offer = offer
            self.offer_changed.emit(offer)

    def _make_plan(self) -> None:
        target = self.target
        if target is None or target.facts is None or target.role != "chat":
            self.planner.forget()
            self._take_plan(None)
            return
        draft = self._library.library.find(Path(self.draft)) if self.draft else None
        self.planner.plan(target, draft, self._take_plan)

    def _take_plan(self, plan: Plan | None) -> None:
        if plan != self.plan:
            self.plan = plan
            self.plan_changed.emit(plan)


def _pays(verdict: Verdict) -> bool:
    """Whether it is worth taking without being asked."""
    return verdict.gain > 1.0 if verdict.gain is not None else verdict.ratio <= _LARGEST_UNASKED
