"""A comparison desk with its controller on a real engine process that plays a part, or on the real one."""

from pathlib import Path

from pytestqt.qtbot import QtBot

from app.bridge.compare_desk import CompareDesk
from app.bridge.comparison_shelf import ComparisonShelf
from app.bridge.gain_keeper import GainKeeper
from app.bridge.settings_store import SettingsStore
from app.chat.gains import Gains
from app.chat.settings import Pair
from app.comparison.run import PLAIN, Plan
from app.core.settings import SettingsFile
from app.protocol.messages import Turn
from app.protocol.options import LimitOptions, SamplingOptions, SpeculationOptions
from tests.helpers.bridge_kit import Notebook
from tests.helpers.controller_kit import DEMO, Desk

DRAFT = SpeculationOptions(drafter="draft_model", lookahead=3, explicit=True)
NGRAM = SpeculationOptions(drafter="ngram", lookahead=3, explicit=True)


def plan(text: str = "Wörter?", *arms: SpeculationOptions, repeats: int = 2, tokens: int = 40) -> Plan:
    return Plan(
        turns=(Turn(role="user", content=text),),
        sampling=SamplingOptions(temperature=0.0, seed=5),
        limits=LimitOptions(max_tokens=tokens),
        arms=(PLAIN, *(arms or (DRAFT,))),
        repeats=repeats,
    )


class CompareRoom:
    """Everything below the widgets."""

    def __init__(self, qtbot: QtBot, folder: Path, *engine: object, command: tuple[str, ...] = (), demo: Pair = DEMO):
        self.qtbot = qtbot
        self.folder = folder
        self.desk = Desk(qtbot, folder, *engine, command=command, demo=demo)
        gains = SettingsFile(folder / "gains.json", Gains)
        self.keeper = GainKeeper(self.desk.controller, SettingsStore(gains, gains.load()[0]))
        self.shelf = ComparisonShelf(folder / "comparisons.jsonl")
        self.compare = CompareDesk(self.desk.controller, self.desk.client, self.shelf, self.keeper)
        self.notes = Notebook(
            standing=self.compare.standing_changed,
            found=self.compare.found,
            failed=self.compare.failed,
            listed=self.shelf.changed,
            notice=self.shelf.notice,
        )
        self.shelf.start()

    def until(self, condition) -> None:
        self.qtbot.waitUntil(lambda: bool(condition()), timeout=60_000)

    def until_done(self) -> None:
        """Wait for a result or a sentence."""
        self.until(lambda: not self.compare.is_busy)

    def close(self) -> None:
        self.desk.controller.shut_down()
        self.shelf.shut_down()
        self.keeper.shut_down()
        for thing in (self.compare, self.shelf, self.keeper):
            thing.deleteLater()
