"""The checks of conftest.py find what they are there to find: one pytest run over careless tests."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

CARELESS = """
import logging, os, threading
import pytest
from pathlib import Path
from PySide6.QtCore import QObject, QProcess, QPropertyAnimation, QThread, QTimer
from PySide6.QtWidgets import QWidget
from hypothesis import given, strategies as st
from app.core import log, paths

kept = []

def test_thread_leaks():
    stop = threading.Event()
    kept.append(stop)
    threading.Thread(target=stop.wait, name="forgotten-thread", daemon=True).start()

def test_qthread_leaks(qapp):
    thread = QThread(objectName="forgotten-qthread")
    kept.append(thread)
    thread.start()

def test_timer_leaks(qapp):
    timer = QTimer(objectName="forgotten-timer")
    timer.start(1000)
    kept.append(timer)

def test_process_leaks(qtbot):
    process = QProcess(objectName="forgotten-process")
    kept.append(process)
    process.start("sleep", ["30"])
    assert process.waitForStarted()

def test_widget_leaks(qtbot):
    widget = QWidget(objectName="forgotten-widget")
    kept.append(widget)

def test_animation_leaks(qtbot):
    owner = QObject()
    animation = QPropertyAnimation(owner, b"objectName", objectName="forgotten-animation")
    animation.setStartValue("a")
    animation.setEndValue("b")
    animation.setDuration(60000)
    animation.start()
    kept.extend([owner, animation])

def test_log_surprise():
    log.configure(None, "test", stream=None)
    log.get("engine").warning("the roof is on fire")

def test_log_missing(expect_log):
    expect_log("never said")

def test_tidy_widget(qtbot):
    widget = QWidget()
    qtbot.addWidget(widget)
    widget.setMinimumSize(100, 100)
    timer = QTimer(widget)
    timer.start(5)
    widget.show()
    qtbot.waitUntil(lambda: widget.isVisible())

def test_tidy_thread():
    thread = threading.Thread(target=lambda: None)
    thread.start()

def test_tidy_log(expect_log, tmp_path):
    log.configure(tmp_path, "test", stream=None)
    expect_log("roof")
    log.get("engine").error("the roof is on fire")

@given(st.text(st.characters(codec="utf-8")))
def test_tidy_property(text):
    assert text.encode("utf-8").decode("utf-8") == text

def test_tidy_profile(tmp_path):
    home = Path(os.environ[paths.HOME_VARIABLE])
    assert home.is_dir() and home != tmp_path and not any(home.iterdir())
"""


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> str:
    file = tmp_path_factory.mktemp("careless") / "test_careless.py"
    file.write_text(CARELESS, encoding="utf-8")
    command = [sys.executable, "-m", "pytest", "-c", str(ROOT / "pyproject.toml"), "--rootdir", str(file.parent)]
    command += ["-p", "tests.conftest", "-p", "no:cacheprovider", "-v", str(file)]
    done = subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, timeout=120, env={**os.environ, "PYTHONPATH": str(ROOT)}
    )
    return done.stdout + done.stderr


@pytest.mark.parametrize(
    ("name", "evidence"),
    [
        ("thread", r"thread 'forgotten-thread' \(Thread\), now at:"),
        ("qthread", "QThread 'forgotten-qthread' of nobody is running"),
        ("timer", "QTimer 'forgotten-timer' of nobody is active, every 1000 ms"),
        ("process", r"QProcess 'forgotten-process' of nobody runs sleep \['30'\]"),
        ("widget", "top-level QWidget 'forgotten-widget'"),
        ("animation", "QPropertyAnimation 'forgotten-animation' of nobody is running"),
    ],
)
def test_a_leak_fails_the_test_and_is_named(report: str, name: str, evidence: str) -> None:
    assert re.search(f"test_{name}_leaks ERROR", report), report
    assert re.search(evidence, report), report


def test_a_surprising_log_line_fails_the_test(report: str) -> None:
    assert "test_log_surprise ERROR" in report
    assert "WARNING outpace.engine: the roof is on fire" in report


def test_an_expected_log_line_that_never_comes_fails_the_test(report: str) -> None:
    assert "test_log_missing ERROR" in report
    assert "expected log lines that never came: ['never said']" in report


def test_nothing_else_fails(report: str) -> None:
    assert re.search(r"13 passed, 8 errors in", report), report
