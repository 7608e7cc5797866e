"""A `Backend` whose model is on a server."""

import contextlib
import secrets
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from app.core.errors import AppError, CancelledByUser, EngineFault, UserError
from app.engine.backends.openai_http import exchange, faults, survey
from app.engine.backends.openai_http.answer import RemoteAnswer
from app.engine.backends.openai_http.evidence import Evidence
from app.engine.backends.openai_http.kinds import kind_of
from app.engine.backends.openai_http.request import body, unwelcome
from app.engine.backends.openai_http.transport import Loop, Server
from app.engine.cancel import CancelFlag
from app.protocol.messages import Count, Counted, Event, Generate, Load, Loaded, ModelFacts, Notice, Progress
from app.protocol.options import MAX_SEED
from app.protocol.servers import (
    KIND_NAMES,
    Probe,
    Probed,
    RemoteModel,
    ServerFacts,
    ServerKind,
    ServerState,
)

_AGAIN_S = 0.5
_STATES: dict[str, ServerState] = {
    "server_key": "key",
    "server_loading": "loading",
    "server_busy": "busy",
    "server_no_model": "no_model",
    "server_dead": "dead",
    "server_unreachable": "unreachable",
    "server_silent": "unreachable",
    "server_broke_off": "unreachable",
}
_WHY_NO_SWITCH = "Set when the server starts: it has no way to choose for a single message."


@dataclass(frozen=True, slots=True)
class Side:
    """One position of the speculation switch: a model on a server."""

    server: Server
    kind: ServerKind
    model: RemoteModel


class RemoteBackend:
    """A `Backend` on servers that speak the OpenAI protocol."""

    def __init__(self) -> None:
        self._loop = Loop()
        self._servers: list[Server] = []
        self._plain: Side | None = None
        self._drafting: Side | None = None
        self._curious: Side | None = None

    def probe(self, request: Probe, cancel: CancelFlag) -> Probed:
        """What is at an address; problems are states with words.

        Raises:
            CancelledByUser: `cancel` was set.
        """
        try:
            server = Server(request.server)
            try:
                found = self._wait(server, cancel)
            finally:
                self._let_go(server)
        except AppError as error:
            state = _STATES.get(error.code, "wrong")
            return Probed(id=request.id, state=state, sentence=error.sentence, hint=error.hint)
        state, sentence, hint = _words(server, found)
        return Probed(
            id=request.id, state=state, sentence=sentence, hint=hint, server_kind=found.kind, models=found.models
        )

    def load(self, request: Load, cancel: CancelFlag, emit: Callable[[Event], None]) -> Loaded:
        """See `Backend.load`. Waits while the server loads its model."""
        if request.server is None:
            raise EngineFault("internal", "A server was expected.")
        server = Server(request.server)
        found = self._when_ready(server, request, cancel, emit)
        side = _side(server, found)
        other = None
        servers = [server]
        if request.linked is not None and not request.server.exact:
            linked = Server(request.linked)
            servers.append(linked)
            other = _side(linked, self._wait(linked, cancel))
        elif not request.server.exact:
            other = _twin(side, found)
        self.unload()
        self._servers = servers
        drafting_first = other is None or side.model.speculation == "on" or other.model.speculation == "off"
        self._drafting = side if drafting_first else other
        self._plain = (other or side) if drafting_first else side
        return _loaded(request, side, other)

    def generate(self, request: Generate, cancel: CancelFlag) -> Iterator[Event]:
        """See `Backend.generate`.

        Raises:
            UserError: options that make no sense, or that the server refuses.
            EnvironmentFault: the server cannot be reached or cannot answer now.
            EngineFault: it broke off or sent what is no answer.
        """
        for options in (request.sampling, request.speculation, request.limits):
            options.check()
        side = self._plain if request.speculation.drafter == "off" else self._drafting
        if side is None:
            raise UserError("no_model", "No model is loaded.", "Open a model first.")
        seed = request.sampling.seed
        seed = secrets.randbelow(MAX_SEED + 1) if seed is None else seed
        kind, access = kind_of(side.kind), side.server.access
        model = side.model
        if side.kind == "lm_studio" and request.speculation.drafter == "off":
            model = replace(model, speculation="off")
        fields = body(request, seed, kind, access, model.speculation)
        path = kind.path(raw=request.prompt is not None)
        answer = RemoteAnswer(request.id, side.server.name, kind, model, Evidence())
        notices: list[Notice] = []
        until = time.monotonic() + access.first_s
        try:
            while True:
                try:
                    for data in exchange.events(self._loop, side.server, path, fields, cancel):
                        yield from answer.take(data)
                    break
                except exchange.Refusal as refusal:
                    dropped = unwelcome(fields, refusal) if not notices else []
                    fault = faults.refused(refusal.status, refusal.text, side.server.name, access.model)
                    if dropped:
                        fields = {name: value for name, value in fields.items() if name not in dropped}
                        notices.append(_without(side.server.name, dropped))
                    elif fault.code == "server_loading" and time.monotonic() < until:
                        _pause(cancel)
                    else:
                        raise fault from refusal
            answer.check_end()
        except CancelledByUser:
            yield answer.finished("cancelled", seed, tuple(notices))
            return
        if side.kind == "llama_server" and model.speculation == "on" and not model.drafter:
            self._curious = side
        notices += _another_model(side, answer.evidence.model)
        yield answer.finished(answer.reason(request.limits.max_tokens), seed, tuple(notices))

    def count(self, request: Count, cancel: CancelFlag) -> Counted:
        """See `Backend.count`. Raises `UserError`, always."""
        raise UserError("cannot_count", "A server counts tokens when it answers, and not before.")

    def idle(self, cancel: CancelFlag) -> bool:
        """See `Backend.idle`. llama-server says what drafts only after its first answer."""
        side, self._curious = self._curious, None
        if side is None:
            return False
        found = self._wait(side.server, cancel)
        model = next((model for model in found.models if model.id == side.model.id), side.model)
        self._drafting = replace(side, model=model) if self._drafting is side else self._drafting
        self._plain = replace(side, model=model) if self._plain is side else self._plain
        return False

    def unload(self) -> None:
        servers, self._servers = self._servers, []
        self._plain = self._drafting = self._curious = None
        for server in servers:
            self._let_go(server)

    def close(self) -> None:
        self.unload()
        self._loop.close()

    def _when_ready(
        self, server: Server, request: Load, cancel: CancelFlag, emit: Callable[[Event], None]
    ) -> survey.Found:
        until = time.monotonic() + server.access.first_s
        while True:
            try:
                return self._wait(server, cancel)
            except AppError as error:
                if error.code != "server_loading" or time.monotonic() >= until:
                    raise
            emit(Progress(id=request.id, stage="load_target", done=0, total=0))
            _pause(cancel)

    def _let_go(self, server: Server) -> None:
        with contextlib.suppress(TimeoutError):
            self._loop.start(server.aclose()).result(2)

    def _wait(self, server: Server, cancel: CancelFlag) -> survey.Found:
        future = self._loop.start(survey.look(server))
        while True:
            try:
                return future.result(exchange.LOOK_S)
            except TimeoutError:
                if future.done():
                    raise
                if cancel.is_set():
                    future.cancel()
                    raise CancelledByUser from None


