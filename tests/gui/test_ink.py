"""The ink view: what a token says when the mouse or the text cursor is at it, and counts that equal the statistics."""

from collections.abc import Iterator
from dataclasses import replace

import pytest
from PySide6.QtCore import QEvent, QPoint, Qt
from PySide6.QtGui import QHelpEvent, QTextCursor
from PySide6.QtWidgets import QApplication, QToolTip
from pytestqt.qtbot import QtBot

from app.chat.answer import Answer
from app.chat.conversation import Message
from app.protocol.messages import Delta, Piece
from app.protocol.stats import GenerationStats
from app.ui import theme
from app.ui.answer_sheet import AnswerSheet
from app.ui.transcript.words import legend
from tests.helpers.transcript import ACTIVE, Shown, Stage
from tests.helpers.wire_values import NUMBERS, finished

TOKENS = (
    ("target", -1, "Die "),
    ("draft_model", 91, "😀 Größe "),
    ("ngram", -1, "ist\n"),
    ("correction", 34, "neun"),
    ("heads", 77, "."),
)
SAID = (
    "target: nothing was proposed here",
    "draft model: proposed and accepted, the draft was 91 % sure",
    "n-gram: proposed and accepted",
    "corrected: the target said this, the draft was 34 % sure of something else",
    "heads: proposed and accepted, the draft was 77 % sure",
)


def inked(status: str = "complete") -> Message:
    answer = Answer(Message(role="assistant", status="streaming", files=("/m/target.gguf", "/m/draft.gguf")))
    answer.add(
        Delta(
            id="a",
            pieces=tuple(Piece(text=text, source=source) for source, _, text in TOKENS),
            tokens=tuple(range(len(TOKENS))),
            sources=tuple(source for source, _, _ in TOKENS),
            lengths=tuple(len(text) for _, _, text in TOKENS),
            sure=tuple(sure for _, sure, _ in TOKENS),
        )
    )
    if status == "complete":
        stats = GenerationStats(generated_tokens=5, passes=2, proposed=4, verified=4, accepted=3, decode_ms=100)
        answer.finish(finished("a", numbers=stats, state=replace(ACTIVE, drafter="mixed")))
    return answer.message()


@pytest.fixture
def stage(qtbot: QtBot) -> Stage:
    return Stage(qtbot)


@pytest.fixture(autouse=True)
def _no_tip_stays() -> Iterator[None]:
    yield
    QToolTip.hideText()
    QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)


def centres(shown: Shown) -> list[QPoint]:
    """Where the first character of each token is on the screen."""
    body, place, found = shown.view.body, 0, []
    for _, _, text in TOKENS:
        cursor = QTextCursor(body.document())
        cursor.setPosition(place)
        found.append(body.cursorRect(cursor).center() + QPoint(1, 0))
        place += len(text.encode("utf-16-le")) // 2
    return found


def hover(shown: Shown, place: QPoint) -> str:
    viewport = shown.view.body.viewport()
    QApplication.sendEvent(viewport, QHelpEvent(QEvent.Type.ToolTip, place, viewport.mapToGlobal(place)))
    return QToolTip.text()


def test_hovering_a_token_says_where_it_came_from(stage: Stage) -> None:
    shown = stage.show(inked(), ink=True)
    assert tuple(hover(shown, place) for place in centres(shown)) == SAID


def test_nothing_is_said_beside_the_text_or_without_ink(stage: Stage) -> None:
    shown = stage.show(inked(), ink=True)
    place = centres(shown)[0]
    assert shown.view.ink_tip.position_at(QPoint(650, place.y())) == -1
    plain = stage.show(inked())
    QToolTip.hideText()
    assert hover(plain, centres(plain)[0]) not in SAID


def test_the_text_cursor_says_it_too(stage: Stage, qtbot: QtBot) -> None:
    shown = stage.show(inked(), ink=True)
    body = shown.view.body
    body.setFocus(Qt.FocusReason.OtherFocusReason)
    qtbot.waitUntil(body.hasFocus)
    for _ in range(5):
        qtbot.keyClick(body, Qt.Key.Key_Right)
    assert QToolTip.text() == SAID[1]


def test_an_answer_of_an_older_version_knows_the_source_only(stage: Stage) -> None:
    shown = stage.show(replace(inked(), ink=b""), ink=True)
    assert hover(shown, centres(shown)[3]) == "corrected"


def test_the_counts_of_the_legend_equal_the_statistics(stage: Stage) -> None:
    message = inked()
    counts = dict(legend(message))
    assert message.stats is not None
    assert counts["draft_model"] + counts["ngram"] + counts["heads"] == message.stats.accepted
    assert sum(counts.values()) == message.stats.generated_tokens
    shown = stage.show(message, ink=True)
    assert shown.view.legend.accessibleName() == (
        "Tokens by source: draft model: 1, n-gram: 1, heads: 1, corrected: 1, target: 1"
    )


def test_the_footer_asks_for_details_by_button_and_by_click(stage: Stage, qtbot: QtBot) -> None:
    shown = stage.show(inked())
    asked: list[str] = []
    shown.view.action_asked.connect(asked.append)
    qtbot.mouseClick(shown.view.footer.details, Qt.MouseButton.LeftButton)
    qtbot.mouseClick(shown.view.footer.numbers, Qt.MouseButton.LeftButton)
    assert asked == ["details", "details"]
    assert "draft model + n-gram" in shown.view.footer.numbers.accessibleName()
    assert "seed 7" in shown.view.footer.numbers.accessibleName()


def test_the_sheet_names_numbers_and_files(stage: Stage, qtbot: QtBot) -> None:
    window = stage.show(inked())
    sheet = AnswerSheet(window, replace(inked(), stats=NUMBERS), theme.LIGHT)
    qtbot.addWidget(sheet)
    sheet.open()
    assert [text for text, _ in sheet.lines] == [
        "Drafter: Draft model + n-gram",
        "Seed: 7",
        "Target: target.gguf",
        "Draft model: draft.gguf",
    ]
    assert sheet.figures.value("accepted") == "72 / 100"
    assert sheet.figures.value("per_pass") == "2.52"
    assert sheet.figures.value("gain") == "2.1× measured"
    sheet.reject()
    unknown = AnswerSheet(window, replace(inked(), files=()), theme.LIGHT)
    qtbot.addWidget(unknown)
    assert unknown.lines[-1] == ("Which files made it is not known.", "")
