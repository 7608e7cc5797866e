"""Compares answers with and without speculation on the engine of the chat, one after the other."""

import uuid
from dataclasses import dataclass, replace
from pathlib import PurePath
from typing import Literal

from PySide6.QtCore import QObject, Signal, Slot

from app.bridge.chat_controller import ChatController
from app.bridge.compare_guest import CompareGuest
from app.bridge.comparison_shelf import ComparisonShelf
from app.bridge.engine_client import EngineClient
from app.bridge.gain_keeper import GainKeeper
from app.bridge.throttle import Throttle
from app.bridge.timers import single_shot
from app.comparison.made import proof_of, result, with_proof
from app.comparison.result import Comparison
from app.comparison.run import Plan, Run
from app.core.errors import UserError
from app.core.translation import translate
from app.protocol.messages import Cancel, Event, Failed, Progress, Request
from app.protocol.options import DrafterName

_TELL_EVERY_MS = 80
STOP_OVERDUE_MS = 5000
Stage = Literal["comparing", "proving", "stopping"]


@dataclass(frozen=True, slots=True)
class Standing:
    """How far a comparison is.

    `number` of `total` answers is under way (from 0), by `arm` of the plan; it has `tokens` and `text` so far. `texts`:
    for each arm what is known of its first answer.
    """

    stage: Stage
    plan: Plan
    number: int
    total: int
    arm: int
    tokens: int
    text: str
    texts: tuple[str, ...]


