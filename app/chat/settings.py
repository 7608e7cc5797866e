"""What the window remembers between starts; `app.core.settings` reads and writes it."""

from dataclasses import dataclass, field
from typing import Literal

from app.protocol.options import SamplingOptions, SpeculationOptions

Theme = Literal["system", "light", "dark"]
MAX_RECENT = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadOptions:
    """How models are loaded. `context` in tokens, 0 for automatic; `threads` 0 for the number of physical cores."""

    context: int = 0
    threads: int = 0
    gpu_layers: int | Literal["auto"] = "auto"


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """A target file and its draft model file, "" for none."""

    target: str
    draft: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """The person's choices. `last`: the pair of the last start, None for the demo pair. `recent`: newest first."""

    theme: Theme = "system"
    last: Pair | None = None
    recent: tuple[Pair, ...] = ()
    load: LoadOptions = field(default_factory=LoadOptions)
    sampling: SamplingOptions = field(default_factory=SamplingOptions)
    speculation: SpeculationOptions = field(default_factory=lambda: SpeculationOptions(drafter="mixed"))


@dataclass(frozen=True, slots=True, kw_only=True)
class WindowState:
    """How the window looked; nothing anybody chose on purpose. Byte arrays as base64, "" when unknown."""

    geometry: str = ""
    splitter: str = ""
    side_panel: bool = True
    ink: bool = False
