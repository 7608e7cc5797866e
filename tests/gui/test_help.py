"""The About box and the report about a problem."""

import json
import os
import subprocess
import sys

import pytest
from PySide6.QtCore import QObject
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QMainWindow, QPushButton

from app import __version__, bootstrap
from app.chat.banner import Banner
from app.core import paths
from app.ui.help_menu import HelpMenu


@pytest.fixture
def window(qtbot) -> QMainWindow:
    made = QMainWindow()
    made.resize(1000, 700)
    qtbot.addWidget(made)
    made.show()
    return made


@pytest.fixture
def helpful(window) -> HelpMenu:
    return HelpMenu(window, lambda detail: f"versions\n{detail}".strip())


def press(parent: QObject, words: str) -> None:
    (button,) = (found for found in parent.findChildren(QPushButton) if found.text() == words)
    button.click()


def test_about_shows_versions_and_the_licence_of_each_part(helpful) -> None:
    box = helpful.show_about()
    names = [box.rows.item(row).text() for row in range(box.rows.count())]
    assert any(name.startswith("numpy ") and "BSD" in name for name in names)
    box.rows.setCurrentRow(next(row for row, name in enumerate(names) if name.startswith("numpy ")))
    assert "Copyright" in box.text.toPlainText()
    box.rows.setCurrentRow(0)
    assert box.text.toPlainText() != ""
    press(box, "Copy versions")
    copied = QGuiApplication.clipboard().text()
    assert copied.startswith(f"Outpace {__version__}\nPython 3.")
    assert "llama-cpp-python 0." in copied
    box.reject()


def test_a_report_is_read_shortened_copied_and_saved(helpful, tmp_path) -> None:
    sheet = helpful.show_report("the traceback")
    assert sheet.text.toPlainText() == "versions\nthe traceback"
    sheet.text.setPlainText("only this, ümläut")
    press(sheet, "Copy")
    assert QGuiApplication.clipboard().text() == "only this, ümläut"
    sheet.save(str(tmp_path / "report.txt"))
    assert (tmp_path / "report.txt").read_text(encoding="utf-8") == "only this, ümläut"
    assert sheet.said.text() == "Saved as report.txt."
    sheet.save(str(tmp_path / "no such folder" / "report.txt"))
    assert sheet.said.text().startswith("It could not be saved there: ")
    sheet.reject()


def test_the_box_and_a_banner_lead_to_a_report(helpful, window) -> None:
    box = helpful.show_about()
    press(box, "Report a problem…")
    sheet = window.findChild(QObject, "report sheet")
    assert sheet.text.toPlainText() == "versions"
    sheet.reject()
    box.reject()
    helpful.obey_banner("dismiss", bootstrap._fault_banner("x"))
    helpful.obey_banner("report", None)
    helpful.obey_banner("report", Banner("error", "It broke.", detail="line 7"))
    sheets = [found for found in window.findChildren(QObject, "report sheet") if found.isVisible()]
    assert [found.text.toPlainText() for found in sheets] == ["versions\nIt broke.\nline 7"]
    sheets[0].reject()


WATCHED = """
import json
from PySide6.QtCore import QObject, QTimer
from app import bootstrap

class Watched(bootstrap.HelpMenu):
    def __init__(self, *arguments):
        super().__init__(*arguments)
        QTimer.singleShot(0, self._window, self.look)

    def look(self):
        window, seen = self._window, {}
        seen["banner"] = window.notes.banner.sentence
        seen["menu"] = [action.text() for action in window.top._more.menu().actions()][-2:]
        window.notes.action_chosen.emit("report")
        sheet = window.findChild(QObject, "report sheet")
        seen["report"] = sheet.text.toPlainText()
        seen["put away"] = window.notes.banner is None
        sheet.reject()
        window.close()
        print(json.dumps(seen))

bootstrap.HelpMenu = Watched
raise SystemExit(bootstrap.main([]))
"""


def test_the_window_has_both_and_tells_of_a_crash() -> None:
    """The program as it is started: after a crash it offers a report, from the menu it is there always."""
    logs = paths.find().logs
    logs.mkdir(parents=True)
    (logs / "window-crash.log").write_text("Fatal Python error: Segmentation fault\n", encoding="utf-8")
    environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen", "PYTHONPATH": str(paths.resources().parent)}
    done = subprocess.run(
        [sys.executable, "-c", WATCHED], env=environment, capture_output=True, text=True, timeout=120, check=False
    )
    said = [line for line in done.stderr.splitlines() if "This plugin does not support" not in line]
    assert (done.returncode, said) == (0, [])
    seen = json.loads(done.stdout)
    assert seen["banner"] == "Outpace ended unexpectedly last time."
    assert seen["menu"] == ["Report a problem…", "About Outpace"]
    assert "Fatal Python error: Segmentation fault" in seen["report"]
    assert seen["put away"] is True
