"""What the tests of packaging/dev.py share: its modules, an empty cache folder, and scripts on an empty PATH."""

import importlib
import os
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[3]

Script = Callable[[str, str], Path]


@pytest.fixture(autouse=True)
def _alone(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """An empty cache folder, no compilers by environment, and packaging/ importable as dev.py sees it."""
    if os.name != "posix":
        pytest.skip("stands in for programs with shell scripts")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    for name in ("CC", "CXX", "CUDA_PATH"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.syspath_prepend(str(ROOT / "packaging"))


@pytest.fixture
def system() -> ModuleType:
    return importlib.import_module("dev_system")


@pytest.fixture
def environment() -> ModuleType:
    return importlib.import_module("dev_environment")


@pytest.fixture
def dev() -> ModuleType:
    return importlib.import_module("dev")


@pytest.fixture
def script(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Script:
    """Puts a shell script on an otherwise empty PATH; what it appends to the file $CALLS, `calls` gives back."""
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", str(folder))
    monkeypatch.setenv("CALLS", str(tmp_path / "calls"))

    def make(name: str, body: str) -> Path:
        path = folder / name
        path.write_text(f"#!/bin/sh\n{body}\n", encoding="utf-8")
        path.chmod(0o755)
        return path

    return make


@pytest.fixture
def calls(tmp_path: Path) -> Callable[[], list[str]]:
    file = tmp_path / "calls"
    return lambda: file.read_text(encoding="utf-8").splitlines() if file.exists() else []
