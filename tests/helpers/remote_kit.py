"""A remote backend in a test: load, answer, and what came of it."""

import contextlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from app.engine.backends.openai_http.backend import RemoteBackend
from app.engine.cancel import CancelFlag
from app.protocol.messages import Delta, Event, Finished, Generate, Load, Loaded, Turn
from app.protocol.options import LimitOptions, SamplingOptions, SpeculationOptions
from app.protocol.servers import Probe, Probed, ServerAccess
from app.protocol.stats import GenerationStats


@dataclass
class Reply:
    """One answer: its events, in order."""

    events: list[Event] = field(default_factory=list)

    @property
    def text(self) -> str:
        return "".join(piece.text for event in self.events if isinstance(event, Delta) for piece in event.pieces)

    @property
    def sources(self) -> list[str]:
        return [source for event in self.events if isinstance(event, Delta) for source in event.sources]

    @property
    def finished(self) -> Finished:
        assert isinstance(self.events[-1], Finished)
        return self.events[-1]

    @property
    def stats(self) -> GenerationStats:
        return self.finished.stats


class Kit:
    """One backend, asked as the engine asks it."""

    def __init__(self) -> None:
        self.backend = RemoteBackend()

    def probe(self, access: ServerAccess) -> Probed:
        return self.backend.probe(Probe(id="probe", server=access), CancelFlag())

    def load(self, access: ServerAccess, linked: ServerAccess | None = None) -> Loaded:
        request = Load(id="load", target="server:x", server=access, linked=linked)
        return self.backend.load(request, CancelFlag(), lambda _event: None)

    def ask(
        self,
        *,
        reply: Reply | None = None,
        drafter: Any = "off",
        on_event: Callable[[Event, CancelFlag], object] = lambda _event, _cancel: None,
        prompt: str | None = None,
        **sampling: Any,
    ) -> Reply:
        """Ask for an answer; `reply` has what came even if it fails."""
        reply = reply or Reply()
        cancel = CancelFlag()
        max_tokens = sampling.pop("max_tokens", 64)
        request = Generate(
            id="answer",
            turns=() if prompt is not None else (Turn(role="user", content="Hello"),),
            prompt=prompt,
            sampling=SamplingOptions(**{"temperature": 0.0, **sampling}),
            speculation=SpeculationOptions(drafter=drafter),
            limits=LimitOptions(max_tokens=max_tokens),
        )
        for event in self.backend.generate(request, cancel):
            reply.events.append(event)
            on_event(event, cancel)
        return reply


@contextlib.contextmanager
def kit() -> Iterator[Kit]:
    """A backend that is closed in the end."""
    made = Kit()
    try:
        yield made
    finally:
        made.backend.close()
