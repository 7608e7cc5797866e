"""Tokens, palettes, and which theme is worn."""

import re
from dataclasses import asdict
from itertools import pairwise

import pytest
from PySide6.QtGui import QColor, QPalette

from app.core import paths
from app.ui import icons
from app.ui.appearance import Appearance, comfortable, nearest_size, next_size
from app.ui.badge import COLOURS
from app.ui.high_contrast import CONTRAST_DARK, CONTRAST_LIGHT
from app.ui.theme import BASE_POINT_SIZE, DARK, LIGHT, Theme, palette, stylesheet

THEMES = (LIGHT, DARK, CONTRAST_LIGHT, CONTRAST_DARK)
GROUNDS = ("bg", "panel", "card", "hover", "accent_soft")


def luminance(colour: str) -> float:
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    red, green, blue = (p / 12.92 if p <= 0.03928 else ((p + 0.055) / 1.055) ** 2.4 for p in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, two: str) -> float:
    low, high = sorted((luminance(one), luminance(two)))
    return (high + 0.05) / (low + 0.05)


@pytest.fixture
def appearance(qapp):
    sheet, colours, font = qapp.styleSheet(), qapp.palette(), qapp.font()
    made = Appearance(qapp, "system")
    yield made
    made.deleteLater()
    qapp.setStyleSheet(sheet)
    qapp.setPalette(colours)
    qapp.setFont(font)


@pytest.mark.parametrize("theme", THEMES, ids=lambda t: t.name)
def test_text_can_be_read_on_every_ground(theme: Theme) -> None:
    pairs = [(text, ground) for text in ("ink", "soft", "accent") for ground in GROUNDS]
    pairs += [(state, f"{state}_bg") for state in ("good", "warn", "bad")]
    pairs += [(text, "code") for text in ("ink", "soft", "keyword", "string", "number")]
    pairs += [("on_accent", "accent"), *COLOURS.values()]
    poor = {
        f"{text} on {ground}": round(ratio, 2)
        for text, ground in pairs
        if (ratio := contrast(getattr(theme, text), getattr(theme, ground))) < 4.5
    }
    assert not poor


@pytest.mark.parametrize("theme", THEMES, ids=lambda t: t.name)
def test_marks_that_carry_meaning_stand_out(theme: Theme) -> None:
    for mark in ("ink_draft", "ink_ngram", "ink_heads", "ink_correction", "pencil"):
        assert contrast(getattr(theme, mark), theme.bg) >= 3.0, mark


@pytest.mark.parametrize("theme", THEMES, ids=lambda t: t.name)
def test_tokens_are_colours_and_the_sheet_uses_nothing_else(theme: Theme) -> None:
    colours = {value for name, value in asdict(theme).items() if name not in ("name", "is_dark")}
    assert all(re.fullmatch(r"#[0-9a-f]{6}", value) for value in colours)
    sheet = stylesheet(theme)
    assert "$" not in sheet
    assert set(re.findall(r"#[0-9a-f]{6}\b", sheet)) <= colours


def test_every_picture_of_the_sheet_exists() -> None:
    files = re.findall(r'url\("([^"]+)"\)', stylesheet(LIGHT))
    assert len(files) >= 2
    assert all((paths.resources() / "icons" / name.rsplit("/", 1)[1]).is_file() for name in files)


@pytest.mark.parametrize("theme", THEMES, ids=lambda t: t.name)
def test_palette_is_dark_where_the_theme_is(theme: Theme) -> None:
    colours = palette(theme)
    ground, ink = colours.color(QPalette.ColorRole.Window), colours.color(QPalette.ColorRole.WindowText)
    assert (ground.lightness() < ink.lightness()) is theme.is_dark
    disabled = colours.color(QPalette.ColorGroup.Disabled, QPalette.ColorRole.Text)
    assert disabled == QColor(theme.pencil)


