"""A read position in a file of known size that never goes past its end and never trusts a length."""

from pathlib import Path
from typing import BinaryIO

from app.core.errors import UserError
from app.core.gguf import tables
from app.core.gguf.header import Scalar

MAX_ELEMENTS = 1 << 24
MAX_HEADER_BYTES = 1 << 30
_CHUNK = 1 << 20


def damaged(path: Path, why: str) -> UserError:
    """The error for a file whose numbers make no sense."""
    return UserError("gguf_damaged", f'"{path.name}" is damaged: {why}.', "Download it again, or choose another file.")


def truncated(path: Path, missing: int | None) -> UserError:
    """The error for a file that ends too early; `missing` bytes, None when it cannot be known."""
    amount = "it ends inside its header" if missing is None else f"{missing:,} bytes are missing at its end"
    return UserError("model_truncated", f'"{path.name}" is cut off: {amount}.', "Download it again.")


class Cursor:
    """Reads forward from `position` (bytes from the start of the file)."""

    def __init__(self, file: BinaryIO, path: Path, size: int, position: int) -> None:
        self.path = path
        self._file = file
        self._size = size
        self._base = position
        self._buffer = b""
        self._at = 0
        self._limit = position + MAX_HEADER_BYTES
        self._elements = 0

    @property
    def position(self) -> int:
        return self._base + self._at

    def number(self, kind: int) -> Scalar:
        """A number or a yes/no of this type."""
        form = tables.SCALARS.get(kind)
        if form is None:
            raise damaged(self.path, f"a fact has the unknown type {kind}")
        self._need(form.size)
        value: int | float = form.unpack_from(self._buffer, self._at)[0]
        self._at += form.size
        return bool(value) if kind == tables.BOOL else value

    def numbers(self, kind: int, count: int) -> tuple[Scalar, ...]:
        """`count` numbers of one type."""
        form = tables.SCALARS.get(kind)
        if form is None:
            raise damaged(self.path, f"a list has entries of the unknown type {kind}")
        self._spend(count, form.size)
        self._need(count * form.size)
        view = memoryview(self._buffer)[self._at : self._at + count * form.size]
        self._at += len(view)
        values = (item[0] for item in form.iter_unpack(view))
        return tuple(bool(value) for value in values) if kind == tables.BOOL else tuple(values)

    def skip_numbers(self, kind: int, count: int) -> None:
        """Step over `count` numbers of one type."""
        form = tables.SCALARS.get(kind)
        if form is None:
            raise damaged(self.path, f"a list has entries of the unknown type {kind}")
        self._spend(count, form.size)
        self._seek(self.position + count * form.size)

    def text(self, limit: int) -> str:
        """A text of at most `limit` bytes; broken UTF-8 is replaced."""
        length = int(self.number(10))
        if length > limit:
            raise damaged(self.path, f"a text claims {length} bytes")
        self._need(length)
        raw = self._buffer[self._at : self._at + length]
        self._at += length
        return raw.decode("utf-8", "replace")

    def texts(self, count: int, *, keep: bool) -> list[bytes]:
        """`count` texts as raw bytes; without `keep` they are only stepped over."""
        self._spend(count, 8)
        kept: list[bytes] = []
        for _ in range(count):
            # Inlined for speed: vocabularies have up to a quarter of a million entries.
            at = self._at
            if at + 8 > len(self._buffer):
                self._need(8)
                at = self._at
            length = int.from_bytes(self._buffer[at : at + 8], "little")
            at += 8
            if at + length > len(self._buffer):
                self._at = at
                if not keep:
                    self._seek(self.position + length)
                    continue
                self._need(length)
                at = self._at
            if keep:
                kept.append(self._buffer[at : at + length])
            self._at = at + length
        return kept

    def _spend(self, count: int, size: int) -> None:
        # Bounds the time a hostile header can take, whatever its counts say.
        self._elements += count
        if self._elements > MAX_ELEMENTS:
            raise damaged(self.path, f"its header claims more than {MAX_ELEMENTS} list entries")
        if count * size > self._size - self.position:
            raise truncated(self.path, None)

    def _need(self, count: int) -> None:
        """Have at least `count` bytes after `_at` in the buffer."""
        have = len(self._buffer) - self._at
        if have >= count:
            return
        if self.position + count > self._size:
            raise truncated(self.path, None)
        if self.position + count > self._limit:
            raise damaged(self.path, f"its header is larger than {MAX_HEADER_BYTES >> 20} MiB")
        parts = [self._buffer[self._at :]]
        self._base += self._at
        self._at = 0
        self._file.seek(self._base + have)
        want = max(count, _CHUNK) - have
        while want > 0:
            try:
                chunk = self._file.read(min(want, _CHUNK))
            except OSError as error:
                raise UserError(
                    "model_unreadable", f'"{self.path}" cannot be read: {error.strerror}.', "", str(error)
                ) from error
            if not chunk:
                break
            parts.append(chunk)
            want -= len(chunk)
        self._buffer = b"".join(parts)
        if len(self._buffer) < count:
            raise truncated(self.path, None)

    def _seek(self, position: int) -> None:
        if position > self._size:
            raise truncated(self.path, None)
        if position > self._limit:
            raise damaged(self.path, f"its header is larger than {MAX_HEADER_BYTES >> 20} MiB")
        ahead = position - self._base
        if ahead <= len(self._buffer):
            self._at = ahead
        else:
            self._base, self._buffer, self._at = position, b"", 0
