"""Keys of servers: in the keychain of the system where there is one, else for this session only.

A key belongs to one connection and one origin (scheme, host, port), and is never written to a file of ours.
"""

import os

from app.core import log
from app.core.errors import EnvironmentFault, UserError
from app.hub.keychain import Keychain

_SERVICE = "outpace"
_log = log.get("credentials")


class ServerKeys:
    """Keys by connection and origin. Calls may wait for the keychain."""

    def __init__(self, keychain: Keychain | None) -> None:
        """`keychain`: None where there is none."""
        self._keychain = keychain
        self._session: dict[str, str] = {}

    @property
    def lasts(self) -> bool:
        """Are keys still there after a restart?"""
        return self._keychain is not None and self._keychain.exists

    def find(self, connection_id: str, origin: str, variable: str = "") -> str:
        """The key, "" for none. `variable`: an environment variable that has it instead."""
        if variable:
            return os.environ.get(variable, "").strip()
        name = _name(connection_id, origin)
        if name in self._session:
            return self._session[name]
        if self._keychain is None:
            return ""
        try:
            found = self._keychain.get_password(_SERVICE, name) or ""
        except Exception as error:  # noqa: BLE001 (every backend of keyring has errors of its own)
            _log.info("the keychain does not open: %s", type(error).__name__)
            return ""
        self._session[name] = found
        return found

    def store(self, connection_id: str, origin: str, key: str) -> None:
        """Keep a key; "" forgets it.

        Raises:
            UserError: this cannot be a key.
            EnvironmentFault: the keychain does not take it; it is kept for this session.
        """
        key, name = key.strip(), _name(connection_id, origin)
        if not key.isascii() or any(not sign.isprintable() or sign.isspace() for sign in key):
            raise UserError("bad_key", "A key has only letters, digits and signs, no spaces.", "Copy it again.")
        self._session[name] = key
        if self._keychain is None:
            return
        try:
            if key:
                self._keychain.set_password(_SERVICE, name, key)
            elif self._keychain.get_password(_SERVICE, name) is not None:
                self._keychain.delete_password(_SERVICE, name)
        except Exception as error:
            _log.info("the keychain does not take the key: %s", type(error).__name__)
            raise EnvironmentFault(
                "key_not_kept", "The keychain of this system did not take the key.", "It lasts until Outpace ends."
            ) from error


def _name(connection_id: str, origin: str) -> str:
    return f"{connection_id} {origin}"
