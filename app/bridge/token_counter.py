"""How full the context would be: counted by the engine, while nothing else is asked of it."""

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QObject, Signal

from app.bridge.engine_client import EngineClient
from app.bridge.timers import single_shot
from app.chat.conversation import Conversation, new_id
from app.protocol.messages import Cancel, Count, Counted, Failed, Turn

_AFTER_MS = 250


@dataclass(frozen=True, slots=True)
class Fill:
    """Tokens of what would be sent. `texts`: of the files, in order. `problem`: why the history is not counted."""

    history: int
    question: int
    texts: tuple[int, ...]
    context: int
    problem: str = ""

    @property
    def total(self) -> int:
        return self.history + self.question + sum(self.texts)

    @property
    def room(self) -> int:
        """What is left for the answer; negative when it does not fit."""
        return self.context - self.total


class TokenCounter(QObject):
    """Asks the engine a moment after something has changed. The history is asked for only when it is another one.

    Signals:
        counted: A `Fill`, or None while nothing is known.
    """

    counted = Signal(object)

    def __init__(self, client: EngineClient, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("token counter")
        self._client = client
        self._looked = False
        self._turns: tuple[Turn, ...] = ()
        self._plain = False
        self._question = ""
        self._texts: tuple[str, ...] = ()
        self._may_ask = False
        self._asked = ""
        self._asks: tuple[object, tuple[str, ...]] = ((), ())
        self._history: tuple[object, int, str] | None = None
        self._known: dict[str, int] = {}
        self._context = 0
        self._timer = single_shot(self, "count tokens", _AFTER_MS, self._ask)
        client.received.connect(self._on_event)
        client.stopped.connect(lambda _outcome: self.forget())

    def look_at(self, conversation: Conversation, question: str, texts: Sequence[str]) -> None:
        """This is what would be sent."""
        self._turns, self._plain = conversation.turns(), conversation.options.plain_template
        self.write(question, texts)

    def write(self, question: str, texts: Sequence[str]) -> None:
        """The question that goes with it is another one."""
        self._question, self._texts = question, tuple(texts)
        self._looked = True
        self._start()

    def allow(self, *, now: bool) -> None:
        """May the engine be asked? Not while it answers."""
        self._may_ask = now
        self._timer.stop()
        if self._asked and not now:
            # A long text takes a while to count, and nobody should wait for that.
            self._client.send(Cancel(id=self._asked))
        self._start()

    def forget(self) -> None:
        """Other models count differently."""
        self._history, self._asked = None, ""
        self._known.clear()
        self.counted.emit(None)
        self._start()

    def _start(self) -> None:
        if self._may_ask and self._looked:
            self._timer.start()

    def tokens_of(self, text: str) -> int:
        """What a text was counted as, 0 if it was not."""
        return self._known.get(text, 0)

    def _ask(self) -> None:
        if self._asked:
            return  # the answer to that asks again
        history = (self._turns, self._plain)
        wants_history = self._history is None or self._history[0] != history
        texts = tuple(text for text in dict.fromkeys((self._question, *self._texts)) if text not in self._known)
        if not wants_history and not texts:
            self._tell()
            return
        self._asked, self._asks = new_id(), (history if wants_history else None, texts)
        turns = self._turns if wants_history else ()
        self._client.send(Count(id=self._asked, turns=turns, plain_template=self._plain, texts=texts))

    def _on_event(self, event: object) -> None:
        if not self._asked or getattr(event, "id", "") != self._asked:
            return
        self._asked = ""
        if isinstance(event, Counted):
            history, texts = self._asks
            if history is not None:
                self._history = (history, event.history, event.problem)
            kept = {text: self._known[text] for text in (self._question, *self._texts) if text in self._known}
            self._known = {"": 0, **kept, **dict(zip(texts, event.texts, strict=True))}
            self._context = event.context
            if self._may_ask:
                self._ask()
        elif isinstance(event, Failed) and event.code != "cancelled":
            self.counted.emit(None)

    def _tell(self) -> None:
        if self._history is None:
            return
        _, history, problem = self._history
        question = self._known[self._question]
        texts = tuple(self._known[text] for text in self._texts)
        self.counted.emit(Fill(history, question, texts, self._context, problem))