def _pause(cancel: CancelFlag) -> None:
    """Wait before the next try. Raises `CancelledByUser`."""
    again = time.monotonic() + _AGAIN_S
    while time.monotonic() < again:
        if cancel.is_set():
            raise CancelledByUser
        time.sleep(exchange.LOOK_S)


def _side(server: Server, found: survey.Found) -> Side:
    wanted = server.access.model
    model = next((model for model in found.models if model.id == wanted), None)
    if model is None:
        names = ", ".join(faults.quote(known.id) for known in found.models[:5]) or "none"
        raise UserError("server_no_model", f"{server.name} has no model {faults.quote(wanted)}.", f"It has: {names}.")
    return Side(server, found.kind, model)


def _twin(side: Side, found: survey.Found) -> Side | None:
    model = next((model for model in found.models if model.id == side.model.twin), None)
    if model is not None and side.model.twin:
        return Side(_for_model(side.server, model.id), side.kind, model)
    if side.kind == "lm_studio" and side.server.access.draft:
        return side
    return None


def _for_model(server: Server, model: str) -> Server:
    return Server(replace(server.access, model=model))


def _loaded(request: Load, side: Side, other: Side | None) -> Loaded:
    kind, model = kind_of(side.kind), side.model
    both = [side, other] if other is not None else [side]
    told = "on" if any(one.model.speculation == "on" for one in both) else model.speculation
    drafter = next((one.model.drafter for one in both if one.model.drafter), "")
    facts = ServerFacts(
        name=side.server.name,
        origin=side.server.address.origin,
        kind=side.kind,
        speculation=told,
        drafter=drafter,
        can_switch=other is not None,
        why_no_switch="" if other is not None else _WHY_NO_SWITCH,
        start_command="" if other is not None else kind.start_command(model.root or model.id),
        hint=kind.hint,
        sampling=kind.sampling(told),
    )
    return Loaded(
        id=request.id,
        target=ModelFacts(
            path=request.target,
            name=faults.quote(model.id),
            architecture="",
            parameters=0,
            size_bytes=0,
            quantisation="",
            context_trained=0,
            vocabulary_type="",
            vocabulary_size=0,
            has_template=True,
            can_truncate=True,
            heads=0,
            layers=0,
            gpu_layers=0,
            memory_bytes=0,
        ),
        draft=None,
        context=model.context or 0,
        threads=0,
        devices=(),
        template="model",
        why_not={},
        notices=(),
        target_loaded_at=time.time(),
        server=facts,
    )


def _words(server: Server, found: survey.Found) -> tuple[ServerState, str, str]:
    kind = KIND_NAMES[found.kind]
    if not found.models:
        return "no_model", f"{kind} answers, and has no model.", "Load one on the server."
    count = len(found.models)
    models = "1 model" if count == 1 else f"{count} models"
    told = {model.speculation for model in found.models}
    if told == {"on"}:
        words = "speculation is on"
    elif told == {"off"}:
        words = "speculation is off"
    elif "on" in told:
        words = "speculation depends on the model"
    else:
        words = "it does not say whether it speculates"
    hint = ""
    if found.kind == "vllm" and server.access.key:
        hint = "Its owner should know: the key guards neither /metrics nor /tokenize."
    elif told == {"unknown"}:
        hint = kind_of(found.kind).hint
    return "ready", f"{kind} is ready with {models}; {words}.", hint


def _without(name: str, dropped: list[str]) -> Notice:
    return Notice(code="server_fields", text=f"{name} does not take {', '.join(dropped)}, so it answered without.")


def _another_model(side: Side, answered: str) -> list[Notice]:
    asked = side.model.id
    if not answered or asked in answered or answered in asked or side.kind == "openai":
        return []
    text = f"{side.server.name} was asked for {faults.quote(asked)} and answered with {faults.quote(answered)}."
    return [Notice(code="server_other_model", text=text)]
