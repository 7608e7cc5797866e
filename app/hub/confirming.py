"""Lets llama.cpp have the last word on what the headers of model files say.

Reading headers is instant and good enough to list files. What a model really is, and whether it can be loaded at all, a
process of its own with llama.cpp in it finds out; until then a model is listed as its header describes it.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace

from app.hub.library import Library
from app.hub.model_file import ModelFile
from app.protocol.inspection import AT_ONCE, Inspection
from app.protocol.inspection_store import InspectionStore


def apply_known(library: Library, store: InspectionStore) -> Library:
    """The library with what is known about the files as they are now; asks nobody."""
    return replace(library, models=tuple(_apply(model, store.known(model.parts)) for model in library.models))


def unconfirmed(library: Library) -> tuple[ModelFile, ...]:
    """The models llama.cpp should look at."""
    return tuple(model for model in library.models if model.role == "chat" and not model.confirmed)


def confirm(
    library: Library, store: InspectionStore, cancelled: Callable[[], bool] = lambda: False
) -> Iterator[Library]:
    """Look at what is not known, a few files at a time; the library after each time that brought something.

    Raises:
        CancelledByUser: `cancelled` said so.
    """
    waiting = unconfirmed(library)
    while waiting:
        batch, waiting = waiting[:AT_ONCE], waiting[AT_ONCE:]
        found = store.look([model.parts for model in batch], cancelled)
        if not found:
            # Without an engine, or under one that is stuck, headers have to do.
            return
        models = (_apply(model, found.get(model.path)) for model in library.models)
        library = replace(library, models=tuple(models))
        yield library


def _apply(model: ModelFile, inspection: Inspection | None) -> ModelFile:
    """The model as llama.cpp sees it; what is no chat model by its header stays what it is."""
    if inspection is None or model.role != "chat" or model.facts is None:
        return model
    found = inspection.facts
    facts, vocabulary = model.facts, model.vocabulary
    if found is not None:
        vocabulary = found.vocabulary
        facts = replace(
            facts,
            architecture=found.architecture,
            parameters=found.parameters,
            context_trained=found.context_trained,
            has_template=found.has_template,
            memory=found.memory,
            vocabulary_type=vocabulary.type,
            vocabulary_size=vocabulary.size,
        )
    if inspection.problem is not None:
        return replace(model, role="broken", problem=inspection.problem, facts=facts, vocabulary=None, confirmed=True)
    return replace(model, facts=facts, vocabulary=vocabulary, confirmed=True)
