"""`outpace-cli servers probe`: what is at an address; and the options that send a question to a server."""

import argparse
import json
import os

from app.cli.engine_process import EngineProcess
from app.core import server_address
from app.core.errors import UserError
from app.core.plain import to_plain
from app.protocol.messages import Load
from app.protocol.servers import KIND_NAMES, Probe, Probed, ServerAccess


def add_to(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Register the command."""
    parser = commands.add_parser("servers", help="look at servers elsewhere")
    actions = parser.add_subparsers(title="actions", metavar="ACTION", required=True)
    probe = actions.add_parser("probe", help="what is at this address")
    probe.add_argument("server", metavar="URL", help="for example http://192.168.1.20:8080")
    _add_access(probe)
    probe.add_argument("--json", action="store_true", help="print one JSON object instead of text")
    probe.set_defaults(run=run)


def add_options(parser: argparse.ArgumentParser) -> None:
    """Options to ask a server instead of a model on this machine."""
    parser.add_argument("--server", metavar="URL", default="", help="ask this server; --model is then a name it knows")
    _add_access(parser)


def add_against(parser: argparse.ArgumentParser) -> None:
    """Options to compare with another model."""
    parser.add_argument(
        "--against", metavar="NAME", default="", help="compare with this model: a GGUF file, or a name on a server"
    )
    parser.add_argument(
        "--against-server", metavar="URL", default="", help='where that is (default: --server; "local" for a file)'
    )
    parser.add_argument("--against-key-env", metavar="VAR", default="", help="environment variable with its key")


def against(options: argparse.Namespace) -> Load | None:
    """The other model of a comparison, None for none."""
    if not options.against:
        return None
    elsewhere = options.against_server or options.server
    if elsewhere in ("", "local"):
        return Load(id="load", target=options.against)
    same = elsewhere == options.server
    other = argparse.Namespace(
        server=elsewhere,
        model=options.against,
        key_env=options.against_key_env or (options.key_env if same else ""),
        server_kind=options.server_kind if same else "auto",
        ca_file=options.ca_file,
        allow_plain_http=options.allow_plain_http,
    )
    return Load(id="load", target=options.against, server=access(other))


def _add_access(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--key-env", metavar="VAR", default="", help="environment variable with the key of the server")
    parser.add_argument(
        "--server-kind", choices=tuple(KIND_NAMES), default="auto", help="what the server is (default: found out)"
    )
    parser.add_argument("--ca-file", metavar="FILE", default="", help="certificates to trust for this server (PEM)")
    parser.add_argument(
        "--allow-plain-http", action="store_true", help="send chats (and the key) over plain HTTP to a public address"
    )


def access(options: argparse.Namespace) -> ServerAccess | None:
    """How the options reach a server, None without one.

    Raises:
        UserError: the address is none, or plain HTTP to a public one that was not agreed to; the variable has no key.
    """
    if not getattr(options, "server", ""):
        if getattr(options, "key_env", ""):
            raise UserError("bad_option", "--key-env needs --server.", "Say which server the key is for.")
        return None
    address = server_address.parse(options.server)
    if address.is_open and not options.allow_plain_http:
        raise UserError(
            "bad_option",
            f"{address.origin} is a public address without encryption: others could read the chat and the key.",
            "Use https://, or say --allow-plain-http if that is all right.",
        )
    key = os.environ.get(options.key_env, "").strip() if options.key_env else ""
    if options.key_env and not key:
        raise UserError("bad_option", f"There is no key in the environment variable {options.key_env}.", "Set it.")
    if not key.isascii() or not key.isprintable():
        raise UserError(
            "bad_option", f"What is in {options.key_env} cannot be a key.", "It has letters, digits, signs."
        )
    return ServerAccess(
        address=address.base,
        model=getattr(options, "model", ""),
        kind=options.server_kind,
        key=key,
        draft=getattr(options, "draft", ""),
        # A comparison with speculation off and on needs both positions of the switch.
        exact=not hasattr(options, "against") or bool(options.against),
        ca_file=options.ca_file,
    )


def run(options: argparse.Namespace) -> int:
    """Say what is at the address; 0 if it is ready."""
    server = access(options)
    if server is None:
        raise UserError("bad_option", "The address is empty.", "Give one.")
    with EngineProcess() as engine:
        engine.send(Probe(id="probe", server=server))
        found = next(event for event in engine.answers("probe") if isinstance(event, Probed))
    if options.json:
        print(json.dumps(to_plain(found), ensure_ascii=False))
    else:
        print(f"{found.sentence} {found.hint}".strip())
        for model in found.models:
            context = f"{model.context} tokens" if model.context else "context not told"
            twin = f", the other position of the switch: {model.twin}" if model.twin else ""
            print(f"  {model.id}: {context}, speculation {_TOLD[model.speculation]}{twin}")
    return 0 if found.state == "ready" else 1


_TOLD = {"on": "on", "off": "off", "unknown": "not told"}
