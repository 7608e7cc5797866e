"""Reads the header of a GGUF file, or of a split set, defensively: nothing is allocated by a length the file claims."""

import errno
import stat
from pathlib import Path
from typing import BinaryIO

from app.core.errors import UserError
from app.core.gguf import tables
from app.core.gguf.cursor import MAX_ELEMENTS, Cursor, damaged, truncated
from app.core.gguf.header import GgufArray, GgufHeader, Scalar, Tensor, Value
from app.core.gguf.lookalike import looks_like
from app.core.gguf.split import part_of, sibling

MAX_KEYS = 65_536
MAX_TENSORS = 1 << 20
MAX_KEY_BYTES = 65_535
MAX_TEXT_BYTES = 64 << 20
MAX_DIMENSIONS = 4
MAX_WEIGHTS = (1 << 63) - 1
MAX_PARTS = 1_000
EAGER_ELEMENTS = 4_096
_DOWNLOAD_AGAIN = "Download it again, or choose another file."


def read_header(path: str | Path) -> GgufHeader:
    """The header of the model at `path`; any part of a split set stands for the whole set.

    Raises:
        UserError: no such file, a folder, unreadable, empty, not a GGUF, cut off, a version or tensor type that is not
            supported, damaged, or a part of the set is missing. The sentence says which.
    """
    path = Path(path)
    first = _read_file(path)
    count = first.integer("split.count") or 1
    if count <= 1:
        return first
    if count > MAX_PARTS:
        raise damaged(path, f"it says it is split into {count} parts")
    if part_of(path.name) is None:
        raise UserError(
            "split_renamed",
            f'"{path.name}" is one of {count} parts of a model, but its name does not say which.',
            f"Give the parts their original names, ending in -00001-of-{count:05d}.gguf and so on.",
        )
    return _read_set(path, count)


def array_texts(array: GgufArray) -> list[bytes]:
    """The raw bytes of each text of an array that stayed in the file.

    Raises:
        UserError: the file is gone, unreadable or no longer what it was.
    """
    if array.kind != tables.STRING:
        raise TypeError("not an array of texts")
    with _open(array.path) as file:
        cursor = Cursor(file, array.path, _size(array.path), array.offset)
        return cursor.texts(array.count, keep=True)


def array_values(array: GgufArray) -> tuple[Scalar, ...]:
    """The numbers of an array that stayed in the file.

    Raises:
        UserError: the file is gone, unreadable or no longer what it was.
    """
    with _open(array.path) as file:
        cursor = Cursor(file, array.path, _size(array.path), array.offset)
        return cursor.numbers(array.kind, array.count)


def _read_set(path: Path, count: int) -> GgufHeader:
    parts = tuple(sibling(path, number) for number in range(1, count + 1))
    for number, part in enumerate(parts, 1):
        if not part.exists():
            raise UserError(
                "split_part_missing",
                f"Part {number} of {count} is missing: {part.name}",
                f"Put it into the folder {path.parent}, or download the model again.",
            )
    headers = [_read_file(part) for part in parts]
    for number, header in enumerate(headers):
        if header.integer("split.no") != number or header.integer("split.count") != count:
            raise damaged(parts[number], f"it is not part {number + 1} of {count}")
    tensors = tuple(tensor for header in headers for tensor in header.tensors)
    promised = headers[0].integer("split.tensors.count")
    if promised is not None and promised != len(tensors):
        raise damaged(parts[0], f"the parts hold {len(tensors)} tensors, {promised} belong to the model")
    size = sum(header.size_bytes for header in headers)
    return GgufHeader(parts[0], parts, size, headers[0].version, headers[0].metadata, tensors)


