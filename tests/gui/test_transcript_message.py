"""One message on the screen: what it shows, what it copies, what it never does."""

from collections.abc import Callable
from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAccessible, QDesktopServices, QGuiApplication, QImage, QKeySequence, QTextCursor
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from app.chat.conversation import Message
from app.protocol.messages import Notice
from app.ui import code_saving
from app.ui.transcript.body import Body
from tests.helpers.transcript import WIDTH, Shown, Stage, answer


@pytest.fixture
def show(qtbot: QtBot) -> Callable[..., Shown]:
    return Stage(qtbot).show


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


def test_code_is_offered_to_a_file_byte_for_byte(show, qtbot, tmp_path):
    code = "\tx = 1  \r\n\r\n  y = '😀 ü \u00a0'\n"
    shown = show(answer(f"```\nother\n```\n\n```python\n{code}\n```\n"))
    with qtbot.waitSignal(shown.view.save_asked) as asked:
        shown.click(qtbot, "save:1")
    assert asked.args == [code, "python"]
    path = tmp_path / "code.py"
    assert code_saving.save(code, path).kind == "info"
    assert path.read_bytes() == code.encode()


@pytest.mark.parametrize(
    ("language", "name"), [("python", "code.py"), ("rust", "code.rs"), ("", "code.txt"), ("nonsense", "code.txt")]
)
def test_code_gets_a_name_that_fits_its_language(language, name):
    assert code_saving.file_name(language) == name


def test_where_nothing_can_be_written_a_sentence_says_so(qapp, tmp_path):
    said = code_saving.save("x", tmp_path / "missing" / "code.py")
    assert said.kind == "error"
    assert said.sentence.startswith("code.py could not be written (")
    assert said.hint == "Choose another folder."


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
    with qtbot.waitSignal(shown.view.save_asked):
        qtbot.keyClick(body, Qt.Key.Key_Return)
    qtbot.keyClick(body, Qt.Key.Key_Tab)
    qtbot.keyClick(body, Qt.Key.Key_Return)
    assert clipboard() == "code"
