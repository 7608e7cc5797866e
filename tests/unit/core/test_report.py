"""Reports about problems, and what the program is made of."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from app import __version__
from app.core import parts, paths, report

CRASH = "import faulthandler, sys; faulthandler.enable(open(sys.argv[1], 'a')); faulthandler._sigsegv()"


@pytest.fixture
def folders(tmp_path: Path) -> paths.Paths:
    made = paths.below(tmp_path)
    made.logs.mkdir(parents=True)
    return made


def test_a_crash_is_told_once_and_stays_in_the_report(folders: paths.Paths) -> None:
    for name in ("window", "engine"):
        (folders.logs / f"{name}-crash.log").touch()
    assert report.keep_crashes(folders.logs) == ()
    subprocess.run([sys.executable, "-c", CRASH, str(folders.logs / "window-crash.log")], check=False)
    assert report.keep_crashes(folders.logs) == ("window",)
    assert report.keep_crashes(folders.logs) == ()
    text = report.compose(folders)
    assert "--- Crash of the window ---\nFatal Python error: Segmentation fault" in text


def test_without_a_folder_for_logs_there_is_no_crash_and_still_a_report(tmp_path: Path) -> None:
    nowhere = paths.below(tmp_path / "nothing" / "here")
    assert report.keep_crashes(nowhere.logs) == ()
    text = report.compose(nowhere, "what is known")
    assert text.startswith(f"Outpace {__version__} (from source)\nSystem: ")
    assert "PySide6 6." in text
    assert "llama-cpp-python 0." in text
    assert text.endswith("--- What is known ---\nwhat is known\n")


def test_only_the_end_of_long_logs_is_told_in_whole_lines(folders: paths.Paths) -> None:
    lines = [f"line {number} of the log, ümlauts and all" for number in range(5000)]
    (folders.logs / "engine.log").write_text("\n".join(lines) + "\n", encoding="utf-8")
    body = report.compose(folders).partition("--- Log of the engine ---\n")[2].splitlines()
    assert 100 < len(body) < 1000
    assert body == lines[-len(body) :]


def test_names_of_people_are_replaced(folders: paths.Paths, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Path, "home", lambda: Path("/data/anna"))
    other = "/ho" + "me/berta/models/x.gguf"
    (folders.logs / "window.log").write_text(f"/data/anna/models/y.gguf {other}", encoding="utf-8")
    text = report.compose(folders)
    assert "anna" not in text
    assert "berta" not in text
    assert "~/models/y.gguf" in text
    assert "/someone/models/x.gguf" in text


def test_the_parts_of_a_checkout_have_versions_and_licences() -> None:
    listed = {part.name: part for part in parts.parts()}
    assert listed["Python"].version == sys.version.split()[0]
    assert listed["numpy"].version
    assert "BSD" in listed["numpy"].licence
    assert "Copyright" in parts.licence_text(listed["Jinja2"] if "Jinja2" in listed else listed["numpy"])
    assert parts.licence_text(parts.Part("no-such-part", "1", "")) == ""
    assert parts.version_of("numpy") == listed["numpy"].version
    assert parts.version_of("no-such-part") == ""


def test_the_parts_of_a_package_are_those_it_lists(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "licences"
    folder.mkdir()
    (folder / "zlib.txt").write_text("Permission is granted", encoding="utf-8")
    listed = [
        {"name": "zlib", "version": "1.3", "licence": "Zlib", "file": "zlib.txt"},
        {"name": "lost", "version": "1", "licence": "MIT", "file": "lost.txt"},
    ]
    (folder / "parts.json").write_text(json.dumps(listed), encoding="utf-8")
    monkeypatch.setattr(paths, "resources", lambda: tmp_path)
    zlib, lost = parts.parts()
    assert (zlib.name, parts.licence_text(zlib), parts.licence_text(lost)) == ("zlib", "Permission is granted", "")
    (folder / "parts.json").write_text("[{", encoding="utf-8")
    assert parts.parts()[0].name == "Python"
