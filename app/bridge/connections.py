"""The person's servers: kept, tested, and given to the engine with their keys at the last moment."""

from collections.abc import Callable
from dataclasses import replace

from PySide6.QtCore import QObject, Signal

from app.bridge.background import Background, Task
from app.bridge.engine_client import EngineClient
from app.bridge.settings_store import SettingsStore
from app.chat.connections import Connection, Connections, is_remote, parts_of
from app.chat.conversation import new_id
from app.core.errors import AppError, UserError
from app.core.translation import translate
from app.hub.server_keys import ServerKeys
from app.protocol.messages import Failed, Load, Notice, Request
from app.protocol.servers import Probe, Probed, ServerAccess

_Key = tuple[str, str]


class ConnectionsDesk(QObject):
    """Everything about servers but the chat.

    Tests of a connection run in an engine process of their own, so that they wait for no answer. It lives while there
    are tests.

    Signals:
        changed: The `Connections`: one was added, changed or removed, or has other models.
        tested: Id of a connection and its `Probed`.
        notice: A `Notice` about keys.
    """

    changed = Signal(object)
    tested = Signal(str, object)
    notice = Signal(object)

    def __init__(
        self,
        store: SettingsStore[Connections],
        keys: ServerKeys,
        client: EngineClient,
        parent: QObject | None = None,
    ) -> None:
        """`client`: for tests of connections, not the one that chats."""
        super().__init__(parent)
        self.setObjectName("connections")
        self._store = store
        self._keys = keys
        self._client = client
        self._background = Background("server keys", self)
        self._found: dict[_Key, str] = {}
        self._probes: dict[str, str] = {}
        self.results: dict[str, Probed] = {}
        client.received.connect(self._on_event)
        store.changed.connect(self.changed)
        store.failed.connect(self.notice)

    @property
    def connections(self) -> Connections:
        return self._store.value

    @property
    def keys_last(self) -> bool:
        """Are keys still there after a restart?"""
        return self._keys.lasts

    # --- what the person does ---------------------------------------------------------------------------------------

    def save(self, connection: Connection, key: str | None) -> Notice | None:
        """Keep a connection, or say why not. `key`: None leaves the one it has for this origin."""
        try:
            connection.check()
        except UserError as error:
            return Notice(code=error.code, text=str(error))
        old = self.connections.find(connection.id)
        if old is not None and old.origin != connection.origin:
            # The key was for another place, and what is known about that place says nothing about this one.
            self._store_key(old, "")
            connection = replace(connection, models=())
            self.results.pop(connection.id, None)
        if key is not None:
            self._store_key(connection, key)
        self._store.replace_value(self.connections.saved(connection))
        return None

    def remove(self, connection_id: str) -> None:
        """Forget a connection and its key."""
        old = self.connections.find(connection_id)
        if old is not None:
            self._store_key(old, "")
            self.results.pop(connection_id, None)
            self._store.replace_value(self.connections.without(connection_id))

    def test(self, connection_id: str) -> None:
        """Look at a server; `tested` says what is there."""
        connection = self.connections.find(connection_id)
        if connection is None:
            return
        if connection.asks_first:
            words = translate("connections", "Nothing was sent: the address is public and not encrypted.")
            self._take(connection_id, Probed(id="", state="wrong", sentence=words))
            return
        self._with_keys([connection], lambda: self._probe(connection))

    def unlock(self, target: str, then: Callable[[], object]) -> None:
        """Get the keys a model needs, then call `then`: a keychain may take its time, or ask the person."""
        if not is_remote(target):
            then()
            return
        self._with_keys(self._involved(target), then)

    def shut_down(self) -> None:
        """For the end of the application."""
        self._background.finish()
        self._client.wait()
        self._store.flush()

    # --- for the engine ---------------------------------------------------------------------------------------------

    def prepare(self, request: Request) -> Request:
        """The request as the engine needs it: loads of models on servers get address and key.

        Raises:
            UserError: there is no such connection (any more), or it must not be used yet.
        """
        if not isinstance(request, Load) or not is_remote(request.target):
            return request
        involved = self._involved(request.target)
        if not involved:
            raise UserError(
                "no_connection",
                translate("connections", "This model was on a server that is no longer among your connections."),
                translate("connections", "Choose another model, or add the server again."),
            )
        if any(connection.asks_first for connection in involved):
            raise UserError(
                "plain_http",
                translate("connections", "This server has a public address and no encryption."),
                translate("connections", "Test it under Connections first, where you can agree to that."),
            )
        model = parts_of(request.target)[1]
        first = self._access(involved[0], model)
        linked = self._access(involved[1], involved[0].linked_model or model) if len(involved) > 1 else None
        return replace(request, draft="", draft_required=False, server=first, linked=linked)

    def _involved(self, target: str) -> list[Connection]:
        """The connection of a model, and the one it is linked with."""
        connection = self.connections.find(parts_of(target)[0])
        if connection is None:
            return []
        linked = self.connections.find(connection.linked)
        return [connection, linked] if linked is not None else [connection]

    def _access(self, connection: Connection, model: str) -> ServerAccess:
        return ServerAccess(
            address=connection.address,
            name=connection.title,
            model=model,
            kind=connection.kind,
            key=self._found.get((connection.id, connection.origin), ""),
            draft=connection.draft,
            ca_file=connection.ca_file,
            first_s=float(connection.first_s),
            between_s=float(connection.between_s),
        )

    # --- steps ------------------------------------------------------------------------------------------------------

    def _with_keys(self, connections: list[Connection], then: Callable[[], object]) -> None:
        wanted = [c for c in connections if (c.id, c.origin) not in self._found]
        if not wanted:
            then()
            return

        def find(_task: Task) -> dict[_Key, str]:
            return {(c.id, c.origin): self._keys.find(c.id, c.origin, c.key_variable) for c in wanted}

        def take(found: dict[_Key, str]) -> None:
            self._found |= found
            then()

        self._background.run(find, take)

    def _store_key(self, connection: Connection, key: str) -> None:
        self._found[connection.id, connection.origin] = key.strip()
        if not key and connection.key_variable:
            del self._found[connection.id, connection.origin]

        def fail(fault: AppError) -> None:
            if isinstance(fault, UserError):
                self._found.pop((connection.id, connection.origin), None)
            self.notice.emit(Notice(code=fault.code, text=str(fault)))

        self._background.run(
            lambda _task: self._keys.store(connection.id, connection.origin, key), lambda _done: None, fail
        )

    def _probe(self, connection: Connection) -> None:
        request = Probe(id=new_id(), server=self._access(connection, ""))
        self._probes[request.id] = connection.id
        self._client.start()
        self._client.send(request)

    def _on_event(self, event: object) -> None:
        if not isinstance(event, Probed | Failed):
            return
        connection_id = self._probes.pop(event.id, "")
        if not self._probes:
            self._client.shut_down()
        if isinstance(event, Failed):
            event = Probed(id=event.id, state="wrong", sentence=event.sentence, hint=event.hint)
        if connection_id:
            self._take(connection_id, event)

    def _take(self, connection_id: str, probed: Probed) -> None:
        connection = self.connections.find(connection_id)
        if connection is None:
            return
        self.results[connection_id] = probed
        if probed.state == "ready":
            models = tuple(model.id for model in probed.models)
            self._store.replace_value(self.connections.saved(replace(connection, models=models)))
        self.tested.emit(connection_id, probed)
