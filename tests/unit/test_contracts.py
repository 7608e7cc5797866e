"""The towers stand apart: the import contracts hold, and each side really runs without the other's libraries."""

import pkgutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
WITHOUT_QT = ("core", "protocol", "engine", "chat", "comparison", "store", "hub")
WINDOW = ("core", "protocol", "chat", "comparison", "store", "hub", "bridge", "ui")


def run(code: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=120)


def modules(packages: tuple[str, ...]) -> list[str]:
    names = []
    for package in packages:
        names.append(f"app.{package}")
        folder = str(ROOT / "app" / package)
        names += [module.name for module in pkgutil.walk_packages([folder], f"app.{package}.")]
    return names


def import_all(names: list[str], blocked: tuple[str, ...]) -> subprocess.CompletedProcess[str]:
    """Import modules in a child where importing any of `blocked` is an ImportError."""
    return run(
        f"import importlib, sys\n"
        f"for name in {blocked!r}: sys.modules[name] = None\n"
        f"for name in {names!r}: importlib.import_module(name)\n"
        f"print('imported', {len(names)})"
    )


def test_the_import_contracts_hold() -> None:
    tool = Path(sys.executable).with_name("lint-imports")
    done = subprocess.run([str(tool), "--no-logo"], cwd=ROOT, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr


def test_blocking_a_library_works() -> None:
    done = run("import sys; sys.modules['PySide6'] = None; import PySide6.QtCore")
    assert done.returncode == 1
    assert "ModuleNotFoundError" in done.stderr


def test_everything_below_the_bridge_runs_without_qt() -> None:
    names = [*modules(WITHOUT_QT), "app.cli"]
    assert "app.engine.ports" in names
    done = import_all(names, ("PySide6", "shiboken6"))
    assert done.returncode == 0, done.stderr
    assert done.stdout == f"imported {len(names)}\n"


def test_the_window_runs_without_the_engine() -> None:
    """A machine whose engine did not compile still gets a window that explains it."""
    names = [*modules(WINDOW), "app.bootstrap"]
    done = import_all(names, ("llama_cpp", "app.engine"))
    assert done.returncode == 0, done.stderr
    assert done.stdout == f"imported {len(names)}\n"


@pytest.mark.parametrize(("module", "unwanted"), [("app.engine.worker", "PySide6"), ("app.bootstrap", "llama_cpp")])
def test_a_process_does_not_pay_for_the_other_side(module: str, unwanted: str) -> None:
    done = run(f"import sys, {module}; print([n for n in sys.modules if n.split('.')[0] == {unwanted!r}])")
    assert done.returncode == 0, done.stderr
    assert done.stdout == "[]\n"
