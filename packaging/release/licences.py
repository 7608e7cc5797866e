"""The licences of everything in a package: a file for each part, and a list of the parts for the About box."""

import json
import os
import platform
import re
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from importlib.metadata import Distribution, distributions
from pathlib import Path

from dev_system import SetupError
from release.libraries import elf_files

# In the environment that makes the bundle, and not in the bundle.
_TOOLS = frozenset(
    {"pyinstaller", "pyinstaller-hooks-contrib", "altgraph", "setuptools", "packaging", "pip", "hf-xet"}
    | {"click", "fsspec"}
)
_LICENCE_FILE = re.compile(r"(licen[cs]e|copying|notice)", re.IGNORECASE)
_NVIDIA = re.compile(r"(lib)?cu(dart|blas)", re.IGNORECASE)
"""The runtime of CUDA, which an engine for it brings along."""
_LGPL = frozenset({"pyside6-essentials", "shiboken6"})


@dataclass(frozen=True, slots=True)
class Part:
    """Something that others wrote. `file`: its licence, below the folder of licences."""

    name: str
    version: str
    licence: str
    file: str


def collect(site_packages: Path, bundle: Path, texts: Path, llama_cpp: Path, target: Path) -> list[Part]:
    """Write the licences into `target`, and `parts.json` with the list of parts.

    Args:
        site_packages: Of the environment the bundle was made from.
        bundle: The bundle; its libraries from Debian packages are looked up.
        texts: The folder with licences that packages lack: the GNU ones of Qt, and some by the name of the package.
        llama_cpp: The unpacked source of the engine's binding.
        target: A folder, made anew.

    Raises:
        SetupError: a part comes without its licence.
    """
    shutil.rmtree(target, ignore_errors=True)
    target.mkdir(parents=True)
    parts = [
        Part("Python", platform.python_version(), "PSF-2.0", _write(target, "Python", [_python_licence()])),
        Part("llama.cpp", "", "MIT", _write(target, "llama.cpp", [llama_cpp / "vendor" / "llama.cpp" / "LICENSE"])),
    ]
    for distribution in sorted(distributions(path=[str(site_packages)]), key=lambda each: each.name.lower()):
        if _plain(distribution.name) not in _TOOLS | {"outpace"}:
            parts.append(_distribution(distribution, texts, target))
    parts += _system_parts(bundle, target)
    if any(_NVIDIA.match(file.name) for file in (bundle / "_internal").rglob("*")):
        text = nvidia_licence(texts, _cuda_homes())
        parts.append(Part("NVIDIA CUDA", "", "NVIDIA", _write(target, "NVIDIA CUDA", [text])))
    listed = [asdict(part) for part in parts]
    (target / "parts.json").write_text(json.dumps(listed, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    return parts


def _distribution(distribution: Distribution, texts: Path, target: Path) -> Part:
    name = distribution.name
    if _plain(name) in _LGPL:
        files = [texts / "LGPL-3.0.txt", texts / "GPL-3.0.txt"]
        return Part(f"{name} (Qt)", distribution.version, "LGPL-3.0-only", _write(target, name, files))
    files = [
        Path(str(distribution.locate_file(file)))
        for file in distribution.files or []
        if _LICENCE_FILE.search(file.name) and ".dist-info" in str(file)
    ]
    # A package whose own text is kept here, because it has none.
    if not files and (texts / f"{name}.txt").exists():
        files = [texts / f"{name}.txt"]
    if not files:
        raise SetupError(f"{name} {distribution.version} comes without a licence file: it cannot go into a package.")
    return Part(name, distribution.version, _licence_of(distribution), _write(target, name, sorted(files)))


def _plain(name: str) -> str:
    return name.lower().replace("_", "-")


def _licence_of(distribution: Distribution) -> str:
    told = distribution.metadata["License-Expression"] or distribution.metadata["License"] or ""
    if told and "\n" not in told and len(told) < 60:
        return str(told)
    kinds = [line for line in distribution.metadata.get_all("Classifier") or [] if line.startswith("License ::")]
    return kinds[0].rpartition(" :: ")[2] if kinds else "see its file"


def _python_licence() -> Path:
    stdlib = Path(sysconfig.get_path("stdlib"))
    debian = Path(f"/usr/share/doc/python3.{sys.version_info.minor}/copyright")
    for place in (stdlib / "LICENSE.txt", Path(sys.base_prefix) / "LICENSE.txt", debian):
        if place.exists():
            return place
    raise SetupError(f"The licence of this Python was not found in {stdlib}.")


def nvidia_licence(texts: Path, homes: list[Path]) -> Path:
    """That of the runtime of CUDA: the one in the folder of licences, else of the first toolkit that has one.

    Raises:
        SetupError: there is none.
    """
    kept = texts / "NVIDIA CUDA.txt"
    if kept.exists():
        return kept
    for home in homes:
        for pattern in ("EULA.txt", "dist-info/nvidia_cuda_runtime*/**/License*"):
            if found := sorted(home.glob(pattern)):
                return found[0]
    raise SetupError(
        "This package holds NVIDIA's runtime of CUDA, and its licence was not found. Set CUDA_PATH to the toolkit's "
        f"folder, where EULA.txt lies, or put that text into {kept}."
    )


def _cuda_homes() -> list[Path]:
    nvcc = shutil.which("nvcc")
    told = [Path(os.environ["CUDA_PATH"])] if "CUDA_PATH" in os.environ else []
    return [*told, *([Path(nvcc).resolve().parents[1]] if nvcc else []), Path("/usr/local/cuda")]


def _system_parts(bundle: Path, target: Path) -> Iterator[Part]:
    """Libraries that PyInstaller took from Debian packages."""
    if not shutil.which("dpkg-query"):
        return
    names = [file.name for file in elf_files(bundle / "_internal") if file.parent.name == "_internal"]
    done = subprocess.run(
        ["dpkg-query", "-S", *(f"*/{name}" for name in names)], capture_output=True, text=True, check=False
    )
    packages = {
        line.partition(":")[0]
        for line in done.stdout.splitlines()
        if line.partition(": ")[2].startswith(("/lib/", "/usr/lib/x86_64-linux-gnu/", "/usr/lib/aarch64-linux-gnu/"))
    }
    for package in sorted(packages):
        copyright_file = Path("/usr/share/doc") / package / "copyright"
        if copyright_file.exists():
            query = ["dpkg-query", "-W", "-f", "${Version}\n", package]
            version = subprocess.run(query, capture_output=True, text=True, check=True).stdout.splitlines()[0]
            yield Part(package, version, "see its file", _write(target, package, [copyright_file]))


def _write(target: Path, name: str, files: list[Path]) -> str:
    """Join the files of a part into one."""
    path = target / f"{name}.txt"
    bodies = [file.read_text(encoding="utf-8", errors="replace").strip() for file in files]
    path.write_text(f"\n\n{'-' * 78}\n\n".join(bodies) + "\n", encoding="utf-8")
    return path.name
