"""What is at an address: which kind of server, which models, and what each of them says about speculation."""

import asyncio
from dataclasses import dataclass, replace
from typing import Any

import httpx2

from app.core.errors import AppError, EngineFault
from app.engine.backends.openai_http import faults, presets
from app.engine.backends.openai_http.evidence import count
from app.engine.backends.openai_http.transport import Server
from app.protocol.servers import RemoteModel, ServerKind, Told

LOOK_S = 3.0
MAX_MODELS = 1000
_MAX_BODY = 4 * 1024 * 1024
_OWNERS: dict[str, ServerKind] = {
    "vllm": "vllm",
    "llamacpp": "llama_server",
    "sglang": "sglang",
    "tensorrt_llm": "tensorrt_llm",
}


@dataclass(frozen=True, slots=True)
class Found:
    """What is there."""

    kind: ServerKind
    models: tuple[RemoteModel, ...]


async def look(server: Server) -> Found:
    """Ask the server what it is.

    Raises:
        AppError: it cannot be used now, with the reason; the code says which state it is in.
    """
    response, text = await _get(server, "/v1/models")
    listed = faults.read_json(text)
    rows = listed.get("data") if isinstance(listed, dict) else None
    if response.status_code != 200 or not isinstance(rows, list):
        studio = await _studio(server) if response.status_code in (200, 404) else None
        if studio is not None:
            return studio
        if response.status_code != 200:
            raise faults.refused(response.status_code, text, server.name, "")
        raise faults.refused(404, text, server.name, "")
    rows = [row for row in rows if isinstance(row, dict) and isinstance(row.get("id"), str)][:MAX_MODELS]
    kind = _kind(rows, response)
    asked = server.access.kind
    if asked == "lm_studio" or (kind == "openai" and asked in ("auto", "openai")):
        studio = await _studio(server)
        if studio is not None:
            return studio if asked != "openai" else replace(studio, kind="openai")
    kind = kind if asked == "auto" else asked
    models = presets.with_twins(tuple(_model(row) for row in rows), rows)
    return Found(kind, await _with_speculation(server, kind, models))


async def _with_speculation(
    server: Server, kind: ServerKind, models: tuple[RemoteModel, ...]
) -> tuple[RemoteModel, ...]:
    told: Told = "unknown"
    drafter = ""
    if kind == "llama_server" and all(model.speculation == "unknown" for model in models):
        told, drafter = await _slots(server)
    elif kind == "vllm":
        await _check_alive(server)
        told = await _series(server, "/metrics", "vllm:spec_decode", absent="off")
    elif kind == "tensorrt_llm":
        # Not /metrics: reading that takes the figures away from whoever collects them.
        told = await _series(server, "/prometheus/metrics", "trtllm_spec_decode", absent="unknown")
    elif kind == "sglang":
        told = await _sglang(server)
    if told == "unknown":
        return models
    return tuple(replace(model, speculation=told, drafter=model.drafter or drafter) for model in models)


async def _slots(server: Server) -> tuple[Told, str]:
    _, text = await _try(server, "/slots")
    slots = faults.read_json(text)
    slot = slots[0] if isinstance(slots, list) and slots and isinstance(slots[0], dict) else {}
    if not isinstance(slot.get("speculative"), bool):
        return "unknown", ""
    if not slot["speculative"]:
        return "off", ""
    # After its first answer the server also says what drafts.
    params = slot.get("params")
    types = params.get("speculative.types") if isinstance(params, dict) else None
    return "on", presets.drafter_of(types) if isinstance(types, str) else ""


async def _check_alive(server: Server) -> None:
    status, _ = await _try(server, "/health")
    if status == 503:
        raise EngineFault("server_dead", f"The engine of {server.name} has died.", "Restart the server.")


async def _series(server: Server, path: str, name: str, *, absent: Told) -> Told:
    """Do the server's counters have this one?"""
    status, text = await _try(server, path)
    if status != 200 or "# HELP" not in text:
        return "unknown"
    return "on" if name in text else absent


async def _sglang(server: Server) -> Told:
    status, text = await _try(server, "/server_info")
    body = faults.read_json(text)
    if status != 200 or not isinstance(body, dict) or "speculative_algorithm" not in body:
        return "unknown"
    return "on" if body["speculative_algorithm"] else "off"


async def _studio(server: Server) -> Found | None:
    status, text = await _try(server, "/api/v0/models")
    body = faults.read_json(text)
    rows = body.get("data") if isinstance(body, dict) else None
    if status != 200 or not isinstance(rows, list):
        return None
    told: Told = "on" if server.access.draft else "off"
    models = tuple(
        RemoteModel(
            id=row["id"],
            context=count(row, "loaded_context_length", "max_context_length"),
            speculation=told,
            drafter="draft_model" if server.access.draft else "",
        )
        for row in rows[:MAX_MODELS]
        if isinstance(row, dict) and isinstance(row.get("id"), str) and row.get("type") != "embeddings"
    )
    return Found("lm_studio", models)


def _kind(rows: list[dict[str, Any]], response: httpx2.Response) -> ServerKind:
    owners = {row.get("owned_by") for row in rows}
    found = next((kind for owner, kind in _OWNERS.items() if owner in owners), None)
    if found is None and response.headers.get("server", "").lower().startswith("llama.cpp"):
        return "llama_server"
    return found or "openai"


def _model(row: dict[str, Any]) -> RemoteModel:
    meta = row.get("meta")
    context = count(row, "max_model_len") or (count(meta, "n_ctx") if isinstance(meta, dict) else None)
    root = row.get("root")
    return RemoteModel(id=row["id"], context=context, root=root if isinstance(root, str) else "")


async def _try(server: Server, path: str) -> tuple[int, str]:
    """Status and text; a question that is not answered in time counts as one that is not understood."""
    try:
        response, text = await _get(server, path)
    except AppError:
        return 0, ""
    return response.status_code, text


async def _get(server: Server, path: str) -> tuple[httpx2.Response, str]:
    found = bytearray()
    try:
        async with (
            asyncio.timeout(server.access.connect_s + LOOK_S),
            server.client().stream("GET", server.url(path)) as response,
        ):
            async for received in response.aiter_bytes():
                found += received
                if len(found) > _MAX_BODY:
                    break
    except TimeoutError as error:
        raise faults.unreachable(httpx2.ConnectTimeout(str(error)), server.name, server.address) from error
    except (httpx2.HTTPError, httpx2.InvalidURL, OSError) as error:
        raise faults.unreachable(error, server.name, server.address) from error
    return response, bytes(found).decode("utf-8", "replace")