def _read_file(path: Path) -> GgufHeader:
    size = _size(path)
    with _open(path) as file:
        start = _start(file, path)
        if start[:4] != tables.MAGIC:
            raise UserError("not_gguf", f'"{path.name}" is not a GGUF model, but {looks_like(start)}.', _hint(start))
        cursor = Cursor(file, path, size, 4)
        version = cursor.number(4)
        _check_version(path, int(version))
        tensor_count, key_count = int(cursor.number(10)), int(cursor.number(10))
        if tensor_count > MAX_TENSORS or key_count > MAX_KEYS:
            raise damaged(path, f"it claims {tensor_count} tensors and {key_count} facts")
        metadata: dict[str, Value] = {}
        for _ in range(key_count):
            key = cursor.text(MAX_KEY_BYTES)
            if key in metadata:
                raise damaged(path, f'the fact "{key[:80]}" is there twice')
            metadata[key] = _value(cursor)
        raw = [_tensor(cursor) for _ in range(tensor_count)]
        alignment = metadata.get("general.alignment", tables.DEFAULT_ALIGNMENT)
        if not isinstance(alignment, int) or not 0 < alignment <= 1 << 20 or alignment & (alignment - 1):
            raise damaged(path, f"its alignment is {alignment}")
        base = -(-cursor.position // alignment) * alignment
    tensors = tuple(Tensor(t.name, t.shape, t.type, base + t.offset, t.size_bytes) for t in raw)
    if len({tensor.name for tensor in tensors}) != len(tensors):
        raise damaged(path, "a tensor is there twice")
    end = max((tensor.offset + tensor.size_bytes for tensor in tensors), default=0)
    if end > size:
        raise truncated(path, end - size)
    return GgufHeader(path, (path,), size, int(version), metadata, tensors)


def _start(file: BinaryIO, path: Path) -> bytes:
    try:
        return file.read(512)
    except OSError as error:
        raise _no_access(path, error) from error


def _value(cursor: Cursor) -> Value:
    kind = int(cursor.number(4))
    if kind == tables.STRING:
        return cursor.text(MAX_TEXT_BYTES)
    if kind != tables.ARRAY:
        return cursor.number(kind)
    kind, count = int(cursor.number(4)), int(cursor.number(10))
    if count > MAX_ELEMENTS:
        raise damaged(cursor.path, f"a list claims {count} entries")
    array = GgufArray(cursor.path, kind, count, cursor.position)
    if kind == tables.STRING:
        cursor.texts(count, keep=False)
        return array
    if count <= EAGER_ELEMENTS:
        return cursor.numbers(kind, count)
    cursor.skip_numbers(kind, count)
    return array


def _tensor(cursor: Cursor) -> Tensor:
    name = cursor.text(MAX_KEY_BYTES)
    dimensions = int(cursor.number(4))
    if dimensions > MAX_DIMENSIONS:
        raise damaged(cursor.path, f'the tensor "{name[:80]}" has {dimensions} dimensions')
    shape = tuple(int(cursor.number(10)) for _ in range(dimensions))
    kind, offset = int(cursor.number(4)), int(cursor.number(10))
    known = tables.TENSOR_TYPES.get(kind)
    if known is None:
        old = kind in tables.REMOVED_TENSOR_TYPES
        age = "that llama.cpp no longer reads" if old else "that is newer than the llama.cpp inside this program"
        raise UserError(
            "tensor_type",
            f'"{cursor.path.name}" uses a quantisation (type {kind}) {age}.',
            "Choose another quantisation of the model, for example Q4_K_M.",
        )
    type_name, block, block_bytes = known
    tensor = Tensor(name, shape, type_name, offset, 0)
    if tensor.weights > MAX_WEIGHTS or (shape and shape[0] % block):
        raise damaged(cursor.path, f'the tensor "{name[:80]}" cannot have the shape {"x".join(map(str, shape))}')
    return Tensor(name, shape, type_name, offset, tensor.weights // block * block_bytes)


def _size(path: Path) -> int:
    try:
        found = path.stat()
    except (OSError, ValueError) as error:
        raise _no_access(path, error) from error
    if stat.S_ISDIR(found.st_mode):
        raise UserError("model_is_folder", f'"{path}" is a folder, not a model.', "Choose the GGUF file inside it.")
    if not stat.S_ISREG(found.st_mode):
        # Opening a pipe or a device could block for ever.
        raise UserError("not_gguf", f'"{path}" is a device or a pipe, not a model.', "Choose a GGUF file.")
    if found.st_size == 0:
        raise UserError("model_empty", f'"{path.name}" is empty (0 bytes).', _DOWNLOAD_AGAIN)
    return found.st_size


def _open(path: Path) -> BinaryIO:
    try:
        return path.open("rb", buffering=0)
    except (OSError, ValueError) as error:
        raise _no_access(path, error) from error


def _no_access(path: Path, error: OSError | ValueError) -> UserError:
    if isinstance(error, (FileNotFoundError, NotADirectoryError, ValueError)):
        hint = "It is a link to a file that is gone." if _is_link(path) else "Choose another file."
        return UserError("model_missing", f'There is no file "{path}".', hint, str(error))
    if isinstance(error, PermissionError):
        return UserError(
            "model_unreadable", f'You are not allowed to read "{path}".', "Change its permissions.", str(error)
        )
    if error.errno == errno.ENAMETOOLONG:
        return UserError("model_missing", "The name of the file is too long.", "Choose another file.", str(error))
    return UserError("model_unreadable", f'"{path}" cannot be read: {error.strerror}.', _DOWNLOAD_AGAIN, str(error))


def _is_link(path: Path) -> bool:
    try:
        return path.is_symlink()
    except (OSError, ValueError):
        return False


def _check_version(path: Path, version: int) -> None:
    if version in tables.VERSIONS:
        return
    if version == 0 or version & 0xFFFF == 0:
        sentence, hint = (
            f'"{path.name}" has its bytes in the wrong order (big-endian).',
            "Get the ordinary version of it.",
        )
    elif version < min(tables.VERSIONS):
        sentence = f'"{path.name}" is in version {version} of the GGUF format, which llama.cpp no longer reads.'
        hint = "Get a newer version of the model."
    else:
        sentence = f'"{path.name}" is in version {version} of the GGUF format; this program knows up to 3.'
        hint = "Update the program."
    raise UserError("gguf_version", sentence, hint)


def _hint(start: bytes) -> str:
    if b"html" in start.lower():
        return "The download probably saved an error page or a login page: get the file again."
    if start.startswith(b"version https://git-lfs"):
        return "Fetch the real file (git lfs pull), or download it from its page."
    return "Choose a file in GGUF format."
