"""The bar at the top: brand, models, badge, and the buttons of the window."""

from collections.abc import Sequence

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QAction, QResizeEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QMenu, QToolButton, QWidget

from app.chat.badge import BadgeView
from app.ui import icons
from app.ui.badge import Badge
from app.ui.model_button import ModelButton
from app.ui.theme import GRID, Theme
from app.ui.view_menu import ViewMenu
from app.ui.widgets.labels import label

_BRAND_NEEDS = 900
"""Below this width of the bar the name of the program makes room."""
_MODEL_NEEDS = 170


class TopBar(QFrame):
    """Brand, model button, badge, new chat, side panel, menu.

    Signals:
        new_chat_wanted, chats_wanted, models_wanted, compare_wanted, panel_wanted, shortcuts_wanted: A button or menu
            item.
        ink_wanted: Show or hide where tokens came from.
    """

    new_chat_wanted = Signal()
    chats_wanted = Signal(bool)
    models_wanted = Signal(bool)
    compare_wanted = Signal(bool)
    panel_wanted = Signal(bool)
    shortcuts_wanted = Signal()
    ink_wanted = Signal(bool)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("hairline", "bottom")
        self._brand = label("Outpace", "strong")
        self.model = ModelButton(theme)
        self.badge = Badge(theme)
        self._chats = self._button("chats", self.tr("Chats"))
        self._chats.setCheckable(True)
        self._chats.clicked.connect(self.chats_wanted)
        self._new = self._button("new chat", self.tr("New chat"))
        self._new.clicked.connect(lambda _checked=False: self.new_chat_wanted.emit())
        self.models = self._button("models", self.tr("Models"))
        self.models.setCheckable(True)
        self.models.clicked.connect(self.models_wanted)
        self.compare = self._button("compare", self.tr("Compare with and without speculation"))
        self.compare.setCheckable(True)
        self.compare.clicked.connect(self.compare_wanted)
        self._panel = self._button("panel", self.tr("Side panel"))
        self._panel.setCheckable(True)
        self._panel.clicked.connect(self.panel_wanted)
        self._more = self._button("more", self.tr("Menu"))
        self._more.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self._more.setMenu(self._build_menu())
        layout = QHBoxLayout(self)
        layout.setContentsMargins(GRID + 4, GRID, GRID + 4, GRID)
        layout.setSpacing(GRID)
        layout.addWidget(self._chats)
        layout.addWidget(self._brand)
        layout.addSpacing(GRID)
        layout.addWidget(self.model)
        layout.addStretch(1)
        layout.addWidget(self.badge)
        layout.addSpacing(GRID // 2)
        for button in (self._new, self.models, self.compare, self._panel, self._more):
            layout.addWidget(button)
        self.set_theme(theme)

    def _button(self, name: str, words: str) -> QToolButton:
        button = QToolButton()
        button.setObjectName(name)
        button.setProperty("kind", "quiet")
        button.setProperty("shape", "icon")
        button.setIconSize(QSize(20, 20))
        button.setAccessibleName(words)
        button.setToolTip(words)
        button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        return button

    def _build_menu(self) -> QMenu:
        menu = QMenu(self)
        self._ink = menu.addAction(self.tr("Show where tokens came from"))
        self._ink.setCheckable(True)
        self._ink.toggled.connect(self.ink_wanted)
        self.view = ViewMenu(menu)
        menu.addSeparator()
        menu.addAction(self.tr("Keyboard shortcuts")).triggered.connect(
            lambda _checked=False: self.shortcuts_wanted.emit()
        )
        return menu

    def add_to_menu(self, actions: Sequence[QAction]) -> None:
        """Put these at the end of the menu."""
        self._more.menu().addActions(actions)

    def set_theme(self, theme: Theme) -> None:
        self.model.set_theme(theme)
        self.badge.set_theme(theme)
        for button, name in (
            (self._chats, "chats"),
            (self._new, "new-chat"),
            (self.models, "models"),
            (self.compare, "compare"),
            (self._panel, "panel"),
            (self._more, "more"),
        ):
            button.setIcon(icons.icon(name, theme.ink, theme.pencil))

    def show_badge(self, view: BadgeView) -> None:
        """Show another badge; it has the first right to the room there is."""
        self.badge.show_view(view)
        self._share_room()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._brand.setVisible(self.width() >= _BRAND_NEEDS)
        self._share_room()

    def _share_room(self) -> None:
        brand = self._brand.sizeHint().width() + 2 * GRID if self.width() >= _BRAND_NEEDS else 0
        buttons = 6 * (self._more.sizeHint().width() + GRID) + 6 * GRID
        room = self.width() - brand - buttons - self.badge.sizeHint().width()
        self.model.setMaximumWidth(max(room, _MODEL_NEEDS))

    def show_panel_open(self, is_open: bool) -> None:
        self._panel.setChecked(is_open)

    def show_list_open(self, is_open: bool) -> None:
        self._chats.setChecked(is_open)
        self._place_new()

    def _place_new(self) -> None:
        # The list has such a button of its own.
        a_page = self.models.isChecked() or self.compare.isChecked()
        self._new.setVisible(a_page or not self._chats.isChecked())

    def show_page_open(self, name: str) -> None:
        """The page with this object name stands in the place of the chat, "" for none."""
        self.models.setChecked(name == "models page")
        self.compare.setChecked(name == "compare page")
        self._place_new()
        for button in (self._chats, self._panel):
            button.setEnabled(not name)

    def set_ink(self, shown: bool) -> None:
        """Tick the menu item; `ink_wanted` tells the rest."""
        self._ink.setChecked(shown)

    @property
    def ink(self) -> bool:
        return self._ink.isChecked()
