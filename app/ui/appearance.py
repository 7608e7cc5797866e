"""Which theme the program wears: the system's, or the one the person forced."""

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QFont
from PySide6.QtWidgets import QApplication

from app.ui.theme import BASE_POINT_SIZE, DARK, LIGHT, Theme, palette, stylesheet


class Appearance(QObject):
    """Puts palette and style sheet on the application and keeps them right when the system changes.

    Signals:
        theme_changed: The `Theme` now worn.
    """

    theme_changed = Signal(object)

    def __init__(self, app: QApplication, choice: str = "system", parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._app = app
        self._choice = choice
        self._hints = app.styleHints()
        font = comfortable(app.font())
        self._point_size = font.pointSizeF()
        app.setStyle("Fusion")
        app.setFont(font)
        self.theme = self._wanted()
        self._wear()
        self._hints.colorSchemeChanged.connect(self._follow)

    @property
    def choice(self) -> str:
        """What the person wants: "system", "light" or "dark"."""
        return self._choice

    def choose(self, choice: str) -> None:
        """Wear "light" or "dark", or follow the "system"."""
        self._choice = choice
        self._follow()

    def _follow(self) -> None:
        theme = self._wanted()
        if theme is not self.theme:
            self.theme = theme
            self._wear()
            self.theme_changed.emit(theme)

    def _wanted(self) -> Theme:
        if self._choice in ("light", "dark"):
            return DARK if self._choice == "dark" else LIGHT
        return DARK if self._hints.colorScheme() == Qt.ColorScheme.Dark else LIGHT

    def _wear(self) -> None:
        self._app.setPalette(palette(self.theme))
        self._app.setStyleSheet(stylesheet(self.theme, self._point_size))


def comfortable(font: QFont) -> QFont:
    """The system's font, not smaller than our normal text, with figures of one width."""
    result = QFont(font)
    result.setPointSizeF(max(font.pointSizeF(), BASE_POINT_SIZE))
    result.setFeature(QFont.Tag("tnum"), 1)
    return result
