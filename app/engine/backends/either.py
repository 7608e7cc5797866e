"""A `Backend` that is local or remote, by what is loaded."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from app.core.errors import UserError
from app.engine.cancel import CancelFlag
from app.engine.ports import Backend
from app.protocol.messages import Count, Counted, Event, Generate, Load, Loaded
from app.protocol.servers import Probe, Probed

if TYPE_CHECKING:
    from app.engine.backends.openai_http.backend import RemoteBackend


class EitherBackend:
    """Makes a backend when it is first needed: a model on a server needs no native library, and others no network."""

    def __init__(self, make_local: Callable[[], Backend]) -> None:
        """`make_local`: an error it raises answers every request for a local model."""
        self._make_local = make_local
        self._local: Backend | None = None
        self._remote: RemoteBackend | None = None
        self._active: Backend | None = None

    def load(self, request: Load, cancel: CancelFlag, emit: Callable[[Event], None]) -> Loaded:
        """See `Backend.load`. What the other backend holds goes when the new model is there."""
        wanted: Backend = self._remote_backend() if request.server is not None else self._local_backend()
        loaded = wanted.load(request, cancel, emit)
        if self._active is not None and self._active is not wanted:
            self._active.unload()
        self._active = wanted
        return loaded

    def generate(self, request: Generate, cancel: CancelFlag) -> Iterator[Event]:
        if self._active is None:
            raise UserError("no_model", "No model is loaded.", "Open a model first.")
        return self._active.generate(request, cancel)

    def count(self, request: Count, cancel: CancelFlag) -> Counted:
        if self._active is None:
            raise UserError("no_model", "No model is loaded.", "Open a model first.")
        return self._active.count(request, cancel)

    def probe(self, request: Probe, cancel: CancelFlag) -> Probed:
        """See `RemoteBackend.probe`."""
        return self._remote_backend().probe(request, cancel)

    def idle(self, cancel: CancelFlag) -> bool:
        return self._active is not None and self._active.idle(cancel)

    def unload(self) -> None:
        for backend in (self._local, self._remote):
            if backend is not None:
                backend.unload()
        self._active = None

    def close(self) -> None:
        for backend in (self._local, self._remote):
            if backend is not None:
                backend.close()

    def _local_backend(self) -> Backend:
        if self._local is None:
            self._local = self._make_local()
        return self._local

    def _remote_backend(self) -> RemoteBackend:
        if self._remote is None:
            from app.engine.backends.openai_http.backend import RemoteBackend  # HTTP and TLS cost half a second

            self._remote = RemoteBackend()
        return self._remote
