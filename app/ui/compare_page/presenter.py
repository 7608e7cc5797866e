"""Connects the Compare page to the desk, both ways."""

import secrets
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import QObject
from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent
from PySide6.QtWidgets import QFileDialog

from app.bridge.chat_controller import ChatController
from app.bridge.compare_desk import CompareDesk, Standing
from app.chat.banner import Banner
from app.chat.connections import shown_name
from app.comparison.result import Comparison
from app.comparison.run import PLAIN, Place, Plan
from app.protocol.messages import Notice, Turn
from app.protocol.options import MAX_SEED, LimitOptions, SpeculationOptions
from app.ui.compare_page.page import ComparePage
from app.ui.names import drafter_name


class ComparePresenter(QObject):
    """Shows what the desk says and tells it what the person does."""

    def __init__(self, page: ComparePage, chat: ChatController, desk: CompareDesk) -> None:
        super().__init__(page)
        self._page = page
        self._chat = chat
        self._desk = desk
        self._seed: int | None = None
        self._standing: Standing | None = None
        self._listen()
        self._obey()
        self._plain_template = False
        chosen = chat.speculation.drafter
        page.setup.choose((chosen if chosen != "off" else chat.settings.speculation.drafter,))
        self._on_models()
        self._on_kept(desk.shelf.comparisons)

    def ask(self, turns: tuple[Turn, ...], seed: int | None, *, plain_template: bool = False) -> None:
        """Offer the last of these turns, in the context of the others.

        Args:
            turns: What the model is shown.
            seed: Of the answer it had, if it had one.
            plain_template: See `Generate`.
        """
        if self._desk.is_busy:
            self._say(Banner("info", self.tr("A comparison is under way."), self.tr("Wait for it, or stop it.")))
            return
        if not turns or turns[-1].role != "user":
            self._say(Banner("info", self.tr("There is no question here that could be asked again.")))
            return
        self._page.setup.show_context(turns)
        self._seed, self._plain_template = seed, plain_template

    # --- what the desk says -----------------------------------------------------------------------------------------

    def _listen(self) -> None:
        desk, page = self._desk, self._page
        desk.standing_changed.connect(self._on_standing)
        desk.found.connect(self._on_found)
        desk.failed.connect(lambda sentence: self._say(Banner("warning", sentence)))
        desk.shelf.changed.connect(self._on_kept)
        desk.shelf.notice.connect(self._on_notice)
        self._chat.model_loaded.connect(self._on_models)
        if desk.guest is not None:
            desk.guest.changed.connect(self._on_models)
        page.notes.action_chosen.connect(lambda _action: page.notes.show_banner(None))

    def _on_standing(self, standing: Standing | None) -> None:
        page = self._page
        self._standing = standing
        page.setup.show_busy(busy=standing is not None, stopping=standing is not None and standing.stage == "stopping")
        page.verdict.show_busy(busy=standing is not None)
        page.show_status(self._words(standing) if standing is not None else "")
        if standing is not None:
            page.race.show_standing(standing)
            page.race.show()
            page.verdict.setVisible(standing.stage == "proving")
        elif page.verdict.comparison is not None:
            # Also after a proof or a comparison that came to nothing: the result of before is still one.
            page.race.show_end(page.verdict.comparison, page.verdict.side)
            page.verdict.show()
        else:
            page.race.hide()

    def _words(self, standing: Standing) -> str:
        if standing.stage == "stopping":
            return self.tr("Stopping…")
        plan, arm = standing.plan, standing.arm
        name = plan.places[arm].name if plan.places else drafter_name(plan.arms[arm].drafter)
        words = (
            self.tr("Proving: answer {0} of {1}, {2}, {3} tokens so far")
            if standing.stage == "proving"
            else self.tr("Answer {0} of {1}: {2}, {3} tokens so far")
        )
        return words.format(standing.number + 1, standing.total, name, standing.tokens)

    def _on_found(self, comparison: Comparison) -> None:
        page = self._page
        fresh = page.verdict.comparison is None or page.verdict.comparison.id != comparison.id
        page.verdict.show_comparison(comparison)
        page.verdict.show()
        page.race.show()
        if fresh and page.isVisible():
            page.race.replay(comparison, page.verdict.side)
        else:
            page.race.show_end(comparison, page.verdict.side)
        page.notes.show_banner(None)
        if QAccessible.isActive():
            QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(page, page.verdict.headline.text()))

    def _on_kept(self, comparisons: tuple[Comparison, ...]) -> None:
        shown = self._page.verdict.comparison
        self._page.kept.show_comparisons(comparisons, shown.id if shown is not None else "")
        self._page.show_kept(bool(comparisons))

    def _on_models(self) -> None:
        setup, guest, loaded = self._page.setup, self._desk.guest, self._chat.loaded
        setup.show_reasons(self._desk.why_not_drafter)
        here = loaded.target.path if loaded is not None else ""
        setup.show_places([place for place in guest.choices() if place.target != here] if guest is not None else [])

    def _on_notice(self, notice: Notice) -> None:
        self._say(Banner("info", notice.text))

    def _say(self, banner: Banner) -> None:
        self._page.notes.show_banner(banner)

    # --- what the person does ---------------------------------------------------------------------------------------

    def _obey(self) -> None:
        page, desk = self._page, self._desk
        page.setup.start_wanted.connect(self._start)
        page.setup.stop_wanted.connect(desk.cancel)
        page.verdict.side_chosen.connect(self._show_end)
        page.verdict.prove_wanted.connect(lambda: self._with_shown(desk.prove))
        page.verdict.replay_wanted.connect(self._replay)
        page.verdict.again_wanted.connect(lambda: self._with_shown(lambda shown: desk.start(shown.plan)))
        page.verdict.export_wanted.connect(lambda: self._with_shown(self._export))
        page.verdict.remove_wanted.connect(lambda: self._with_shown(self._remove))
        page.kept.chosen.connect(self._show_kept)

    def _start(self) -> None:
        setup, chat = self._page.setup, self._chat
        self._page.notes.show_banner(None)
        usual = replace(chat.speculation, explicit=True)
        arms: list[SpeculationOptions] = [PLAIN, *(replace(usual, drafter=name) for name in setup.chosen)]
        places = self._places()
        if places:
            # Two models as they are: the switch is not what is compared.
            arms = [chat.speculation] * 2
        seed = self._seed if self._seed is not None and setup.is_as_offered else chat.sampling.seed
        plan = Plan(
            turns=setup.turns,
            sampling=replace(chat.sampling, seed=secrets.randbelow(MAX_SEED + 1) if seed is None else seed),
            limits=LimitOptions(max_tokens=setup.tokens.whole()),
            arms=tuple(arms),
            repeats=setup.repeats.whole(),
            places=places,
            plain_template=self._plain_template and setup.is_as_offered,
        )
        if self._desk.start(plan):
            self._page.reveal(self._page.status)

    def _places(self) -> tuple[Place, ...]:
        """The loaded model and the one to compare it with, empty if only drafters are compared."""
        other, loaded = self._page.setup.against, self._chat.loaded
        if other is None or loaded is None:
            return ()
        name = loaded.target.name or shown_name(loaded.target.path)
        name = f"{name} @ {loaded.server.name}" if loaded.server is not None else name
        return (Place(target=loaded.target.path, name=name), other)

    def _with_shown(self, act: Callable[[Comparison], object]) -> None:
        shown = self._page.verdict.comparison
        if shown is not None:
            self._page.notes.show_banner(None)
            act(shown)

    def _show_end(self) -> None:
        shown = self._page.verdict.comparison
        if shown is not None and not self._desk.is_busy:
            self._page.race.show_end(shown, self._page.verdict.side)

    def _replay(self) -> None:
        shown = self._page.verdict.comparison
        if shown is not None:
            self._page.race.replay(shown, self._page.verdict.side)

    def _show_kept(self, comparison: Comparison) -> None:
        if self._desk.is_busy:
            return
        page = self._page
        page.verdict.show_comparison(comparison)
        page.verdict.show()
        page.race.show()
        page.race.show_end(comparison, page.verdict.side)

    def _export(self, comparison: Comparison) -> None:
        dialog = QFileDialog(self._page, self.tr("Export the comparison"), str(Path.home() / "comparison.jsonl"))
        dialog.setObjectName("export comparison")
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setNameFilters([self.tr("One JSON line (*.jsonl)"), self.tr("All files (*)")])
        dialog.setDefaultSuffix("jsonl")
        dialog.fileSelected.connect(lambda path: self._desk.shelf.export(comparison, Path(path)))
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()

    def _remove(self, comparison: Comparison) -> None:
        page = self._page
        page.verdict.comparison = None
        page.verdict.hide()
        page.race.hide()
        self._desk.shelf.remove(comparison.id)
