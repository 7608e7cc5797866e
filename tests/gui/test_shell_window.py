"""The whole window with the real controller; the engine is a child process that speaks the wire."""

import json
import os
import signal
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, QMimeData, QPoint, QPointF, QRect, Qt, QTranslator, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent, QGuiApplication
from PySide6.QtWidgets import QAbstractButton, QApplication, QFileDialog, QLabel, QMessageBox, QPushButton, QWidget

from app.bridge.chat_controller import ChatController
from app.bridge.engine_client import EngineClient
from app.bridge.settings_store import SettingsStore
from app.chat.banner import Banner
from app.chat.settings import Pair, Settings, WindowState
from app.core import paths
from app.core.settings import SettingsFile
from app.ui import geometry, shortcuts
from app.ui.appearance import Appearance
from app.ui.body import WIDE_FROM
from app.ui.main_window import MainWindow
from app.ui.presenter import Presenter
from app.ui.theme import DARK, LIGHT

FAKE = Path(__file__).parents[1] / "helpers" / "fake_engine.py"
WAIT_MS = 10_000


@pytest.fixture
def build(qapp, qtbot, tmp_path, monkeypatch):
    """Makes windows; the first argument is what the fake engine shall do."""
    monkeypatch.setenv("PYTHONPATH", str(paths.resources().parent))
    sheet, colours, font = qapp.styleSheet(), qapp.palette(), qapp.font()
    made: list[SimpleNamespace] = []

    def make(*engine: str, state: WindowState | None = None, size: tuple[int, int] = (1000, 700), start: bool = True):
        appearance = Appearance(qapp, "light")
        client = EngineClient(command=(sys.executable, str(FAKE), *engine))
        store = SettingsStore(SettingsFile(tmp_path / "settings.json", Settings), Settings())
        target, draft = (str(path) for path in paths.demo_pair())
        controller = ChatController(client, store, Pair(target=target, draft=draft))
        window = MainWindow(appearance.theme, state or WindowState())
        presenter = Presenter(window, controller, appearance)
        window.resize(*size)
        window.show()
        shell = SimpleNamespace(
            window=window, controller=controller, appearance=appearance, client=client, presenter=presenter
        )
        made.append(shell)
        with qtbot.waitActive(window):
            pass
        if start:
            controller.start()
            qtbot.waitUntil(lambda: controller.phase == "idle", timeout=WAIT_MS)
        return shell

    yield make
    for shell in made:
        shell.window.close()
        shell.controller.shut_down()
        for thing in (shell.window, shell.controller, shell.client, shell.appearance):
            thing.deleteLater()
    QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    qapp.setStyleSheet(sheet)
    qapp.setPalette(colours)
    qapp.setFont(font)


def wait_for(qtbot, condition) -> None:
    qtbot.waitUntil(lambda: bool(condition()), timeout=WAIT_MS)


def ask(shell, qtbot, text: str = "Hello") -> None:
    shell.window.composer.put_text(text)
    qtbot.keyClick(shell.window.composer.edit, Qt.Key.Key_Return)


