"""Formulas on the screen."""

from collections.abc import Callable

import pytest
from PySide6.QtGui import QColor, QGuiApplication, QKeySequence, QTextCursor
from pytestqt.qtbot import QtBot

from app.ui import theme
from app.ui.transcript import formula
from app.ui.transcript.style import Style
from tests.helpers.transcript import Shown, Stage, answer

PATIENCE_MS = 15_000


@pytest.fixture
def show(qtbot: QtBot) -> Callable[..., Shown]:
    return Stage(qtbot).show


def drawn(qtbot: QtBot, shown: Shown) -> int:
    """How many formulas are pictures, once all were tried."""
    qtbot.waitUntil(lambda: not shown.view._content.awaited, timeout=PATIENCE_MS)
    return shown.view.body.document().toPlainText().count("\ufffc")


def test_formulas_become_pictures_and_what_is_no_latex_stays_text(show, qtbot) -> None:
    shown = show(answer("so $x^2$ and\n\n$$\\frac{a}{b}$$\n\nbut $\\frac{1$"))
    assert drawn(qtbot, shown) == 2
    assert "$\\frac{1$" in shown.text


def test_what_is_copied_is_what_the_model_wrote(show, qtbot) -> None:
    text = "😀 so $x^2$ 😀 and \\(y\\) end"
    shown = show(answer(text))
    assert drawn(qtbot, shown) == 2
    body = shown.view.body
    body.selectAll()
    qtbot.keyClick(
        body, QKeySequence(QKeySequence.StandardKey.Copy)[0].key(), QKeySequence("Ctrl+C")[0].keyboardModifiers()
    )
    assert QGuiApplication.clipboard().text() == text
    shown.view.copy_message()
    assert QGuiApplication.clipboard().text() == text


def test_a_known_formula_is_there_at_once_and_follows_the_theme(show, qtbot) -> None:
    drawn(qtbot, show(answer("$q_9$")))
    shown = show(answer("again $q_9$"))
    assert shown.text == "again \ufffc"
    shown.view.set_style(Style(theme.DARK, shown.view.font()))
    qtbot.waitUntil(lambda: shown.slices.is_idle)
    cursor = QTextCursor(shown.view.body.document())
    cursor.movePosition(QTextCursor.MoveOperation.End)
    assert QColor(cursor.charFormat().property(formula.COLOUR)) == QColor(theme.DARK.ink)
    assert not shown.view.grab().isNull()


def test_a_wide_formula_is_made_to_fit(show, qtbot) -> None:
    shown = show(answer("$$" + "+".join(f"x_{{{n}}}" for n in range(90)) + "$$"))
    assert drawn(qtbot, shown) == 1
    assert shown.view.body.document().size().width() <= shown.view.width() + 1


def test_a_formula_that_grows_while_others_stand(show, qtbot) -> None:
    text = "$a$ then $b$ then $c$ end"
    shown = show(answer("", status="streaming"))
    for end in range(len(text) + 1):
        shown.view.show_message(answer(text[:end], status="streaming"))
    shown.view.show_message(answer(text))
    qtbot.waitUntil(lambda: shown.slices.is_idle)
    assert drawn(qtbot, shown) == 3
    assert shown.text == "\ufffc then \ufffc then \ufffc end"
