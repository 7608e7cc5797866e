"""What went wrong with a server, in sentences.

Words of the server are quoted as plain text, short, and never contain our key.
"""

import json
import re
import ssl
from typing import Any

import httpx2

from app.core.errors import AppError, EngineFault, EnvironmentFault, UserError
from app.core.server_address import ServerAddress

MAX_QUOTE = 300
_TOO_LONG = re.compile(r"context (length|size|window)|exceed_context_size|too (long|many tokens)", re.IGNORECASE)


def quote(text: str) -> str:
    """Words of a server on one line and of bearable length."""
    words = " ".join("".join(sign if sign.isprintable() else " " for sign in text).split())
    return words if len(words) <= MAX_QUOTE else words[: MAX_QUOTE - 1] + "\N{HORIZONTAL ELLIPSIS}"


def message_of(body: Any) -> str:
    """The server's own words in the body of an error, in any of the forms servers use."""
    if isinstance(body, str):
        return quote(body)
    if not isinstance(body, dict):
        return ""
    for key in ("error", "message", "detail"):
        if found := message_of(body.get(key)):
            return found
    details = body.get("detail")
    if isinstance(details, list) and details:
        return quote(json.dumps(details, ensure_ascii=False))
    return quote(str(body["msg"])) if isinstance(body.get("msg"), str) else ""


def refused(status: int, text: str, name: str, model: str) -> AppError:
    """An answer with another status than 200. `name`: of the server, `model`: what was asked for."""
    body = read_json(text)
    said = message_of(body) or quote(re.sub(r"<[^>]*>", " ", text))
    detail = f"HTTP {status}: {said}"
    if status in (401, 403):
        return UserError("server_key", f"{name} does not accept the key.", "Enter its key under Connections.", detail)
    if 300 <= status < 400:
        return UserError(
            "server_moved", f"{name} sends on to another address.", "Enter that address, if you trust it.", detail
        )
    if status == 429:
        return EnvironmentFault("server_busy", f"{name} has too much to do.", "Try again in a moment.", detail)
    if status == 503 and "load" in said.lower():
        return EnvironmentFault("server_loading", f"{name} is still loading its model.", "Try again soon.", detail)
    if status in (502, 503, 504):
        return EnvironmentFault(
            "server_busy", f"{name} cannot answer now: {said or status}.", "Try again in a moment.", detail
        )
    if _is_too_long(status, said, body):
        return UserError("prompt_too_long", f"This chat is too long for {name}{_lengths(body)}.", "", detail)
    if model and model.lower() in said.lower() and ("not found" in said.lower() or "not exist" in said.lower()):
        return UserError(
            "server_no_model",
            f"{name} has no model {model} (any more).",
            "Choose one it has under Connections.",
            detail,
        )
    if status == 404:
        return UserError(
            "server_wrong", f"{name} does not know what was asked for.", "Check its address under Connections.", detail
        )
    if "EngineCore" in said:
        return EnvironmentFault("server_dead", f"The engine of {name} has died.", "Restart the server.", detail)
    if 400 <= status < 500:
        return UserError("server_refused", f"{name} refused the request: {said or status}.", "", detail)
    return EngineFault("server_failed", f"{name} failed: {said or status}.", "Try again.", detail)


def in_stream(body: Any, name: str) -> AppError:
    """An error in the middle of an answer."""
    said = message_of(body)
    if "EngineCore" in said:
        return EngineFault("server_dead", f"The engine of {name} died in the middle of the answer.", _RESTART, said)
    return EngineFault(
        "server_failed", f"{name} broke off the answer: {said or 'no reason given'}.", "Try again.", said
    )


_RESTART = "Restart the server, then try again."


def unreachable(error: Exception, name: str, address: ServerAddress) -> AppError:
    """The request did not get through, or the connection broke."""
    where, detail = address.origin, repr(error)
    text = f"{error} {error.__cause__ or ''} {error.__context__ or ''}"
    if isinstance(error, (ssl.SSLError, httpx2.ConnectError)) and ("SSL" in text or "certificate" in text.lower()):
        if "WRONG_VERSION_NUMBER" in text or "record layer" in text.lower():
            return UserError("server_tls", f"{name} does not speak HTTPS at {where}.", "Try http:// instead.", detail)
        return EnvironmentFault(
            "server_tls",
            f"{name} could not prove who it is (certificate).",
            "Give the certificate of its authority under Connections, or ask who runs the server.",
            detail,
        )
    if isinstance(error, httpx2.ConnectTimeout):
        return EnvironmentFault(
            "server_unreachable", f"{name} does not answer at {where}.", "Is the machine on, and the port open?", detail
        )
    if isinstance(error, httpx2.ProxyError):
        return EnvironmentFault("server_proxy", f"The proxy does not let us to {name}.", "Check its settings.", detail)
    if isinstance(error, httpx2.ConnectError):
        if "Name or service" in text or "getaddrinfo" in text or "nodename" in text or "resolution" in text:
            return UserError(
                "server_unreachable", f"There is no machine called {address.host}.", "Check the address.", detail
            )
        return EnvironmentFault(
            "server_unreachable", f"Nothing answers at {where}.", "Is the server running, and the port right?", detail
        )
    return EngineFault(
        "server_broke_off", f"The connection to {name} broke off.", "Try again. The text so far stays.", detail
    )


def read_json(text: str) -> Any:
    """What JSON says, None if it is none."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _is_too_long(status: int, said: str, body: Any) -> bool:
    inner = body.get("error") if isinstance(body, dict) else None
    kind = inner.get("type") if isinstance(inner, dict) else ""
    asked_too_much = "max_tokens" in said or "max_model_len" in said
    return status in (400, 413) and not asked_too_much and bool(_TOO_LONG.search(said) or _TOO_LONG.search(str(kind)))


def _lengths(body: Any) -> str:
    inner = body.get("error") if isinstance(body, dict) else None
    if (
        isinstance(inner, dict)
        and isinstance(inner.get("n_prompt_tokens"), int)
        and isinstance(inner.get("n_ctx"), int)
    ):
        return f" ({inner['n_prompt_tokens']} tokens, it holds {inner['n_ctx']})"
    return ""
