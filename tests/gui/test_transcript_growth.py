"""One message while it grows, changes its theme, or shows where its tokens came from."""

from collections.abc import Callable
from dataclasses import replace

import pytest
from PySide6.QtGui import QFont, QTextCharFormat
from pytestqt.qtbot import QtBot

from app.chat.conversation import Message
from app.protocol.messages import Piece
from app.ui import theme
from app.ui.transcript.message_view import MessageView
from app.ui.transcript.style import Style
from tests.helpers.transcript import WIDTH, Shown, Stage, answer

PIECES = (
    Piece(text="Hello ", source="draft_model"),
    Piece(text="**wor", source="ngram"),
    Piece(text="ld**\n", source="heads"),
    Piece(text="and ", source="correction"),
    Piece(text="more", source="target"),
)


@pytest.fixture
def show(qtbot: QtBot) -> Callable[..., Shown]:
    return Stage(qtbot).show


# --- growing


def test_streaming_ends_with_what_opening_it_later_shows(show, qtbot):
    text = "# T\n\n- a\n- b **c**\n\n| a |\n|---|\n| 1 |\n\n```python\nx = 'y'\n```\n\nsee [a][1]\n\n[1]: https://x.y\n"
    growing = show(Message(role="assistant", status="streaming"))
    for length in range(0, len(text), 3):
        growing.view.show_message(replace(growing.view.message, text=text[:length]))
    growing.view.show_message(answer(text))
    growing.settle(qtbot)
    later = show(answer(text))
    assert growing.view.body.toHtml() == later.view.body.toHtml()
    assert "https://x.y" in growing.view.body.toHtml()
    assert growing.view.height() == later.view.height()


def colours(view: MessageView) -> list[list[tuple[int, int, str]]]:
    block, result = view.body.document().begin(), []
    while block.isValid():
        parts = block.layout().formats()
        result.append([(part.start, part.length, part.format.foreground().color().name()) for part in parts])
        block = block.next()
    return result


def test_code_is_coloured_while_it_grows_and_in_the_end(show, qtbot, monkeypatch):
    monkeypatch.setattr("app.ui.transcript.content._COLOUR_AGAIN_S", 0.0)
    growing = show(Message(role="assistant", status="streaming"))
    for text in ("```python\n", "```python\nx = 1\n", "```python\nx = 1\ny = 'two'\nz"):
        growing.view.show_message(replace(growing.view.message, text=text))
        growing.settle(qtbot)

    def coloured() -> bool:
        # How soon it colours again depends on what that took, which is much on a busy machine.
        growing.view.show_message(growing.view.message)
        growing.settle(qtbot)
        return (4, 1, theme.LIGHT.number) in colours(growing.view)[1]

    qtbot.waitUntil(coloured)
    growing.view.show_message(answer("```python\nx = 1\ny = 'two'\nz = 3\n```"))
    growing.settle(qtbot)
    assert colours(growing.view) == colours(show(answer("```python\nx = 1\ny = 'two'\nz = 3\n```")).view)


def test_a_text_that_is_replaced_is_shown_anew(show, qtbot):
    shown = show(Message(role="assistant", status="streaming", text="```python\nx = 1\n"))
    shown.view.show_message(answer("another *answer*"))
    shown.settle(qtbot)
    assert shown.text == "another answer"
    assert shown.view.body.toHtml() == show(answer("another *answer*")).view.body.toHtml()


def test_a_very_long_answer_is_written_in_slices(qtbot):
    text = "A paragraph of some length.\n\n" * 7000
    shown = Shown(answer(text))
    qtbot.addWidget(shown)
    assert 0 < len(shown.text) < len(text) / 2
    shown.settle(qtbot)
    assert shown.text.count("A paragraph") == 7000


def test_a_line_of_many_thousand_letters_wraps(show):
    shown = show(answer("x" * 10_000))
    assert len(shown.text) == 10_000
    assert shown.view.body.document().size().width() <= WIDTH
    assert not shown.view.body.horizontalScrollBar().isVisible()


def test_a_costly_answer_is_shown_less_often_but_in_the_end_completely(show, qtbot, monkeypatch):
    monkeypatch.setattr("app.ui.transcript.message_view._COSTLY_S", 0.0)
    shown = show(Message(role="assistant", status="streaming", text="a"))
    shown.view.show_message(replace(shown.view.message, text="a b"))
    shown.view.show_message(replace(shown.view.message, text="a b c"))
    qtbot.waitUntil(lambda: shown.text == "a b c")
    shown.view.show_message(answer("a b c d"))
    assert shown.text == "a b c d"


