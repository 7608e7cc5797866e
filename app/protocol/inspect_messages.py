"""What is asked of a short-lived process that lets llama.cpp look at model files, besides hello and failed.

A file that is no good ends that process at worst. The answers to one `InspectFile`, in this order, as far as it gets:
`FileFacts` after reading the header and the vocabulary, `Rehearsed` after pretending to load the whole model. With a
target to try prediction heads on there is `Rehearsed` only.
"""

from dataclasses import dataclass
from typing import Literal

from app.core.pairing import VocabularyFacts

MemoryKind = Literal["attention", "recurrent", "hybrid"]


@dataclass(frozen=True, slots=True, kw_only=True)
class InspectFile:
    """Look at the model at `path`, an absolute path; of a split set the first part.

    `heads_of`: the target whose prediction heads are in `path`, which may be the same file; "" to look at a model.
    """

    id: str
    path: str
    heads_of: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class FileFacts:
    """A model as llama.cpp describes it. `memory`: whether its cache can be cut anywhere ("attention")."""

    id: str
    architecture: str
    parameters: int
    context_trained: int
    vocabulary: VocabularyFacts
    has_template: bool
    memory: MemoryKind


@dataclass(frozen=True, slots=True, kw_only=True)
class Rehearsed:
    """Nothing speaks against loading it. `layers`: without extra heads."""

    id: str
    layers: int


INSPECT_KINDS: dict[str, type[InspectFile | FileFacts | Rehearsed]] = {
    "inspect_file": InspectFile,
    "file_facts": FileFacts,
    "rehearsed": Rehearsed,
}
