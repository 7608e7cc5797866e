"""Holds questions back until they are stored."""

from collections import deque

from app.chat.ports import EnginePort
from app.protocol.messages import Generate, Request


class StoredFirst:
    """An engine port between a session and the engine. Nothing overtakes a question that waits."""

    def __init__(self, engine: EnginePort) -> None:
        self._engine = engine
        self._held: deque[tuple[int, Request]] = deque()
        self._count = 0

    @property
    def is_holding(self) -> bool:
        return bool(self._held)

    @property
    def mark(self) -> int:
        """For `release`: everything that is held now."""
        return self._count

    def send(self, request: Request) -> None:
        if self._held or isinstance(request, Generate):
            self._count += 1
            self._held.append((self._count, request))
        else:
            self._engine.send(request)

    def release(self, mark: int) -> None:
        """What was held at `mark` is stored; what follows it waits only for questions of its own."""
        while self._held and (self._held[0][0] <= mark or not isinstance(self._held[0][1], Generate)):
            self._engine.send(self._held.popleft()[1])

    def drop(self) -> None:
        """The engine is another one now."""
        self._held.clear()
