"""One model in the library: a file, or a split set that counts as one."""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from app.core.errors import UserError
from app.core.gguf import GgufFacts
from app.core.pairing import VocabularyFacts

Role = Literal["chat", "drafter", "other", "broken"]
Source = Literal["models", "added", "huggingface", "lmstudio", "builtin"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelFile:
    """A model in the library.

    `path`: the file, or the first part of a set. `role`: "chat" models can be a target or a draft; a "drafter" only
    drafts for a target it belongs to; "other" files are good for something else; "broken" ones cannot be read.
    `problem`: why it is no chat model; None exactly for the role "chat". `facts` and `vocabulary` are None where they
    could not be read. `size_bytes` is that of all parts there are. `confirmed`: llama.cpp has looked at it.
    """

    path: Path
    parts: tuple[Path, ...]
    size_bytes: int
    source: Source
    role: Role
    facts: GgufFacts | None = None
    vocabulary: VocabularyFacts | None = None
    problem: UserError | None = None
    confirmed: bool = False

    @property
    def name(self) -> str:
        """How a person knows it: the file name, without the ending and the part number."""
        stem = self.path.name.removesuffix(".gguf").removesuffix(".GGUF")
        return stem.rsplit("-", 3)[0] if len(self.parts) > 1 else stem