def press(shell, qtbot, key: Qt.Key, modifier: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> None:
    qtbot.keyClick(QApplication.focusWidget() or shell.window, key, modifier)


CTRL = Qt.KeyboardModifier.ControlModifier

# --- a new user ----------------------------------------------------------------------------------------------------


def test_first_start_shows_the_demo_pair_and_an_example_answers(build, qtbot) -> None:
    shell = build("--deltas", "12")
    window = shell.window
    assert window.welcome.isVisible()
    assert window.composer.edit.hasFocus()
    assert "outpace-demo-target" in window.top.model.accessibleName()
    assert window.windowTitle().endswith("Outpace")
    qtbot.mouseClick(window.welcome.examples[1], Qt.MouseButton.LeftButton)
    wait_for(qtbot, lambda: shell.controller.phase == "idle" and len(shell.controller.conversation.messages) == 2)
    assert shell.controller.conversation.messages[0].text == "Count from 3 to 30."
    assert window.transcript.isVisible()
    assert window.top.badge.view.state == "active"
    assert window.panel.last_answer.figures.value("accepted") != "-"
    assert window.composer.edit.hasFocus()


def test_a_person_can_write_while_the_model_loads(build, qtbot) -> None:
    shell = build("--load-s", "0.6", start=False)
    shell.controller.start()
    wait_for(qtbot, lambda: shell.controller.phase == "loading")
    ask(shell, qtbot, "too early")
    assert shell.window.composer.edit.text() == "too early"
    wait_for(qtbot, lambda: "Loading the model" in shell.window.top.model.accessibleName())
    wait_for(qtbot, lambda: shell.controller.phase == "idle")
    qtbot.keyClick(shell.window.composer.edit, Qt.Key.Key_Return)
    wait_for(qtbot, lambda: len(shell.controller.conversation.messages) == 2)
    wait_for(qtbot, lambda: shell.controller.phase == "idle")


def test_stop_by_button_and_by_escape(build, qtbot) -> None:
    shell = build("--deltas", "4000", "--delay", "0.01")
    for stop in ("button", "escape"):
        ask(shell, qtbot)
        wait_for(qtbot, lambda: shell.controller.phase == "streaming")
        if stop == "button":
            qtbot.mouseClick(shell.window.composer.button, Qt.MouseButton.LeftButton)
        else:
            press(shell, qtbot, Qt.Key.Key_Escape)
        wait_for(qtbot, lambda: shell.controller.phase == "idle")
        assert shell.controller.conversation.messages[-1].text


def test_escape_stops_a_prefill_and_its_progress_is_shown(build, qtbot) -> None:
    shell = build("--prefill", "20")
    ask(shell, qtbot)
    wait_for(qtbot, lambda: "Reading your message:" in shell.window.composer.status)
    press(shell, qtbot, Qt.Key.Key_Escape)
    wait_for(qtbot, lambda: shell.controller.phase == "idle")


def test_new_chat_comes_back_to_the_empty_chat(build, qtbot) -> None:
    shell = build()
    ask(shell, qtbot)
    wait_for(qtbot, lambda: shell.controller.phase == "idle")
    assert not shell.window.welcome.isVisible()
    press(shell, qtbot, Qt.Key.Key_N, CTRL)
    assert shell.window.welcome.isVisible()
    assert shell.window.composer.edit.hasFocus()
    assert shell.window.panel.last_answer.figures.isHidden()


def test_copy_last_answer(build, qtbot) -> None:
    shell = build()
    ask(shell, qtbot)
    wait_for(qtbot, lambda: shell.controller.phase == "idle")
    press(shell, qtbot, Qt.Key.Key_C, CTRL | Qt.KeyboardModifier.ShiftModifier)
    assert QGuiApplication.clipboard().text() == shell.controller.conversation.messages[-1].text
    assert "copied" in shell.window.composer.status


# --- what goes wrong -----------------------------------------------------------------------------------------------


def test_killed_engine_keeps_the_text_and_restart_works(build, qtbot, expect_log) -> None:
    expect_log("engine")
    shell = build("--deltas", "4000", "--delay", "0.01")
    ask(shell, qtbot)
    wait_for(qtbot, lambda: shell.controller.phase == "streaming")
    os.kill(shell.client.pid, signal.SIGKILL)
    wait_for(qtbot, lambda: shell.controller.phase == "engine_down")
    window = shell.window
    assert shell.controller.conversation.messages[-1].text
    assert window.banner.isVisible()
    assert {"restart", "retry_plain"} <= set(window.banner.banner.actions)
    ask(shell, qtbot, "kept")
    assert window.composer.edit.text() == "kept"
    qtbot.mouseClick(window.banner.findChild(QAbstractButton, "banner restart"), Qt.MouseButton.LeftButton)
    wait_for(qtbot, lambda: shell.controller.phase == "idle")
    assert not window.banner.isVisible()
    qtbot.keyClick(window.composer.edit, Qt.Key.Key_Return)
    wait_for(qtbot, lambda: shell.controller.phase == "streaming")
    shell.controller.stop()
    wait_for(qtbot, lambda: shell.controller.phase == "idle")


def test_a_model_that_cannot_be_loaded_is_a_sentence(build, qtbot, tmp_path) -> None:
    shell = build("--load-fails", "broken")
    shell.window.model_dropped.emit(str(tmp_path / "broken.gguf"))
    wait_for(qtbot, shell.window.banner.isVisible)
    assert "broken.gguf is damaged." in shell.window.banner.accessibleName()
    wait_for(qtbot, lambda: shell.controller.phase == "idle")


def test_notices_gather_and_go_with_the_next_message(build, qtbot, tmp_path) -> None:
    shell = build()
    shell.controller.open_model(str(tmp_path / "notice.gguf"))
    wait_for(qtbot, shell.window.notes.isVisible)
    assert "This is a fake." in shell.window.notes.accessibleName()
    shell.presenter.show_note(Banner("info", "Another."))
    assert "This is a fake.\nAnother." in shell.window.notes.accessibleName()
    wait_for(qtbot, lambda: shell.controller.phase == "idle")
    ask(shell, qtbot)
    assert not shell.window.notes.isVisible()
    wait_for(qtbot, lambda: shell.controller.phase == "idle")


# --- options -------------------------------------------------------------------------------------------------------


def test_options_reach_the_next_message(build, qtbot, tmp_path) -> None:
    record = tmp_path / "requests"
    shell = build("--record", str(record))
    panel = shell.window.panel
    panel.speculation.drafter.setFocus()
    press(shell, qtbot, Qt.Key.Key_F7)
    lookahead = shell.controller.speculation.lookahead
    press(shell, qtbot, Qt.Key.Key_F7)
    assert shell.controller.speculation.lookahead == lookahead + 1
    press(shell, qtbot, Qt.Key.Key_F6)
    assert shell.controller.speculation.lookahead == lookahead
    panel.sampling.numbers["temperature"].setValue(0)
    panel.sampling.numbers["seed"].setValue(7)
    ask(shell, qtbot)
    wait_for(qtbot, lambda: shell.controller.phase == "idle" and shell.controller.conversation.messages)
    press(shell, qtbot, Qt.Key.Key_D, CTRL)
    assert not panel.speculation.toggle.isChecked()
    ask(shell, qtbot)
    wait_for(qtbot, lambda: shell.controller.phase == "idle")
    sent = [json.loads(line) for line in record.read_text().splitlines()]
    first, second = (message for message in sent if message["kind"] == "generate")
    assert first["speculation"]["lookahead"] == lookahead
    assert first["sampling"]["temperature"] == 0
    assert first["sampling"]["seed"] == 7
    assert first["speculation"]["drafter"] == "mixed"
    assert second["speculation"]["drafter"] == "off"
    assert shell.window.top.badge.view.state == "off"


def test_load_options_reload_the_pair(build, qtbot, tmp_path) -> None:
    record = tmp_path / "requests"
    shell = build("--record", str(record))
    shell.window.panel.model.context.setValue(512)
    shell.window.panel.model.apply.click()
    wait_for(qtbot, lambda: shell.controller.loaded is not None and shell.controller.loaded.context == 512)
    assert not shell.window.panel.model.apply.isEnabled()


def test_a_draft_model_can_be_taken_away_and_its_drafters_say_why(build, qtbot) -> None:
    shell = build()
    shell.window.panel.speculation.drafter.chosen.emit("draft_model")
    shell.window.panel.speculation.clear.click()
    wait_for(qtbot, lambda: shell.controller.loaded is not None and shell.controller.loaded.draft is None)
    wait_for(qtbot, lambda: shell.controller.phase == "idle")
    model = shell.window.panel.speculation.drafter.model()
    disabled = {model.item(i).text() for i in range(model.rowCount()) if not model.item(i).isEnabled()}
    assert "Draft model" in disabled
    assert shell.window.top.badge.view.state == "unavailable"


def test_the_seed_of_an_answer_can_be_kept(build, qtbot) -> None:
    shell = build()
    ask(shell, qtbot)
    wait_for(qtbot, lambda: shell.controller.phase == "idle")
    shell.window.panel.last_answer._keep.click()
    assert shell.controller.sampling.seed == 42


def test_theme_choice_is_worn_and_remembered(build) -> None:
    shell = build(start=False)
    shell.window.top.view.theme_chosen.emit("dark")
    assert shell.appearance.theme is DARK
    assert shell.controller.settings.theme == "dark"
    assert shell.window.grab().toImage().pixelColor(10, 10) != LIGHT.bg
    assert shell.window.grab().toImage().pixelColor(10, 10).name() == DARK.bg


def test_ink_is_one_switch(build, qtbot) -> None:
    shell = build(start=False)
    press(shell, qtbot, Qt.Key.Key_I, CTRL)
    assert shell.window.top.ink
    assert shell.window.state().ink
    press(shell, qtbot, Qt.Key.Key_I, CTRL)
    assert not shell.window.state().ink


# --- room ----------------------------------------------------------------------------------------------------------


def test_in_a_narrow_window_the_panel_covers_the_chat_and_goes_away(build, qtbot) -> None:
    shell = build(size=(700, 500), start=False)
    window = shell.window
    assert not window.body.is_wide
    assert not window.panel.isVisible()
    press(shell, qtbot, Qt.Key.Key_F9)
    assert window.panel.isVisible()
    assert window.panel.speculation.toggle.hasFocus()
    assert window.panel.geometry().right() == window.body.rect().right()
    press(shell, qtbot, Qt.Key.Key_Escape)
    assert not window.panel.isVisible()
    window.toggle_panel()
    qtbot.mouseClick(window.body, Qt.MouseButton.LeftButton, pos=QPoint(50, 50))
    scrim = window.body.childAt(QPoint(50, 50))
    qtbot.mouseClick(scrim, Qt.MouseButton.LeftButton)
    assert not window.panel.isVisible()
    assert window.state().side_panel
    window.resize(WIDE_FROM + 20, 500)
    qtbot.waitUntil(window.panel.isVisible)


def test_the_panel_can_be_put_away_for_good(build) -> None:
    shell = build(state=WindowState(side_panel=False), start=False)
    assert not shell.window.panel.isVisible()
    shell.window.toggle_panel()
    assert shell.window.panel.isVisible()
    assert shell.window.state().side_panel


class LongWords(QTranslator):
    """Every text half as long again, as in German."""

    def translate(self, _context: str, text: str, _comment: str | None = None, _n: int = -1) -> str:
        wanted = (len(text) + 1) // 2
        return f"{text} {'überlängt ' * 40}"[: len(text) + 1 + wanted].rstrip() if text.strip() else text

    def isEmpty(self) -> bool:
        return False


def cut_off(window: QWidget) -> list[str]:
    """Texts of visible labels and buttons for which there is not enough room."""
    bad = []
    for widget in window.findChildren(QWidget):
        if not widget.isVisible():
            continue
        if isinstance(widget, QLabel) and widget.text() and type(widget) is QLabel:
            needed = widget.heightForWidth(widget.width()) if widget.wordWrap() else widget.sizeHint().height()
            if widget.height() < needed or (not widget.wordWrap() and widget.width() < widget.sizeHint().width()):
                bad.append(f"label {widget.text()!r}: {widget.size().toTuple()}")
        elif isinstance(widget, QAbstractButton) and widget.text() and not widget.toolTip():
            needed = widget.minimumSizeHint().width()
            if widget.width() < needed:
                bad.append(f"button {widget.text()!r}: {widget.width()} < {needed}")
        parent = widget.parentWidget()
        if isinstance(widget, QAbstractButton) and parent is not None and not parent.rect().contains(widget.geometry()):
            bad.append(f"outside of its parent: {widget.text() or widget.accessibleName()!r}")
    return bad


@pytest.mark.parametrize("size", [(700, 500), (1000, 700), (1400, 900)])
@pytest.mark.parametrize("long_words", [False, True], ids=["english", "long"])
def test_no_text_is_cut_off(build, qapp, qtbot, size, long_words) -> None:
    translator = LongWords()
    if long_words:
        qapp.installTranslator(translator)
    try:
        shell = build("--deltas", "12", size=size)
        window = shell.window
        qtbot.wait(50)  # the last words are laid out when the event loop runs again
        assert cut_off(window) == []
        window.banner.show_banner(
            Banner(
                "error",
                "The engine stopped in the middle of the answer, and nobody knows why it did so.",
                "Restart it to go on, or choose a smaller context so that it needs less memory.",
                "details",
                ("restart", "retry", "retry_plain", "dismiss"),
            )
        )
        ask(shell, qtbot)
        wait_for(qtbot, lambda: shell.controller.phase == "idle")
        window.body.set_panel_open(True)
        window.top.badge.click()
        qtbot.wait(50)
        assert cut_off(window) == []
        assert window.size().toTuple() == size
    finally:
        qapp.removeTranslator(translator)


def test_window_comes_back_where_it_was(build) -> None:
    first = build(start=False, size=(620, 480)).window
    first.move(40, 60)
    second = build(state=first.state(), start=False, size=(1, 1)).window
    geometry.restore(second, first.state().geometry)
    assert second.geometry() == first.geometry()


@pytest.mark.parametrize(
    ("place", "expected"),
    [
        (QRect(100, 100, 500, 400), QRect(100, 100, 500, 400)),
        (QRect(5000, 5000, 500, 400), QRect(500, 400, 500, 400)),
        (QRect(-900, -50, 500, 400), QRect(0, 0, 500, 400)),
        (QRect(10, 10, 4000, 3000), QRect(0, 0, 1000, 800)),
    ],
)
def test_a_place_outside_of_the_screen_is_moved_inside(place, expected) -> None:
    assert geometry.clamped(place, QRect(0, 0, 1000, 800)) == expected


@pytest.mark.parametrize("damaged", ["", "%%%", "AAAA", "AdnQywADAAA="])
def test_a_damaged_place_is_no_problem(build, qapp, damaged) -> None:
    window = build(state=WindowState(geometry=damaged), start=False).window
    geometry.restore(window, damaged)
    assert qapp.primaryScreen().availableGeometry().contains(window.geometry())


# --- reach ---------------------------------------------------------------------------------------------------------


def test_everything_that_takes_the_focus_has_a_name(build, qtbot) -> None:
    shell = build("--deltas", "3")
    ask(shell, qtbot)
    wait_for(qtbot, lambda: shell.controller.phase == "idle")
    nameless = [
        f"{type(widget).__name__} {widget.objectName()!r} in {type(widget.parentWidget()).__name__}"
        for widget in shell.window.findChildren(QWidget)
        if widget.focusPolicy() & Qt.FocusPolicy.TabFocus
        and widget.focusProxy() is None
        and not widget.accessibleName()
        and not (isinstance(widget, QAbstractButton) and widget.text())
        and not widget.objectName().startswith("qt_")
    ]
    assert nameless == []


def test_tab_goes_round_the_window_and_comes_back(build, qtbot) -> None:
    shell = build()
    window = shell.window
    window.composer.put_text("x")
    start = QApplication.focusWidget()
    seen = []
    for _ in range(60):
        press(shell, qtbot, Qt.Key.Key_Tab)
        focus = QApplication.focusWidget()
        if focus is start:
            break
        seen.append(focus)
    assert QApplication.focusWidget() is start
    wanted = {
        window.composer.button,
        window.top.model,
        window.top.badge,
        window.panel.speculation.toggle,
        window.panel.speculation.drafter,
        window.panel.sampling.numbers["seed"],
        window.panel.model.threads,
        *window.welcome.examples,
    }
    assert wanted <= set(seen)
    # From the composer to its button, then through the panel from top to bottom.
    assert seen[0] is window.composer.button
    order = [seen.index(w) for w in (window.panel.speculation.toggle, window.panel.sampling.numbers["temperature"])]
    assert order == sorted(order)


def test_every_shortcut_is_in_the_sheet_and_does_something(build, qtbot) -> None:
    shell = build(start=False)
    listed = shortcuts.shortcuts()
    keys = [key for shortcut in listed for key in shortcut.keys]
    assert len(keys) == len(set(keys))
    assert {action.objectName() for action in shell.window.actions()} == {s.command for s in listed}
    press(shell, qtbot, Qt.Key.Key_F1)
    sheet = QApplication.activeModalWidget()
    assert sheet is not None
    shown = {label.text() for label in sheet.findChildren(QLabel)}
    assert {s.words for s in listed} <= shown
    sheet.reject()


def test_a_question_mark_is_a_letter_in_a_message(build, qtbot) -> None:
    shell = build(start=False)
    qtbot.keyClicks(shell.window.composer.edit, "why?")
    assert shell.window.composer.edit.text() == "why?"
    assert QApplication.activeModalWidget() is None
    shell.window.top.badge.setFocus()
    qtbot.keyClick(shell.window.top.badge, Qt.Key.Key_Question)
    assert QApplication.activeModalWidget() is not None
    QApplication.activeModalWidget().reject()


def test_focus_comes_back_to_the_composer(build, qtbot) -> None:
    shell = build(start=False)
    shell.window.panel.sampling.numbers["top_k"].setFocus()
    press(shell, qtbot, Qt.Key.Key_L, CTRL)
    assert shell.window.composer.edit.hasFocus()


# --- files ---------------------------------------------------------------------------------------------------------


def drag(paths_: list[str]) -> QMimeData:
    mime = QMimeData()
    mime.setUrls([QUrl.fromLocalFile(path) for path in paths_])
    return mime


@pytest.mark.parametrize(
    ("files", "taken"),
    [
        (["/x/My Modell Größe.GGUF"], "/x/My Modell Größe.GGUF"),
        (["/x/notes.txt", "/x/b.gguf", "/x/c.gguf"], "/x/b.gguf"),
        (["/x/notes.txt"], ""),
        ([], ""),
    ],
)
def test_a_dropped_model_is_opened_and_other_files_attached(build, qapp, qtbot, files, taken) -> None:
    window = build(start=False).window
    dropped: list[str] = []
    attached: list[list[str]] = []
    window.files_dropped.disconnect()
    window.files_dropped.connect(attached.append)
    window.model_dropped.disconnect()
    window.model_dropped.connect(dropped.append)
    mime = drag(files)
    none = (Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier)
    enter = QDragEnterEvent(QPoint(50, 50), Qt.DropAction.CopyAction, mime, *none)
    enter.ignore()
    qapp.sendEvent(window, enter)
    assert enter.isAccepted() is bool(files)
    drop = QDropEvent(QPointF(50, 50), Qt.DropAction.CopyAction, mime, *none)
    qapp.sendEvent(window, drop)
    qtbot.wait(10)
    assert dropped == ([taken] if taken else [])
    assert attached == ([files] if files and not taken else [])


def test_the_file_dialog_brings_a_model(build, qtbot, tmp_path) -> None:
    shell = build()
    press(shell, qtbot, Qt.Key.Key_O, CTRL)
    dialog = shell.window.findChild(QFileDialog)
    assert dialog is not None
    dialog.fileSelected.emit(str(tmp_path / "other.gguf"))
    dialog.reject()
    wait_for(qtbot, lambda: shell.controller.loaded.target.name == "other")
    wait_for(qtbot, lambda: shell.controller.phase == "idle")
    shell.window.top.model._fill_menu()
    words = [action.text() for action in shell.window.top.model.menu().actions()]
    assert words == [
        *("other", "", "Open GGUF file…", "Demo pair"),
        *("", "Connections to servers…", "", "All models"),
    ]


def test_web_and_mail_links_are_shown_whole_and_opened_when_that_is_wanted(build, monkeypatch, qtbot) -> None:
    shell = build(start=False)
    opened: list[str] = []
    monkeypatch.setattr(
        "app.ui.links.QDesktopServices", SimpleNamespace(openUrl=lambda url: opened.append(url.toString()))
    )
    for link in ("https://example.org/a", "file:///etc/passwd", "javascript:alert(1)", "mailto:a@example.org", "x"):
        shell.window.transcript.link_activated.emit(link)
        for box in shell.window.findChildren(QMessageBox):
            assert box.informativeText() == link
            button = box.findChild(QPushButton, "open link")
            qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
            QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    assert opened == ["https://example.org/a", "mailto:a@example.org"]


def test_a_link_can_be_copied_or_left(build, qtbot) -> None:
    shell = build(start=False)
    for name, text in (("copy link", "https://example.org/a"), ("keep link", "")):
        QGuiApplication.clipboard().clear()
        shell.window.transcript.link_activated.emit("https://example.org/a")
        qtbot.mouseClick(shell.window.findChild(QPushButton, name), Qt.MouseButton.LeftButton)
        QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
        assert QGuiApplication.clipboard().text() == text
        assert not shell.window.findChildren(QMessageBox)


# --- the end -------------------------------------------------------------------------------------------------------


def test_closing_in_the_middle_of_an_answer_leaves_no_process(build, qtbot) -> None:
    shell = build("--deltas", "4000", "--delay", "0.01")
    ask(shell, qtbot)
    wait_for(qtbot, lambda: shell.controller.phase == "streaming")
    pid = shell.client.pid
    seen: list[WindowState] = []
    shell.window.closing.connect(seen.append)
    press(shell, qtbot, Qt.Key.Key_Q, CTRL)
    assert not shell.window.isVisible()
    assert len(seen) == 1
    shell.controller.shut_down()
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


def test_the_search_opens_over_messages_and_escape_closes_it_first(build, qtbot) -> None:
    shell = build()
    shell.window.find_in_chat()
    assert not shell.window.find_bar.isVisible()
    ask(shell, qtbot)
    wait_for(qtbot, lambda: shell.controller.phase == "idle")
    shell.window.find_in_chat()
    assert shell.window.find_bar.isVisible()
    assert shell.window.find_bar.edit.hasFocus()
    assert shell.window.close_what_is_open()
    assert not shell.window.find_bar.isVisible()
    assert shell.window.composer.edit.hasFocus()


def test_looks_are_remembered_and_put_on_at_once(build, qapp) -> None:
    shell = build(start=False)
    normal = qapp.font().pointSizeF()
    shell.window.top.view.text_size_chosen.emit(150)
    assert qapp.font().pointSizeF() == pytest.approx(normal * 1.5)
    shell.window.top.view.theme_chosen.emit("contrast_dark")
    assert shell.appearance.theme.name == "contrast_dark"
    shell.window.top.view.language_chosen.emit("de")
    assert "next start" in shell.window.notes.banner.sentence
    settings = shell.controller.settings
    assert (settings.text_size, settings.theme, settings.language) == (150, "contrast_dark", "de")
