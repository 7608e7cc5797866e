"""The Compare page in the whole window, on a real engine process that plays a part."""

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest
from PySide6.QtCore import QEvent, QPoint, Qt
from PySide6.QtGui import QContextMenuEvent
from PySide6.QtWidgets import QApplication, QFileDialog, QWidget
from pytestqt.qtbot import QtBot

from app.bridge.compare_desk import CompareDesk
from app.bridge.comparison_shelf import ComparisonShelf
from app.bridge.gain_keeper import GainKeeper
from app.bridge.settings_store import SettingsStore
from app.chat.gains import Gains
from app.core.settings import SettingsFile
from app.ui.answer_sheet import AnswerSheet
from app.ui.compare_page.door import CompareDoor
from app.ui.compare_page.page import ComparePage
from app.ui.compare_page.race import Race
from tests.conftest import ExpectedLogs
from tests.helpers.comparisons import comparison, side
from tests.helpers.window_kit import Room, rooms

SLOW = ("--deltas", 100_000, "--delay", 0.01)


class Compared(SimpleNamespace):
    """A window with its desk, shelf and page."""

    room: Room
    desk: CompareDesk
    shelf: ComparisonShelf
    door: CompareDoor
    requests_file: Path

    @property
    def page(self) -> ComparePage:
        return self.door.page

    def open(self) -> ComparePage:
        self.room.window.top.compare.click()
        self.room.until(self.page.isVisible)
        return self.page

    def compare(self, prompt: str = "Wörter?") -> None:
        self.page.setup.prompt.setPlainText(prompt)
        self.page.setup.start.click()
        self.room.until(lambda: not self.desk.is_busy)

    def said(self) -> str:
        banner = self.page.notes.banner
        return banner.sentence if banner is not None else ""

    def asked(self) -> list[dict]:
        bodies = map(json.loads, self.requests_file.read_text("utf-8").splitlines())
        return [body for body in bodies if body["kind"] == "generate"]


@pytest.fixture
def build(qapp: QApplication, qtbot: QtBot, tmp_path: Path) -> Iterator[Callable[..., Compared]]:
    made: list[Compared] = []
    with rooms(qapp) as opened:

        def make(*engine: object, size: tuple[int, int] = (1000, 700)) -> Compared:
            requests = tmp_path / "requests.jsonl"
            room = Room(qtbot, tmp_path, "--record", requests, *engine, size=size)
            opened.append(room)
            gains = SettingsFile(tmp_path / "gains.json", Gains)
            keeper = GainKeeper(room.controller, SettingsStore(gains, Gains()))
            shelf = ComparisonShelf(tmp_path / "comparisons.jsonl")
            desk = CompareDesk(room.controller, room.client, shelf, keeper)
            door = CompareDoor(room.window, room.controller, desk, room.appearance)
            made.append(Compared(room=room, keeper=keeper, shelf=shelf, desk=desk, door=door, requests_file=requests))
            return made[-1]

        yield make
        for one in made:
            one.room.until(lambda one=one: not one.desk.is_busy)
            one.shelf.shut_down()
            one.keeper.shut_down()
            for thing in (one.desk, one.shelf, one.keeper):
                thing.deleteLater()
    QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)


def test_one_button_compares_races_and_judges(build) -> None:
    here = build()
    page = here.open()
    assert page.setup.chosen == ("mixed",)
    assert page.setup.start.text() == "Compare"
    here.compare()
    assert page.race.note.text().startswith("A replay: the two answers were made one after the other")
    here.room.until(lambda: not page.race.is_running)
    assert page.race.plain.text.toPlainText() == page.race.other.text.toPlainText() != ""
    assert page.verdict.isVisible()
    # The engine of this test has one speed for all.
    assert page.verdict.headline.text().startswith("Speculation made no difference that could be measured.")
    assert page.verdict.chip.text() == "same text, token for token"
    assert page.verdict.cells["gain", 1] == "1.00×"
    assert page.verdict.cells["range", 1] == "1.00 – 1.00"
    assert page.verdict.cells["identical", 1] == "3 / 3"
    assert [request["speculation"]["drafter"] for request in here.asked()] == [
        "off",
        "mixed",
        "mixed",
        "off",
        "off",
        "mixed",
    ]
    assert len({request["sampling"]["seed"] for request in here.asked()}) == 1
    assert here.room.controller.badge.parts == ("draft model + n-gram", "1.0× measured")
    assert page.kept.count() == 2, "the pair and its comparison"
    assert here.room.window.panel.speculation._draft_facts.text().endswith(" · 1.0× measured")


