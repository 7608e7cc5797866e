"""The keychain of this system, asked patiently but not for ever.

What is behind it can wait: for a password in a window nobody sees, or for a service that never answers. Nothing is
looked up before it is needed, since finding out takes a moment too.
"""

import threading
import time
from collections.abc import Callable
from typing import Any, Protocol, TypeVar

from app.core import log

T = TypeVar("T")
LOOK_S = 5.0
"""Until a system whose keychain does not even say that it is there counts as one without."""
READ_S = 15.0
WRITE_S = 60.0
"""Somebody may have to type a password for it."""
_SILENT_S = 60.0
"""A keychain that did not answer is not asked again for so long."""
_USELESS = ("keyring.backends.fail", "keyring.backends.null")
_log = log.get("credentials")


class KeychainError(Exception):
    """There is no keychain, or it does not answer."""


class Keychain(Protocol):
    """Where secrets are kept. `exists`: False where it is known that there is none; never waits."""

    @property
    def exists(self) -> bool: ...

    def get_password(self, service: str, name: str) -> str | None: ...

    def set_password(self, service: str, name: str, secret: str) -> None: ...

    def delete_password(self, service: str, name: str) -> None: ...


class SystemKeychain:
    """The `Keychain` of `keyring`. Calls may wait, but not for ever; safe from any thread.

    Args:
        find: Gives a backend of `keyring`.
        patience: Seconds to wait for the backend, for reading and for writing.
    """

    def __init__(
        self,
        find: Callable[[], Any] | None = None,
        patience: tuple[float, float, float] = (LOOK_S, READ_S, WRITE_S),
    ) -> None:
        self._find = find or _backend
        self._look_s, self._read_s, self._write_s = patience
        self._lock = threading.Lock()
        self._backend: Any = None
        self._looked = False
        self._silent_until = 0.0

    @property
    def exists(self) -> bool:
        return not self._looked or self._backend is not None

    def get_password(self, service: str, name: str) -> str | None:
        """The secret, None for none; no keychain has none.

        Raises:
            Exception: whatever the backend raises, or `KeychainError` if it does not answer.
        """
        backend = self._there()
        if backend is None:
            return None
        found: str | None = self._patiently(lambda: backend.get_password(service, name), self._read_s)
        return found

    def set_password(self, service: str, name: str, secret: str) -> None:
        """Keep a secret.

        Raises:
            Exception: as `get_password`, and `KeychainError` where there is no keychain.
        """
        backend = self._there()
        if backend is None:
            raise KeychainError("no keychain")
        self._patiently(lambda: backend.set_password(service, name, secret), self._write_s)

    def delete_password(self, service: str, name: str) -> None:
        """Forget a secret that is there.

        Raises:
            Exception: as `get_password`.
        """
        backend = self._there()
        if backend is not None:
            self._patiently(lambda: backend.delete_password(service, name), self._write_s)

    def _there(self) -> Any:
        with self._lock:
            if not self._looked:
                try:
                    self._backend = _within(self._look_s, self._find)
                except Exception as error:  # noqa: BLE001 (every backend of keyring has errors of its own)
                    _log.info("no keychain: %s", type(error).__name__)
                self._looked = True
            return self._backend

    def _patiently(self, call: Callable[[], T], seconds: float) -> T:
        if time.monotonic() < self._silent_until:
            raise KeychainError("it did not answer before")
        try:
            return _within(seconds, call)
        except KeychainError:
            self._silent_until = time.monotonic() + _SILENT_S
            raise


def _backend() -> Any:
    import keyring  # here: it takes a quarter of a second, and looks for services

    backend = keyring.get_keyring()
    # Where no backend works, keyring gives one that only fails; the other one forgets what it is given.
    return None if type(backend).__module__ in _USELESS else backend


def _within(seconds: float, call: Callable[[], T]) -> T:
    """What `call` gives, or raises; a thread that has not come back by then is left behind."""
    results: list[T] = []
    errors: list[Exception] = []

    def run() -> None:
        try:
            results.append(call())
        except Exception as error:  # noqa: BLE001 (raised again below, in the thread that asked)
            errors.append(error)

    thread = threading.Thread(target=run, name="keychain call", daemon=True)
    thread.start()
    thread.join(seconds)
    if errors:
        raise errors[0]
    if not results:
        raise KeychainError("no answer")
    return results[0]
