"""Where models lie, and how the hub is reached."""

import functools

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLineEdit, QVBoxLayout, QWidget

from app.bridge.hub_access import HubAccess
from app.chat.settings import HubOptions
from app.hub.download import DEFAULT_ENDPOINT
from app.hub.folders import Folder
from app.ui.models_page.buttons import button
from app.ui.theme import GRID, Theme
from app.ui.widgets.column import ScrollColumn
from app.ui.widgets.labels import ElidedLabel, label
from app.ui.widgets.toggle import Toggle


class SetupTab(QWidget):
    """Folders and access.

    Signals:
        models_folder_wanted, folder_wanted: Ask for a folder.
        folder_chosen: The path of another app's folder to list.
        reveal_wanted: The path of a folder to show.
    """

    models_folder_wanted = Signal()
    folder_wanted = Signal()
    folder_chosen = Signal(str)
    reveal_wanted = Signal(str)

    def __init__(self, theme: Theme, access: HubAccess, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._access = access
        self._endpoint = ""
        self._elsewhere: tuple[Folder, ...] = ()
        self._shown: tuple[tuple[str, ...], tuple[Folder, ...]] | None = None
        self._models = ElidedLabel()
        self._folders = QVBoxLayout()
        self._folders.setSpacing(GRID)
        self.endpoint = QLineEdit()
        self.endpoint.setPlaceholderText(DEFAULT_ENDPOINT)
        self.endpoint.setAccessibleName(self.tr("Address of the hub"))
        self.endpoint.returnPressed.connect(self._save_endpoint)
        self.save_endpoint = button(self.tr("Use this address"), self._save_endpoint)
        words = self.tr("Offline mode: never use the network")
        self._offline_words = label(words, wrap=True)
        self.offline = Toggle(theme, words)
        self.offline.toggled.connect(lambda on: access.set_offline(offline=on))
        self.token = QLineEdit()
        self.token.setEchoMode(QLineEdit.EchoMode.Password)
        self.token.setPlaceholderText(self.tr("Paste a token"))
        self.token.setAccessibleName(self.tr("Access token"))
        self.token.returnPressed.connect(self._save_token)
        self.save_token = button(self.tr("Save token"), self._save_token)
        self.forget_token = button(self.tr("Forget it"), lambda: access.store_token(""))
        self._token_words = label("", "small", wrap=True)
        area = ScrollColumn()
        area.column.setContentsMargins(0, 0, 0, GRID)
        area.column.setSpacing(2 * GRID)
        area.column.addWidget(self._build_folders())
        area.column.addWidget(self._build_access())
        area.column.addStretch(1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(area)
        access.changed.connect(self.show_options)
        access.token_known.connect(self._show_token)
        self.token.textChanged.connect(lambda text: self.save_token.setEnabled(bool(text.strip())))
        self.endpoint.textChanged.connect(lambda _text: self._update_endpoint())
        self.save_token.setEnabled(False)
        self.forget_token.hide()
        self.show_options(access.options)

    def set_theme(self, theme: Theme) -> None:
        self.offline.set_theme(theme)

    def _build_folders(self) -> QWidget:
        card, column = _card(self.tr("Folders"))
        change = button(self.tr("Change…"), self.models_folder_wanted.emit)
        change.setAccessibleName(self.tr("Change the models folder"))
        show = button(self.tr("Show"), lambda: self.reveal_wanted.emit(str(self._access.models)))
        show.setAccessibleName(self.tr("Show the models folder"))
        column.addWidget(label(self.tr("Downloads go to"), "soft", wrap=True))
        column.addLayout(_row(self._models, show, change))
        column.addLayout(self._folders)
        add = button(self.tr("Add a folder…"), self.folder_wanted.emit)
        column.addWidget(add)
        return card

    def _build_access(self) -> QWidget:
        card, column = _card(self.tr("Access to the hub"))
        column.addLayout(_row(self._offline_words, self.offline))
        column.addWidget(label(self.tr("Address of the hub, or of a mirror"), "soft", wrap=True))
        column.addLayout(_row(self.endpoint, self.save_endpoint))
        column.addWidget(
            label(self.tr("Access token, for models whose terms have to be accepted first"), "soft", wrap=True)
        )
        column.addLayout(_row(self.token, self.save_token))
        column.addWidget(self._token_words)
        column.addWidget(self.forget_token)
        return card

    def show_options(self, options: HubOptions) -> None:
        """Show what is in force; an address that is being typed stays until another one is."""
        self._models.setText(str(self._access.models))
        self.offline.setChecked(options.offline)
        if options.endpoint != self._endpoint:
            self._endpoint = options.endpoint
            self.endpoint.setText(options.endpoint)
        self._update_endpoint()
        self._fill_folders()

    def show_elsewhere(self, folders: tuple[Folder, ...]) -> None:
        """What other apps have."""
        self._elsewhere = folders
        self._fill_folders()

    def _fill_folders(self) -> None:
        shown = (self._access.options.folders, self._elsewhere)
        if shown == self._shown:
            return
        self._shown = shown
        while (item := self._folders.takeAt(0)) is not None:
            if (old := item.widget()) is not None:
                old.hide()
                old.deleteLater()
        names = {"huggingface": self.tr("Hugging Face cache"), "lmstudio": self.tr("LM Studio")}
        sources = {str(folder.path): names.get(folder.source, "") for folder in self._elsewhere}
        for path in self._access.options.folders:
            remove = button(self.tr("Remove"), functools.partial(self._access.remove_folder, path))
            remove.setAccessibleName(self.tr("Do not list {0} any more").format(path))
            self._folders.addWidget(_folder(path, self.tr("Listed too"), sources.get(path, ""), remove))
        for path, name in sources.items():
            if path not in self._access.options.folders:
                use = button(self.tr("List its models"), functools.partial(self.folder_chosen.emit, path))
                use.setAccessibleName(self.tr("List the models of {0}").format(name))
                self._folders.addWidget(_folder(path, self.tr("Found on this computer"), name, use))

    def _update_endpoint(self) -> None:
        text = self.endpoint.text().strip().rstrip("/")
        self.save_endpoint.setEnabled((text if text != DEFAULT_ENDPOINT else "") != self._access.options.endpoint)

    def _save_endpoint(self) -> None:
        self._access.set_endpoint(self.endpoint.text())

    def _save_token(self) -> None:
        token = self.token.text().strip()
        if token:
            self.token.clear()
            self._access.store_token(token)

    def _show_token(self, known: bool, place: str) -> None:
        self.forget_token.setVisible(known)
        self._token_words.setText(
            self.tr("A token is kept in {0}. It is never shown.").format(place)
            if known
            else self.tr("No token is kept. It would be kept in {0}.").format(place)
        )


def _card(title: str) -> tuple[QFrame, QVBoxLayout]:
    card = QFrame()
    card.setProperty("ground", "card")
    column = QVBoxLayout(card)
    column.setContentsMargins(2 * GRID, 2 * GRID, 2 * GRID, 2 * GRID)
    column.setSpacing(GRID)
    column.addWidget(label(title, "strong", wrap=True))
    return card, column


def _row(first: QWidget, *others: QWidget) -> QHBoxLayout:
    row = QHBoxLayout()
    row.setSpacing(GRID)
    row.addWidget(first, 1)
    for other in others:
        row.addWidget(other)
    return row


def _folder(path: str, words: str, name: str, action: QWidget) -> QWidget:
    holder = QWidget()
    layout = QVBoxLayout(holder)
    layout.setContentsMargins(0, 0, 0, 0)
    layout.setSpacing(2)
    layout.addWidget(label(f"{words}: {name}" if name else words, "soft", wrap=True))
    place = ElidedLabel()
    place.setText(path)
    layout.addLayout(_row(place, action))
    return holder