def test_forced_theme_wins_and_system_comes_back(appearance, qapp, qtbot) -> None:
    assert appearance.theme is LIGHT
    with qtbot.waitSignal(appearance.theme_changed) as seen:
        appearance.choose("dark")
    assert seen.args == [DARK]
    assert qapp.palette().color(QPalette.ColorRole.Window) == QColor(DARK.bg)
    assert DARK.card in qapp.styleSheet()
    appearance.choose("system")
    assert appearance.theme is LIGHT
    assert appearance.choice == "system"


def test_choosing_what_is_worn_already_changes_nothing(appearance, qtbot) -> None:
    with qtbot.assertNotEmitted(appearance.theme_changed):
        appearance.choose("light")


def test_the_font_is_never_small_and_its_figures_have_one_width(qapp) -> None:
    small = qapp.font()
    small.setPointSizeF(7)
    assert comfortable(small).pointSizeF() == BASE_POINT_SIZE
    small.setPointSizeF(16)
    assert comfortable(small).pointSizeF() == 16
    assert len(comfortable(small).featureTags()) == 1


def test_every_icon_draws_something_in_its_colour(qapp) -> None:
    names = [path.stem for path in (paths.resources() / "icons").glob("*.svg") if not path.stem.startswith("app")]
    assert len(names) >= 15
    for name in names:
        image = icons.icon(name, "#ff0000").pixmap(32, 32).toImage()
        seen = {
            QColor(image.pixel(x, y)).name() for x in range(32) for y in range(32) if image.pixelColor(x, y).alpha()
        }
        assert seen, name
        assert name.startswith("control-") or "#ff0000" in seen, name
    assert not icons.app_icon().isNull()


@pytest.mark.parametrize("theme", [CONTRAST_LIGHT, CONTRAST_DARK], ids=lambda t: t.name)
def test_high_contrast_is_high(theme: Theme) -> None:
    pairs = [(text, ground) for text in ("ink", "soft", "accent") for ground in GROUNDS]
    pairs += [(state, f"{state}_bg") for state in ("good", "warn", "bad")]
    pairs += [(text, "code") for text in ("ink", "soft", "keyword", "string", "number")]
    pairs += [("on_accent", "accent"), ("line", "bg"), ("line_strong", "card")]
    poor = [pair for pair in pairs if contrast(getattr(theme, pair[0]), getattr(theme, pair[1])) < 7]
    assert not poor


@pytest.mark.parametrize("theme", THEMES, ids=lambda t: t.name)
def test_parts_of_charts_can_be_told_apart(theme: Theme) -> None:
    parts = [QColor(getattr(theme, name)) for name in ("ink_draft", "accent", "soft", "rest")]
    for one, other in pairwise(parts):
        assert max(abs(a - b) for a, b in zip(one.getRgb(), other.getRgb(), strict=True)) >= 30
    assert contrast(theme.accent, theme.track) >= 3.0


@pytest.mark.parametrize("theme", [CONTRAST_LIGHT, CONTRAST_DARK], ids=lambda t: t.name)
def test_marks_of_controls_have_high_contrast_too(theme: Theme) -> None:
    marks = set(re.findall(r"control-\w+-(\w+)\.svg", stylesheet(theme)))
    assert len(marks) == 1
    colour = {"black": "#000000", "white": "#ffffff"}[marks.pop()]
    assert min(contrast(colour, theme.card), contrast(colour, theme.accent_soft)) >= 7
    assert "control-check.svg" in stylesheet(LIGHT)


def test_text_grows_in_steps_and_stops_at_the_ends(appearance, qapp) -> None:
    normal = qapp.font().pointSizeF()
    appearance.set_text_size(150)
    assert qapp.font().pointSizeF() == pytest.approx(1.5 * normal)
    assert f"{1.5 * normal * 0.88:.1f}pt" in qapp.styleSheet()
    assert next_size(150, 1) == 175
    assert next_size(200, 1) == 200
    assert next_size(80, -1) == 80
    assert nearest_size(-5) == 80
    assert nearest_size(10**9) == 200
    appearance.set_text_size(100)
    assert qapp.font().pointSizeF() == pytest.approx(normal)
