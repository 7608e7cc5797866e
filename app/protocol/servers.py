"""What window and engine say to each other about servers elsewhere."""

from dataclasses import dataclass, field
from typing import Literal

ServerKind = Literal["auto", "llama_server", "vllm", "tensorrt_llm", "sglang", "lm_studio", "openai"]
KIND_NAMES: dict[ServerKind, str] = {
    "auto": "Find out",
    "llama_server": "llama-server",
    "vllm": "vLLM",
    "tensorrt_llm": "TensorRT-LLM",
    "sglang": "SGLang",
    "lm_studio": "LM Studio",
    "openai": "OpenAI-compatible",
}
Told = Literal["on", "off", "unknown"]
"""Whether a server speculates, as far as it says."""
ServerState = Literal["ready", "loading", "busy", "key", "no_model", "unreachable", "wrong", "dead"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerAccess:
    """How to reach a model on a server.

    `name`: what the person calls the server. `model`: its id there, "" in a `Probe`. `key`: for this address alone.
    `draft`: a draft model a request may name (LM Studio). `exact`: answer with this very model, though the server has
    another one for the other position of the speculation switch. `ca_file`: certificates to trust instead of the
    system's. `connect_s`, `first_s`, `between_s`: longest waits for the connection, the first event of an answer, and
    between two of its events, in seconds.
    """

    address: str
    name: str = ""
    model: str = ""
    kind: ServerKind = "auto"
    key: str = field(default="", repr=False)
    draft: str = ""
    exact: bool = False
    ca_file: str = ""
    connect_s: float = 5.0
    first_s: float = 120.0
    between_s: float = 60.0


@dataclass(frozen=True, slots=True, kw_only=True)
class RemoteModel:
    """A model a server offers.

    `context`: tokens, None if it does not say. `speculation`: what is known about it. `drafter`: "draft_model",
    "ngram", "heads" or "" if it does not say. `twin`: id of a model that differs from this one in
    speculation only, "" for none. `root`: what the server calls the weights, "" if it does not say.
    """

    id: str
    context: int | None = None
    speculation: Told = "unknown"
    drafter: str = ""
    twin: str = ""
    root: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerFacts:
    """What is known about the server a model was chosen from.

    `origin`: scheme, host, port. `can_switch`: a request can choose whether speculation is used. `why_no_switch`: why
    not. `start_command`: how a server with speculation is started. `hint`: what to do to get more figures, "" for
    nothing. `sampling`: setting -> why it has no effect there.
    """

    name: str
    origin: str
    kind: ServerKind
    speculation: Told
    drafter: str = ""
    can_switch: bool = False
    why_no_switch: str = ""
    start_command: str = ""
    hint: str = ""
    sampling: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Probe:
    """What is at this address?"""

    id: str
    server: ServerAccess


@dataclass(frozen=True, slots=True, kw_only=True)
class Probed:
    """What is there. `sentence` says it, `hint` what to do about it. `server_kind`: what was
    found, "auto" if nothing was.
    """

    id: str
    state: ServerState
    sentence: str
    hint: str = ""
    server_kind: ServerKind = "auto"
    models: tuple[RemoteModel, ...] = ()
