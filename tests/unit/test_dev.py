"""The driver packaging/dev.py: what it asks of the machine, and its sentences when something is missing."""

import ast
import importlib
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[2]
DEV = ROOT / "packaging" / "dev.py"

pytestmark = pytest.mark.skipif(os.name != "posix", reason="stands in for programs with shell scripts")

Script = Callable[[str, str], Path]


@pytest.fixture(autouse=True)
def _alone(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """An empty cache folder, no compilers or uv by environment, and packaging/ importable as dev.py sees it."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    for name in ("CC", "CXX", "CUDA_PATH"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.syspath_prepend(str(DEV.parent))


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
    """Puts a shell script on an otherwise empty PATH; it can append to the file $CALLS."""
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


def calls(tmp_path: Path) -> list[str]:
    file = tmp_path / "calls"
    return file.read_text(encoding="utf-8").splitlines() if file.exists() else []


# --- dev.py -----------------------------------------------------------------------------------------------------------


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


# --- system packages --------------------------------------------------------------------------------------------------


def test_only_missing_packages_are_named_and_renamed_ones_count(system: ModuleType, script: Script) -> None:
    script(
        "dpkg-query",
        "echo 'libglib2.0-0t64 installed'; echo 'libgl1 installed'; echo 'libegl1 config-files'; "
        "echo 'dpkg-query: no packages found matching x' >&2; exit 1",
    )
    assert system.missing_packages(["libglib2.0-0", "libgl1", "libegl1", "xvfb"]) == ["libegl1", "xvfb"]


@pytest.mark.skipif(not Path("/usr/bin/dpkg-query").exists(), reason="not a Debian")
def test_the_real_dpkg_is_understood(system: ModuleType) -> None:
    assert system.missing_packages(["dpkg", "no-such-package-as-this"]) == ["no-such-package-as-this"]


def test_without_root_it_says_the_one_command(
    system: ModuleType, script: Script, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    script("dpkg-query", "echo 'libgl1 installed'")
    script("apt-get", 'echo "$@" >> "$CALLS"')
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    with pytest.raises(system.SetupError) as caught:
        system.ensure_packages(["libgl1", "libegl1", "xvfb"])
    assert "\n  sudo apt-get install -y --no-install-recommends libegl1 xvfb\n" in str(caught.value)
    assert calls(tmp_path) == []


def test_as_root_it_installs_what_is_missing(
    system: ModuleType,
    script: Script,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    script("dpkg-query", "echo 'libgl1 installed'")
    script("apt-get", 'echo "$DEBIAN_FRONTEND $@" >> "$CALLS"; [ "$1" = install ] || exit 100; echo noise')
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    system.ensure_packages(["libgl1", "libegl1"])
    assert calls(tmp_path) == [
        "noninteractive update",
        "noninteractive install -y --no-install-recommends libegl1",
    ]
    assert capsys.readouterr() == ("", "Installing system packages: libegl1\n")


def test_a_failed_installation_shows_its_last_lines(
    system: ModuleType, script: Script, monkeypatch: pytest.MonkeyPatch
) -> None:
    script("dpkg-query", "exit 1")
    script("apt-get", "echo first; for i in 1 2 3 4; do echo line; done; echo 'E: Unable to locate'; exit 100")
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    with pytest.raises(system.SetupError) as caught:
        system.ensure_packages(["libegl1"])
    text = str(caught.value)
    assert text.startswith("The system packages could not be installed. This failed:\n  apt-get install")
    assert "    E: Unable to locate\n" in text
    assert "first" not in text
    assert Path(text.rsplit("The whole log: ")[1]).read_text(encoding="utf-8").startswith("first")


def test_nothing_is_asked_where_there_is_no_apt(system: ModuleType, script: Script) -> None:
    system.ensure_packages(["libegl1"])


def test_tests_need_a_display_server_and_fonts_and_the_app_does_not(
    system: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(system, "compiler_works", lambda: False)
    assert "xvfb" in system.packages_for("test", "none", compiler=False)
    assert "xvfb" not in system.packages_for("run", "none", compiler=False)
    assert "build-essential" not in system.packages_for("run", "none", compiler=False)
    assert "build-essential" in system.packages_for("run", "none", compiler=True)
    assert "glslc" in system.packages_for("run", "vulkan", compiler=True)


def test_an_unwritable_cache_is_a_sentence(system: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("", encoding="utf-8")
    monkeypatch.setenv("XDG_CACHE_HOME", str(blocked))
    with pytest.raises(system.SetupError, match=r"cannot be written to .*Make it writable"):
        system.log_file("uv")


# --- compilers --------------------------------------------------------------------------------------------------------


def test_no_compiler(system: ModuleType, script: Script) -> None:
    assert not system.compiler_works()


def test_a_compiler_without_headers_is_none(system: ModuleType, script: Script) -> None:
    script("cc", "exit 0")
    script("c++", "cat > /dev/null; exit 1")
    assert system.compilers() == {"CC": "cc", "CXX": "c++"}
    assert not system.compiler_works()


def test_a_compiler_with_options_from_the_environment(
    system: ModuleType, script: Script, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    script("mycc", "exit 0")
    script("myc++", 'echo "$@" >> "$CALLS"')
    monkeypatch.setenv("CC", "mycc")
    monkeypatch.setenv("CXX", "myc++ -pipe")
    assert system.compiler_works()
    assert calls(tmp_path) == ["-pipe -x c++ -fsyntax-only -"]


@pytest.mark.parametrize(
    ("platform", "tool", "command"),
    [
        ("linux", "apt-get", "sudo apt-get install -y build-essential"),
        ("linux", "dnf", "sudo dnf install -y gcc gcc-c++"),
        ("linux", "pacman", "sudo pacman -S --needed base-devel"),
        ("linux", "none of these", "Install gcc and g++"),
        ("darwin", "", "xcode-select --install"),
        ("win32", "", "winget install Microsoft.VisualStudio.2022.BuildTools"),
    ],
)
def test_a_missing_compiler_is_a_sentence_with_the_command(
    system: ModuleType, monkeypatch: pytest.MonkeyPatch, platform: str, tool: str, command: str
) -> None:
    monkeypatch.setattr(sys, "platform", platform)
    advice = system.compiler_advice(lambda name: name if name == tool else None)
    assert advice.startswith("The engine is compiled on this machine, and there is no working C++ compiler.")
    assert command in advice


def test_a_device_needs_its_compiler(system: ModuleType, script: Script, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CUDA_PATH", "/nowhere")
    with pytest.raises(system.SetupError, match="needs NVIDIA's compiler nvcc"):
        system.require_device_compiler("cuda")
    with pytest.raises(system.SetupError, match="needs the shader compiler glslc"):
        system.require_device_compiler("vulkan")
    nvcc = script("nvcc", "exit 0")
    script("glslc", "exit 0")
    assert system.require_device_compiler("cuda") == {"CUDACXX": str(nvcc)}
    assert system.require_device_compiler("vulkan") == {}
    assert system.require_device_compiler("none") == {}


@pytest.mark.parametrize(
    ("library", "complaint"),
    [(("glibc", "2.31"), "this system has glibc 2.31"), (("", ""), "this system has another C library")],
)
def test_an_old_c_library_is_a_sentence(
    system: ModuleType, monkeypatch: pytest.MonkeyPatch, library: tuple[str, str], complaint: str
) -> None:
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setattr(system.platform, "libc_ver", lambda: library)
    with pytest.raises(system.SetupError, match=complaint):
        system.require_known_system()
    monkeypatch.setattr(system.platform, "libc_ver", lambda: ("glibc", "2.34"))
    system.require_known_system()


# --- uv ---------------------------------------------------------------------------------------------------------------


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


# --- the environment --------------------------------------------------------------------------------------------------


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

    monkeypatch.setattr(environment, "_follow", follow)
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
    environment: ModuleType, checkout: Path, script: Script, tmp_path: Path
) -> None:
    uv = script("uv", 'echo "$@" >> "$CALLS"')
    environment.Environment(checkout, "none").forget_engine(str(uv))
    assert calls(tmp_path) == ["cache clean llama-cpp-python"]
    (checkout / ".venv" / "bin").mkdir(parents=True)
    python = checkout / ".venv" / "bin" / "python"
    python.write_text("", encoding="utf-8")
    environment.Environment(checkout, "none").forget_engine(str(uv))
    assert calls(tmp_path)[-1] == f"pip uninstall --python {python} llama-cpp-python"
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
    assert environment._follow([sys.executable, "-c", code], dict(os.environ), log) == 3
    assert log.read_text(encoding="utf-8") == noise
    assert capsys.readouterr() == (
        "",
        "Fetching packages\nCompiling the engine; this takes some minutes, once for this machine\n"
        "  7 of 193 files, 0 s\n",
    )


# --- failures as sentences --------------------------------------------------------------------------------------------

BUILD = """\
DEBUG error: an older one, which uv got over
Resolved 52 packages in 6ms
   Building llama-cpp-python==0.3.36
DEBUG [1/5] Building C object
error: Failed to build `llama-cpp-python==0.3.36`
  cause: The build backend returned an error
  cause: Call to `scikit_build_core.build.build_wheel` failed (exit status: 1)

         [stdout]
         *** scikit-build-core 1.1.2 using CMake 3.25.1 (wheel)
"""
COMPILE_ERROR = """\
         FAILED: CMakeFiles/x.dir/x.c.o
         /usr/bin/gcc -O3 -DNDEBUG -Wno-error: -MD -o CMakeFiles/x.dir/x.c.o -c x.c
         x.c:1:20: error: 'y' undeclared (first use in this function)
         ninja: build stopped: subcommand failed.
"""
NO_COMPILER = """\
         CMake Error: CMAKE_C_COMPILER not set, after EnableLanguage

         *** CMake configuration failed
"""
NO_MEMORY = "         c++: fatal error: Killed signal terminated program cc1plus\n"
NO_NETWORK = """\
error: Request failed after 1 retry in 1.7s
  cause: Failed to fetch: https://packages.example/simple/six/
  cause: error sending request for url (https://packages.example/simple/six/)
  cause: tcp connect error
"""
NO_SPACE = "error: Failed to install: x.whl\n  cause: No space left on device (os error 28)\n"


@pytest.mark.parametrize(
    ("text", "sentence", "line"),
    [
        (BUILD + COMPILE_ERROR, "The engine did not compile.", "    x.c:1:20: error: 'y' undeclared"),
        (BUILD + NO_COMPILER, "The engine is compiled on this machine, and there is no", "    CMake Error: CMAKE_C_"),
        (BUILD + NO_MEMORY, "The memory ran out while compiling.", "    c++: fatal error: Killed signal"),
        (NO_NETWORK, "Packages could not be fetched. Check the network connection", "    cause: Failed to fetch"),
        (NO_SPACE, "The disk is full.", "    cause: No space left on device"),
        ("error: something new\n", "The packages could not be set up in .venv.", "    error: something new"),
    ],
)
def test_a_failure_is_a_sentence_and_the_lines_that_matter(
    environment: ModuleType, text: str, sentence: str, line: str
) -> None:
    told = environment.explain_failure(text, Path("/logs/uv.log"))
    assert told.startswith(sentence)
    assert line in told
    assert told.endswith("The whole log: /logs/uv.log")
    assert "DEBUG" not in told
    assert "-O3" not in told
    assert len(told.splitlines()) < 15


def test_a_failed_build_for_a_device_says_how_to_go_back(environment: ModuleType) -> None:
    told = environment.explain_failure(BUILD + COMPILE_ERROR, Path("log"), "cuda")
    assert told.startswith("The engine did not compile. It was to be built for cuda; --gpu none builds it without.")
