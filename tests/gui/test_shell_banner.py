"""Banners, and the empty chat."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QLabel, QPushButton, QToolButton

from app.chat.banner import Banner
from app.ui.banner import BannerView
from app.ui.theme import DARK, LIGHT
from app.ui.welcome import DEMO_PROMPTS, Welcome
from tests.gui.test_shell_panel import loaded

ERROR = Banner("error", "The engine stopped.", "Restart it.", "signal 9", ("restart", "retry_plain", "dismiss"))


@pytest.fixture
def view(qtbot) -> BannerView:
    made = BannerView(LIGHT)
    qtbot.addWidget(made)
    made.resize(600, 200)
    return made


def buttons(view: BannerView) -> dict[str, QPushButton]:
    return {b.text(): b for b in view.findChildren(QPushButton) if not b.isHidden()}


def test_hidden_until_there_is_something_to_say(view) -> None:
    assert view.isHidden()
    view.show_banner(ERROR)
    assert not view.isHidden()
    view.show_banner(None)
    assert view.isHidden()


def test_says_what_happened_and_offers_what_can_be_done(view, qtbot) -> None:
    view.show_banner(ERROR)
    assert [label.text() for label in view.findChildren(QLabel)] == ["The engine stopped.", "Restart it."]
    assert view.accessibleName() == "Error: The engine stopped. Restart it."
    assert set(buttons(view)) == {"Restart the engine", "Retry without speculation", "Copy details"}
    for words, action in (("Restart the engine", "restart"), ("Retry without speculation", "retry_plain")):
        with qtbot.waitSignal(view.action_chosen) as seen:
            buttons(view)[words].click()
        assert seen.args == [action]
    with qtbot.waitSignal(view.action_chosen) as seen:
        view.findChild(QToolButton, "banner dismiss").click()
    assert seen.args == ["dismiss"]


def test_copy_details(view) -> None:
    view.show_banner(ERROR)
    buttons(view)["Copy details"].click()
    assert QGuiApplication.clipboard().text() == "The engine stopped.\nRestart it.\nsignal 9"


def test_no_details_no_button(view) -> None:
    view.show_banner(Banner("info", "Old turns were left out."))
    assert buttons(view) == {}
    assert not view.findChild(QToolButton, "banner dismiss").isHidden()
    view.show_banner(Banner("warning", "Wait.", actions=()))
    assert view.findChild(QToolButton, "banner dismiss").isHidden()


def test_the_next_banner_replaces_the_buttons(view) -> None:
    view.show_banner(ERROR)
    view.show_banner(Banner("error", "No.", actions=("retry",)))
    assert set(buttons(view)) == {"Try again"}


def test_markup_is_text(view) -> None:
    view.show_banner(Banner("error", "<b>x</b>", "<img src=x>"))
    assert all(label.textFormat() == Qt.TextFormat.PlainText for label in view.findChildren(QLabel))


def test_a_narrow_banner_is_taller_and_loses_no_word(view) -> None:
    view.show_banner(ERROR)
    wide, narrow = view.heightForWidth(900), view.heightForWidth(300)
    assert narrow > wide


def test_kinds_look_different(view) -> None:
    pictures = []
    for kind in ("error", "warning", "info"):
        view.show_banner(Banner(kind, "Same words."))
        image = view.grab().toImage()
        pictures.append(image)
    assert pictures[0] != pictures[1] != pictures[2] != pictures[0]
    view.set_theme(DARK)
    assert view.grab().toImage() != pictures[2]


# --- the empty chat ------------------------------------------------------------------------------------------------


@pytest.fixture
def welcome(qtbot) -> Welcome:
    made = Welcome()
    qtbot.addWidget(made)
    return made


def words_of(welcome: Welcome) -> str:
    return " ".join(label.text() for label in welcome.findChildren(QLabel))


def test_the_demo_pair_says_what_it_is_and_what_to_try(welcome) -> None:
    welcome.show_loaded(loaded(demo=True))
    welcome.set_phase("idle")
    text = words_of(welcome)
    assert "demo pair" in text
    assert "no assistant" in text
    assert [b.text() for b in welcome.examples] == list(DEMO_PROMPTS)
    chosen: list[str] = []
    welcome.prompt_chosen.connect(chosen.append)
    for button in welcome.examples:
        assert button.isEnabled()
        button.click()
    assert chosen == list(DEMO_PROMPTS)


@pytest.mark.parametrize("phase", ["no_model", "loading", "prefill", "engine_down"])
def test_examples_wait_until_they_can_be_sent(welcome, phase) -> None:
    welcome.show_loaded(loaded(demo=True))
    welcome.set_phase(phase)
    assert not any(button.isEnabled() for button in welcome.examples)


def test_another_model_has_no_demo_prompts(welcome) -> None:
    welcome.show_loaded(loaded())
    welcome.set_phase("idle")
    assert all(button.isHidden() for button in welcome.examples)
    assert "Target" in words_of(welcome)
    assert "Draft" in words_of(welcome)
    welcome.show_loaded(loaded(draft=False))
    assert "No draft model is chosen." in words_of(welcome)


def test_without_a_model_it_says_how_to_get_one(welcome, qtbot) -> None:
    welcome.set_phase("no_model")
    assert "Open a GGUF file" in words_of(welcome)
    with qtbot.waitSignal(welcome.open_wanted):
        welcome.open.click()
