"""One message on the screen: what it shows, what it copies, what it never does."""

from collections.abc import Callable
from dataclasses import replace

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import (
    QAccessible,
    QDesktopServices,
    QFont,
    QGuiApplication,
    QImage,
    QKeySequence,
    QTextCharFormat,
    QTextCursor,
)
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from app.chat.conversation import Message
from app.protocol.messages import Notice, Piece
from app.protocol.stats import GenerationStats, SpeculationState
from app.ui import theme
from app.ui.transcript.body import Body
from app.ui.transcript.message_view import MessageView
from app.ui.transcript.slices import Slices
from app.ui.transcript.style import Style

WIDTH = 700
STATS = GenerationStats(
    generated_tokens=10, passes=4, verified=9, accepted=6, proposed=9, decode_ms=900, prefill_ms=240
)
ACTIVE = SpeculationState(state="active", gain=2.1, gain_kind="measured")
PIECES = (
    Piece(text="Hello ", source="draft_model"),
    Piece(text="**wor", source="ngram"),
    Piece(text="ld**\n", source="heads"),
    Piece(text="and ", source="correction"),
    Piece(text="more", source="target"),
)


class Shown(QWidget):
    """A message in a window."""

    def __init__(self, message: Message, *, ink: bool = False) -> None:
        super().__init__()
        self.slices = Slices(self)
        self.view = MessageView(message, Style(theme.LIGHT, QFont()), self.slices, self, ink=ink)
        self.view.arrange(WIDTH)
        self.resize(WIDTH, 600)

    @property
    def text(self) -> str:
        return self.view.body.toPlainText()

    def settle(self, qtbot: QtBot) -> None:
        qtbot.waitUntil(lambda: self.slices.is_idle)

    def click(self, qtbot: QtBot, anchor: str) -> None:
        """Click on the link that leads to `anchor`."""
        body, cursor = self.view.body, QTextCursor(self.view.body.document())
        while cursor.movePosition(QTextCursor.MoveOperation.NextCharacter):
            if cursor.charFormat().anchorHref() == anchor:
                place = body.cursorRect(cursor).center() - QPoint(3, 0)
                qtbot.mouseClick(body.viewport(), Qt.MouseButton.LeftButton, pos=place)
                return
        pytest.fail(f"no link to {anchor}")


@pytest.fixture
def show(qtbot) -> Callable[..., Shown]:
    alive: list[Shown] = []

    def make(message: Message, *, ink: bool = False) -> Shown:
        shown = Shown(message, ink=ink)
        alive.append(shown)
        qtbot.addWidget(shown)
        with qtbot.waitExposed(shown):
            shown.show()
        shown.settle(qtbot)
        return shown

    return make


def answer(text: str, **more: object) -> Message:
    return Message(role="assistant", text=text, stats=STATS, speculation=ACTIVE, reason="end", **more)  # type: ignore[arg-type]


def clipboard() -> str:
    return QGuiApplication.clipboard().text()


# --- what is shown


def test_an_answer_is_rendered_and_its_numbers_stand_below(show):
    view = show(answer("A **bold** word\n\n- item")).view
    assert view.body.toPlainText() == "A bold word\n•\titem"
    assert view.footer.numbers.accessibleName() == "10 tok/s, 67 % accepted, 2.1× measured, first token 0.24 s"
    assert view.footer.isVisible()
    assert not view.note.isVisible()
    assert view.height() == view.footer.geometry().bottom() + 1


def test_a_persons_message_is_plain_text_in_a_bubble_at_the_right(show):
    text = "**not** bold\n  two  spaces\n<b>x</b>"
    view = show(Message(role="user", text=text)).view
    assert view.body.toPlainText() == text
    assert view.body.geometry().right() > WIDTH - 30
    assert view.body.width() < WIDTH * 0.4
    assert not view.footer.isVisible()


def test_a_long_bubble_leaves_room_at_its_left(show):
    view = show(Message(role="user", text="many words " * 200)).view
    assert WIDTH * 0.6 < view.body.width() < WIDTH * 0.78
    assert view.height() > 200


def test_an_empty_answer_says_so(show):
    view = show(answer("")).view
    assert view.note.text() == "The model ended its answer without a word."
    assert view.note.isVisible()
    assert not view.body.isVisible()


def test_an_answer_that_waits_for_its_first_word_shows_where_it_will_be(show):
    view = show(Message(role="assistant", status="streaming")).view
    assert view.body.has_caret
    assert view.body.isVisible()
    assert not view.footer.isVisible()
    view.show_message(answer("done"))
    assert not view.body.has_caret


def test_an_interrupted_answer_keeps_its_text_and_says_why(show):
    message = answer("Once upon", status="interrupted", error="The engine stopped. The text up to here is kept.")
    view = show(replace(message, notices=(Notice(code="x", text="Two turns were left out."),))).view
    assert view.body.toPlainText() == "Once upon"
    assert view.note.text() == "The engine stopped. The text up to here is kept.\nTwo turns were left out."


