"""Requests and events, as frozen dataclasses.

Requests go to the child on its stdin, events come back on its stdout, one JSON object a line (see `codec`).
Every event that answers a request carries the request's `id`.
"""

from dataclasses import dataclass, field
from typing import Literal

from app.protocol.download_messages import DOWNLOAD_KINDS, DownloadEvent, DownloadRequest
from app.protocol.inspect_messages import INSPECT_KINDS, FileFacts, InspectFile, Rehearsed
from app.protocol.options import (
    HEADS_AUTO,
    CacheType,
    FlashAttention,
    LimitOptions,
    SamplingOptions,
    SpeculationOptions,
    TokenSource,
)
from app.protocol.servers import Probe, Probed, ServerAccess, ServerFacts
from app.protocol.stats import CostCurve, GenerationStats, SpeculationState

PROTOCOL_VERSION = 1

Role = Literal["system", "user", "assistant"]
FinishReason = Literal["end", "stop_string", "token_limit", "context_limit", "cancelled"]
Stage = Literal["load_target", "load_draft", "prefill", "calibrate"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """One message of a conversation."""

    role: Role
    content: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Notice:
    """Something the person should know, that stops nothing. `code` is stable, `text` is a sentence."""

    code: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelFacts:
    """What a loaded model is. Sizes in bytes; `gpu_layers` of `layers` are on a device other than the CPU.

    `heads`: prediction heads there are in its file or beside it. `heads_bytes`: memory they take, 0 if not loaded.
    `weights_mapped`: weights in main memory are where the file is mapped, which the system counts as free memory.
    """

    path: str
    name: str
    architecture: str
    parameters: int
    size_bytes: int
    quantisation: str
    context_trained: int
    vocabulary_type: str
    vocabulary_size: int
    has_template: bool
    can_truncate: bool
    heads: int
    layers: int
    gpu_layers: int
    memory_bytes: int
    heads_bytes: int = 0
    weights_mapped: bool = True


# --- requests -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Hello:
    """First line in both directions."""

    version: int = PROTOCOL_VERSION
    name: str = ""
    detail: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Load:
    """Make a target (and a draft model) ready. What is already loaded with the same settings is kept.

    `context`: tokens, 0 for automatic. `threads`: 0 for the number of physical cores. `gpu_layers`: a number or "auto".
    `draft_required`: the person chose this draft model; a draft that cannot serve fails the request. Otherwise the
    target loads alone and `Loaded.why_not` says why.
    `server`: the model is there and not in a file; `target` is then only a name for it. `linked`: the same model, on
    the same or another server, for the other position of the speculation switch.

    `heads`: "auto" loads the target's prediction heads, from its own file or an `mtp-*.gguf` beside it; "off" does not;
    anything else is the path of a file of heads. `flash_attention`: of all models; "off" only with caches in F16.

    What a memory plan can give up: `cache_type` of both models; `draft_context`, tokens the draft follows, 0 for as
    many as the target, fewer where memory is short; `draft_gpu_layers`, 0 to keep the draft in main memory.
    """

    id: str
    target: str
    draft: str = ""
    draft_required: bool = False
    context: int = 0
    threads: int = 0
    gpu_layers: int | Literal["auto"] = "auto"
    server: ServerAccess | None = None
    linked: ServerAccess | None = None
    heads: str = HEADS_AUTO
    flash_attention: FlashAttention = "auto"
    cache_type: CacheType = "F16"
    draft_context: int = 0
    draft_gpu_layers: int | Literal["auto"] = "auto"


@dataclass(frozen=True, slots=True, kw_only=True)
class Generate:
    """Answer `turns` with the model's chat template, or continue `prompt` as it stands (exactly one is given).

    Where the last turn is the assistant's, that answer goes on. `answer_tokens`: the tokens it had; they are used as
    they are if they say the same with this model, else its text is tokenised anew.
    `plain_template`: a dialogue with names instead of the model's own template.
    `chat`: identifies the conversation; n-gram tables are cleared when it changes. `reuse_cache`: False decodes the
    whole prompt anew.
    `isolated`: an answer of a comparison. It starts from empty caches and tables, knows nothing earlier answers taught
    about the drafter, teaches nothing itself, and its deltas carry `margins`.
    """

    id: str
    chat: str = ""
    turns: tuple[Turn, ...] = ()
    prompt: str | None = None
    answer_tokens: tuple[int, ...] = ()
    plain_template: bool = False
    sampling: SamplingOptions = field(default_factory=SamplingOptions)
    speculation: SpeculationOptions = field(default_factory=SpeculationOptions)
    limits: LimitOptions = field(default_factory=LimitOptions)
    reuse_cache: bool = True
    isolated: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Count:
    """How many tokens would this be? `turns`: a conversation that a question would follow. `texts`: each by itself."""

    id: str
    turns: tuple[Turn, ...] = ()
    plain_template: bool = False
    texts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Cancel:
    """Stop the request with this id; finished requests and unknown ids are fine."""

    id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Unload:
    """Free the models."""

    id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Shutdown:
    """Finish and exit."""


# --- events ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """How far a request is. `cached`: how much of `done` was there already. Units depend on the stage."""

    id: str
    stage: Stage
    done: int
    total: int
    cached: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Loaded:
    """The models are ready.

    `why_not`: drafter name -> why it cannot be used with these models; a drafter that is not named can be used.
    `target_loaded_at`: seconds since the epoch when the target's weights were read; unchanged when it was kept.
    `device_free`, `device_total`: bytes of all `devices` together, with these models loaded. `draft_context`: tokens
    the draft follows, 0 without one.
    `server`: where the model is, None for this machine. Facts a server does not tell are "" or 0.
    """

    id: str
    target: ModelFacts
    draft: ModelFacts | None
    context: int
    threads: int
    devices: tuple[str, ...]
    template: Literal["model", "plain"]
    why_not: dict[str, str]
    notices: tuple[Notice, ...]
    target_loaded_at: float
    costs: CostCurve = field(default_factory=CostCurve)
    device_free: int = 0
    device_total: int = 0
    server: ServerFacts | None = None
    cache_type: CacheType = "F16"
    draft_context: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """Text of one or more tokens that came from the same source."""

    text: str
    source: TokenSource


@dataclass(frozen=True, slots=True, kw_only=True)
class Delta:
    """What one round added. Text may lag behind tokens: bytes of an unfinished character and what could become a stop
    text are held back. `tokens` and `sources` have equal lengths, and so have the following if they are given.

    `lengths`: characters each token completed. `sure`: how sure the drafter was of what it proposed there, in percent,
    -1 where nothing was proposed or nobody knows. `margins`: by how much the target preferred each token to its
    second choice (the logit gap at temperature 0).
    """

    id: str
    pieces: tuple[Piece, ...]
    tokens: tuple[int, ...]
    sources: tuple[TokenSource, ...]
    lengths: tuple[int, ...] = ()
    sure: tuple[int, ...] = ()
    margins: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Thinking:
    """The answer begins in its thinking part: the model's template has written the mark that opens it."""

    id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Stats:
    """Numbers so far, a few times a second."""

    id: str
    stats: GenerationStats
    speculation: SpeculationState


@dataclass(frozen=True, slots=True, kw_only=True)
class Finished:
    """The answer is complete, or stopped. `seed`: what the sampled text can be repeated with."""

    id: str
    reason: FinishReason
    stats: GenerationStats
    speculation: SpeculationState
    seed: int
    notices: tuple[Notice, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Counted:
    """Tokens of the conversation, template included, and of each text, give or take one where they meet.

    `problem`: why the conversation could not be counted, "" if it was; `history` is then 0, or what the context holds
    when it is far too long.
    """

    id: str
    history: int
    texts: tuple[int, ...]
    context: int
    problem: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Failed:
    """The request failed; `id` is "" when no request can be named. `detail` is for logs and "Copy details"."""

    id: str
    code: str
    sentence: str
    hint: str = ""
    detail: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Log:
    """A line for the window's log."""

    level: Literal["info", "warning", "error"]
    topic: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Unloaded:
    """The models are gone."""

    id: str


Request = Hello | Load | Generate | Count | Cancel | Unload | Shutdown | Probe | InspectFile | DownloadRequest
Event = (
    Hello
    | Progress
    | Loaded
    | Thinking
    | Delta
    | Stats
    | Finished
    | Counted
    | Failed
    | Log
    | Unloaded
    | Probed
    | FileFacts
    | Rehearsed
    | DownloadEvent
)
Message = Request | Event

KINDS: dict[str, type[Message]] = {
    "hello": Hello,
    "load": Load,
    "generate": Generate,
    "count": Count,
    "cancel": Cancel,
    "unload": Unload,
    "shutdown": Shutdown,
    "progress": Progress,
    "loaded": Loaded,
    "thinking": Thinking,
    "delta": Delta,
    "stats": Stats,
    "finished": Finished,
    "counted": Counted,
    "failed": Failed,
    "log": Log,
    "unloaded": Unloaded,
    "probe": Probe,
    "probed": Probed,
    **DOWNLOAD_KINDS,
    **INSPECT_KINDS,
}
