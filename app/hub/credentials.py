"""Access tokens: in the keychain of the system where there is one, else in a file only the owner can read.

A token belongs to one host and is given out for that host only. It is never logged.
"""

import contextlib
import json
import os
import tempfile
from pathlib import Path
from urllib.parse import urlparse

from app.core import log
from app.core.errors import EnvironmentFault, UserError
from app.hub.keychain import Keychain

_SERVICE = "outpace"
_log = log.get("credentials")


class Credentials:
    """Tokens by host.

    Args:
        fallback: The file for systems without a keychain.
        keychain: Asked first; None for none.
    """

    def __init__(self, fallback: Path, keychain: Keychain | None) -> None:
        self._fallback = fallback
        self._keychain = keychain

    @property
    def place(self) -> str:
        """Where tokens go, in words."""
        return (
            "the keychain of this system"
            if self._keychain is not None and self._keychain.exists
            else f"the file {self._fallback}"
        )

    def token_for(self, endpoint: str) -> str:
        """The token for a hub, "" for none. A keychain that cannot be opened counts as empty."""
        host = _host(endpoint)
        if self._keychain is not None:
            try:
                found = self._keychain.get_password(_SERVICE, host)
            except Exception as error:  # noqa: BLE001 (every backend of keyring has errors of its own)
                _log.info("the keychain does not open: %s", type(error).__name__)
            else:
                if found:
                    return found
        return self._read().get(host, "")

    def store(self, endpoint: str, token: str) -> None:
        """Keep a token; "" forgets it.

        Raises:
            UserError: this cannot be a token.
            EnvironmentFault: it cannot be kept.
        """
        token, host = token.strip(), _host(endpoint)
        if not token.isascii() or any(not c.isprintable() or c.isspace() for c in token):
            raise UserError(
                "bad_token", "An access token has only letters, digits and signs, no spaces.", "Copy it again."
            )
        if self._keychain is not None and self._into_keychain(self._keychain, host, token):
            tokens = self._read()
            if tokens.pop(host, None) is not None:
                self._write(tokens)
            return
        tokens = self._read()
        tokens.pop(host, None)
        self._write(tokens | ({host: token} if token else {}))

    def _into_keychain(self, keychain: Keychain, host: str, token: str) -> bool:
        try:
            if token:
                keychain.set_password(_SERVICE, host, token)
            elif keychain.get_password(_SERVICE, host) is not None:
                keychain.delete_password(_SERVICE, host)
        except Exception as error:  # noqa: BLE001 (every backend of keyring has errors of its own)
            _log.info("the keychain does not take the token: %s", type(error).__name__)
            return False
        return True

    def _read(self) -> dict[str, str]:
        try:
            if os.name == "posix" and self._fallback.stat().st_mode & 0o077:
                self._fallback.chmod(0o600)
            body = json.loads(self._fallback.read_bytes())
        except FileNotFoundError:
            return {}
        except (OSError, ValueError, RecursionError) as error:
            _log.info("the file with tokens cannot be read: %s", type(error).__name__)
            return {}
        if not isinstance(body, dict):
            return {}
        return {host: token for host, token in body.items() if isinstance(token, str)}

    def _write(self, tokens: dict[str, str]) -> None:
        try:
            self._fallback.parent.mkdir(parents=True, exist_ok=True)
            # mkstemp makes the file readable for its owner alone from the start.
            descriptor, name = tempfile.mkstemp(prefix=".tokens.", suffix=".tmp", dir=self._fallback.parent)
            try:
                with os.fdopen(descriptor, "w", encoding="ascii") as file:
                    json.dump(tokens, file)
                    file.flush()
                    os.fsync(file.fileno())
                Path(name).replace(self._fallback)
            except OSError:
                with contextlib.suppress(OSError):
                    Path(name).unlink()
                raise
        except OSError as error:
            raise EnvironmentFault(
                "token_not_kept",
                f"The access token cannot be kept ({error.strerror or error}).",
                "Make room, or check the permissions of the settings folder.",
            ) from error


def _host(endpoint: str) -> str:
    parts = urlparse(endpoint)
    return (parts.netloc.rpartition("@")[2] or endpoint).lower()
