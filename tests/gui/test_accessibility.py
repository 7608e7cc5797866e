"""Every control of every screen: it has a name and a role, and the keyboard comes to it."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PATIENCE_S = 500
SCREENS = {
    *("empty chat", "chat", "ink", "find", "panel", "list", "connections", "compare"),
    *("models 0", "models 1", "models 2", "models 3"),
    *("shortcuts", "commands", "about", "report", "answer", "link"),
}
OF_OTHER_MESSAGES = "MessageView"
"""Only one message is in the way of the Tab key; Alt+Up and Alt+Down go to the others (test_transcript_keyboard)."""


@pytest.fixture(scope="module")
def screens(tmp_path_factory) -> dict[str, list[dict[str, object]]]:
    """The controls of each screen of the program, as it runs in a process of its own."""
    home = tmp_path_factory.mktemp("home")
    environment = {**os.environ, "OUTPACE_HOME": str(home), "QT_QPA_PLATFORM": "offscreen", "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, "-m", "tests.helpers.tour", "audit"],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-4000:]
    assert "Traceback" not in done.stderr, done.stderr[-4000:]
    lines = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    return {line["screen"]: line["controls"] for line in lines}


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_the_tour_sees_every_screen(screens) -> None:
    assert set(screens) == SCREENS
    assert all(screens.values())
    assert len(screens["chat"]) > 25


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_every_control_has_a_name_and_a_role(screens) -> None:
    poor = {
        f"{screen}: {control['what']}"
        for screen, controls in screens.items()
        for control in controls
        if not str(control["name"]).strip() or control["role"] in ("", "NoRole", "Client", "Pane")
    }
    assert not poor


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_the_keyboard_comes_to_every_control(screens) -> None:
    unreached = {
        f"{screen}: {control['what']}"
        for screen, controls in screens.items()
        for control in controls
        if not control["reached"] and not (OF_OTHER_MESSAGES in control["what"] and control["policy"] == "ClickFocus")
    }
    assert not unreached
    for screen in ("chat", "ink"):
        inside = [control for control in screens[screen] if OF_OTHER_MESSAGES in control["what"]]
        assert any(control["reached"] for control in inside), screen
