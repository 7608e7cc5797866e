"""Which models to load, and which instead when that fails."""

from dataclasses import replace

from app.chat.banner import load_failed
from app.chat.changes import BannerChanged, Change, ModelLoaded, ModelProgress, NoticeGiven
from app.chat.conversation import new_id
from app.chat.notices import last_model_failed
from app.chat.ports import EnginePort
from app.chat.settings import LoadOptions, Pair
from app.protocol.messages import Cancel, Event, Failed, Load, Loaded, Progress
from app.protocol.options import HEADS_AUTO, HEADS_OFF

CANCELLED = "cancelled"


class Loading:
    """Sends load requests, and other ones after failures.

    Attributes:
        current: The request the engine is working on.
        good: The last request that succeeded.
        loaded: What is loaded, None without.
    """

    def __init__(self, engine: EnginePort, fallback: Pair) -> None:
        """`fallback` is the last resort, loaded with default options."""
        self._engine = engine
        self._fallback = fallback
        self._tried: set[Load] = set()
        self._waiting: Load | None = None
        self._remembered = ""
        self._recovering = False
        self.current: Load | None = None
        self.good: Load | None = None
        self.loaded: Loaded | None = None

    def want(self, pair: Pair, options: LoadOptions, *, draft_required: bool, remembered: bool) -> None:
        """`begin` will load this. `remembered`: nobody asked for it just now, so a failure is a notice, no banner."""
        self._waiting = _request(pair, options, draft_required=draft_required)
        self._remembered = self._waiting.id if remembered else ""

    def begin(self) -> bool:
        """Send what is wanted, in the place of what is under way; False if nothing is wanted."""
        if self._waiting is None:
            return False
        self.cancel()
        request, self._waiting = self._waiting, None
        self._tried.clear()
        self._send(request)
        return True

    def again(self) -> None:
        """Load in a new engine what was loaded in the old one."""
        self.loaded, self._waiting = None, None
        self._tried.clear()
        self._send(_request(self._fallback, LoadOptions()) if self.good is None else _renewed(self.good))

    def cancel(self) -> bool:
        """Give up the request that is under way; False if there is none."""
        if self.current is None:
            return False
        self._engine.send(Cancel(id=self.current.id))
        return True

    def forget(self) -> None:
        """The engine is gone."""
        self.current, self.loaded, self._waiting = None, None, None

    def apply(self, event: Event) -> list[Change]:
        """An event of the current request. Afterwards `current` is None when loading is over, well or badly."""
        if isinstance(event, Progress):
            return [ModelProgress(event)]
        if isinstance(event, Loaded):
            self.good, self.current, self.loaded = self.current, None, event
            return [ModelLoaded(event), *(NoticeGiven(notice) for notice in event.notices)]
        return self._failed(event) if isinstance(event, Failed) else []

    def _failed(self, event: Failed) -> list[Change]:
        told = self._recovering or event.code == CANCELLED
        self.current = None
        following = self._recovery()
        if following is not None:
            self._send(following, recovering=True)
        else:
            self.loaded = None
        if event.id == self._remembered:
            return [NoticeGiven(last_model_failed(event.sentence))]
        return [] if told else [BannerChanged(load_failed(event))]

    def _recovery(self) -> Load | None:
        last_resort = _request(self._fallback, LoadOptions())
        candidates = [last_resort] if self.good is None else [_renewed(self.good), last_resort]
        return next((request for request in candidates if _key(request) not in self._tried), None)

    def _send(self, request: Load, *, recovering: bool = False) -> None:
        self._tried.add(_key(request))
        self.current, self._recovering = request, recovering
        self._engine.send(request)


def _renewed(request: Load) -> Load:
    return replace(request, id=new_id(), draft_required=False)


def _request(pair: Pair, options: LoadOptions, *, draft_required: bool = False) -> Load:
    return Load(
        id=new_id(),
        target=pair.target,
        draft=pair.draft,
        draft_required=draft_required,
        context=options.context,
        threads=options.threads,
        gpu_layers=options.gpu_layers if pair.fit.gpu_layers is None else pair.fit.gpu_layers,
        heads=HEADS_AUTO if options.heads else HEADS_OFF,
        flash_attention="auto" if options.flash_attention or pair.fit.cache_type != "F16" else "off",
        cache_type=pair.fit.cache_type,
        draft_context=pair.fit.draft_context,
        draft_gpu_layers=0 if pair.fit.draft_on_cpu else "auto",
    )


def _key(request: Load) -> Load:
    return replace(request, id="", draft_required=False)
