"""What a file is that is not a GGUF, as far as its first bytes tell."""

_MAGICS: tuple[tuple[bytes, str], ...] = (
    (b"PK\x03\x04", "a ZIP archive"),
    (b"\x1f\x8b", "a gzip archive"),
    (b"7z\xbc\xaf\x27\x1c", "a 7z archive"),
    (b"\x28\xb5\x2f\xfd", "a Zstandard archive"),
    (b"Rar!", "a RAR archive"),
    (b"%PDF", "a PDF document"),
    (b"\x89PNG", "a picture"),
    (b"\xff\xd8\xff", "a picture"),
    (b"\x7fELF", "a program"),
    (b"MZ", "a Windows program"),
    (b"\x89HDF", "an HDF5 file"),
    (b"\x80\x02", "a PyTorch checkpoint"),
    (b"FUGG", "a GGUF file with its bytes in the wrong order"),
    (b"lmgg", "a model in the old GGML format"),
    (b"fmgg", "a model in the old GGMF format"),
    (b"tjgg", "a model in the old GGJT format"),
    (b"algg", "an adapter in the old GGLA format"),
)


def looks_like(start: bytes) -> str:
    """A name for a file by its first bytes (some hundred are enough), for example "an HTML page"."""
    for magic, name in _MAGICS:
        if start.startswith(magic):
            return name
    if start and not any(start):
        return "a block of zero bytes, as an interrupted download leaves it"
    if start.startswith(b"version https://git-lfs"):
        return "a Git LFS pointer, not the model itself"
    # A safetensors file is the length of a JSON header (8 bytes, little-endian), then the header.
    if len(start) > 9 and start[8:9] == b"{" and int.from_bytes(start[:8], "little") < 1 << 32:
        return "a safetensors file"
    text = start.decode("utf-8", "ignore").lstrip("\ufeff \t\r\n").lower()
    if text.startswith(("<!doctype html", "<html", "<head", "<body")):
        return "an HTML page"
    if text.startswith(("<?xml", "<error")):
        return "an XML document"
    if text.startswith(("{", "[")) and _printable(start):
        return "a JSON document"
    return "a text file" if text and _printable(start) else "something else"


def _printable(start: bytes) -> bool:
    return all(byte >= 32 or byte in b"\t\r\n" for byte in start)
