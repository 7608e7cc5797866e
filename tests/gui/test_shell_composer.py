"""The text field, its keys, and what it does while nothing can be sent."""

import pytest
from PySide6.QtCore import QMimeData, QPoint, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QGuiApplication, QInputMethodEvent
from PySide6.QtWidgets import QApplication

from app.ui.composer import MAX_LINES, Composer
from app.ui.theme import DARK, LIGHT


@pytest.fixture
def composer(qtbot) -> Composer:
    made = Composer(LIGHT)
    qtbot.addWidget(made)
    made.resize(500, 120)
    made.set_phase("idle")
    made.show()
    with qtbot.waitActive(made):
        pass
    made.edit.setFocus()
    return made


def sent(composer: Composer) -> list[str]:
    texts: list[str] = []
    composer.submitted.connect(texts.append)
    return texts


@pytest.mark.parametrize("key", [Qt.Key.Key_Return, Qt.Key.Key_Enter])
def test_enter_sends_and_empties(composer, qtbot, key) -> None:
    texts = sent(composer)
    composer.edit.insertPlainText("Grüße 😀")  # the test library types Latin-1 only
    qtbot.keyClick(composer.edit, key)
    assert texts == ["Grüße 😀"]
    assert composer.edit.text() == ""


def test_keypad_enter_sends_too(composer, qtbot) -> None:
    texts = sent(composer)
    qtbot.keyClicks(composer.edit, "x")
    qtbot.keyClick(composer.edit, Qt.Key.Key_Enter, Qt.KeyboardModifier.KeypadModifier)
    assert texts == ["x"]


def test_shift_enter_breaks_the_line(composer, qtbot) -> None:
    texts = sent(composer)
    qtbot.keyClicks(composer.edit, "one")
    qtbot.keyClick(composer.edit, Qt.Key.Key_Return, Qt.KeyboardModifier.ShiftModifier)
    qtbot.keyClicks(composer.edit, "two")
    assert texts == []
    qtbot.keyClick(composer.edit, Qt.Key.Key_Return)
    assert texts == ["one\ntwo"]


@pytest.mark.parametrize("blank", ["", "   ", "\n\n", "\u00a0\t"])
def test_blank_is_not_sent(composer, qtbot, blank) -> None:
    texts = sent(composer)
    composer.put_text(blank)
    qtbot.keyClick(composer.edit, Qt.Key.Key_Return)
    assert texts == []
    assert not composer.button.isEnabled()


def test_text_is_sent_as_typed(composer) -> None:
    texts = sent(composer)
    text = "  1\u00a0000 km,\n\ttab\n\n```py\nx = 1\n```  "
    composer.put_text(text)
    composer.button.click()
    assert texts == [text]


def test_undo_brings_a_sent_text_back(composer, qtbot) -> None:
    qtbot.keyClicks(composer.edit, "precious")
    qtbot.keyClick(composer.edit, Qt.Key.Key_Return)
    composer.edit.undo()
    assert composer.edit.text() == "precious"


def test_enter_of_an_input_method_is_its_own(composer, qtbot) -> None:
    texts = sent(composer)
    qtbot.keyClicks(composer.edit, "a")
    QApplication.sendEvent(composer.edit, QInputMethodEvent("にほ", []))
    qtbot.keyClick(composer.edit, Qt.Key.Key_Return)
    assert texts == []
    done = QInputMethodEvent("", [])
    done.setCommitString("日本")
    QApplication.sendEvent(composer.edit, done)
    assert texts == []
    qtbot.keyClick(composer.edit, Qt.Key.Key_Return)
    assert len(texts) == 1
    assert "日本" in texts[0]