# --- themes


@pytest.mark.parametrize("status", ["streaming", "complete"])
def test_another_theme_gives_what_starting_in_it_gives(show, qtbot, status):
    text = "A [link](https://x.y) and `code`\n\n```python\nx = 1\n```\n\n> quote\n\n| a |\n|---|\n| 1 |"
    shown = show(Message(role="assistant", status=status, text=text))
    shown.view.set_style(Style(theme.DARK, QFont()))
    shown.settle(qtbot)
    fresh = Shown(Message(role="assistant", status=status, text=text))
    qtbot.addWidget(fresh)
    fresh.view.set_style(Style(theme.DARK, QFont()))
    fresh.settle(qtbot)
    assert shown.view.body.toHtml() == fresh.view.body.toHtml()
    assert theme.LIGHT.accent not in shown.view.body.toHtml()
    assert (4, 1, theme.DARK.number) in [span for line in colours(shown.view) for span in line]
    shown.view.show_message(answer(text + "\n\nand `more`"))
    assert theme.DARK.hover in shown.view.body.toHtml()
    assert theme.LIGHT.hover not in shown.view.body.toHtml()


# --- ink


def underlines(view: MessageView) -> list[tuple[str, QTextCharFormat.UnderlineStyle, str]]:
    block, result = view.body.document().begin(), []
    while block.isValid():
        part = block.begin()
        while not part.atEnd():
            form = part.fragment().charFormat()
            result.append((part.fragment().text(), form.underlineStyle(), form.underlineColor().name()))
            part += 1
        block = block.next()
    return result


def test_ink_marks_each_source_by_line_and_by_colour(show):
    text = "".join(piece.text for piece in PIECES)
    counts = (("correction", 1), ("draft_model", 2), ("heads", 2), ("ngram", 2), ("target", 3))
    shown = show(answer(text, pieces=PIECES, token_counts=counts), ink=True)
    assert shown.text == text
    style, light = QTextCharFormat.UnderlineStyle, theme.LIGHT
    assert underlines(shown.view)[:4] == [
        ("Hello ", style.SingleUnderline, light.ink_draft),
        ("**wor", style.DotLine, light.ink_ngram),
        ("ld**", style.DashUnderline, light.ink_heads),
        ("and ", style.WaveUnderline, light.ink_correction),
    ]
    assert underlines(shown.view)[4][:2] == ("more", style.NoUnderline)
    assert shown.view.legend.isVisible()
    assert shown.view.legend.accessibleName() == (
        "Tokens by source: draft model: 2, n-gram: 2, heads: 2, corrected: 1, target: 3"
    )


def test_ink_grows_piece_by_piece(show):
    shown = show(Message(role="assistant", status="streaming"), ink=True)
    for number in range(1, len(PIECES) + 1):
        pieces = PIECES[:number]
        text = "".join(piece.text for piece in pieces)
        shown.view.show_message(replace(shown.view.message, text=text, pieces=pieces))
        assert shown.text == text
    longer = (*PIECES[:-1], Piece(text="more words", source="target"))
    text = "".join(piece.text for piece in longer)
    shown.view.show_message(answer(text, pieces=longer))
    assert shown.text == text
    assert underlines(shown.view) == underlines(show(answer(text, pieces=longer), ink=True).view)


def test_ink_can_be_switched_off_and_on(show, qtbot):
    message = answer("".join(piece.text for piece in PIECES), pieces=PIECES)
    shown = show(message)
    before = shown.view.body.toHtml(), shown.view.height()
    shown.view.set_ink(shown=True)
    shown.settle(qtbot)
    assert shown.text == message.text
    shown.view.set_style(Style(theme.DARK, QFont()))
    shown.settle(qtbot)
    assert underlines(shown.view)[0][2] == theme.DARK.ink_draft
    shown.view.set_style(Style(theme.LIGHT, QFont()))
    shown.view.set_ink(shown=False)
    shown.settle(qtbot)
    assert (shown.view.body.toHtml(), shown.view.height()) == before


def test_ink_of_an_answer_without_a_record_says_so(show):
    shown = show(answer("old"), ink=True)
    assert shown.text == "old"
    assert shown.view.legend.accessibleName() == "Where these tokens came from is not known."
