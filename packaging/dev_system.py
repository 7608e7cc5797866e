"""What dev.py needs from the machine: system packages, a compiler, the compiler of a device."""

import os
import platform
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

X86_HEADER = Path(__file__).resolve().parent / "compiler" / "x86.h"

# Found one by one on a Debian without recommended packages; the other libxcb packages come as dependencies.
QT_LIBRARIES = (
    "libglib2.0-0", "libgl1", "libegl1", "libdbus-1-3", "libxkbcommon0", "libfontconfig1",
    "libxcb-cursor0", "libxkbcommon-x11-0", "libxcb-icccm4", "libxcb-keysyms1", "libxcb-shape0",
    "libwayland-cursor0", "libwayland-egl1",
)  # fmt: skip
TEST_PACKAGES = ("xvfb", "fonts-dejavu-core", "fonts-noto-core", "fonts-noto-color-emoji", "fonts-noto-cjk")
VULKAN_PACKAGES = ("libvulkan-dev", "glslc", "spirv-headers")
OLDEST_VULKAN = (1, 3, 272)  # has VK_EXT_layer_settings, which llama.cpp uses

_COMPILER_COMMANDS = {
    "apt-get": "sudo apt-get install -y build-essential",
    "dnf": "sudo dnf install -y gcc gcc-c++",
    "pacman": "sudo pacman -S --needed base-devel",
    "zypper": "sudo zypper install gcc gcc-c++",
}


class SetupError(Exception):
    """The set-up cannot go on; the text says what is wrong and what to do."""


def say(text: str) -> None:
    """A line for the person. Not on stdout, which belongs to what is run."""
    print(text, file=sys.stderr, flush=True)


def cache_folder() -> Path:
    """Where dev.py keeps its own uv, its logs and the chosen device, outside of the checkout."""
    home = Path.home()
    if sys.platform == "win32":
        base = Path(os.environ.get("LOCALAPPDATA") or home / "AppData" / "Local")
    elif sys.platform == "darwin":
        base = home / "Library" / "Caches"
    else:
        base = Path(os.environ.get("XDG_CACHE_HOME") or home / ".cache")
    return base / "outpace-dev"


def log_file(name: str) -> Path:
    """The path of a log, its folder made."""
    folder = cache_folder() / "logs"
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise SetupError(
            f"The folder {folder} cannot be written to ({error.strerror}). "
            "Make it writable, or set XDG_CACHE_HOME to a folder that is."
        ) from error
    return folder / f"{name}.log"


# --- system packages --------------------------------------------------------------------------------------------------


def packages_for(command: str, device: str, *, compiler: bool) -> list[str]:
    """The Debian packages a command of dev.py needs. `compiler`: the engine is still to be compiled."""
    names = list(QT_LIBRARIES)
    if command == "test":
        names += TEST_PACKAGES
    if compiler:
        if not compiler_works():
            names.append("build-essential")
        if device == "vulkan":
            names += VULKAN_PACKAGES
    return names


def missing_packages(names: Sequence[str]) -> list[str]:
    """Those of `names` that dpkg does not have. Newer releases renamed some libraries to NAMEt64."""
    query = ["dpkg-query", "-W", "-f", "${Package} ${db:Status-Status}\n", *names, *(f"{name}t64" for name in names)]
    lines = subprocess.run(query, capture_output=True, text=True).stdout.splitlines()
    installed = {line.split()[0].removesuffix("t64") for line in lines if line.endswith(" installed")}
    return [name for name in names if name not in installed]


def ensure_packages(names: Sequence[str]) -> None:
    """Install what is missing on Debian and Ubuntu as root, or say which command does. Elsewhere: nothing.

    Raises:
        SetupError: something is missing and cannot be installed from here.
    """
    if not (sys.platform.startswith("linux") and shutil.which("apt-get") and shutil.which("dpkg-query")):
        return
    missing = missing_packages(names)
    if not missing:
        return
    install = ["apt-get", "install", "-y", "--no-install-recommends", *missing]
    if os.geteuid() != 0:
        raise SetupError(
            "Some system packages are missing. This installs them:\n"
            f"  sudo {' '.join(install)}\n"
            "Run it and try again, or add --no-system-check to go on without them."
        )
    say(f"Installing system packages: {' '.join(missing)}")
    log = log_file("apt")
    with log.open("wb") as sink:
        environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
        # An update that fails (a machine without network, with packages in its cache) is not the end yet.
        subprocess.run(["apt-get", "update"], stdin=subprocess.DEVNULL, stdout=sink, stderr=sink, env=environment)
        done = subprocess.run(install, stdin=subprocess.DEVNULL, stdout=sink, stderr=sink, env=environment)
    if done.returncode:
        tail = log.read_text(encoding="utf-8", errors="replace").strip().splitlines()[-5:]
        raise SetupError(
            "The system packages could not be installed. This failed:\n"
            f"  {' '.join(install)}\n" + "".join(f"    {line}\n" for line in tail) + f"The whole log: {log}"
        )


# --- compilers --------------------------------------------------------------------------------------------------------


def compilers() -> dict[str, str]:
    """CC and CXX as they will be used, those that exist; by the environment or the usual names."""
    found = {}
    for variable, names in (("CC", ("cc", "gcc", "clang")), ("CXX", ("c++", "g++", "clang++"))):
        chosen = os.environ.get(variable) or next((name for name in names if shutil.which(name)), "")
        if chosen:
            found[variable] = chosen
    return found


def engine_compiler() -> dict[str, str]:
    """What the environment says while the engine is compiled: `compilers`, and what x86-64 processors need."""
    found = compilers()
    if sys.platform == "linux" and platform.machine() == "x86_64":
        found["CXXFLAGS"] = f"{os.environ.get('CXXFLAGS', '')} -include {shlex.quote(str(X86_HEADER))}".strip()
    return found