def test_while_it_runs_everything_says_so_and_the_button_stops_it(build) -> None:
    here = build(*SLOW)
    page = here.open()
    page.setup.prompt.setPlainText("hi")
    page.setup.start.click()
    here.room.until(lambda: "tokens so far" in page.status.text() and page.race.plain.text.toPlainText())
    assert page.status.text().startswith("Answer 1 of 6: Off, ")
    assert page.race.note.text() == "One answer after the other: two at a time would slow each other down."
    assert page.setup.start.text() == "Stop"
    assert not page.setup.prompt.isEnabled()
    page.setup.start.click()
    assert page.status.text() == "Stopping…"
    here.room.until(lambda: not here.desk.is_busy)
    assert here.said() == "The comparison was stopped. Nothing was kept."
    assert page.setup.start.text() == "Compare"
    assert not page.verdict.isVisible()
    assert not page.race.isVisible()


def test_the_engine_crashes_and_the_page_goes_on(build, expect_log: ExpectedLogs) -> None:
    expect_log("The engine crashed")
    here = build("--crash-after", 3)
    page = here.open()
    here.compare()
    assert here.said().startswith("The engine crashed (SIGKILL")
    assert page.setup.start.isEnabled()
    here.compare()
    assert here.said() == "The engine is not running. Restart it first."


def test_an_empty_question_and_no_drafter_get_their_sentences(build) -> None:
    here = build()
    page = here.open()
    here.compare(" \n ")
    assert here.said() == "There is no question to compare answers to. Write a prompt."
    page.setup.choose(())
    here.compare()
    assert here.said() == "Choose at least one drafter to compare with."
    assert not here.requests_file.exists() or here.asked() == []


def test_a_text_that_is_too_long_gets_the_engines_sentence(build) -> None:
    here = build("--fail-after", 0, "--fail-plain-too", "--fail-code", "prompt_too_long")
    here.open()
    here.compare("word " * 9999)
    assert here.said() == "The model could not be evaluated. Try a shorter context."


def test_drafters_that_cannot_be_used_say_why(build) -> None:
    here = build()
    page = here.open()
    assert not page.setup.arms["heads"].isEnabled()
    assert page.setup.arms["heads"].toolTip() == "This file has no prediction heads."
    here.room.controller.choose_draft("")
    here.room.until(lambda: not page.setup.arms["mixed"].isEnabled())
    assert page.setup._why.text() == "No draft model is loaded. This file has no prediction heads."
    assert page.setup.chosen == ()


def test_an_answer_is_compared_in_its_context_with_its_seed(build) -> None:
    here = build()
    here.room.ask("first")
    here.room.ask("second")
    answer = here.room.controller.conversation.messages[3]
    view = here.room.window.transcript._column.views[3]
    menu = view.tools.menu()
    menu.actions()[-1].trigger()
    menu.deleteLater()
    here.room.until(here.page.isVisible)
    assert here.page.setup.prompt.toPlainText() == "second"
    assert here.page.setup._context.text().startswith("In its context: 2 earlier messages.")
    here.page.setup.start.click()
    here.room.until(lambda: not here.desk.is_busy)
    compared = [request for request in here.asked() if request["isolated"]]
    assert [turn["content"] for turn in compared[0]["turns"]][::2] == ["first", "second"]
    assert {request["sampling"]["seed"] for request in compared} == {answer.seed}
    here.compare("changed")
    assert len(here.asked()[-1]["turns"]) == 1
    assert here.room.controller.conversation.messages[3] is answer, "the chat is as it was"


def test_a_question_is_compared_from_its_menu(build) -> None:
    here = build()
    here.room.ask("first")
    body = here.room.window.transcript._column.views[0].body
    event = QContextMenuEvent(QContextMenuEvent.Reason.Mouse, QPoint(3, 3), QPoint(3, 3))
    menu = body.make_menu(event)
    menu.actions()[-1].trigger()
    menu.deleteLater()
    here.room.until(here.page.isVisible)
    assert here.page.setup.prompt.toPlainText() == "first"