@pytest.mark.parametrize("phase", ["no_model", "loading", "prefill", "streaming", "stopping", "engine_down"])
def test_what_cannot_be_sent_stays_and_says_why(composer, qtbot, phase) -> None:
    texts = sent(composer)
    composer.set_phase(phase)
    qtbot.keyClicks(composer.edit, "later")
    qtbot.keyClick(composer.edit, Qt.Key.Key_Return)
    assert texts == []
    assert composer.edit.text() == "later"
    assert composer.status == composer.why_not() != ""
    composer.set_phase("idle")
    assert composer.why_not() == ""
    qtbot.keyClick(composer.edit, Qt.Key.Key_Return)
    assert texts == ["later"]


@pytest.mark.parametrize("phase", ["prefill", "streaming"])
def test_send_becomes_stop(composer, qtbot, phase) -> None:
    composer.set_phase(phase)
    assert composer.button.text() == "Stop"
    with qtbot.waitSignal(composer.stop_wanted):
        qtbot.mouseClick(composer.button, Qt.MouseButton.LeftButton)
    composer.set_phase("stopping")
    assert not composer.button.isEnabled()
    composer.set_phase("idle")
    assert composer.button.text() == "Send"


def test_grows_with_its_lines_up_to_a_limit(composer, qtbot) -> None:
    heights = []
    for lines in range(1, MAX_LINES + 4):
        composer.put_text("\n".join("x" * lines))
        qtbot.wait(1)
        heights.append(composer.edit.height())
    assert heights[:MAX_LINES] == sorted(set(heights[:MAX_LINES]))
    assert set(heights[MAX_LINES - 1 :]) == {heights[MAX_LINES - 1]}
    composer.put_text("")
    assert composer.edit.height() == heights[0]


def test_a_long_line_grows_it_as_well_and_a_wider_field_shrinks_it(composer, qtbot) -> None:
    one = composer.edit.height()
    composer.put_text("word " * 60)
    tall = composer.edit.height()
    assert tall > one
    composer.resize(2000, composer.height())
    qtbot.waitUntil(lambda: composer.edit.height() < tall)


def test_pasted_rich_text_is_plain(composer) -> None:
    mime = QMimeData()
    mime.setHtml("<b>bold</b> <img src='file:///etc/hostname'>")
    mime.setText("bold")
    QGuiApplication.clipboard().setMimeData(mime)
    composer.edit.paste()
    assert composer.edit.text() == "bold"
    QGuiApplication.clipboard().clear()


def test_dropped_files_are_left_to_the_window_and_pasted_ones_told(composer) -> None:
    mime = QMimeData()
    mime.setUrls([QUrl.fromLocalFile("/x/notes.txt"), QUrl("https://example.org/")])
    over = QDragEnterEvent(
        QPoint(5, 5), Qt.DropAction.CopyAction, mime, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    )
    over.accept()
    composer.edit.dragEnterEvent(over)
    assert not over.isAccepted()
    given: list[list[str]] = []
    composer.edit.files_given.connect(given.append)
    assert composer.edit.canInsertFromMimeData(mime)
    composer.edit.insertFromMimeData(mime)
    assert (given, composer.edit.text()) == ([["/x/notes.txt"]], "")


def test_progress_is_shown_until_the_next_phase(composer) -> None:
    composer.set_phase("prefill")
    composer.set_progress("512 of 2,048 tokens")
    assert composer.status == "512 of 2,048 tokens"
    composer.set_phase("streaming")
    assert composer.status == composer.why_not()


def test_a_huge_paste_is_taken(composer) -> None:
    texts = sent(composer)
    text = "a line of a log file\n" * 20_000
    composer.put_text(text)
    composer.button.click()
    assert texts == [text]


def test_tab_leaves_the_field(composer, qtbot) -> None:
    composer.put_text("x")
    qtbot.keyClick(composer.edit, Qt.Key.Key_Tab)
    assert composer.button.hasFocus()


def test_theme_changes(composer) -> None:
    before = composer.button.icon().cacheKey()
    composer.set_theme(DARK)
    assert composer.button.icon().cacheKey() != before