class CompareDesk(QObject):
    """The chat goes first: a message or a load ends a comparison that is under way, with a sentence.

    Signals:
        standing_changed: A `Standing`, some times a second; None when nothing is under way any more.
        found: A `Comparison`, finished just now, or proven just now.
        failed: Why there is no result, as a sentence.
    """

    standing_changed = Signal(object)
    found = Signal(object)
    failed = Signal(str)

    def __init__(
        self,
        chat: ChatController,
        client: EngineClient,
        shelf: ComparisonShelf,
        gains: GainKeeper,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self.setObjectName("comparison desk")
        self.shelf = shelf
        self.gains = gains
        self._chat = chat
        self._client = client
        self._run: Run | None = None
        self._stage: Stage = "comparing"
        self._files = ("", "")
        self._proven: Comparison | None = None
        self.guest: CompareGuest | None = None
        """Who answers for the second model of a plan with places."""
        self._throttle = Throttle(self._tell, self, _TELL_EVERY_MS)
        self._patience = single_shot(self, "comparison does not stop", STOP_OVERDUE_MS, self._on_stop_overdue)
        client.received.connect(self._on_event)
        chat.phase_changed.connect(self._on_phase)

    @property
    def is_busy(self) -> bool:
        return self._run is not None

    def why_not(self) -> str:
        """Why nothing can be compared right now, "" if something can."""
        return {
            "idle": "",
            "no_model": translate("compare", "No model is loaded. Open one first."),
            "loading": translate("compare", "A model is being loaded. Compare when it is ready."),
            "engine_down": translate("compare", "The engine is not running. Restart it first."),
        }.get(
            self._chat.phase,
            translate("compare", "An answer is being written. Compare when it is finished, or stop it."),
        )

    def why_not_drafter(self, drafter: DrafterName) -> str:
        """Why this drafter cannot be used with the loaded models, "" if it can."""
        loaded = self._chat.loaded
        if loaded is None or drafter == "off":
            return ""
        server = loaded.server
        if server is None:
            return loaded.why_not.get(drafter, "")
        if not server.can_switch:
            text = translate("compare", "{0} cannot choose speculation for a message: compare it with another model.")
            return text.format(server.name)
        return "" if drafter == (server.drafter or "mixed") else translate("compare", "The server chooses its drafter.")

    def start(self, plan: Plan) -> bool:
        """Compare; False, and `failed` says why, if that is impossible."""
        if len(plan.arms) < 2:
            return self._refuse(translate("compare", "Choose at least one drafter to compare with."))
        return self._begin(plan, "comparing", None)

    def prove(self, comparison: Comparison) -> bool:
        """Ask the same in fixed shape; False, and `failed` says why, if that is impossible."""
        loaded = self._chat.loaded
        if comparison.plan.places or (loaded is not None and loaded.server is not None):
            text = translate("compare", "A server cannot bring its passes into one shape, so it proves nothing.")
            return self._refuse(text)
        here = (loaded.target.path, loaded.draft.path if loaded.draft else "") if loaded is not None else ("", "")
        if loaded is not None and here != (comparison.target, comparison.draft):
            names = " + ".join(PurePath(path).name for path in (comparison.target, comparison.draft) if path)
            text = translate("compare", "This was measured with {0}. Load these models first.")
            return self._refuse(text.format(names))
        return self._begin(proof_of(comparison.plan), "proving", comparison)

    @Slot()
    def cancel(self) -> None:
        """Stop; what was measured so far is given up."""
        if self._run is not None and self.guest is not None and self.guest.is_loading:
            self._give_up(translate("compare", "The comparison was stopped. Nothing was kept."))
        elif self._run is not None and self._stage != "stopping":
            self._stage = "stopping"
            self._patience.start()
            self._send(self._run, Cancel(id=self._run.id))
            self._tell()

    # --- steps ------------------------------------------------------------------------------------------------------

    def _begin(self, plan: Plan, stage: Stage, proven: Comparison | None) -> bool:
        if self.is_busy:
            return self._refuse(translate("compare", "A comparison is under way."))
        problem = self.why_not()
        for arm in plan.arms if not plan.places else ():
            problem = problem or self.why_not_drafter(arm.drafter)
        if plan.places and (self.guest is None or self._chat.loaded is None):
            problem = problem or translate("compare", "There is no server to compare with.")
        elif plan.places and self._chat.loaded is not None and self._chat.loaded.target.path != plan.places[0].target:
            text = translate("compare", "This was measured with {0}. Load it first.").format(plan.places[0].name)
            problem = problem or text
        if problem:
            return self._refuse(problem)
        loaded = self._chat.loaded
        assert loaded is not None  # the phase is "idle"
        if loaded.server is not None or plan.places:
            plan = replace(plan, warm_up=True)
        try:
            self._run = Run(plan, f"compare {uuid.uuid4().hex}")
        except UserError as error:
            return self._refuse(str(error))
        self._stage, self._proven = stage, proven
        self._files = (loaded.target.path, loaded.draft.path if loaded.draft else "")
        if plan.places and self.guest is not None:
            self.guest.invite(plan.places[1].target, self._next, self._give_up)
            self._tell()
        else:
            self._next()
        return True

    def _refuse(self, sentence: str) -> bool:
        self.failed.emit(sentence)
        return False

    def _next(self) -> None:
        if self._run is None:
            return  # given up while the other model was loaded
        request = self._run.next()
        if request is None:
            self._finish(self._run)
        else:
            self._send(self._run, request)
            self._tell()

    def invite_with(self, guest: CompareGuest) -> None:
        """From now on the loaded model can be compared with those of `guest`."""
        self.guest = guest
        guest.received.connect(self._on_event)

    def _send(self, run: Run, request: Request) -> None:
        if run.plan.places and run.arm and self.guest is not None:
            self.guest.send(request)
        else:
            self._client.send(request)

    def _on_event(self, event: Event) -> None:
        run = self._run
        if run is None or getattr(event, "id", "") != run.id:
            return
        if isinstance(event, Failed):
            self._give_up(f"{event.sentence} {event.hint}".strip())
        elif run.take(event):
            if run.cancelled:
                self._give_up(translate("compare", "The comparison was stopped. Nothing was kept."))
            else:
                self._next()
        elif not isinstance(event, Progress):
            self._throttle.trigger()

    def _on_stop_overdue(self) -> None:
        self._give_up(
            translate("compare", "The engine does not react to Stop. What it still does for the comparison is ignored.")
        )

    def _on_phase(self, phase: str) -> None:
        if self._run is None or phase not in ("prefill", "loading"):
            return
        self._send(self._run, Cancel(id=self._run.id))
        self._give_up(
            translate("compare", "The comparison was stopped, because a message was sent.")
            if phase == "prefill"
            else translate("compare", "The comparison was stopped, because a model is being loaded.")
        )

    def _give_up(self, sentence: str) -> None:
        self._end()
        self.failed.emit(sentence)

    def _finish(self, run: Run) -> None:
        proven = self._proven
        self._end()
        found = result(run, *self._files) if proven is None else with_proof(proven, run)
        self.shelf.keep(found)
        if proven is None:
            self._note_gains(found)
        self.found.emit(found)

    def _note_gains(self, found: Comparison) -> None:
        if found.plan.places:
            return  # these are two models, not a drafter and its target
        sides = [(spread.median, side) for side in found.others if (spread := found.gain(side)) is not None]
        # The newest counts where only the draft model is asked for, so the best comes last.
        for gain, side in sorted(sides, key=lambda one: one[0]):
            draft = found.draft if side.drafter in ("draft_model", "mixed") else ""
            self.gains.note(found.target, draft, side.drafter, gain)

    def _end(self) -> None:
        if self._run is not None and self._run.plan.places and self.guest is not None:
            self.guest.dismiss()
        self._run = self._proven = None
        self._throttle.cancel()
        self._patience.stop()
        self.standing_changed.emit(None)

    def _tell(self) -> None:
        run = self._run
        if run is None:
            return
        firsts = tuple(replies[0].text if replies else "" for replies in run.replies)
        text = run.so_far.text
        if not run.replies[run.arm]:
            firsts = (*firsts[: run.arm], text, *firsts[run.arm + 1 :])
        standing = Standing(self._stage, run.plan, run.number, run.total, run.arm, run.so_far.tokens, text, firsts)
        self.standing_changed.emit(standing)
