"""Files that go with a message, and the meter of the context, in the whole window."""

import os
import sys
from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, QPoint, Qt, QUrl
from PySide6.QtGui import QDropEvent, QGuiApplication

from app.chat.settings import LoadOptions
from app.chat.text_files import MOST_BYTES, read_attachment
from app.core import paths
from app.core.errors import AppError
from tests.helpers.window_kit import Room, rooms

CTRL = Qt.KeyboardModifier.ControlModifier


@pytest.fixture
def build(qapp, qtbot, tmp_path, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", str(paths.resources().parent))
    with rooms(qapp) as made:

        def new(*engine: object, size: tuple[int, int] = (1000, 700)) -> Room:
            made.append(Room(qtbot, tmp_path, *engine, size=size))
            return made[-1]

        yield new


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    path = tmp_path / "nötes.txt"
    path.write_text("alpha beta gamma\n", "utf-8")
    return path


def mime(*files: Path) -> QMimeData:
    made = QMimeData()
    made.setUrls([QUrl.fromLocalFile(str(file)) for file in files])
    return made


def drop(room: Room, *files: Path) -> None:
    made = mime(*files)
    event = QDropEvent(
        QPoint(300, 300).toPointF(), Qt.DropAction.CopyAction, made, Qt.MouseButton.LeftButton, Qt.KeyboardModifier(0)
    )
    room.window.dropEvent(event)


def chips(room: Room) -> list[str]:
    return [chip.text() for chip in room.window.composer.chips.labels]


def send(room: Room, text: str) -> None:
    room.window.composer.put_text(text)
    room.qtbot.keyClick(room.window.composer.edit, Qt.Key.Key_Return)
    room.until(lambda: room.controller.phase == "idle" and room.controller.conversation.messages)
    room.settle()


def test_a_dropped_file_goes_with_the_message(build, notes: Path) -> None:
    room = build()
    drop(room, notes)
    room.until(lambda: chips(room) == ["nötes.txt · 3 tokens"])
    send(room, "What is it?")
    question = room.controller.conversation.messages[0]
    assert [(file.name, file.text, file.tokens) for file in question.attachments] == [
        ("nötes.txt", "alpha beta gamma\n", 3)
    ]
    assert room.controller.conversation.turns()[0].content.startswith("nötes.txt:\n```\nalpha beta gamma\n```")
    assert chips(room) == []
    view = room.window.transcript._column.views[0]
    assert view.note.text() == "Attached: nötes.txt, 3 tokens"
    assert view.body.toPlainText() == "What is it?"
    # It is there again after the chat was closed, and goes with a changed question.
    chat = room.controller.conversation.id
    room.controller.new_chat()
    room.controller.open_chat(chat)
    room.until(lambda: room.controller.conversation.id == chat)
    room.qtbot.keyClick(room.window.composer.edit, Qt.Key.Key_E, CTRL)
    assert len(chips(room)) == 1
    send(room, "And now?")
    assert len(room.controller.conversation.messages[0].attachments) == 1
    assert chips(room) == []


def test_a_pasted_file_is_attached_and_pasted_text_is_text(build, notes: Path) -> None:
    room = build()
    QGuiApplication.clipboard().setMimeData(mime(notes))
    room.window.composer.setFocus()
    room.qtbot.keyClick(room.window.composer.edit, Qt.Key.Key_V, CTRL)
    room.until(lambda: len(chips(room)) == 1)
    assert room.window.composer.edit.text() == ""
    link = QMimeData()
    link.setUrls([QUrl("https://example.org/")])
    link.setText("https://example.org/")
    QGuiApplication.clipboard().setMimeData(link)
    room.qtbot.keyClick(room.window.composer.edit, Qt.Key.Key_V, CTRL)
    assert room.window.composer.edit.text() == "https://example.org/"
    assert len(chips(room)) == 1


def test_a_file_can_be_taken_away_and_stays_with_its_chat(build, notes: Path) -> None:
    room = build()
    send(room, "first")
    first = room.controller.conversation.id
    drop(room, notes)
    room.until(lambda: len(chips(room)) == 1)
    room.controller.new_chat()
    assert chips(room) == []
    room.controller.open_chat(first)
    room.until(lambda: room.controller.conversation.id == first)
    assert len(chips(room)) == 1
    button = room.window.composer.chips.buttons[0]
    assert "nötes.txt" in button.accessibleName()
    room.qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    assert chips(room) == []


def test_changing_two_questions_after_each_other_keeps_the_files_of_the_next(build, notes: Path) -> None:
    room = build()
    send(room, "one")
    send(room, "two")
    drop(room, notes)
    room.until(lambda: len(chips(room)) == 1)
    for view in room.window.transcript._column.views[0], room.window.transcript._column.views[2]:
        room.qtbot.mouseClick(view.tools.main, Qt.MouseButton.LeftButton)
        assert chips(room) == []
    room.qtbot.keyClick(room.window.composer.edit, Qt.Key.Key_Escape)
    assert len(chips(room)) == 1


def test_what_is_no_text_gets_a_sentence(build, tmp_path: Path, notes: Path) -> None:
    room = build()
    picture = tmp_path / "cat.png"
    picture.write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(range(256)))
    drop(room, picture, notes, tmp_path / "gone.txt")
    room.until(lambda: len(chips(room)) == 1)
    room.until(lambda: room.window.notes.banner and "gone.txt cannot be read" in room.window.notes.banner.sentence)
    assert "cat.png is not text, so the model cannot read it." in room.window.notes.banner.sentence
    drop(room, notes)
    room.until(lambda: "attached already" in room.window.notes.banner.sentence)


