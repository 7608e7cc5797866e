"""Whether the extra prediction heads (MTP/NextN) of a file can be used, by its header alone.

llama.cpp cannot be asked: it ends the process where a tensor of a head is missing.
"""

from app.core.gguf.facts import GgufFacts

ARCHITECTURES = frozenset(
    {
        "bailingmoe3",
        "cohere2moe",
        "deepseek2",
        "deepseek32",
        "deepseek4",
        "glm-dsa",
        "glm4moe",
        "hy_v3",
        "mimo2",
        "nemotron_h_moe",
        "qwen35",
        "qwen35moe",
        "qwen3next",
        "step35",
    }
)
"""Architectures with a head graph in the engine's version of llama.cpp."""


def heads_problem(facts: GgufFacts) -> str:
    """Why the heads of a file cannot be used, in a sentence; "" if they can."""
    if facts.nextn_declared and not facts.nextn:
        return "This file was made without its prediction heads; look for a version with MTP in its name."
    if not facts.nextn or not facts.nextn_declared:
        return "This file has no prediction heads."
    if facts.architecture not in ARCHITECTURES:
        return f"The engine cannot use the prediction heads of {facts.architecture} models."
    if facts.nextn != facts.nextn_declared:
        return f"Only {facts.nextn} of the {facts.nextn_declared} prediction heads are in this file."
    return ""
