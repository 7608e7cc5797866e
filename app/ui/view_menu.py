"""The part of the menu that says how the window looks: colours, text size, language."""

from collections.abc import Iterable

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QAction, QActionGroup
from PySide6.QtWidgets import QMenu

from app.ui import languages
from app.ui.appearance import TEXT_SIZES


class ViewMenu(QObject):
    """Three submenus, each with one choice ticked.

    Signals:
        theme_chosen: "system" or the name of a theme.
        text_size_chosen: Percent of the normal size.
        language_chosen: A language code, "" for the system's.
    """

    theme_chosen = Signal(str)
    text_size_chosen = Signal(int)
    language_chosen = Signal(str)

    def __init__(self, menu: QMenu) -> None:
        super().__init__(menu)
        themes = (
            ("system", self.tr("As the system")),
            ("light", self.tr("Light")),
            ("dark", self.tr("Dark")),
            ("contrast_light", self.tr("High contrast, light")),
            ("contrast_dark", self.tr("High contrast, dark")),
        )
        self._commands: list[QAction] = []
        self._menus: list[tuple[QMenu, dict[object, QAction]]] = []
        self._themes = self._choices(menu.addMenu(self.tr("Colours")), themes)
        sizes = [(size, f"{size} %") for size in TEXT_SIZES]
        self._sizes = self._choices(menu.addMenu(self.tr("Text size")), sizes)
        tongues = [
            ("", self.tr("As the system")),
            *((code, languages.own_name(code)) for code in languages.available()),
        ]
        self._languages = self._choices(menu.addMenu(self.tr("Language")), tongues)
        for actions, chosen in (
            (self._themes, self.theme_chosen),
            (self._sizes, self.text_size_chosen),
            (self._languages, self.language_chosen),
        ):
            for choice, action in actions.items():
                action.triggered.connect(lambda _checked=False, emit=chosen.emit, choice=choice: emit(choice))

    def actions(self) -> list[QAction]:
        """Every choice as a command that can be found by its words."""
        if not self._commands:
            for menu, choices in self._menus:
                for action in choices.values():
                    command = QAction(f"{menu.title()}: {action.text()}", self)
                    command.triggered.connect(action.trigger)
                    self._commands.append(command)
        return self._commands

    def show_theme(self, choice: str) -> None:
        self._tick(self._themes, choice)

    def show_text_size(self, percent: int) -> None:
        self._tick(self._sizes, percent)

    def show_language(self, choice: str) -> None:
        self._tick(self._languages, choice)

    def _tick(self, actions: dict[object, QAction], choice: object) -> None:
        if choice in actions:
            actions[choice].setChecked(True)

    def _choices(self, menu: QMenu, choices: Iterable[tuple[object, str]]) -> dict[object, QAction]:
        group = QActionGroup(menu)
        made: dict[object, QAction] = {}
        for choice, words in choices:
            action = menu.addAction(words)
            action.setCheckable(True)
            group.addAction(action)
            made[choice] = action
        self._menus.append((menu, made))
        return made