def test_opened_from_the_bar_it_offers_the_last_question(build, qtbot) -> None:
    here = build()
    here.room.ask("first")
    qtbot.keyClick(
        here.room.window, Qt.Key.Key_S, Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier
    )
    here.room.until(here.page.isVisible)
    assert here.page.setup.prompt.toPlainText() == "first"
    assert here.room.window.top.compare.isChecked()
    assert not here.room.window.top.models.isChecked()
    qtbot.keyClick(here.room.window, Qt.Key.Key_Escape)
    assert not here.page.isVisible()
    assert not here.room.window.top.compare.isChecked()


def test_a_proof_is_said_and_kept(build) -> None:
    here = build()
    page = here.open()
    here.compare()
    page.verdict.prove.click()
    here.room.until(lambda: not here.desk.is_busy)
    words = "Proven: with all passes in one shape, the texts are identical, token for token."
    assert page.verdict.proof.text() == words
    assert "proven" in page.kept.item(1).text()
    assert page.kept.count() == 2
    page.verdict.show_comparison(replace(comparison("b"), proof=(7,)))
    assert page.verdict.proof.text().startswith("Proof failed: in one shape the texts differ from token 7 on.")


def test_exported_again_and_deleted(build, tmp_path: Path) -> None:
    here = build()
    page = here.open()
    here.compare()
    page.verdict.export.click()
    (dialog,) = here.room.window.findChildren(QFileDialog)
    file = tmp_path / "größe.jsonl"
    dialog.fileSelected.emit(str(file))
    dialog.reject()
    here.room.until(lambda: here.said() == "The comparison is saved as größe.jsonl.")
    assert len(file.read_text("utf-8").splitlines()) == 1
    page.verdict.again.click()
    here.room.until(lambda: not here.desk.is_busy)
    assert len(here.shelf.comparisons) == 2
    first, again = here.shelf.comparisons
    assert first.plan == again.plan
    page.verdict.remove.click()
    assert len(here.shelf.comparisons) == 1
    assert not page.verdict.isVisible()
    here.room.until(lambda: not here.shelf._background.busy)


@pytest.mark.parametrize(
    ("other", "headline", "sentence", "chip"),
    [
        (
            side("draft_model", 60.0, 63.0, waits=1.0),
            "Speculation was 2.05 times as fast. (from 2.00 to 2.10)",
            "You waited 1000 ms less.",
            "same text, token for token",
        ),
        (
            side("draft_model", 21.0, 24.0, waits=3.0, parts_at=4),
            "Speculation was slower: 0.75 times the speed of plain decoding. (from 0.70 to 0.80)",
            "You waited 1000 ms longer.\nThe texts part at token 4, where the best two tokens were 0.012 apart:"
            " passes of different shape are rounded differently, and two tokens were nearly equally likely there. A"
            " proof in fixed shape compares without that.",
            "texts part",
        ),
    ],
)
def test_the_verdict_in_words(build, other, headline: str, sentence: str, chip: str) -> None:
    here = build()
    verdict = here.open().verdict
    verdict.show_comparison(comparison("a", other))
    assert verdict.headline.text() == headline
    assert verdict.sentence.text().replace("1.00 s", "1000 ms") == sentence
    assert verdict.chip.text() == chip


def test_kept_ones_are_listed_under_their_pair(build) -> None:
    here = build()
    page = here.open()
    for one in (
        comparison("a", created=1.0, prompt="older"),
        comparison("b", created=3.0, prompt="newer"),
        comparison("c", side("draft_model", 15.0, 15.0), created=2.0, target="/m/other.gguf"),
    ):
        here.shelf.keep(one)
    rows = [page.kept.item(row).text() for row in range(page.kept.count())]
    assert [row.split(" · ")[:3] for row in rows] == [
        ["target.gguf + draft.gguf"],
        ["2.05×", "Draft model", "“newer”"],
        ["2.05×", "Draft model", "“older”"],
        ["other.gguf + draft.gguf"],
        ["0.50×, slower", "Draft model", "“Why?”"],
    ]
    page.kept.setCurrentRow(4)
    assert page.verdict.comparison is not None
    assert page.verdict.comparison.id == "c"
    assert page.race.isVisible()
    here.room.until(lambda: not here.shelf._background.busy)


def test_what_cannot_be_read_is_said_in_the_chat_too(build, tmp_path: Path) -> None:
    (tmp_path / "comparisons.jsonl").mkdir()
    here = build()
    here.shelf.start()
    here.room.until(lambda: here.room.window.notes.banner is not None)
    assert here.room.window.notes.banner.sentence.startswith("The kept comparisons could not be read (")


