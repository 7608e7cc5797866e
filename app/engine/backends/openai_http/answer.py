"""One stream as the events of an answer."""

from collections.abc import Iterator
from dataclasses import replace

from app.core.errors import EngineFault
from app.engine.backends.openai_http import faults
from app.engine.backends.openai_http.chunks import DONE, Chunk, parse
from app.engine.backends.openai_http.evidence import Evidence
from app.engine.backends.openai_http.figures import Figures
from app.engine.backends.openai_http.kinds import telling
from app.engine.backends.openai_http.kinds.base import Kind
from app.engine.backends.openai_http.kinds.llama_server import Ink
from app.protocol.messages import Delta, Event, Finished, FinishReason, Notice, Piece, Progress, Stats
from app.protocol.options import TokenSource
from app.protocol.servers import RemoteModel

STATS_EVERY_S = 0.2
MAX_TEXT = 16 * 1024 * 1024
_INK: dict[str, TokenSource] = {"draft_model": "draft_model", "ngram": "ngram", "heads": "heads"}


class RemoteAnswer:
    """Reads the data of events; see `events`.

    Attributes:
        finish: Why the server said it ended, "" before that.
        evidence: What may hold figures.
    """

    def __init__(self, request_id: str, name: str, kind: Kind, model: RemoteModel, evidence: Evidence) -> None:
        """`name`: of the server. `model`: what is known about the one that answers."""
        self._id = request_id
        self._name = name
        self._kind = kind
        self._model = model
        self._ink = Ink() if model.drafter in _INK else None
        self._thinking = False
        self._length = 0
        self._told = 0.0
        self._heard = False
        self.finish = ""
        self.evidence = evidence

    def take(self, data: str) -> Iterator[Event]:
        """What one event means.

        Raises:
            AppError: the server reports an error, or sends what is no answer.
        """
        if data == DONE:
            return
        self._heard = True
        chunk = parse(data, self._name)
        if chunk.error is not None:
            raise faults.in_stream(chunk.error, self._name)
        self.evidence.note(chunk)
        self.finish = chunk.finish or self.finish
        yield from self._progress(chunk)
        yield from self._delta(chunk)
        last = self.evidence.last
        if last is not None and last - self._told >= STATS_EVERY_S:
            self._told = last
            figures = self.figures()
            yield Stats(id=self._id, stats=figures.stats(), speculation=figures.state(self._hint))

    def check_end(self) -> None:
        """The stream is over. Raise `EngineFault` if the answer is not: "[DONE]" alone does not say that it is."""
        if self.finish:
            return
        if not self._heard:
            raise EngineFault(
                "server_empty",
                f"{self._name} accepted the message and answered nothing.",
                "The chat may be too long for it. Shorten it, or look into the log of the server.",
            )
        raise EngineFault(
            "server_broke_off", f"{self._name} broke off in the middle of the answer.", "Try again. The text stays."
        )

    def finished(self, reason: FinishReason, seed: int, notices: tuple[Notice, ...]) -> Finished:
        """The last event."""
        figures = self.figures()
        return Finished(
            id=self._id,
            reason=reason,
            stats=figures.stats(),
            speculation=figures.state(self._hint),
            seed=seed,
            notices=notices,
        )

    def reason(self, max_tokens: int) -> FinishReason:
        """Why it ended, in our words."""
        if self.finish != "length":
            return "end"
        figures, context = self.figures(), self._model.context
        used = (figures.prompt_tokens or 0) + (figures.generated_tokens or 0)
        return "context_limit" if not max_tokens and context and used >= context - 1 else "token_limit"

    def figures(self) -> Figures:
        """The figures so far."""
        kind = telling(self._kind, self.evidence)
        figures = kind.figures(self.evidence, self._model.speculation)
        return replace(figures, drafter=self._model.drafter)

    @property
    def _hint(self) -> str:
        return telling(self._kind, self.evidence).hint

    def _progress(self, chunk: Chunk) -> Iterator[Event]:
        seen = chunk.body.get("prompt_progress")
        if isinstance(seen, dict) and self.evidence.first is None:
            done, total, cached = (seen.get(name) for name in ("processed", "total", "cache"))
            if isinstance(done, int) and isinstance(total, int) and isinstance(cached, int):
                yield Progress(id=self._id, stage="prefill", done=done, total=total, cached=cached)

    def _delta(self, chunk: Chunk) -> Iterator[Event]:
        # The token that ends an answer is counted and has no text.
        drafted = self._ink.read(self.evidence.timings) if self._ink is not None else None
        text = self._with_reasoning(chunk)
        if not text and not drafted:
            return
        self._length += len(text)
        if self._length > MAX_TEXT:
            raise EngineFault("server_garbled", f"{self._name} does not stop to write.", "The text so far stays.")
        ink = _INK.get(self._model.drafter, "target")
        sources: tuple[TokenSource, ...] = tuple(ink if is_drafted else "target" for is_drafted in drafted or ())
        source: TokenSource = sources[-1] if sources else "target"
        # A server tells texts and not the numbers of tokens.
        yield Delta(
            id=self._id,
            pieces=(Piece(text=text, source=source),) if text else (),
            tokens=(-1,) * len(sources),
            sources=sources,
            lengths=(*(0,) * (len(sources) - 1), len(text)) if sources else (),
        )

    def _with_reasoning(self, chunk: Chunk) -> str:
        """Thoughts the server set apart, put where a local model has them."""
        text = ""
        if chunk.reasoning:
            text = chunk.reasoning if self._thinking else f"<think>\n{chunk.reasoning}"
            self._thinking = True
        if self._thinking and (chunk.text or chunk.finish):
            text += f"\n</think>\n\n{chunk.text}"
            self._thinking = False
        else:
            text += chunk.text
        return text
