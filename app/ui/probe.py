"""Whether Qt can be started here, printed as one JSON line: a child of the doctor, which may abort."""

import ctypes
import json
import sys
from pathlib import Path

import PySide6
from PySide6.QtCore import qVersion
from PySide6.QtWidgets import QApplication


def main() -> int:
    """Start Qt without a display and print what `doctor_children.QtFacts` holds.

    After that the plugin for a real display is loaded as well: what it lacks, Qt itself never says correctly.
    """
    application = QApplication([])
    plugin = Path(PySide6.__file__).parent / "Qt" / "plugins" / "platforms" / "libqxcb.so"
    display = ""
    if plugin.exists():
        try:
            ctypes.CDLL(str(plugin))
        except OSError as error:
            display = str(error)
    facts = {"version": PySide6.__version__, "qt": qVersion(), "display": display}
    sys.stdout.write(json.dumps(facts) + "\n")
    del application
    return 0
