"""Code of an answer into a file."""

from pathlib import Path

from PySide6.QtCore import QCoreApplication, QIODevice, QSaveFile, Qt
from PySide6.QtWidgets import QFileDialog, QWidget

from app.chat.banner import Banner


def file_name(language: str) -> str:
    """A name for code in this language, as the word after the fence says it: "code.py", or "code.txt"."""
    from pygments.lexers import get_lexer_by_name
    from pygments.util import ClassNotFound

    try:
        patterns = get_lexer_by_name(language).filenames if language else []
    except ClassNotFound:
        patterns = []
    endings = (pattern.removeprefix("*") for pattern in patterns)
    return "code" + next((ending for ending in endings if ending.startswith(".") and ending[1:].isalnum()), ".txt")


def ask(language: str, parent: QWidget) -> QFileDialog:
    """A dialog for where to, shown already; its `fileSelected` brings the path."""
    dialog = QFileDialog(parent, QCoreApplication.translate("code", "Save the code"), str(Path.home()))
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
    dialog.selectFile(file_name(language))
    dialog.open()
    return dialog


def save(code: str, path: Path) -> Banner:
    """Write the code, exactly as it is, in one step; what to say about it."""
    translate = QCoreApplication.translate
    file = QSaveFile(str(path))
    if file.open(QIODevice.OpenModeFlag.WriteOnly):
        file.write(code.encode("utf-8", "surrogateescape"))
        if file.commit():
            return Banner("info", translate("code", "The code is saved as {0}.").format(path.name))
    sentence = translate("code", "{0} could not be written ({1}).").format(path.name, file.errorString())
    return Banner("error", sentence, translate("code", "Choose another folder."))
