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
    """Whether a drafter file was made for a target: it reads layers and rows that are there, and speaks its vocabulary.

    Sister models of one size (a base model and what was trained from it) cannot be told apart by that.
    """
    architecture = drafter.architecture.lower()
    if not _same_vocabulary(target, drafter) or max(drafter.target_layers, default=0) >= target.layers:
        return False
    for ending in ("-assistant", "_assistant"):
        if architecture.endswith(ending):
            family = architecture.removesuffix(ending)
            return family == target.architecture.lower() and _same_width(target, drafter.target_embedding_length)
    if drafter.nextn:
        return heads_belong(target, drafter)
    # EAGLE names the width it reads from; DFlash has the width of its target.
    return _same_width(target, drafter.target_embedding_length or drafter.embedding_length)


def _same_vocabulary(target: GgufFacts, drafter: GgufFacts) -> bool:
    """Drafter files carry the vocabulary of their target, or none."""
    if drafter.vocabulary_type == "none" or not drafter.vocabulary_size:
        return True
    ours = (target.vocabulary_type, target.vocabulary_size)
    return ours == (drafter.vocabulary_type, drafter.vocabulary_size)


def _same_width(target: GgufFacts, width: int) -> bool:
    return width == target.embedding_length
