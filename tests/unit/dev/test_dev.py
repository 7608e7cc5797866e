"""The driver packaging/dev.py: its arguments and its own mistakes."""

import ast
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[3]
DEV = ROOT / "packaging" / "dev.py"
Script = Callable[[str, str], Path]


def test_older_pythons_can_parse_the_file() -> None:
    ast.parse(DEV.read_text(encoding="utf-8"), feature_version=(3, 7))


@pytest.mark.parametrize(("newer", "advice"), [("python3.12", "Use python3.12 packaging/dev.py ..."), ("", "Install")])
def test_an_older_python_gets_a_sentence(script: Script, newer: str, advice: str) -> None:
    if newer:
        script(newer, "exit 0")
    code = (
        "import sys; sys.version_info = (3, 9, 2, 'final', 0); sys.version = '3.9.2 (main)';"
        "sys.argv = ['packaging/dev.py', 'run']; exec(compile(open(sys.argv[0]).read(), 'dev.py', 'exec'))"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=60)
    assert done.returncode == 1
    assert done.stderr.startswith("Outpace needs Python 3.11 or newer; this is 3.9.2. " + advice)
    assert "Traceback" not in done.stderr


def test_arguments_that_are_not_its_own_are_passed_on(dev: ModuleType) -> None:
    own, rest = dev._parse(["test", "tests/unit/test_x.py", "-k", "a and b", "-x"])
    assert (own.command, own.gpu, rest) == ("test", None, ["tests/unit/test_x.py", "-k", "a and b", "-x"])
    own, rest = dev._parse(["run", "--gpu", "cuda", "--gpu-layers", "3", "--", "--gpu", "none", "--help"])
    assert (own.command, own.gpu, rest) == ("run", "cuda", ["--gpu-layers", "3", "--gpu", "none", "--help"])


def test_an_unknown_command_is_a_usage_error(dev: ModuleType, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stop:
        dev.main(["fly"])
    assert stop.value.code == 2
    assert "invalid choice: 'fly'" in capsys.readouterr().err


@pytest.mark.skipif(sys.platform == "darwin", reason="there it can be built for Metal")
def test_metal_is_refused_elsewhere_and_not_remembered(
    dev: ModuleType, environment: ModuleType, capsys: pytest.CaptureFixture[str]
) -> None:
    assert dev.main(["run", "--gpu", "metal"]) == 1
    assert "cannot be built for metal on this system. Choose cuda, vulkan or none." in capsys.readouterr().err
    assert environment.choose_device(None) == "none"


def test_a_benchmark_that_does_not_exist(dev: ModuleType, environment: ModuleType) -> None:
    with pytest.raises(dev.SetupError, match=r"^There is no benchmark called 'nix'\. These exist: "):
        dev._bench(environment.Environment(ROOT, "none"), ["nix"])
