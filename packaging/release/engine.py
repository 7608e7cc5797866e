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
from dev_system import SetupError, cache_folder, compilers, log_file, require_device_compiler, say

ACCELERATORS = ("cuda", "vulkan")
_BUILD = "build-variants"
_COMMON = {
    "GGML_NATIVE": "OFF",
    "LLAVA_BUILD": "OFF",  # pictures and sound are not ours
    # The binding's build puts the parts that are files of their own beside Python's programs, where nobody finds them.
    "CMAKE_INSTALL_BINDIR": "llama_cpp/lib",
}


def engine_wheel(
    root: Path, uv: str, device: str, *, cuda_architectures: str = "", python: str = sys.executable
) -> Path:
    """The compiled engine for packages, from the cache or compiled now.

    Args:
        root: The checkout, whose pyproject.toml pins the version.
        uv: The program.
        device: "none", "cuda", "vulkan" or "metal".
        cuda_architectures: As CMake names them ("90"); "" for all that the library supports.
        python: For whose version it is built.

    Raises:
        SetupError: it cannot be fetched or does not compile.
    """
    version = pinned_version(root)
    name = device if not cuda_architectures else f"{device}-{cuda_architectures.replace(';', '-')}"
    folder = cache_folder() / "package"
    kept = folder / "wheels" / f"{version}-{name}-{platform.machine().lower()}"
    found = sorted(kept.glob("*.whl"))
    if found:
        return found[0]
    extra = {**compilers(), **require_device_compiler(device)}
    source = _source(folder, uv, version)
    # What an earlier build for another device left there would become part of this one.
    shutil.rmtree(source / "llama_cpp" / "lib", ignore_errors=True)
    command = [uv, "build", "--wheel", "--verbose", "--python", python, "--out-dir", str(kept)]
    # One folder for all devices: what runs on the processor is compiled once.
    command += ["-C", f"build-dir={folder / _BUILD}"]
    for key, value in definitions(device, cuda_architectures).items():
        command += ["-C", f"cmake.define.{key}={value}"]
    say(f"Compiling the engine for packages ({name}); this takes many minutes, once for this machine")
    log = log_file(f"package-engine-{name}")
    environment = {**os.environ, "NO_COLOR": "1", **extra}
    code = follow([*command, str(source)], environment, log, compiling=True)
    found = sorted(kept.glob("*.whl"))
    if code or not found:
        shutil.rmtree(kept, ignore_errors=True)
        raise SetupError(explain_failure(log.read_text(encoding="utf-8", errors="replace"), log, device))
    return found[0]


def definitions(device: str, cuda_architectures: str = "") -> dict[str, str]:
    """What CMake is told, by name; everything that another device may have set is there."""
    chosen = dict(_COMMON)
    separate = sys.platform != "darwin"
    for name in ("GGML_BACKEND_DL", "GGML_CPU_ALL_VARIANTS"):
        chosen[name] = "ON" if separate else "OFF"
    for accelerator in ACCELERATORS:
        chosen[f"GGML_{accelerator.upper()}"] = "ON" if device == accelerator else "OFF"
    if cuda_architectures:
        chosen["CMAKE_CUDA_ARCHITECTURES"] = cuda_architectures
    return chosen


def pinned_version(root: Path) -> str:
    """The version of the binding that pyproject.toml asks for."""
    with (root / "pyproject.toml").open("rb") as file:
        pins = tomllib.load(file)["project"]["dependencies"]
    return str(next(pin.split("==")[1] for pin in pins if pin.startswith(f"{ENGINE}==")))


def _source(folder: Path, uv: str, version: str) -> Path:
    """The unpacked source package, fetched when needed. Its path stays the same, so that nothing is compiled twice."""
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
    for old in (fresh, folder / _BUILD):
        shutil.rmtree(old, ignore_errors=True)
    with tarfile.open(archives[0]) as archive:
        archive.extractall(fresh, filter="data")
    (fresh / place.name).rename(place)
    archives[0].unlink()
    return place
