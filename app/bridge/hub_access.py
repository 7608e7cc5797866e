"""Folders, the hub's address, offline mode and the access token: what the person set up about models."""

import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import QObject, Signal

from app.bridge.background import Background
from app.bridge.settings_store import SettingsStore
from app.chat.settings import HubOptions, Settings
from app.core.errors import AppError, UserError
from app.core.launch import child_command
from app.hub.credentials import Credentials
from app.hub.download import DEFAULT_ENDPOINT


class HubAccess(QObject):
    """Keeps `HubOptions` in the settings, and the token where tokens are kept.

    Signals:
        changed: The `HubOptions` now in force.
        token_known: (whether there is a token for this hub, where tokens are kept in words).
        refused: An `AppError`: something cannot be set like this.
    """

    changed = Signal(object)
    token_known = Signal(bool, str)
    refused = Signal(object)

    def __init__(
        self,
        settings: SettingsStore[Settings],
        usual_models: Path,
        credentials: Callable[[], Credentials],
        background: Background,
        parent: QObject | None = None,
    ) -> None:
        """`credentials`: called on another thread, since a keychain may take its time."""
        super().__init__(parent)
        self._settings = settings
        self._usual_models = usual_models
        self._make_credentials = credentials
        self._background = background

    @property
    def options(self) -> HubOptions:
        return self._settings.value.hub

    @property
    def models(self) -> Path:
        """The folder downloads go to."""
        return Path(self.options.models) if self.options.models else self._usual_models

    @property
    def endpoint(self) -> str:
        return self.options.endpoint or DEFAULT_ENDPOINT

    @property
    def command(self) -> tuple[str, ...]:
        """Program and arguments of the download process."""
        command = (*child_command("download"), "--models", str(self.models), "--endpoint", self.endpoint)
        return (*command, "--offline") if self.options.offline else command

    def set_models(self, path: str) -> None:
        """Download to another folder; what lies in the old one stays there and stays listed. "" is the usual one."""
        new = "" if not path or Path(path) == self._usual_models else _absolute(path)
        if new == self.options.models:
            return
        old = str(self.models)
        place = new or str(self._usual_models)
        folders = tuple(folder for folder in (*self.options.folders, old) if folder != place)
        self._take(replace(self.options, models=new, folders=tuple(dict.fromkeys(folders))))

    def add_folder(self, path: str) -> None:
        """List the models of a folder too."""
        new = _absolute(path)
        if new != str(self.models) and new not in self.options.folders:
            self._take(replace(self.options, folders=(*self.options.folders, new)))

    def add_folders(self, folders: list[Path]) -> None:
        """List the models of several folders too."""
        for folder in folders:
            self.add_folder(str(folder))

    def remove_folder(self, path: str) -> None:
        """Do not list them any more; the files stay."""
        folders = tuple(folder for folder in self.options.folders if folder != path)
        self._take(replace(self.options, folders=folders))

    def set_offline(self, *, offline: bool) -> None:
        """Ask for nothing over the network."""
        self._take(replace(self.options, offline=offline))

    def set_endpoint(self, address: str) -> None:
        """Use a mirror; "" is the usual hub."""
        address = address.strip().rstrip("/")
        wanted = replace(self.options, endpoint="" if address == DEFAULT_ENDPOINT else address)
        try:
            wanted.check()
        except UserError as fault:
            self.refused.emit(fault)
            return
        self._take(wanted)

    def store_token(self, token: str) -> None:
        """Keep an access token for the hub in use; "" forgets it. It is never shown again."""
        endpoint = self.endpoint

        def work(_task: object) -> tuple[bool, str]:
            credentials = self._make_credentials()
            credentials.store(endpoint, token)
            return bool(token.strip()), credentials.place

        self._background.run(work, self._tell_token, self._refuse)

    def look_for_token(self) -> None:
        """Find out whether there is one."""
        endpoint = self.endpoint

        def work(_task: object) -> tuple[bool, str]:
            credentials = self._make_credentials()
            return bool(credentials.token_for(endpoint)), credentials.place

        self._background.run(work, self._tell_token, self._refuse, key="token")

    def _tell_token(self, known: tuple[bool, str]) -> None:
        self.token_known.emit(*known)

    def _refuse(self, fault: AppError) -> None:
        self.refused.emit(fault)

    def _take(self, options: HubOptions) -> None:
        if options == self.options:
            return
        other_hub = options.endpoint != self.options.endpoint
        self._settings.update(hub=options)
        self.changed.emit(options)
        if other_hub:
            self.look_for_token()


def _absolute(path: str) -> str:
    return os.path.abspath(path)  # noqa: PTH100 (Path.absolute keeps "..", and one folder would have two names)
