"""One streamed request: data events as they come, a cancel that closes the connection, deadlines of our own.

A read timeout of the library starts anew at every ping; ours look at data events only.
"""

import asyncio
import queue
from collections.abc import Iterator
from typing import Any

import httpx2

from app.core.errors import AppError, CancelledByUser, EngineFault, EnvironmentFault
from app.engine.backends.openai_http import faults
from app.engine.backends.openai_http.sse import SseReader
from app.engine.backends.openai_http.transport import Loop, Server
from app.engine.cancel import CancelFlag

LOOK_S = 0.02
"""How often the cancel flag is looked at while nothing comes."""
_MAX_BODY = 4 * 1024 * 1024
_MAX_ERROR = 64 * 1024
_GRACE_S = 2.0


class Refusal(Exception):  # noqa: N818 (an answer like any other; the caller may have another try)
    """The server refused the request."""

    def __init__(self, status: int, text: str) -> None:
        super().__init__(str(status))
        self.status = status
        self.text = text


_Item = str | None | Exception


def events(loop: Loop, server: Server, path: str, body: dict[str, Any], cancel: CancelFlag) -> Iterator[str]:
    """The data of the events that answer a POST, "[DONE]" included.

    Raises:
        Refusal: another status than 200.
        CancelledByUser: `cancel` was set; the connection is closed.
        AppError: unreachable, too slow, broken off, garbled.
    """
    items: queue.SimpleQueue[_Item] = queue.SimpleQueue()
    future = loop.start(_fetch(server, path, body, items))
    try:
        while True:
            try:
                item = items.get(timeout=LOOK_S)
            except queue.Empty:
                if cancel.is_set():
                    raise CancelledByUser from None
                continue
            if item is None:
                return
            if isinstance(item, Exception):
                raise item
            if cancel.is_set():
                raise CancelledByUser
            yield item
    finally:
        # Cancelling a task closes its connection at once, which is what stops the server.
        future.cancel()


async def _fetch(server: Server, path: str, body: dict[str, Any], items: "queue.SimpleQueue[_Item]") -> None:
    access = server.access
    clock = asyncio.get_running_loop().time
    began = False
    try:
        async with asyncio.timeout(access.connect_s + access.first_s) as deadline:
            async with server.client().stream("POST", server.url(path), json=body) as response:
                deadline.reschedule(clock() + access.first_s)
                if response.status_code != 200:
                    items.put(Refusal(response.status_code, (await _text(response, _MAX_ERROR))))
                    return
                if "text/event-stream" not in response.headers.get("content-type", "text/event-stream"):
                    # It does not stream: one answer, all at once.
                    items.put(await _text(response, _MAX_BODY))
                    items.put(None)
                    return
                reader = SseReader()
                async for received in response.aiter_bytes():
                    for data in reader.feed(received):
                        began = True
                        items.put(data)
                        deadline.reschedule(clock() + access.between_s)
                for data in reader.finish():
                    items.put(data)
        items.put(None)
    except TimeoutError:
        items.put(_too_slow(server, began=began))
    except AppError as fault:
        items.put(fault)
    except (httpx2.HTTPError, httpx2.InvalidURL, OSError) as error:
        items.put(faults.unreachable(error, server.name, server.address))
    except asyncio.CancelledError:
        raise
    except Exception as error:  # noqa: BLE001 (whoever waits for items must hear of it)
        items.put(EngineFault("internal", "The connection failed in an unexpected way.", "Try again.", repr(error)))


async def _text(response: httpx2.Response, limit: int) -> str:
    found = bytearray()
    async for received in response.aiter_bytes():
        found += received
        if len(found) > limit:
            break
    return bytes(found[:limit]).decode("utf-8", "replace")


def _too_slow(server: Server, *, began: bool) -> EnvironmentFault:
    if began:
        return EnvironmentFault(
            "server_silent",
            f"{server.name} has sent nothing for {server.access.between_s:.0f} seconds.",
            "Try again. The text so far stays.",
        )
    return EnvironmentFault(
        "server_silent",
        f"{server.name} did not begin to answer within {server.access.first_s:.0f} seconds.",
        "It may have a queue, or hang. Try again.",
    )
