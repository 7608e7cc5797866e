"""A model that is compared with the loaded one: in an engine process of its own, while the comparison lasts."""

from collections.abc import Callable
from dataclasses import replace

from PySide6.QtCore import QObject, Signal

from app.bridge.connections import ConnectionsDesk
from app.bridge.engine_client import EngineClient
from app.chat.connections import target_of
from app.chat.conversation import new_id
from app.comparison.run import Place
from app.protocol.messages import Event, Failed, Load, Loaded, Request


class CompareGuest(QObject):
    """Signals:
    received: An event of the guest's engine, loads left out.
    changed: There are other `choices`.
    """

    received = Signal(object)
    changed = Signal()

    def __init__(self, connections: ConnectionsDesk, client: EngineClient, parent: QObject | None = None) -> None:
        """`client`: for this alone."""
        super().__init__(parent)
        self.setObjectName("comparison guest")
        self._connections = connections
        self._client = client
        self._load: Load | None = None
        self._ready: Callable[[], object] = _nothing
        self._failed: Callable[[str], object] = _nothing
        client.prepare = self._prepare
        client.received.connect(self._on_event)
        connections.changed.connect(lambda _connections: self.changed.emit())

    @property
    def is_loading(self) -> bool:
        return self._load is not None

    def choices(self) -> list[Place]:
        """The models on servers that could be compared with."""
        return [
            Place(target=target_of(connection.id, model), name=f"{model} @ {connection.title}")
            for connection in self._connections.connections.servers
            for model in connection.models
        ]

    def invite(self, target: str, ready: Callable[[], object], failed: Callable[[str], object]) -> None:
        """Load it; then `ready` is called, or `failed` with a sentence."""
        self._load, self._ready, self._failed = Load(id=new_id(), target=target), ready, failed
        load = self._load
        self._client.start()
        self._connections.unlock(target, lambda: self._client.send(load))

    def send(self, request: Request) -> None:
        """To the guest's engine."""
        self._client.send(request)

    def dismiss(self) -> None:
        """Let it go; returns at once."""
        self._load, self._ready, self._failed = None, _nothing, _nothing
        self._client.shut_down()

    def shut_down(self) -> None:
        """For the end of the application."""
        self._client.wait()

    def _prepare(self, request: Request) -> Request:
        request = self._connections.prepare(request)
        if isinstance(request, Load) and request.server is not None:
            # The model as it is named, whatever the switch of its server says.
            return replace(request, server=replace(request.server, exact=True), linked=None)
        return request

    def _on_event(self, event: Event) -> None:
        if self._load is None or getattr(event, "id", "") != self._load.id:
            self.received.emit(event)
        elif isinstance(event, Loaded):
            self._load = None
            self._ready()
        elif isinstance(event, Failed):
            failed = self._failed
            self.dismiss()
            failed(f"{event.sentence} {event.hint}".strip())


def _nothing(*_arguments: object) -> None:
    pass
