"""Links in answers: shown whole before anything opens."""

from PySide6.QtCore import QCoreApplication, QUrl
from PySide6.QtGui import QDesktopServices, QGuiApplication
from PySide6.QtWidgets import QMessageBox, QWidget

_SAFE_SCHEMES = ("http", "https", "mailto")
_LINE, _LONGEST = 44, 1500


def ask(link: str, parent: QWidget) -> QMessageBox | None:
    """Ask whether to open a link; None for what is never opened. A model may write any address under any words."""
    url = QUrl(link)
    if url.scheme().lower() not in _SAFE_SCHEMES:
        return None
    translate = QCoreApplication.translate
    box = QMessageBox(parent)
    box.setWindowTitle(translate("links", "Open a link"))
    box.setTextFormat(box.textFormat().PlainText)
    if url.scheme().lower() == "mailto":
        box.setText(translate("links", "Write to this address?"))
    else:
        box.setText(translate("links", "Open this page of {0} in the browser?").format(url.host()))
    box.setInformativeText(_in_lines(link))
    go = box.addButton(translate("links", "Open"), QMessageBox.ButtonRole.AcceptRole)
    copy = box.addButton(translate("links", "Copy address"), QMessageBox.ButtonRole.ActionRole)
    stay = box.addButton(translate("links", "Cancel"), QMessageBox.ButtonRole.RejectRole)
    for button, name in ((go, "open link"), (copy, "copy link"), (stay, "keep link")):
        button.setObjectName(name)
    box.setDefaultButton(stay)
    box.setEscapeButton(stay)
    go.clicked.connect(lambda _checked=False: QDesktopServices.openUrl(url))
    copy.clicked.connect(lambda _checked=False: QGuiApplication.clipboard().setText(link))
    box.finished.connect(lambda _code: box.deleteLater())
    box.open()
    return box


def _in_lines(link: str) -> str:
    """An address without spaces would make the box as wide as itself."""
    shown = link if len(link) <= _LONGEST else f"{link[:_LONGEST]}…"
    return "\n".join(shown[at : at + _LINE] for at in range(0, len(shown), _LINE))