def compiler_works() -> bool:
    """Can a C++ file that uses the standard library be compiled here? A compiler without headers cannot."""
    if sys.platform == "win32":
        return bool(shutil.which("cl") or _visual_studio())
    if sys.platform == "darwin" and _fails(["xcode-select", "-p"]):
        return False  # cc is there, and asks to install itself in a dialog
    found = compilers()
    if len(found) < 2:
        return False
    source = "#include <vector>\nint main() { return 0; }\n"
    return not _fails([*found["CXX"].split(), "-x", "c++", "-fsyntax-only", "-"], source)


def _fails(command: Sequence[str], text: str = "") -> bool:
    try:
        return subprocess.run(command, input=text, text=True, capture_output=True, timeout=60).returncode != 0
    except (OSError, subprocess.TimeoutExpired):
        return True


def _visual_studio() -> str:
    base = os.environ.get("PROGRAMFILES(X86)", r"C:\Program Files (x86)")
    finder = Path(base) / "Microsoft Visual Studio" / "Installer" / "vswhere.exe"
    if not finder.exists():
        return ""
    wanted = "Microsoft.VisualStudio.Component.VC.Tools.x86.x64"
    query = [str(finder), "-latest", "-products", "*", "-requires", wanted, "-property", "installationPath"]
    return subprocess.run(query, capture_output=True, text=True).stdout.strip()


def compiler_advice(which: Callable[[str], str | None] = shutil.which) -> str:
    """What is missing without a compiler, and the one command that installs it on this system."""
    if sys.platform == "win32":
        how = (
            "Install the Visual Studio Build Tools with C++:\n"
            "  winget install Microsoft.VisualStudio.2022.BuildTools --override "
            '"--passive --wait --add Microsoft.VisualStudio.Workload.VCTools --includeRecommended"'
        )
    elif sys.platform == "darwin":
        how = "Install Apple's command line tools:\n  xcode-select --install"
    else:
        command = next((text for tool, text in _COMPILER_COMMANDS.items() if which(tool)), "")
        how = f"Install one:\n  {command}" if command else "Install gcc and g++ (or clang) with this system's packages."
    return f"The engine is compiled on this machine, and there is no working C++ compiler. {how}\nThen try again."


def require_device_compiler(device: str) -> dict[str, str]:
    """Check for what building for a device needs.

    Returns:
        What to add to the environment of the build.

    Raises:
        SetupError: something is missing.
    """
    if device == "cuda":
        nvcc = shutil.which("nvcc") or shutil.which(
            "nvcc", path=os.environ.get("CUDA_PATH", "/usr/local/cuda") + "/bin"
        )
        if not nvcc:
            raise SetupError(
                "A build for CUDA needs NVIDIA's compiler nvcc, which was not found on PATH or in /usr/local/cuda. "
                "Install the CUDA toolkit (Debian and Ubuntu: sudo apt-get install nvidia-cuda-toolkit) and try again."
            )
        return {"CUDACXX": nvcc}
    if device == "vulkan" and not shutil.which("glslc"):
        raise SetupError(
            "A build for Vulkan needs the shader compiler glslc and the Vulkan headers. "
            f"Debian and Ubuntu: sudo apt-get install {' '.join(VULKAN_PACKAGES)}; elsewhere install the Vulkan SDK."
        )
    if device == "vulkan":
        _require_vulkan_headers()
    return {}


def _require_vulkan_headers() -> None:
    """Headers that are too old would end in a screen full of a compiler's errors, after minutes."""
    sdk = os.environ.get("VULKAN_SDK")
    named = [path for name in ("CPATH", "CPLUS_INCLUDE_PATH") for path in os.environ.get(name, "").split(os.pathsep)]
    # In the order in which compilers look.
    folders = [*filter(None, named), *([f"{sdk}/include", f"{sdk}/Include"] if sdk else [])]
    headers = [Path(folder) / "vulkan/vulkan_core.h" for folder in (*folders, "/usr/local/include", "/usr/include")]
    found = next((header for header in headers if header.is_file()), None)
    if found is None:
        return  # in a place that CMake may know
    text = found.read_text(encoding="utf-8", errors="replace")
    complete = re.search(r"VK_HEADER_VERSION_COMPLETE VK_MAKE_API_VERSION\(\d+, (\d+), (\d+),", text)
    last = re.search(r"VK_HEADER_VERSION (\d+)", text)
    if not complete or not last:
        return
    version = (int(complete[1]), int(complete[2]), int(last[1]))
    if version < OLDEST_VULKAN:
        needed, have = (".".join(map(str, numbers)) for numbers in (OLDEST_VULKAN, version))
        raise SetupError(
            f"A build for Vulkan needs the headers of Vulkan {needed} or newer; those in {found.parent} are {have}. "
            "Debian 13 and Ubuntu 24.10 have newer ones. Elsewhere install the Vulkan SDK (https://vulkan.lunarg.com), "
            "set VULKAN_SDK to its folder, and try again."
        )


def require_known_system() -> None:
    """Say so where Qt's packages cannot run, rather than let the package resolver do it.

    Raises:
        SetupError: the C library is too old, or not glibc.
    """
    if not sys.platform.startswith("linux"):
        return
    name, version = platform.libc_ver()
    numbers = [int(part) for part in version.split(".") if part.isdigit()]
    if name != "glibc" or numbers < [2, 34]:
        raise SetupError(
            f"Qt's packages need glibc 2.34 or newer (Debian 12, Ubuntu 22.04, Fedora 35); this system has "
            f"{f'glibc {version}' if name == 'glibc' else 'another C library'}."
        )
