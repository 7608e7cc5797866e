"""The list of chats in the whole window."""

import datetime
import time
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtGui import QContextMenuEvent, QPalette
from PySide6.QtTest import QSignalSpy
from PySide6.QtWidgets import QApplication, QFileDialog, QMenu

from app.core import paths
from app.store.rows import ChatRow
from app.ui.body import LIST_FROM
from app.ui.conversation_list.groups import Entry, Heading, grouped, heading
from tests.helpers.window_kit import Room, fill, rooms

TITLES = ("Parse a log", "Trip to Lisbon", "Importer", "Größe 旅行")


@pytest.fixture
def build(qapp, qtbot, tmp_path, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", str(paths.resources().parent))
    with rooms(qapp) as made:

        def new(*engine: object, titles: tuple[str, ...] = TITLES, size: tuple[int, int] = (1000, 700)) -> Room:
            fill(tmp_path / "history.db", *titles, now=time.time())
            made.append(Room(qtbot, tmp_path, *engine, size=size))
            return made[-1]

        yield new


def row_rect(room: Room, title: str) -> QRect:
    rows, model = room.window.chats.rows, room.window.chats._model
    number = next(n for n in range(model.rowCount()) if model.index(n, 0).data() == title)
    return rows.visualRect(model.index(number, 0))


def click(room: Room, title: str) -> None:
    place = row_rect(room, title).center()
    room.qtbot.mouseClick(room.window.chats.rows.viewport(), Qt.MouseButton.LeftButton, pos=place)
    room.settle()


def key(room: Room, which: Qt.Key, modifier=Qt.KeyboardModifier.NoModifier) -> None:
    room.qtbot.keyClick(QApplication.focusWidget() or room.window, which, modifier)
    room.settle()


def menu_action(room: Room, title: str, words: str) -> None:
    chat = next(e.chat for e in room.window.chats._model.entries() if e.chat.title == title)
    menu = room.window.chats.menu_for(chat)
    next(action for action in menu.actions() if action.text() == words).trigger()
    menu.deleteLater()
    room.settle()


def shown(room: Room) -> list[str]:
    return [message.text for message in room.controller.conversation.messages]


def test_chats_are_listed_and_opened_by_a_click(build) -> None:
    room = build()
    assert room.listed() == list(TITLES)
    click(room, "Trip to Lisbon")
    assert shown(room) == ["Trip to Lisbon?", "About **Trip to Lisbon**: word1."]
    assert room.window.chats.rows.delegate.shown == "c1"
    assert [v.message.text for v in room.window.transcript._column.views] == shown(room)
    assert room.window.composer.edit.hasFocus()


def test_the_first_message_names_a_new_chat(build) -> None:
    room = build(titles=())
    assert room.listed() == []
    assert room.window.chats._nothing.isVisible()
    room.ask("## How do *snails* sleep?\nAnd where?")
    assert room.listed() == ["How do *snails* sleep?"]
    assert room.window.chats.rows.delegate.shown == room.controller.conversation.id
    room.ask("more")
    assert room.listed() == ["How do *snails* sleep?"]
    room.qtbot.mouseClick(room.window.chats.new, Qt.MouseButton.LeftButton)
    assert shown(room) == []
    room.ask("second")
    assert room.listed() == ["second", "How do *snails* sleep?"]


def test_by_keyboard_alone(build) -> None:
    room = build()
    key(room, Qt.Key.Key_F, Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier)
    assert room.window.chats.search.hasFocus()
    room.qtbot.keyClicks(room.window.chats.search, "word1")
    room.until(lambda: room.listed() == ["Trip to Lisbon"])
    key(room, Qt.Key.Key_Return)
    assert room.window.chats.rows.hasFocus()
    key(room, Qt.Key.Key_Return)
    assert shown(room)[0] == "Trip to Lisbon?"
    room.window.chats.search.clear()
    room.window.chats.rows.setFocus()
    key(room, Qt.Key.Key_Home)
    assert room.window.chats.rows.current().chat.title == "Parse a log", "not at the heading"
    seen = []
    for _ in range(4):
        seen.append(room.window.chats.rows.current().chat.title)
        key(room, Qt.Key.Key_Down)
    assert seen == list(TITLES)
    key(room, Qt.Key.Key_Up)
    assert room.window.chats.rows.current().chat.title == "Importer"
    key(room, Qt.Key.Key_F2)
    editor = QApplication.focusWidget()
    editor.selectAll()
    room.qtbot.keyClicks(editor, "  Das   Neue ")
    key(room, Qt.Key.Key_Return)
    room.until(lambda: "Das Neue" in room.listed())
    assert shown(room)[0] == "Trip to Lisbon?", "Enter ended the editing and opened nothing"
    key(room, Qt.Key.Key_PageDown, Qt.KeyboardModifier.ControlModifier)
    assert shown(room)[0] == "Importer?"
    key(room, Qt.Key.Key_PageUp, Qt.KeyboardModifier.ControlModifier)
    assert shown(room)[0] == "Trip to Lisbon?"


def test_escape_leaves_a_name_as_it_was(build) -> None:
    room = build()
    room.window.chats.rows.rename("c1")
    editor = QApplication.focusWidget()
    editor.selectAll()
    room.qtbot.keyClicks(editor, "other")
    key(room, Qt.Key.Key_Escape)
    assert room.listed() == list(TITLES)
    room.window.chats.rows.rename("c1")
    editor = QApplication.focusWidget()
    editor.clear()
    key(room, Qt.Key.Key_Return)
    assert room.listed() == list(TITLES), "a name of nothing is no name"


def test_deleting_can_be_undone(build) -> None:
    room = build()
    click(room, "Trip to Lisbon")
    room.window.chats.rows.setFocus()
    key(room, Qt.Key.Key_Delete)
    assert "Trip to Lisbon" not in room.listed()
    assert shown(room) == []
    assert room.window.chats.undo.isVisible()
    room.qtbot.mouseClick(room.window.chats.undo, Qt.MouseButton.LeftButton)
    room.settle()
    assert room.listed() == list(TITLES)
    assert shown(room)[0] == "Trip to Lisbon?"
    assert not room.window.chats.undo.isVisible()
    room.window.chats.rows.setFocus()
    key(room, Qt.Key.Key_Delete)
    room.window.chats.rows.setFocus()
    key(room, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert room.listed() == list(TITLES)


def test_backspace_deletes_nothing(build) -> None:
    room = build()
    room.window.chats.rows.setFocus()
    room.window.chats.rows.go_to("c1")
    key(room, Qt.Key.Key_Backspace)
    assert room.listed() == list(TITLES)


def test_pin_duplicate_and_the_menu(build) -> None:
    room = build()
    menu_action(room, "Importer", "Pin")
    assert room.listed()[0] == "Importer"
    assert room.window.chats._model.index(0, 0).data() == "Pinned"
    menu_action(room, "Importer", "Unpin")
    assert room.listed() == list(TITLES)
    menu_action(room, "Importer", "Duplicate")
    assert sorted(room.listed()) == sorted([*TITLES, "Importer"])
    assert shown(room)[0] == "Importer?"
    assert room.controller.conversation.id != "c2"
    rows = room.window.chats.rows
    spy = QSignalSpy(rows.menu_wanted)
    rows.go_to("c1")
    event = QContextMenuEvent(QContextMenuEvent.Reason.Keyboard, QPoint(), QPoint())
    QApplication.sendEvent(rows.viewport(), event)
    room.until(lambda: spy.count() == 1 and QApplication.activePopupWidget() is not None)
    popup = QApplication.activePopupWidget()
    assert isinstance(popup, QMenu)
    assert [a.text() for a in popup.actions() if a.text()] == [
        "Open",
        "Rename",
        "Pin",
        "Duplicate",
        "Export\u2026",
        "Delete",
    ]
    popup.close()
    dots = rows.delegate.dots(row_rect(room, "Parse a log")).center()
    room.qtbot.mouseClick(rows.viewport(), Qt.MouseButton.LeftButton, pos=dots)
    assert spy.count() == 2
    QApplication.activePopupWidget().close()


@pytest.mark.parametrize("suffix", ["md", "json"])
def test_export_and_import(build, tmp_path, suffix) -> None:
    room = build()
    menu_action(room, "Größe 旅行", "Export\u2026")
    dialog = next(w for w in QApplication.topLevelWidgets() if isinstance(w, QFileDialog))
    file = tmp_path / f"größe.{suffix}"
    dialog.fileSelected.emit(str(file))
    dialog.close()
    room.settle()
    assert "Größe 旅行" in file.read_text("utf-8")
    assert "saved as" in room.window.notes.banner.sentence
    room.window.chats.import_wanted.emit()
    dialog = next(w for w in QApplication.topLevelWidgets() if isinstance(w, QFileDialog) and w.isVisible())
    dialog.fileSelected.emit(str(file))
    dialog.close()
    room.settle()
    if suffix == "json":
        assert room.listed().count("Größe 旅行") == 2
        room.until(lambda: shown(room) == ["Größe 旅行?", "About **Größe 旅行**: word3."])
    else:
        assert room.listed() == list(TITLES)
        assert "no chat exported by Outpace" in room.window.notes.banner.sentence


def test_search_finds_titles_and_texts_and_says_when_nothing_is(build) -> None:
    room = build()
    chats = room.window.chats
    chats.search.setText("word3")
    room.until(lambda: room.listed() == ["Größe 旅行"])
    assert chats._model.entries()[0].excerpt == "About Größe 旅行: word3."
    chats.search.setText("lisb")
    room.until(lambda: room.listed() == ["Trip to Lisbon"])
    chats.search.setText("nowhere")
    room.until(lambda: room.listed() == [])
    assert "No chat" in chats._nothing.text()
    chats.search.clear()
    assert room.listed() == list(TITLES)


def test_unsent_text_belongs_to_its_chat(build) -> None:
    room = build()
    click(room, "Importer")
    room.window.composer.put_text("half a thought")
    click(room, "Trip to Lisbon")
    assert room.window.composer.edit.text() == ""
    click(room, "Importer")
    assert room.window.composer.edit.text() == "half a thought"
    key(room, Qt.Key.Key_N, Qt.KeyboardModifier.ControlModifier)
    assert room.window.composer.edit.text() == ""
    room.window.composer.put_text("new")
    key(room, Qt.Key.Key_N, Qt.KeyboardModifier.ControlModifier)
    assert room.window.composer.edit.text() == "new", "an empty chat stays as it is"
    click(room, "Importer")
    key(room, Qt.Key.Key_N, Qt.KeyboardModifier.ControlModifier)
    assert room.window.composer.edit.text() == "new"


# --- places --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [(1000, 700), (1400, 900)])
def test_wide_windows_show_it_beside_the_chat(build, size) -> None:
    room = build(size=size)
    chats, chat = room.window.chats, room.window.transcript
    assert chats.isVisible()
    assert not chats.geometry().intersects(QRect(chat.mapTo(room.window.body, QPoint()), chat.size()))
    assert chat.width() >= 400
    key(room, Qt.Key.Key_B, Qt.KeyboardModifier.ControlModifier)
    assert not chats.isVisible()
    assert not room.window.state().chat_list
    key(room, Qt.Key.Key_B, Qt.KeyboardModifier.ControlModifier)
    assert room.window.state().chat_list


def test_narrow_windows_hide_it_behind_a_button(build) -> None:
    room = build(size=(700, 500))
    chats, button = room.window.chats, room.window.top._chats
    assert room.window.width() < LIST_FROM
    assert not chats.isVisible()
    room.qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    assert chats.isVisible()
    assert chats.rows.hasFocus()
    click(room, "Importer")
    assert not chats.isVisible()
    assert shown(room)[0] == "Importer?"
    assert room.window.composer.edit.hasFocus()
    room.qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    key(room, Qt.Key.Key_Escape)
    assert not chats.isVisible()
    room.qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    key(room, Qt.Key.Key_F9)
    assert not chats.isVisible()
    assert room.window.panel.isVisible()
    assert room.window.state().chat_list, "what a narrow window does is not remembered for wide ones"


def test_everything_has_a_name_and_is_reached_by_tab(build) -> None:
    room = build()
    chats = room.window.chats
    room.window.chats.show_deleted("c1")
    reached = []
    chats.new.setFocus()
    for _ in range(6):
        reached.append(QApplication.focusWidget())
        key(room, Qt.Key.Key_Tab)
    for control in (chats.new, chats.search, chats.rows, chats.undo, chats._importer):
        assert control in reached, control
        assert control.accessibleName() or control.text()
    role = Qt.ItemDataRole.AccessibleTextRole
    spoken = [chats._model.index(n, 0).data(role) for n in range(chats._model.rowCount())]
    assert "Trip to Lisbon" in spoken
    assert "Today" in spoken


def test_the_title_is_readable_in_both_themes(build) -> None:
    room = build()
    for theme in ("dark", "light"):
        room.appearance.choose(theme)
        picture = room.window.chats.grab().toImage()
        colours = {picture.pixelColor(x, y).name() for x in range(0, 220, 2) for y in range(60, 300, 2)}
        assert len(colours) > 8
        assert picture.pixelColor(4, 300) == room.window.palette().color(QPalette.ColorRole.AlternateBase)


# --- groups --------------------------------------------------------------------------------------------------------

TODAY = datetime.date(2026, 3, 1)


def at(*when: int) -> float:
    return datetime.datetime(*when).timestamp()  # noqa: DTZ001 (local time is meant)


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        (at(2026, 3, 1, 0, 1), "Today"),
        (at(2026, 3, 2, 9), "Today"),
        (at(2026, 2, 28, 23, 59), "Yesterday"),
        (at(2026, 2, 27), "February"),
        (at(2025, 3, 1), "March 2025"),
        (1e30, "Earlier"),
        (-1e30, "Earlier"),
    ],
)
def test_headings(qapp, changed, words) -> None:
    assert heading(changed, TODAY) == words


def test_groups_come_once(qapp) -> None:
    chats = [
        ChatRow(id=str(n), title=str(n), created=0.0, changed=when, pinned=n < 2)
        for n, when in enumerate([at(2026, 3, 1), at(2020, 1, 1), at(2026, 3, 1), at(2026, 3, 1), at(2026, 2, 28)])
    ]
    rows = grouped(chats, TODAY)
    assert [row.words for row in rows if isinstance(row, Heading)] == ["Pinned", "Today", "Yesterday"]
    assert [row.chat.id for row in rows if isinstance(row, Entry)] == list("01234")


def test_ten_thousand_chats_are_listed_quickly(build, tmp_path: Path) -> None:
    room = build(titles=())
    chats = [ChatRow(id=str(n), title=f"chat {n}", created=0.0, changed=time.time() - n * 600) for n in range(10_000)]
    began = time.monotonic()
    room.window.chats.show_chats(chats)
    QApplication.processEvents()
    assert time.monotonic() - began < 1.0
    room.window.chats.show_open("9999")
