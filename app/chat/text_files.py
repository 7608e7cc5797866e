"""Files as attachments: what is text, and what is not."""

import codecs
from pathlib import Path

from app.chat.attachments import Attachment
from app.core.errors import EnvironmentFault, UserError

MOST_BYTES = 4 * 1024 * 1024
_HINT_SIZE = "Attach a part of it, or paste the text you mean."
_BOMS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_CONTROLS = frozenset(map(chr, range(32))) - set("\t\n\r\f\x1b\b")


def read_attachment(path: Path) -> Attachment:
    """The text of a file.

    Raises:
        UserError: it is empty, not text, or too large; a folder.
        EnvironmentFault: it cannot be read.
    """
    name = path.name or str(path)
    try:
        if path.is_dir():
            raise UserError("no_text", f"{name} is a folder.", "Attach the files in it that matter.")
        if not path.is_file() and path.exists():
            raise UserError("no_text", f"{name} is no ordinary file, so it cannot be attached.")
        size = path.stat().st_size
        if size > MOST_BYTES:
            sentence = f"{name} is too large to attach ({size / 1e6:,.1f} MB; at most {MOST_BYTES / 1e6:.0f} MB)."
            raise UserError("too_large", sentence, _HINT_SIZE)
        content = path.read_bytes()
    except OSError as error:
        sentence = f"{name} cannot be read ({error.strerror or error})."
        raise EnvironmentFault("not_attached", sentence, detail=repr(error)) from error
    text = _decoded(content)
    if text is None:
        raise UserError("no_text", f"{name} is not text, so the model cannot read it.", "Attach text or source files.")
    if not text.strip():
        raise UserError("no_text", f"{name} is empty.")
    return Attachment(name=name, text=text)


def _decoded(content: bytes) -> str | None:
    encoding = next((name for mark, name in _BOMS if content.startswith(mark)), "utf-8")
    try:
        text = content.decode(encoding)
    except UnicodeDecodeError:
        # Old Windows text. Every byte means something there, so what looks like a program has to be told by its signs.
        text = content.decode("cp1252", "replace")
        if text.count("\ufffd") > len(text) / 100:
            return None
    return None if any(sign in _CONTROLS for sign in text) else text.replace("\r\n", "\n")
