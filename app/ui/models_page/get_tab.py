"""Getting models: the catalogue, or anything else the hub has."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QStackedWidget, QVBoxLayout, QWidget

from app.bridge.browser import View
from app.bridge.models_controller import ModelsController
from app.ui.models_page.buttons import button
from app.ui.models_page.catalogue_view import CatalogueView
from app.ui.models_page.hub_view import HubView
from app.ui.theme import GRID, Theme
from app.ui.widgets.labels import label


class GetTab(QWidget):
    """A field for names and addresses; below it the catalogue, or what the field led to.

    Signals:
        settings_wanted: Offline mode can be switched off there.
    """

    settings_wanted = Signal()

    def __init__(self, theme: Theme, controller: ModelsController, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._browser = controller.browser
        self.field = QLineEdit()
        self.field.setPlaceholderText(self.tr("Search the hub, or paste a repository's name or address"))
        self.field.setAccessibleName(self.tr("Search the hub"))
        self.field.setClearButtonEnabled(True)
        self.field.returnPressed.connect(self._look_up)
        self.field.textChanged.connect(self._on_text)
        self.search = button(self.tr("Search"), self._look_up)
        self._offline = label(
            self.tr("Offline mode is on: nothing can be searched or downloaded."), "caution", wrap=True
        )
        self._online = button(self.tr("Settings…"), self.settings_wanted.emit)
        self.catalogue = CatalogueView(controller.catalogue)
        self.hub = HubView(theme, controller.browser)
        self._stack = QStackedWidget()
        self._stack.addWidget(self.catalogue)
        self._stack.addWidget(self.hub)
        top = QHBoxLayout()
        top.setSpacing(GRID)
        top.addWidget(self.field, 1)
        top.addWidget(self.search)
        offline = QHBoxLayout()
        offline.setSpacing(GRID)
        offline.addWidget(self._offline, 1)
        offline.addWidget(self._online)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(GRID + 4)
        layout.addLayout(top)
        layout.addLayout(offline)
        layout.addWidget(self._stack, 1)
        controller.browser.changed.connect(self._on_view)
        self.show_offline(offline=False)

    def set_theme(self, theme: Theme) -> None:
        self.hub.set_theme(theme)

    def show_offline(self, *, offline: bool) -> None:
        """Say that nothing can be got."""
        self._offline.setVisible(offline)
        self._online.setVisible(offline)

    def _look_up(self) -> None:
        self._browser.look_up(self.field.text())

    def _on_text(self, text: str) -> None:
        if not text:
            self._browser.leave()

    def _on_view(self, view: View) -> None:
        self._stack.setCurrentIndex(0 if view.kind == "nothing" else 1)
        if view.kind == "nothing" and self.field.text():
            self.field.clear()
