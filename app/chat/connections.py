"""Servers the person connected to. Keys are not here: they never go into a file."""

from dataclasses import dataclass, field, replace
from pathlib import PurePath
from urllib.parse import quote, unquote

from app.core import server_address
from app.core.errors import UserError
from app.protocol.servers import ServerKind

_PREFIX = "server:"
MAX_NAME = 80
MAX_WAIT_S = 3600


@dataclass(frozen=True, slots=True, kw_only=True)
class Connection:
    """One server.

    `address`: as typed. `kind`: what the person says it is, "auto" to find out. `models`: ids it had when it was last
    asked. `draft`: a draft model requests name (LM Studio). `linked`: id of a connection with the same model and the
    other position of the speculation switch, "" for none; `linked_model`: its name there, "" for the same name.
    `key_variable`: environment variable with the key, "" for the keychain. `plain_http`: origin the person agreed to
    send chats to without encryption. `first_s`, `between_s`: longest waits for an answer to begin and to go on.
    """

    id: str
    name: str = ""
    address: str = ""
    kind: ServerKind = "auto"
    models: tuple[str, ...] = ()
    draft: str = ""
    linked: str = ""
    linked_model: str = ""
    key_variable: str = ""
    ca_file: str = ""
    plain_http: str = ""
    first_s: int = 120
    between_s: int = 60

    @property
    def origin(self) -> str:
        """Scheme, host and port, "" while the address is none."""
        try:
            return server_address.parse(self.address).origin
        except UserError:
            return ""

    @property
    def title(self) -> str:
        """Its name, or its address."""
        return self.name or self.address

    @property
    def asks_first(self) -> bool:
        """Would chats go to a public address without encryption, which nobody has agreed to?"""
        try:
            address = server_address.parse(self.address)
        except UserError:
            return False
        return address.is_open and self.plain_http != address.origin

    def check(self) -> None:
        """Raise `UserError` for an address that is none and for waits that make no sense."""
        server_address.parse(self.address)
        if not 1 <= self.first_s <= MAX_WAIT_S or not 1 <= self.between_s <= MAX_WAIT_S:
            raise UserError("bad_option", "A wait has to be from 1 to 3600 seconds.", "Choose another one.")


@dataclass(frozen=True, slots=True, kw_only=True)
class Connections:
    """All servers, in the order they are listed."""

    servers: tuple[Connection, ...] = field(default=())

    def find(self, connection_id: str) -> Connection | None:
        return next((known for known in self.servers if known.id == connection_id), None)

    def saved(self, connection: Connection) -> "Connections":
        """A copy with this connection, new or changed."""
        if self.find(connection.id) is None:
            return Connections(servers=(*self.servers, connection))
        return Connections(servers=tuple(connection if c.id == connection.id else c for c in self.servers))

    def without(self, connection_id: str) -> "Connections":
        """A copy without it; links to it are gone as well."""
        left = (known for known in self.servers if known.id != connection_id)
        return Connections(
            servers=tuple(replace(c, linked="", linked_model="") if c.linked == connection_id else c for c in left)
        )


def target_of(connection_id: str, model: str) -> str:
    """What stands for a model on a server where local models have the path of a file."""
    return f"{_PREFIX}{connection_id}/{quote(model, safe='')}"


def shown_name(target: str) -> str:
    """What a target is called: the model on a server, or the name of a file."""
    return parts_of(target)[1] or PurePath(target).name


def is_remote(target: str) -> bool:
    """Is this the name of a model on a server?"""
    return target.startswith(_PREFIX)


def parts_of(target: str) -> tuple[str, str]:
    """Connection and model of a name `target_of` made; two empty strings for another one."""
    if not is_remote(target):
        return "", ""
    connection_id, _, model = target.removeprefix(_PREFIX).partition("/")
    return connection_id, unquote(model)
