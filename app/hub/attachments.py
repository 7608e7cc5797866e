"""Which drafter files belong to a target: extra heads beside it, assistants, EAGLE, DFlash."""

from collections.abc import Iterable

from app.core.gguf import GgufFacts, heads_belong
from app.hub.model_file import ModelFile


def attachments(target: ModelFile, models: Iterable[ModelFile]) -> tuple[ModelFile, ...]:
    """The drafter files that were made for `target`; those in its own folder first."""
    facts = target.facts
    if facts is None:
        return ()
    fitting = [m for m in models if m.role == "drafter" and m.facts is not None and belongs(facts, m.facts)]
    return tuple(sorted(fitting, key=lambda model: (model.path.parent != target.path.parent, model.name.lower())))


def belongs(target: GgufFacts, drafter: GgufFacts) -> bool:
    """Whether the dimensions a drafter file names are those of the target."""
    architecture = drafter.architecture.lower()
    if drafter.nextn and architecture == target.architecture.lower():
        return heads_belong(target, drafter)
    for ending in ("-assistant", "_assistant"):
        if architecture.endswith(ending):
            family = architecture.removesuffix(ending)
            return family == target.architecture.lower() and _same_width(target, drafter.target_embedding_length)
    # EAGLE names the width it reads from; DFlash has the width of its target.
    return _same_width(target, drafter.target_embedding_length or drafter.embedding_length)


def _same_width(target: GgufFacts, width: int) -> bool:
    return width == target.embedding_length
