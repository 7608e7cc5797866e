"""The engine of a package: compiled once per machine for every processor of its kind, and for accelerators on demand.

Where the parts of the engine that compute can be files of their own (Linux, Windows), a package has one for each
generation of processors, and the library takes the best one that runs. Accelerators are further such files: a computer
without the driver they need just goes on without them.
"""

import os
import platform
import shutil
import subprocess
import sys
import tarfile
import tomllib
from pathlib import Path

from dev_environment import ENGINE, explain_failure, follow
from dev_system import SetupError, cache_folder, compilers, engine_compiler, log_file, require_device_compiler, say

ACCELERATORS = ("cuda", "vulkan")
_RECIPE = 2
"""Grows when the same version has to be compiled in another way."""
_NOT_BUILT = ("COMMON", "TESTS", "TOOLS", "EXAMPLES", "SERVER")


def engine_wheel(root: Path, uv: str, *, python: str = sys.executable) -> Path:
    """The compiled engine for packages, from the cache or compiled now. On macOS it has Metal in it.

    Args:
        root: The checkout, whose pyproject.toml pins the version.
        uv: The program.
        python: For whose version it is built.

    Raises:
        SetupError: it cannot be fetched or does not compile.
    """
    version = pinned_version(root)
    kept = _folder() / "wheels" / f"{version}-{_RECIPE}-{platform.machine().lower()}"
    found = sorted(kept.glob("*.whl"))
    if found:
        return found[0]
    source = engine_source(root, uv)
    command = [uv, "build", "--wheel", "--verbose", "--python", python, "--out-dir", str(kept)]
    command += ["-C", f"build-dir={_build_folder()}"]
    for key, value in definitions().items():
        command += ["-C", f"cmake.define.{key}={value}"]
    say("Compiling the engine for packages; this takes many minutes, once for this machine")
    log = log_file("package-engine")
    code = follow([*command, str(source)], {**os.environ, "NO_COLOR": "1", **engine_compiler()}, log, compiling=True)
    found = sorted(kept.glob("*.whl"))
    if code or not found:
        shutil.rmtree(kept, ignore_errors=True)
        raise SetupError(explain_failure(log.read_text(encoding="utf-8", errors="replace"), log))
    return found[0]


def accelerator(root: Path, uv: str, device: str, architectures: str = "") -> Path:
    """The part of the engine for a device, a library that goes beside the others; from the cache or compiled now.

    Args:
        root: The checkout.
        uv: The program.
        device: One of `ACCELERATORS`.
        architectures: For CUDA, as CMake names them ("90"); "" for all that the library supports.

    Raises:
        SetupError: something is missing, or it does not compile.
    """
    kind = f"{device}-{architectures.replace(';', '-')}" if architectures else device
    build = _folder() / f"module-{pinned_version(root)}-{kind}"
    name = f"ggml-{device}.dll" if sys.platform == "win32" else f"libggml-{device}.so"
    made = build / "bin" / name
    if made.exists() and (build / "complete").exists():
        return made
    needed = {**compilers(), **require_device_compiler(device)}
    source = engine_source(root, uv) / "vendor" / "llama.cpp"
    chosen = {
        "CMAKE_BUILD_TYPE": "Release",
        "BUILD_SHARED_LIBS": "ON",
        "GGML_BACKEND_DL": "ON",
        "GGML_NATIVE": "OFF",
        "GGML_CPU": "OFF",
        f"GGML_{device.upper()}": "ON",
        # It finds the library it belongs to beside itself.
        "CMAKE_BUILD_WITH_INSTALL_RPATH": "ON",
        "CMAKE_INSTALL_RPATH": "$ORIGIN",
        **dict.fromkeys((f"LLAMA_BUILD_{part}" for part in _NOT_BUILT), "OFF"),
        "LLAMA_CURL": "OFF",
    }
    if architectures:
        chosen["CMAKE_CUDA_ARCHITECTURES"] = architectures
    cmake = [uv, "run", "--no-project", "--with", "cmake", "--with", "ninja", "cmake"]
    configure = ["-G", "Ninja", "-S", str(source), "-B", str(build)]
    configure += [f"-D{key}={value}" for key, value in chosen.items()]
    say(f"Compiling the part of the engine for {device}; this takes many minutes, once for this machine")
    log = log_file(f"package-{kind}")
    for step in (configure, ["--build", str(build), "--target", f"ggml-{device}"]):
        if follow([*cmake, *step], {**os.environ, **needed}, log, compiling=True):
            raise SetupError(explain_failure(log.read_text(encoding="utf-8", errors="replace"), log, device))
    (build / "complete").touch()
    return made


def definitions() -> dict[str, str]:
    """What CMake is told about the engine, by name."""
    separate = "OFF" if sys.platform == "darwin" else "ON"
    return {
        "GGML_NATIVE": "OFF",
        "GGML_BACKEND_DL": separate,
        "GGML_CPU_ALL_VARIANTS": separate,
        "LLAVA_BUILD": "OFF",  # pictures and sound are not ours
        # Else the parts that are files of their own come to lie beside Python's programs, where nobody finds them.
        "CMAKE_INSTALL_BINDIR": "llama_cpp/lib",
    }


def pinned_version(root: Path) -> str:
    """The version of the binding that pyproject.toml asks for."""
    with (root / "pyproject.toml").open("rb") as file:
        pins = tomllib.load(file)["project"]["dependencies"]
    return str(next(pin.split("==")[1] for pin in pins if pin.startswith(f"{ENGINE}==")))


def engine_source(root: Path, uv: str) -> Path:
    """The unpacked source of the binding with llama.cpp in it, fetched when needed.

    Its path stays the same, so that what was interrupted goes on. Another version begins anew.

    Raises:
        SetupError: it cannot be fetched.
    """
    version = pinned_version(root)
    folder = _folder()
    place = folder / f"llama_cpp_python-{version}"
    if (place / "CMakeLists.txt").exists():
        return place
    folder.mkdir(parents=True, exist_ok=True)
    log = log_file("package-source")
    command = [uv, "run", "--no-project", "--with", "pip", "python", "-m", "pip", "download", "--no-deps"]
    command += ["--no-binary", ENGINE, "--dest", str(folder), f"{ENGINE}=={version}"]
    with log.open("wb") as sink:
        code = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=sink, stderr=sink).returncode
    archives = sorted(folder.glob(f"llama_cpp_python-{version}*.tar.gz"))
    if code or not archives:
        raise SetupError(explain_failure(log.read_text(encoding="utf-8", errors="replace"), log))
    fresh = folder / "unpacking"
    for old in (fresh, *folder.glob("build*")):
        shutil.rmtree(old, ignore_errors=True)
    with tarfile.open(archives[0]) as archive:
        # Debian 12's Python has no filters yet. The next step runs what is in there anyway.
        archive.extractall(fresh, **({"filter": "data"} if hasattr(tarfile, "data_filter") else {}))
    (fresh / place.name).rename(place)
    archives[0].unlink()
    return place


def _folder() -> Path:
    return cache_folder() / "package"


def _build_folder() -> Path:
    return _folder() / f"build-{_RECIPE}"
