"""How dev.py gets uv, fills .venv, and compiles the engine no more often than it must."""

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

Script = Callable[[str, str], Path]
Calls = Callable[[], list[str]]


def test_a_new_enough_uv_on_the_path_is_used(environment: ModuleType, script: Script) -> None:
    uv = script("uv", "echo 'uv 0.13.9 (x86_64)'")
    assert environment.find_uv() == str(uv)


@pytest.mark.parametrize("answer", ["echo 'uv 0.4.30'", "exit 1", "echo nonsense"])
def test_an_old_or_broken_uv_is_not_used(
    environment: ModuleType, script: Script, monkeypatch: pytest.MonkeyPatch, answer: str
) -> None:
    script("uv", answer)

    def install(folder: Path) -> None:
        (folder / "bin").mkdir(parents=True)
        (folder / "bin" / "uv").write_text("", encoding="utf-8")

    monkeypatch.setattr(environment, "_install_uv", install)
    own = environment.find_uv()
    assert Path(own) == environment.cache_folder() / f"uv-{environment.UV_VERSION}" / "bin" / "uv"
    monkeypatch.setattr(environment, "_install_uv", lambda _: pytest.fail("installed twice"))
    assert environment.find_uv() == own


def test_a_uv_that_cannot_be_fetched_is_a_sentence(
    environment: ModuleType, script: Script, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", "")
    with pytest.raises(environment.SetupError) as caught:
        environment.find_uv()
    text = str(caught.value)
    assert text.startswith("uv could not be installed with pip:\n")
    assert "No matching distribution found for uv==" in text or "No module named pip" in text
    assert "Check the network connection. The whole log: " in text


def test_a_python_without_venv_and_pip_needs_a_package(
    environment: ModuleType, script: Script, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert environment.uv_packages() == []
    monkeypatch.setattr(environment.importlib.util, "find_spec", lambda name: None)
    assert environment.uv_packages() == [f"python{sys.version_info.major}.{sys.version_info.minor}-venv"]
    script("uv", "exit 0")
    assert environment.uv_packages() == []


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    root = tmp_path / "checkout"
    root.mkdir()
    (root / "pyproject.toml").write_text('[project]\ndependencies = ["llama-cpp-python==1.2.3"]\n', encoding="utf-8")
    return root


def install_engine(root: Path, version: str, cmake_arguments: str | None) -> None:
    folder = root / ".venv" / "lib" / "python3.11" / "site-packages" / f"llama_cpp_python-{version}.dist-info"
    folder.mkdir(parents=True, exist_ok=True)
    settings = {} if cmake_arguments is None else {"config_settings": {"cmake.args": cmake_arguments}}
    (folder / "uv_build.json").write_text(json.dumps(settings), encoding="utf-8")


def test_the_engine_counts_only_in_its_version_and_for_its_device(environment: ModuleType, checkout: Path) -> None:
    plain = environment.Environment(checkout, "none")
    cuda = environment.Environment(checkout, "cuda")
    assert not plain.has_engine()
    install_engine(checkout, "1.2.2", None)
    assert not plain.has_engine()
    install_engine(checkout, "1.2.3", None)
    assert plain.has_engine()
    assert not cuda.has_engine()
    install_engine(checkout, "1.2.3", "-DGGML_CUDA=on;-DCMAKE_CUDA_ARCHITECTURES=native")
    assert not plain.has_engine()
    assert cuda.has_engine()


def test_the_device_is_remembered_once_a_build_has_worked(environment: ModuleType) -> None:
    if sys.platform != "darwin":
        assert environment.choose_device("vulkan") == "vulkan"
        assert environment.choose_device(None) == "none"
        environment.remember_device("vulkan")
        assert environment.choose_device(None) == "vulkan"
    assert environment.choose_device("none") == "none"
    environment._device_file().parent.mkdir(parents=True, exist_ok=True)
    environment._device_file().write_text("abacus", encoding="utf-8")
    assert environment.choose_device(None) == "none"


def follow_script(monkeypatch: pytest.MonkeyPatch, environment: ModuleType, answers: list[int]) -> list[list[str]]:
    """Answers uv's calls one by one, and keeps what they ended with."""
    seen: list[list[str]] = []

    def follow(command: list[str], variables: dict[str, str], log: Path) -> int:
        seen.append(command[command.index("--project") + 2 :])
        log.write_text("error: it did not work\n", encoding="utf-8")
        return answers[len(seen) - 1]

    monkeypatch.setattr(environment, "follow", follow)
    monkeypatch.setattr(environment, "compiler_works", lambda: True)
    return seen


WITHOUT_ENGINE = ["--no-install-package", "llama-cpp-python"]


def test_what_the_cache_has_is_not_fetched(
    environment: ModuleType, checkout: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = follow_script(monkeypatch, environment, [0])
    environment.Environment(checkout, "none").sync("uv", development=True)
    assert seen == [["--python", sys.executable, "--offline"]]


def test_the_engine_is_compiled_only_when_the_cache_has_none(
    environment: ModuleType, checkout: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = follow_script(monkeypatch, environment, [1, 0, 1, 0])
    (checkout / ".venv" / "bin").mkdir(parents=True)
    (checkout / ".venv" / "bin" / "python").write_text("", encoding="utf-8")
    environment.Environment(checkout, "none").sync("uv", development=False)
    run = ["--no-dev", "--inexact"]
    assert seen == [[*run, "--offline"], [*run, *WITHOUT_ENGINE], [*run, "--offline"], run]


def test_a_device_is_a_setting_of_the_build_that_uv_notices(
    environment: ModuleType, checkout: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = follow_script(monkeypatch, environment, [0])
    monkeypatch.setattr(environment, "require_device_compiler", lambda device: {})
    environment.Environment(checkout, "vulkan").sync("uv", development=True)
    assert seen[0][:2] == ["--config-settings-package", "llama-cpp-python:cmake.args=-DGGML_VULKAN=on"]
    assert environment.choose_device(None) == "vulkan"


def test_with_an_engine_two_steps_are_enough(
    environment: ModuleType, checkout: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install_engine(checkout, "1.2.3", None)
    seen = follow_script(monkeypatch, environment, [1, 1])
    with pytest.raises(environment.SetupError, match=r"^The packages could not be set up in \.venv"):
        environment.Environment(checkout, "none").sync("uv", development=True)
    assert len(seen) == 2


def test_rebuilding_forgets_what_was_compiled(
    environment: ModuleType, checkout: Path, script: Script, calls: Calls
) -> None:
    uv = script("uv", 'echo "$@" >> "$CALLS"')
    environment.Environment(checkout, "none").forget_engine(str(uv))
    assert calls() == ["cache clean llama-cpp-python"]
    (checkout / ".venv" / "bin").mkdir(parents=True)
    python = checkout / ".venv" / "bin" / "python"
    python.write_text("", encoding="utf-8")
    environment.Environment(checkout, "none").forget_engine(str(uv))
    assert calls()[-1] == f"pip uninstall --python {python} llama-cpp-python"
    script("uv", "echo 'error: the cache is locked'; exit 2")
    with pytest.raises(environment.SetupError, match="the cache is locked"):
        environment.Environment(checkout, "none").forget_engine(str(uv))


def test_a_missing_compiler_is_said_before_uv_is_asked(
    environment: ModuleType, checkout: Path, monkeypatch: pytest.MonkeyPatch, script: Script
) -> None:
    seen = follow_script(monkeypatch, environment, [])
    monkeypatch.setattr(environment, "compiler_works", lambda: False)
    with pytest.raises(environment.SetupError, match="there is no working C\\+\\+ compiler"):
        environment.Environment(checkout, "none").sync("uv", development=True)
    assert seen == []


def test_a_real_process_is_followed(
    environment: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    noise = "DEBUG x\nDownloading big (9MiB)\n   Building llama-cpp-python==1.2.3\nDEBUG [7/193] cc -c a.c\nerror: no\n"
    log = tmp_path / "log"
    code = f"import os, sys; sys.stdout.write({noise!r}); sys.exit(3)"
    assert environment.follow([sys.executable, "-c", code], dict(os.environ), log) == 3
    assert log.read_text(encoding="utf-8") == noise
    assert capsys.readouterr() == (
        "",
        "Fetching packages\nCompiling the engine; this takes some minutes, once for this machine\n"
        "  7 of 193 files, 0 s\n",
    )
