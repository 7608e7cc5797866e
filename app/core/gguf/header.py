"""The header of a GGUF file, or of a whole split set, as plain values."""

from dataclasses import dataclass
from pathlib import Path

Scalar = int | float | bool | str


@dataclass(frozen=True, slots=True)
class GgufArray:
    """A long array that was left in the file.

    `kind`: element type as the format numbers it (8 is text). `offset`: of the first element, bytes from the start.
    """

    path: Path
    kind: int
    count: int
    offset: int


Value = Scalar | tuple[Scalar, ...] | GgufArray


@dataclass(frozen=True, slots=True)
class Tensor:
    """One tensor: `shape` has the fastest dimension first, `offset` counts from the start of its own file."""

    name: str
    shape: tuple[int, ...]
    type: str
    offset: int
    size_bytes: int

    @property
    def weights(self) -> int:
        """Number of elements."""
        count = 1
        for length in self.shape:
            count *= length
        return count


@dataclass(frozen=True, slots=True)
class GgufHeader:
    """All that is known without the weights.

    `path`: the file, or the first part of a split set. `parts`: every file of it, in order. `size_bytes`: of all parts.
    Texts are UTF-8 with broken bytes replaced. Numeric arrays of at most 4,096 elements are tuples, all other arrays
    are `GgufArray` and stay in the file (see `reader.array_values` and `reader.array_texts`).
    """

    path: Path
    parts: tuple[Path, ...]
    size_bytes: int
    version: int
    metadata: dict[str, Value]
    tensors: tuple[Tensor, ...]

    @property
    def tensor_count(self) -> int:
        return len(self.tensors)

    @property
    def architecture(self) -> str:
        """For example "llama"; "" when the file does not say."""
        return self.text("general.architecture")

    def text(self, key: str) -> str:
        """A text, "" when missing or of another type."""
        value = self.metadata.get(key)
        return value if isinstance(value, str) else ""

    def integer(self, key: str) -> int | None:
        """A whole number, None when missing or of another type."""
        value = self.metadata.get(key)
        return value if isinstance(value, int) and not isinstance(value, bool) else None

    def flag(self, key: str) -> bool | None:
        """A yes or no, None when missing or of another type."""
        value = self.metadata.get(key)
        return value if isinstance(value, bool) else None

    def of_architecture(self, key: str) -> Value | None:
        """The value of `<architecture>.<key>`, None when missing."""
        return self.metadata.get(f"{self.architecture}.{key}")
