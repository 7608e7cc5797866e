"""How the program looks: the system's theme or a forced one, and how large its text is."""

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QFont
from PySide6.QtWidgets import QApplication

from app.ui.high_contrast import CONTRAST_DARK, CONTRAST_LIGHT
from app.ui.theme import BASE_POINT_SIZE, DARK, LIGHT, Theme, palette, stylesheet

TEXT_SIZES = (80, 90, 100, 110, 125, 150, 175, 200)
"""Percent of the normal text."""
_FORCED = {theme.name: theme for theme in (LIGHT, DARK, CONTRAST_LIGHT, CONTRAST_DARK)}


class Appearance(QObject):
    """Puts palette, font and style sheet on the application and keeps them right when the system changes.

    Signals:
        theme_changed: The `Theme` now worn.
    """

    theme_changed = Signal(object)

    def __init__(
        self, app: QApplication, choice: str = "system", parent: QObject | None = None, *, text_size: int = 100
    ) -> None:
        super().__init__(parent)
        self._app = app
        self._choice = choice
        self._hints = app.styleHints()
        self._font = comfortable(app.font())
        self.text_size = nearest_size(text_size)
        app.setStyle("Fusion")
        self.theme = self._wanted()
        self._wear()
        self._hints.colorSchemeChanged.connect(self._follow)
        self._hints.accessibility().contrastPreferenceChanged.connect(self._follow)

    @property
    def choice(self) -> str:
        """What the person wants: "system" or the name of a theme."""
        return self._choice

    def choose(self, choice: str) -> None:
        """Wear the theme of this name, or follow the "system"."""
        self._choice = choice
        self._follow()

    def set_text_size(self, percent: int) -> None:
        """Make all text larger or smaller."""
        if nearest_size(percent) != self.text_size:
            self.text_size = nearest_size(percent)
            self._wear()

    def _follow(self) -> None:
        theme = self._wanted()
        if theme is not self.theme:
            self.theme = theme
            self._wear()
            self.theme_changed.emit(theme)

    def _wanted(self) -> Theme:
        if self._choice in _FORCED:
            return _FORCED[self._choice]
        dark = self._hints.colorScheme() == Qt.ColorScheme.Dark
        if self._hints.accessibility().contrastPreference() == Qt.ContrastPreference.HighContrast:
            return CONTRAST_DARK if dark else CONTRAST_LIGHT
        return DARK if dark else LIGHT

    def _wear(self) -> None:
        font = QFont(self._font)
        font.setPointSizeF(self._font.pointSizeF() * self.text_size / 100)
        self._app.setFont(font)
        self._app.setPalette(palette(self.theme))
        self._app.setStyleSheet(stylesheet(self.theme, font.pointSizeF()))


def nearest_size(percent: int) -> int:
    """The text size that is offered and comes closest, percent."""
    return min(TEXT_SIZES, key=lambda size: abs(size - percent))


def next_size(percent: int, steps: int) -> int:
    """The text size so many steps larger (or smaller), percent; the last one where there is no further."""
    place = TEXT_SIZES.index(nearest_size(percent)) + steps
    return TEXT_SIZES[min(max(place, 0), len(TEXT_SIZES) - 1)]


def comfortable(font: QFont) -> QFont:
    """The system's font, not smaller than our normal text, with figures of one width."""
    result = QFont(font)
    result.setPointSizeF(max(font.pointSizeF(), BASE_POINT_SIZE))
    result.setFeature(QFont.Tag("tnum"), 1)
    return result
