"""Words for the states of servers and what they say about their models."""

from app.core.translation import translate
from app.protocol.servers import KIND_NAMES, RemoteModel, ServerKind, ServerState

GOOD: frozenset[ServerState] = frozenset({"ready"})
WAITING: frozenset[ServerState] = frozenset({"loading", "busy"})


def state_words(state: ServerState) -> str:
    """A state in a word or two."""
    return {
        "ready": translate("connections", "Ready"),
        "loading": translate("connections", "Loading its model"),
        "busy": translate("connections", "Busy"),
        "key": translate("connections", "Key needed"),
        "no_model": translate("connections", "No model"),
        "unreachable": translate("connections", "Not reachable"),
        "wrong": translate("connections", "Not usable"),
        "dead": translate("connections", "Its engine died"),
    }[state]


def kind_words(kind: ServerKind) -> str:
    """What a kind of server is called in a choice."""
    return translate("connections", "Find out") if kind == "auto" else KIND_NAMES[kind]


def model_words(model: RemoteModel) -> str:
    """Context and speculation of a model in a line."""
    if model.context:
        context = translate("connections", "{0} tokens of context").format(model.context)
    else:
        context = translate("connections", "context not told")
    told = {
        "on": translate("connections", "speculation on"),
        "off": translate("connections", "speculation off"),
        "unknown": translate("connections", "speculation not told"),
    }[model.speculation]
    parts = [context, told]
    if model.twin:
        parts.append(translate("connections", "switch: {0}").format(model.twin))
    return " \N{MIDDLE DOT} ".join(parts)
