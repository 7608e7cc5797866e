"""What is special about each kind of server: fields it takes, figures it gives, where it says whether it speculates."""

from app.engine.backends.openai_http.evidence import Evidence
from app.engine.backends.openai_http.kinds.base import Kind
from app.engine.backends.openai_http.kinds.llama_server import LlamaServer
from app.engine.backends.openai_http.kinds.lm_studio import LmStudio
from app.engine.backends.openai_http.kinds.sglang import Sglang
from app.engine.backends.openai_http.kinds.tensorrt_llm import TensorRtLlm
from app.engine.backends.openai_http.kinds.vllm import Vllm
from app.protocol.servers import ServerKind

_KINDS: dict[ServerKind, Kind] = {
    "llama_server": LlamaServer(),
    "vllm": Vllm(),
    "tensorrt_llm": TensorRtLlm(),
    "sglang": Sglang(),
    "lm_studio": LmStudio(),
}
_OTHER = Kind()


def kind_of(name: ServerKind) -> Kind:
    """The kind with this name; what is not known is treated like any OpenAI-compatible server."""
    return _KINDS.get(name, _OTHER)


def telling(kind: Kind, evidence: Evidence) -> Kind:
    """Whose figures a stream has: a proxy may hide the kind of a server and pass its figures on."""
    if kind is not _OTHER:
        return kind
    return next((known for known in _KINDS.values() if known.recognises(evidence)), kind)