def test_who_left_the_page_hears_of_it_in_the_chat(build, qtbot) -> None:
    here = build("--deltas", 30, "--delay", 0.01)
    page = here.open()
    page.setup.prompt.setPlainText("hi")
    page.setup.start.click()
    qtbot.keyClick(here.room.window, Qt.Key.Key_Escape)
    assert not page.isVisible()
    here.room.until(lambda: here.room.window.notes.banner is not None)
    assert here.room.window.notes.banner.sentence == "Speculation made no difference that could be measured."
    here.open()
    assert page.verdict.isVisible()
    page.setup.start.click()
    here.room.window.top.compare.click()
    here.room.ask("a message")
    words = "The comparison was stopped, because a message was sent."
    assert here.room.window.notes.banner.sentence == words
    assert here.said() == words


def test_a_stored_message_keeps_its_ink_and_its_files(build) -> None:
    here = build()
    here.room.ask("first")
    here.room.controller.new_chat()
    assert len(here.room.listed()) == 1
    here.room.controller.open_chat(here.room.window.chats._model.entries()[0].chat.id)
    here.room.until(lambda: here.room.controller.conversation.messages)
    answer = here.room.controller.conversation.messages[1]
    here.room.window.top.set_ink(True)
    view = here.room.window.transcript._column.views[1]
    assert view.ink_tip.words_at(0) == "draft model: proposed and accepted, the draft was 80 % sure"
    assert answer.stats is not None
    assert sum(count for _, count in answer.token_counts) == answer.stats.generated_tokens
    assert answer.drafted_tokens == answer.stats.accepted
    here.room.window.transcript.action_asked.emit(answer.id, "details")
    (sheet,) = here.room.window.findChildren(AnswerSheet)
    assert [text for text, _ in sheet.lines][-2:] == [
        "Target: outpace-demo-target-q8_0.gguf",
        "Draft model: outpace-demo-draft-q8_0.gguf",
    ]
    sheet.reject()


def test_every_control_has_a_name_and_is_reached_by_tab(build) -> None:
    here = build()
    page = here.open()
    here.compare()
    for widget in page.findChildren(QWidget):
        if widget.focusPolicy() & Qt.FocusPolicy.TabFocus and widget.isVisible() and widget.isEnabled():
            name = widget.accessibleName() or getattr(widget, "text", lambda: "")()
            assert name, widget
    assert page.setup.start.focusPolicy() & Qt.FocusPolicy.TabFocus


# --- the race alone


@pytest.fixture
def race(qtbot: QtBot):
    now = [0.0]
    made = Race(lambda: now[0])
    qtbot.addWidget(made)
    made.resize(800, 300)
    made.show()

    def go(seconds: float) -> Race:
        now[0] = seconds
        made._tick()
        return made

    made.replay(comparison(), comparison().best)
    yield go
    made.hide()


def test_each_side_runs_with_the_clock_it_had(race) -> None:
    shown = race(0.6)
    assert (shown.plain.clock.text(), shown.plain.text.toPlainText()) == ("0.6 s", "one")
    assert (shown.other.clock.text(), shown.other.text.toPlainText()) == ("0.6 s", "one")
    shown = race(1.2)
    assert (shown.other.clock.text(), shown.other.text.toPlainText()) == ("1.0 s", "one two three")
    assert shown.other.numbers.text() == "60.0 tok/s · first token 240 ms · 10 tokens"
    assert (shown.plain.clock.text(), shown.plain.text.toPlainText()) == ("1.2 s", "one two")
    assert shown.is_running
    shown = race(2.1)
    assert not shown.is_running
    assert shown.other.property("lively") == "true"
    assert shown.plain.property("lively") == "false"


def test_a_long_race_runs_faster_and_says_so(qtbot: QtBot) -> None:
    now = [0.0]
    shown = Race(lambda: now[0])
    qtbot.addWidget(shown)
    long = comparison("a", side("draft_model", 60.0, waits=60.0))
    (other,) = long.others
    shown.replay(replace(long, sides=(side("off", 30.0, waits=48.0), other)), other)
    assert "It runs 5.0 times as fast as they did" in shown.note.text()
    now[0] = 6.0
    shown._tick()
    assert shown.other.clock.text() == "30.0 s"
    shown._finish()
    assert shown.plain.clock.text() == "48.0 s"


def test_a_page_that_is_left_does_not_go_on_racing(race) -> None:
    shown = race(0.1)
    assert shown.is_running
    shown.hide()
    assert not shown.is_running
    assert shown.plain.text.toPlainText() == "one two three"
