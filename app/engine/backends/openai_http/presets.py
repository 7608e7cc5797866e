"""Models of llama-server's router: which of them draft, and which differ in nothing else.

The router tells the arguments each model is started with. They hold paths, so they are compared and not passed on.
"""

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from app.protocol.servers import RemoteModel

_SPECULATIVE = re.compile(
    r"^(--spec-.*|--model-draft|-md|--.*-draft|-(ngld|devd|cd|td|tbd|ctkd|ctvd|hfd|hfrd)|--draft.*)$"
)
_OF_THE_MODEL = frozenset({"--alias", "-a", "--port", "--host"})
_NUMBER = re.compile(r"^-\d")


def with_twins(models: tuple[RemoteModel, ...], rows: Sequence[dict[str, Any]]) -> tuple[RemoteModel, ...]:
    """The models with what their arguments say; those without arguments as they are."""
    options = [_options(row) for row in rows]
    found = []
    for model, mine in zip(models, options, strict=True):
        if mine is None:
            found.append(model)
            continue
        drafts = _drafts(mine)
        twins = [
            other.id
            for other, its in zip(models, options, strict=True)
            if its is not None and _drafts(its) != drafts and _rest(its) == _rest(mine)
        ]
        found.append(
            replace(
                model,
                context=model.context or _number(mine.get("--ctx-size", mine.get("-c", ""))),
                speculation="on" if drafts else "off",
                drafter=_drafter(mine),
                twin=twins[0] if twins else "",
            )
        )
    return tuple(found)


def drafter_of(types: str) -> str:
    """Which drafter a value of `--spec-type` means, "" if it is not one of ours."""
    names = {name.strip() for name in types.split(",")}
    if any("mtp" in name or "eagle" in name for name in names):
        return "heads"
    if any(name.startswith("draft") for name in names):
        return "draft_model"
    return "ngram" if any(name.startswith("ngram") for name in names) else ""


def _options(row: dict[str, Any]) -> dict[str, str] | None:
    status = row.get("status")
    words = status.get("args") if isinstance(status, dict) else None
    if not isinstance(words, list):
        return None
    options: dict[str, str] = {}
    name = ""
    for word in (str(word) for word in words):
        if word.startswith("-") and not _NUMBER.match(word):
            name = word
            options[name] = ""
        elif name:
            options[name] = f"{options[name]} {word}".strip()
    return options


def _drafts(options: dict[str, str]) -> bool:
    types = options.get("--spec-type", "")
    return types not in ("", "none") or (not types and ("--model-draft" in options or "-md" in options))


def _drafter(options: dict[str, str]) -> str:
    if not _drafts(options):
        return ""
    return drafter_of(options.get("--spec-type", "")) or ("draft_model" if "--model-draft" in options else "")


def _rest(options: dict[str, str]) -> dict[str, str]:
    return {
        name: value for name, value in options.items() if not _SPECULATIVE.match(name) and name not in _OF_THE_MODEL
    }


def _number(text: str) -> int | None:
    return int(text) if text.isdigit() and 0 < len(text) < 10 else None
