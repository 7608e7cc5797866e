"""The badge and what stands behind it."""

import itertools
from typing import get_args

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QColor, QImage
from PySide6.QtWidgets import QLabel, QPushButton, QVBoxLayout, QWidget

from app.chat.badge import BadgeView
from app.protocol.stats import BadgeState, GenerationStats, SpeculationState
from app.ui.answer_figures import AnswerFigures
from app.ui.badge import COLOURS, Badge
from app.ui.badge_details import BadgeDetails
from app.ui.theme import DARK, LIGHT

STATES = get_args(BadgeState)
STATS = GenerationStats(
    prompt_tokens=1204,
    cached_tokens=980,
    generated_tokens=572,
    passes=159,
    proposed=640,
    verified=572,
    accepted=412,
    accepted_by_position=(150, 98, 0),
    verified_by_position=(159, 150, 40),
    template_ms=2,
    prefill_ms=210,
    first_sample_ms=3,
    decode_ms=9300,
    draft_ms=1700,
    verify_ms=6700,
    sample_ms=500,
    other_ms=400,
)


def picture(badge: Badge) -> QImage:
    return badge.grab().toImage()


@pytest.fixture
def badge(qtbot) -> Badge:
    made = Badge(LIGHT)
    qtbot.addWidget(made)
    return made


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=lambda t: t.name)
def test_five_states_differ_in_ground_and_in_shape(qtbot, theme) -> None:
    grounds, shapes = {}, {}
    for state in STATES:
        badge = Badge(theme)
        qtbot.addWidget(badge)
        badge.show_view(BadgeView(state, "29 tok/s"))
        badge.resize(badge.sizeHint())
        image = picture(badge)
        grounds[state] = QColor(image.pixel(image.width() // 2, 4)).name()
        ink = QColor(getattr(theme, COLOURS[state][0]))
        icon = image.copy(14, 0, 20, image.height())
        shapes[state] = frozenset(
            (x, y)
            for x, y in itertools.product(range(icon.width()), range(icon.height()))
            if icon.pixelColor(x, y) == ink
        )
    assert len(set(grounds.values())) == len(STATES), grounds
    for one, two in itertools.combinations(STATES, 2):
        either = shapes[one] | shapes[two]
        assert len(shapes[one] ^ shapes[two]) > len(either) / 4, (one, two)


def test_accessible_name_says_state_and_numbers(badge) -> None:
    badge.show_view(BadgeView("active", "61 tok/s", ("72 % accepted", "2.1× measured"), "Drafter: n-gram"))
    assert badge.accessibleName() == "Speculation: active, 61 tok/s, 72 % accepted, 2.1× measured"
    assert badge.accessibleDescription() == "Drafter: n-gram"


def test_parts_go_when_room_goes_last_first(badge) -> None:
    view = BadgeView("active", "61 tok/s", ("72 % accepted", "2.1× measured"))
    badge.show_view(view)
    full = badge.sizeHint().width()
    assert badge.shown_parts(full) == view.parts
    assert badge.shown_parts(full - 40) == view.parts[:1]
    assert badge.shown_parts(badge.minimumSizeHint().width() - 60) == ()


def test_a_long_reason_is_cut_short_and_not_left_out(badge) -> None:
    reason = "The draft model has another vocabulary: token 151,643 differs. " * 3
    badge.show_view(BadgeView("unavailable", "Unavailable", (reason,)))
    assert badge.sizeHint().width() <= 460
    assert badge.shown_parts(badge.sizeHint().width()) == (reason,)
    assert badge.minimumSizeHint().width() < 320


# --- figures ------------------------------------------------------------------------------------------------------


def test_figures_of_an_answer(qtbot) -> None:
    shown = AnswerFigures(LIGHT)
    qtbot.addWidget(shown)
    state = SpeculationState(state="active", drafter="mixed", lookahead=5, gain=2.08, gain_kind="measured")
    shown.show_answer(STATS, state)
    assert shown.value("accepted") == "412 / 572"
    assert shown.value("per_pass") == "3.60"
    assert shown.value("speed") == "61.4 tok/s"
    assert shown.value("gain") == "2.1× measured"
    assert shown.value("first") == "215 ms"
    assert shown.value("cached") == "980"


def test_unknown_is_a_dash_and_never_a_nought(qtbot) -> None:
    shown = AnswerFigures(LIGHT)
    qtbot.addWidget(shown)
    for stats in (None, GenerationStats(generated_tokens=1, prompt_tokens=0)):
        shown.show_answer(stats, None)
        for name in ("accepted", "per_pass", "speed", "gain", "first", "prompt"):
            assert shown.value(name) == "-", name


# --- popover ------------------------------------------------------------------------------------------------------


@pytest.fixture
def scene(qtbot):
    window = QWidget()
    window.resize(700, 500)
    badge, elsewhere = Badge(LIGHT), QPushButton("elsewhere")
    layout = QVBoxLayout(window)
    layout.addWidget(badge, 0, Qt.AlignmentFlag.AlignRight)
    layout.addStretch()
    layout.addWidget(elsewhere)
    details = BadgeDetails(window, badge, LIGHT)
    qtbot.addWidget(window)
    window.show()
    with qtbot.waitExposed(window):
        pass
    return window, badge, details, elsewhere


def test_click_opens_and_closes(scene, qtbot) -> None:
    window, badge, details, _ = scene
    details.show_answer(STATS, None)
    qtbot.mouseClick(badge, Qt.MouseButton.LeftButton)
    assert details.isVisible()
    assert window.rect().contains(details.geometry())
    qtbot.mouseClick(badge, Qt.MouseButton.LeftButton)
    assert not details.isVisible()


def test_what_it_shows_is_packed_and_named(scene, qtbot) -> None:
    window, badge, details, _ = scene
    state = SpeculationState(state="active", drafter="mixed", lookahead=5)
    details.show_answer(STATS, state)
    qtbot.wait(20)
    window.grab()
    qtbot.mouseClick(badge, Qt.MouseButton.LeftButton)
    qtbot.wait(20)
    labels = [label for label in details.findChildren(QLabel) if label.isVisible()]
    assert "Drafter: Draft model + n-gram, lookahead 5" in {label.text() for label in labels}
    loose = [label.text() for label in labels if label.height() > 1.5 * max(label.heightForWidth(label.width()), 20)]
    assert loose == []
    details.show_answer(None, None)
    assert details.isVisible()


def test_click_elsewhere_closes_and_still_counts(scene, qtbot) -> None:
    _, badge, details, elsewhere = scene
    qtbot.mouseClick(badge, Qt.MouseButton.LeftButton)
    with qtbot.waitSignal(elsewhere.clicked):
        qtbot.mouseClick(elsewhere, Qt.MouseButton.LeftButton)
    assert not details.isVisible()


def test_click_inside_keeps_it_open(scene, qtbot) -> None:
    _, badge, details, _ = scene
    qtbot.mouseClick(badge, Qt.MouseButton.LeftButton)
    qtbot.mouseClick(details, Qt.MouseButton.LeftButton, pos=QPoint(20, 20))
    assert details.isVisible()


def test_hover_opens_and_leaving_closes(scene, qtbot) -> None:
    _, badge, details, _ = scene
    badge.hovered.emit(True)
    qtbot.waitUntil(details.isVisible, timeout=2000)
    badge.hovered.emit(False)
    qtbot.waitUntil(lambda: not details.isVisible(), timeout=2000)


def test_a_passing_pointer_opens_nothing(scene, qtbot) -> None:
    _, badge, details, _ = scene
    badge.hovered.emit(True)
    badge.hovered.emit(False)
    qtbot.wait(500)
    assert not details.isVisible()


def test_a_click_pins_what_hover_opened(scene, qtbot) -> None:
    _, badge, details, _ = scene
    badge.hovered.emit(True)
    qtbot.waitUntil(details.isVisible, timeout=2000)
    qtbot.mouseClick(badge, Qt.MouseButton.LeftButton)
    badge.hovered.emit(False)
    qtbot.wait(500)
    assert details.isVisible()


def test_keyboard_opens(scene, qtbot) -> None:
    _, badge, details, _ = scene
    badge.setFocus()
    qtbot.keyClick(badge, Qt.Key.Key_Space)
    assert details.isVisible()


@pytest.mark.parametrize(
    ("drafter", "used"), [("draft_model", True), ("mixed", True), ("heads", False), ("ngram", False)]
)
def test_only_files_at_work_are_named(scene, drafter: str, used: bool) -> None:
    _, _, details, _ = scene
    details.show_answer(STATS, SpeculationState(state="active", drafter=drafter, lookahead=3))
    assert (
        any(words.text().startswith("Draft model:") and not words.isHidden() for words in details.findChildren(QLabel))
        == used
    )