def attach_error(path: Path) -> str:
    with pytest.raises(AppError) as caught:
        read_attachment(path)
    return str(caught.value)


def test_every_odd_file_has_a_sentence(tmp_path: Path) -> None:
    huge = tmp_path / "huge.log"
    with huge.open("wb") as file:
        file.truncate(MOST_BYTES + 1)
    assert attach_error(huge).startswith("huge.log is too large to attach (4.2 MB; at most 4 MB).")
    empty = tmp_path / "empty.txt"
    empty.write_bytes(b" \n")
    assert attach_error(empty) == "empty.txt is empty."
    assert "is a folder" in attach_error(tmp_path)
    assert "cannot be read" in attach_error(tmp_path / "gone")
    model = tmp_path / "x.bin"
    model.write_bytes(os.urandom(5000))
    assert "is not text" in attach_error(model)


@pytest.mark.skipif(sys.platform == "win32", reason="there are no such files")
def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    assert "no ordinary file" in attach_error(tmp_path / "pipe")


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ("Grüße\r\n".encode(), "Grüße\n"),
        ("\ufeffGrüße".encode(), "Grüße"),
        ("Grüße".encode("utf-16"), "Grüße"),
        ("Grüße und Küsse".encode("cp1252"), "Grüße und Küsse"),
        (b"\x1b[31mred\x1b[0m\tx\n", "\x1b[31mred\x1b[0m\tx\n"),
        (b"a\x00b", None),
    ],
)
def test_encodings(tmp_path: Path, content: bytes, text: str | None) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(content)
    if text is None:
        assert "is not text" in attach_error(path)
    else:
        assert read_attachment(path).text == text


# --- the meter ------------------------------------------------------------------------------------------------------


def test_the_meter_says_what_is_left(build, notes: Path) -> None:
    room = build()
    meter = room.window.composer.meter
    room.until(meter.isVisible)
    assert meter.words == "1\u202f023 tokens left", "an empty chat costs one in this engine"
    room.window.composer.put_text("one two three")
    room.until(lambda: meter.words == "1\u202f020 tokens left")
    drop(room, notes)
    room.until(lambda: meter.words == "1\u202f017 tokens left")
    for line in ("7 of 1\u202f024 tokens of context", "Chat so far: 1", "This message: 3", "nötes.txt: 3"):
        assert line in meter.toolTip().splitlines()
    assert "Left for the answer: 1\u202f017" in meter.accessibleDescription()
    room.qtbot.keyClick(room.window.composer.edit, Qt.Key.Key_Return)
    room.until(lambda: room.controller.phase == "idle" and len(room.controller.conversation.messages) == 2)
    room.until(lambda: "This message: 0" in meter.toolTip())
    assert "Chat so far: 1\n" not in meter.toolTip()
    room.window.composer.put_text("word " * 2000)
    room.until(lambda: meter.words.endswith("tokens too many"))


def test_the_meter_forgets_what_another_model_counted(build) -> None:
    room = build()
    meter = room.window.composer.meter
    room.until(meter.isVisible)
    room.controller.set_load_options(LoadOptions(context=512, threads=1, gpu_layers=0))
    room.until(lambda: room.controller.phase == "idle" and meter.words == "511 tokens left")
    room.controller.set_chat_options(room.controller.chat_options.__class__(system="Be very brief."))
    room.until(lambda: meter.words == "506 tokens left")
