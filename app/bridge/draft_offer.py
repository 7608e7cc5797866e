"""A draft model to download for a target that has none here."""

import re
from collections.abc import Sequence

from app.hub.catalogue import Pair, Part
from app.hub.model_file import ModelFile
from app.hub.quantisation import label


def draft_for(pairs: Sequence[Pair], target: ModelFile) -> Part | None:
    """The first draft of the catalogue's pair whose target is this model, in whatever quantisation; None if unknown."""
    return draft_for_names(pairs, target.name, target.facts.name if target.facts is not None else "")


def draft_for_names(pairs: Sequence[Pair], *known_as: str) -> Part | None:
    """The same for a target that is known only by names, for example of its file."""
    names = {_plain(name.rsplit("/", 1)[-1]) for name in known_as if name}
    for pair in pairs:
        if pair.draft and pair.drafter == "draft_model" and _plain(pair.target.file.rsplit("/", 1)[-1]) in names:
            return pair.draft[0]
    return None


def _plain(name: str) -> str:
    """Without quantisation, ending and punctuation: "qwen3 8b" for "Qwen3-8B-Q4_K_M.gguf"."""
    stem = re.sub(r"(-\d{5}-of-\d{5})?(\.gguf)?$", "", name, flags=re.IGNORECASE)
    quantisation = label(stem)
    if quantisation:
        stem = re.sub(re.escape(quantisation), "", stem, flags=re.IGNORECASE)
    return " ".join(re.split(r"[-_\s]+", stem.casefold())).strip()
