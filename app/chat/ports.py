"""What a chat needs from the outside."""

from typing import Protocol

from app.protocol.messages import Request


class EnginePort(Protocol):
    """Takes requests; the events come back through `ChatSession.apply`."""

    def send(self, request: Request) -> None:
        """Never blocks, and never raises because the engine is gone: the answer is then a `Failed` event."""
        ...
