"""What the window remembers between starts; `app.core.settings` reads and writes it."""

from dataclasses import dataclass, field, replace
from typing import Literal
from urllib.parse import urlparse

from app.core.errors import UserError
from app.protocol.options import CacheType, SamplingOptions, SpeculationOptions

Theme = Literal["system", "light", "dark", "contrast_light", "contrast_dark"]
MAX_RECENT = 10
_MAX_NUMBER = 100_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadOptions:
    """How models are loaded. `context` in tokens, 0 for automatic; `threads` 0 for the number of physical cores.

    `heads`: with the target's prediction heads, where it has some. `flash_attention`: where the device can; always
    where a memory plan keeps the caches smaller, which need it.
    """

    context: int = 0
    threads: int = 0
    gpu_layers: int | Literal["auto"] = "auto"
    heads: bool = True
    flash_attention: bool = True

    def check(self) -> None:
        """Raise `UserError` with a sentence for the first number that makes no sense."""
        for label, value, most in (
            ("context length", self.context, _MAX_NUMBER),
            ("number of threads", self.threads, 1024),
            ("number of GPU layers", self.gpu_layers, _MAX_NUMBER),
        ):
            if isinstance(value, int) and not 0 <= value <= most:
                raise UserError("bad_option", f"The {label} cannot be {value}.", f"It must be from 0 to {most}.")


@dataclass(frozen=True, slots=True, kw_only=True)
class Fit:
    """What a memory plan gave up to make a pair fit; the defaults give up nothing.

    `draft_context`: tokens the draft follows, 0 for as many as the target. `gpu_layers`: of the target, None for what
    the load options say.
    """

    cache_type: CacheType = "F16"
    draft_context: int = 0
    draft_on_cpu: bool = False
    gpu_layers: int | None = None

    def with_draft_of(self, other: "Fit") -> "Fit":
        """What concerns the target as it is, what concerns the draft as in `other`."""
        return replace(self, draft_context=other.draft_context, draft_on_cpu=other.draft_on_cpu)


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """A target file and its draft model file, "" for none. Pairs are equal whatever was given up for them."""

    target: str
    draft: str = ""
    fit: Fit = field(default_factory=Fit, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class HubOptions:
    """Where models come from and where they lie.

    `endpoint`: address of a mirror, "" for the usual hub. `offline`: nothing is asked for over the network.
    `models`: absolute path of the folder downloads go to, "" for the usual one. `folders`: absolute paths of further
    folders whose models are listed.
    """

    endpoint: str = ""
    offline: bool = False
    models: str = ""
    folders: tuple[str, ...] = ()

    def check(self) -> None:
        """Raise `UserError` with a sentence for an address that cannot be one."""
        if not self.endpoint:
            return
        try:
            parts = urlparse(self.endpoint)
            good = parts.scheme in ("http", "https") and bool(parts.hostname) and not parts.query and not parts.fragment
            _ = parts.port
        except ValueError:
            good = False
        if not good or any(sign.isspace() for sign in self.endpoint):
            raise UserError(
                "bad_endpoint",
                f'"{self.endpoint[:80]}" is not the address of a hub.',
                "It begins with https:// and the name of a server.",
            )


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """The person's choices.

    `text_size`: percent of the normal one. `language`: code of the window's language, "" for the system's.
    `last`: the pair that was loaded last, None for the demo pair. `recent`: newest first, each target once.
    `speculation`: what is used while `speculation_on`; its drafter is never "off" and `explicit` is not remembered,
    since a choice is meant for the models it was made with.
    """

    theme: Theme = "system"
    text_size: int = 100
    language: str = ""
    last: Pair | None = None
    recent: tuple[Pair, ...] = ()
    load: LoadOptions = field(default_factory=LoadOptions)
    sampling: SamplingOptions = field(default_factory=SamplingOptions)
    speculation: SpeculationOptions = field(default_factory=lambda: SpeculationOptions(drafter="mixed"))
    speculation_on: bool = True
    hub: HubOptions = field(default_factory=HubOptions)

    def with_loaded(self, pair: Pair | None) -> "Settings":
        """A copy that knows `pair` (None for the demo pair) was loaded just now."""
        if pair is None:
            return replace(self, last=None)
        older = (known for known in self.recent if known.target != pair.target)
        return replace(self, last=pair, recent=(pair, *older)[:MAX_RECENT])

    def pair_for(self, target: str) -> Pair:
        """The target with the draft model it was last used with, loaded as it was then."""
        return next((known for known in self.recent if known.target == target), Pair(target=target))


@dataclass(frozen=True, slots=True, kw_only=True)
class WindowState:
    """How the window looked; nothing anybody chose on purpose. Byte arrays as base64, "" when unknown."""

    geometry: str = ""
    splitter: str = ""
    side_panel: bool = True
    chat_list: bool = True
    ink: bool = False
