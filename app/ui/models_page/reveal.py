"""Showing a file in the file manager of the system."""

import sys
from pathlib import Path

from PySide6.QtCore import QProcess, QUrl
from PySide6.QtGui import QDesktopServices

_SYSTEM: str = sys.platform  # a plain string: type checkers would skip the code of other systems


def reveal(path: Path) -> None:
    """Open the folder of a file, with the file chosen where the system can do that; a folder is opened itself."""
    if _SYSTEM == "win32" and path.suffix:
        QProcess.startDetached("explorer.exe", ["/select,", str(path)])
    elif _SYSTEM == "darwin" and path.suffix:
        QProcess.startDetached("/usr/bin/open", ["-R", str(path)])
    else:
        folder = path.parent if path.suffix else path
        QDesktopServices.openUrl(QUrl.fromLocalFile(str(folder)))
