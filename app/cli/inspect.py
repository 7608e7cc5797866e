"""`outpace-cli inspect`: what a GGUF file is, or why it is none."""

import argparse
import json
from typing import Any

from app.core import paths
from app.core.gguf import GgufFacts, chat_model_problem, describe, read_header


def add_to(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Register the command."""
    parser = commands.add_parser("inspect", help="say what a GGUF file is, or why it is none")
    parser.set_defaults(run=run)
    parser.add_argument("file", metavar="FILE")
    parser.add_argument("--json", action="store_true", help="print one JSON object")


def run(options: argparse.Namespace) -> int:
    """Describe one file."""
    facts = describe(read_header(paths.typed(options.file)))
    problem = chat_model_problem(facts)
    found = {**_facts(facts), "can_chat": problem is None, "problem": str(problem) if problem else ""}
    if options.json:
        print(json.dumps(found, ensure_ascii=False))
        return 0
    width = max(map(len, found))
    for name, value in found.items():
        if value not in ("", None):
            print(f"{name.replace('_', ' '):{width}}  {_shown(value)}")
    return 0


def _facts(facts: GgufFacts) -> dict[str, Any]:
    return {
        "file": str(facts.path),
        "name": facts.name,
        "architecture": facts.architecture,
        "parameters": facts.parameters,
        "quantisation": facts.quantisation,
        "size_bytes": facts.size_bytes,
        "context_trained": facts.context_trained,
        "layers": facts.layers,
        "vocabulary_type": facts.vocabulary_type,
        "vocabulary_size": facts.vocabulary_size,
        "chat_template": facts.has_template,
        "prediction_heads": facts.nextn,
        "memory": facts.memory,
        "parts": facts.split,
        "licence": facts.licence,
    }


def _shown(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:,}" if isinstance(value, int) else str(value)