def test_a_failed_answer_is_a_sentence(show):
    view = show(Message(role="assistant", status="failed", error="The prompt is too long.")).view
    assert view.note.text() == "The prompt is too long."
    assert not view.footer.isVisible()


def test_names_for_screen_readers(show):
    def name(widget: QWidget) -> str:
        return QAccessible.queryAccessibleInterface(widget).text(QAccessible.Text.Name)

    assert name(show(answer("x")).view.body) == "Answer"
    assert name(show(Message(role="user", text="x")).view.body) == "Your message"
    assert name(show(answer("x")).view.footer.copy) == "Copy message"
    assert name(show(Message(role="assistant", status="failed", error="No.")).view.note) == "No."


# --- what never happens


def test_nothing_is_loaded_from_disk_or_net(show, tmp_path, monkeypatch):
    picture = tmp_path / "a.png"
    image = QImage(40, 40, QImage.Format.Format_RGB32)
    assert image.save(str(picture))
    asked: list[object] = []
    original = Body.loadResource

    def noting(self: Body, kind: int, name: object) -> object:
        asked.append((name, result := original(self, kind, name)))  # type: ignore[arg-type]
        return result

    monkeypatch.setattr(Body, "loadResource", noting)
    source = f"<img src='{picture}'> ![x]({picture}) ![y]({picture.as_uri()}) ![z](https://example.com/z.png)"
    shown = show(answer(source))
    assert "\ufffc" not in shown.text
    assert "<img src=" in shown.text
    assert "[image: z]" in shown.text
    assert [result for _, result in asked if result is not None] == []


def test_a_link_is_told_and_not_opened(show, qtbot):
    opened: list[object] = []

    class Handler(QWidget):
        def open(self, url: object) -> None:
            opened.append(url)

    handler = Handler()
    qtbot.addWidget(handler)
    QDesktopServices.setUrlHandler("https", handler, "open")
    try:
        shown = show(answer("see [the docs](https://example.com/a%20b?c=ü#d)"))
        with qtbot.waitSignal(shown.view.link_activated) as told:
            shown.click(qtbot, "https://example.com/a%20b?c=%C3%BC#d")
    finally:
        QDesktopServices.unsetUrlHandler("https")
    assert told.args == ["https://example.com/a%20b?c=%C3%BC#d"]
    assert opened == []
    assert shown.text == "see the docs"


# --- copying


def test_code_is_copied_byte_for_byte(show, qtbot):
    code = "\tx = 1  \r\n\r\n  y = '😀 ü \u00a0'\n"
    shown = show(answer(f"first\n\n```\nother\n```\n\n```python\n{code}\n```\n"))
    shown.click(qtbot, "copy:1")
    assert clipboard() == code
    assert shown.text.count("Copied") == 1
    shown.click(qtbot, "copy:0")
    assert clipboard() == "other"
    assert shown.text.count("Copied") == 1
    qtbot.waitUntil(lambda: "Copied" not in shown.text)


def test_the_whole_message_is_copied_as_the_model_wrote_it(show, qtbot):
    text = "# Title\r\n\n* a\n\n```\ncode\n```\n\n| a |\n|--|\n 👩‍👩‍👧‍👦 **x**  \n\n"
    shown = show(answer(text))
    qtbot.mouseClick(shown.view.footer.copy, Qt.MouseButton.LeftButton)
    assert clipboard() == text
    assert shown.view.footer.copy.text() == "Copied"
    qtbot.waitUntil(lambda: shown.view.footer.copy.text() == "Copy")


def test_the_copy_key_takes_the_selection_or_else_everything(show, qtbot):
    shown = show(Message(role="user", text="one *two* three\r\n"))
    body = shown.view.body
    body.setFocus()
    qtbot.keySequence(body, QKeySequence(QKeySequence.StandardKey.Copy))
    assert clipboard() == "one *two* three\r\n"
    cursor = body.textCursor()
    cursor.setPosition(4)
    cursor.setPosition(9, QTextCursor.MoveMode.KeepAnchor)
    body.setTextCursor(cursor)
    qtbot.keySequence(body, QKeySequence(QKeySequence.StandardKey.Copy))
    assert clipboard() == "*two*"


def test_code_can_be_copied_with_the_keyboard(show, qtbot):
    shown = show(answer("```\ncode\n```\n"))
    body = shown.view.body
    shown.view.set_tab_stop(stop=True)
    body.setFocus()
    qtbot.keyClick(body, Qt.Key.Key_Tab)
    qtbot.keyClick(body, Qt.Key.Key_Return)
    assert clipboard() == "code"


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
    assert (4, 1, theme.LIGHT.number) in colours(growing.view)[1]
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
        "2 tokens from draft model, 2 tokens from n-gram, 2 tokens from heads, 1 tokens from corrected, "
        "3 tokens from target"
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
