"""The section of the side panel about the chat itself: system prompt, presets, and what a full context means."""

from collections.abc import Callable

from PySide6.QtCore import Signal
from PySide6.QtGui import QFocusEvent, QFontMetricsF
from PySide6.QtWidgets import QMenu, QPlainTextEdit, QPushButton, QSizePolicy, QWidget

from app.chat.options import ChatOptions
from app.chat.presets import Presets
from app.ui.theme import Theme
from app.ui.widgets.labels import label
from app.ui.widgets.reason_combo import ReasonCombo
from app.ui.widgets.section import Section

_LINES = 4


class SystemPrompt(QPlainTextEdit):
    """A few lines of text, said when the keyboard leaves.

    Signals:
        finished: The text, when it was changed.
    """

    finished = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._before = ""
        self.setObjectName("system prompt")
        self.setProperty("kind", "field")
        self.setTabChangesFocus(True)
        height = QFontMetricsF(self.font()).lineSpacing() * _LINES + 2 * self.document().documentMargin() + 8
        self.setFixedHeight(round(height))

    def show_text(self, text: str) -> None:
        """Show this; what a person is writing just now stays."""
        if text != self._before or not self.hasFocus():
            self._before = text
            if text != self.toPlainText():
                self.setPlainText(text)

    def tell(self) -> None:
        """Say the text, if it was changed."""
        text = self.toPlainText()
        if text != self._before:
            self._before = text
            self.finished.emit(text)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self.tell()


class ChatSection(Section):
    """What belongs to the chat on the screen.

    Signals:
        system_changed: The new system prompt.
        overflow_changed: The name of an `Overflow`.
        preset_applied, preset_removed, preset_exported: The name of a preset.
        preset_saved, preset_imported: Ask for a name, or a file.
        default_wanted: Whether new chats with the loaded model begin like this one.
    """

    system_changed = Signal(str)
    overflow_changed = Signal(str)
    preset_applied = Signal(str)
    preset_removed = Signal(str)
    preset_exported = Signal(str)
    preset_saved = Signal()
    preset_imported = Signal()
    default_wanted = Signal(bool)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, parent)
        self.set_title(self.tr("This chat"))
        self._presets = Presets()
        self._has_defaults = False
        self.system = SystemPrompt()
        self.system.setAccessibleName(self.tr("System prompt"))
        self.system.setPlaceholderText(self.tr("How the model should answer. Leave it empty for its own way."))
        self.system.finished.connect(self.system_changed)
        self.overflow = ReasonCombo(theme, self.tr("When the context is full"))
        self.overflow.set_items(
            [
                ("ask", self.tr("Ask me"), ""),
                ("drop_oldest", self.tr("Leave out the oldest messages"), ""),
                ("keep_ends", self.tr("Keep the first and the last ones"), ""),
            ]
        )
        self.overflow.chosen.connect(self.overflow_changed)
        self.presets = QPushButton(self.tr("Presets…"))
        self.presets.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.presets.setToolTip(self.tr("System prompt, sampling and speculation under a name"))
        self.presets.clicked.connect(lambda _checked=False: self._show_menu())
        self.body.addWidget(label(self.tr("System prompt"), "soft"))
        self.body.addWidget(self.system)
        self.body.addWidget(label(self.tr("When the context is full"), "soft"))
        self.body.addWidget(self.overflow)
        self.body.addWidget(self.presets)
        self.set_options(ChatOptions())

    def set_theme(self, theme: Theme) -> None:
        super().set_theme(theme)
        self.overflow.set_theme(theme)

    def set_options(self, options: ChatOptions) -> None:
        """Show these; nothing is emitted."""
        self.system.show_text(options.system)
        self.overflow.set_key(options.overflow)

    def set_presets(self, presets: Presets, *, has_defaults: bool) -> None:
        """What the menu offers."""
        self._presets, self._has_defaults = presets, has_defaults

    def menu(self) -> QMenu:
        """Everything that can be done with presets."""
        menu = QMenu(self)
        for preset in self._presets.presets:
            self._add(menu, preset.name, lambda name=preset.name: self.preset_applied.emit(name))  # type: ignore[misc]  # mypy knows no default here
        if self._presets.presets:
            menu.addSeparator()
        self._add(menu, self.tr("Save as a preset…"), self.preset_saved.emit)
        self._add(menu, self.tr("Import a preset…"), self.preset_imported.emit)
        if self._presets.presets:
            for words, told in (
                (self.tr("Export"), self.preset_exported),
                (self.tr("Delete"), self.preset_removed),
            ):
                more = menu.addMenu(words)
                for preset in self._presets.presets:
                    self._add(more, preset.name, lambda told=told, name=preset.name: told.emit(name))  # type: ignore[misc]  # mypy knows no default here
        menu.addSeparator()
        self._add(menu, self.tr("Begin new chats with this model like this"), lambda: self.default_wanted.emit(True))
        if self._has_defaults:
            self._add(
                menu,
                self.tr("Begin new chats with this model like the last one"),
                lambda: self.default_wanted.emit(False),
            )
        return menu

    @staticmethod
    def _add(menu: QMenu, words: str, call: Callable[[], object]) -> None:
        # "&" would be taken for a key.
        menu.addAction(words.replace("&", "&&")).triggered.connect(lambda _checked=False: call())

    def _show_menu(self) -> None:
        menu = self.menu()
        menu.aboutToHide.connect(menu.deleteLater)
        menu.popup(self.presets.mapToGlobal(self.presets.rect().bottomLeft()))
