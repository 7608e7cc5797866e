"""The whole program on disks and folders that give it nothing: it starts, chats, and says so."""

import contextlib
import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.core import paths
from app.core.launch import child_environment
from tests.helpers.models_kit import put_models
from tests.helpers.privileges import WITHOUT_PRIVILEGES

SCRIPT = Path(__file__).parents[1] / "helpers" / "watched_window.py"
PATIENCE_S = 120
linux = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="mounts and gives up rights in Linux's way")


def run(home: Path, journal: Path) -> dict[str, list[str]]:
    """Run the program once with this profile; what it said, by kind."""
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT_PRIVILEGES, sys.executable, str(SCRIPT), str(journal)],
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        env=child_environment() | {"OUTPACE_HOME": str(home), "QT_QPA_PLATFORM": "offscreen"},
        check=False,
    )
    if "prctl: " in done.stderr:
        pytest.skip("the administrator's rights cannot be given up here")
    assert "Traceback" not in done.stderr, done.stderr[-3000:]
    assert done.returncode == 0, done.stderr[-3000:]
    said: dict[str, list[str]] = {"notice": [], "loaded": [], "models": []}
    for line in journal.read_text(encoding="utf-8").splitlines():
        kind, text = json.loads(line)
        said[kind].append(text)
    assert said["loaded"] == [str(paths.demo_pair()[0])]
    assert len(said["models"]) == 1
    return said


@pytest.fixture
def full_disk(tmp_path: Path) -> Iterator[Path]:
    folder = tmp_path / "voll ü 满"
    folder.mkdir()
    mounted = shutil.which("mount") and subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(folder)], capture_output=True, check=False
    )
    if not mounted or mounted.returncode:
        pytest.skip("a small disk cannot be mounted here (needs root)")
    (folder / "profile").mkdir()
    with contextlib.suppress(OSError):
        (folder / "filler").write_bytes(bytes(2 << 20))
    assert shutil.disk_usage(folder).free == 0
    yield folder
    subprocess.run(["umount", str(folder)], check=True)


@linux
def test_no_byte_is_free(full_disk: Path, tmp_path: Path) -> None:
    said = run(full_disk / "profile", tmp_path / "journal")
    assert any("The disk is full" in notice for notice in said["notice"])
    assert "0 B free on disk" in said["models"][0]
    assert "outpace-demo-target" in said["models"][0]
    assert not [path for path in (full_disk / "profile").rglob("*") if path.suffix in (".part", ".tmp")]


@linux
def test_a_models_folder_that_cannot_be_written_and_a_file_in_it_that_cannot_be_read(tmp_path: Path) -> None:
    home = tmp_path / "Profil für alle 用户"
    models = home / "data" / "models"
    good, secret = put_models(models, "Good.gguf", "Secret draft.gguf")
    # Copies, since the demo pair itself must stay readable.
    for path in (good, secret):
        data = path.read_bytes()
        path.unlink()
        path.write_bytes(data)
    secret.chmod(0)
    models.chmod(0o555)
    try:
        said = run(home, tmp_path / "journal")
    finally:
        models.chmod(0o755)
    shown = said["models"][0]
    assert "nothing can be put into the models folder" in shown
    assert f'You are not allowed to read "{secret}".' in shown
    assert "Good: " in shown
    assert {path.name for path in models.iterdir()} == {"Good.gguf", "Secret draft.gguf"}
