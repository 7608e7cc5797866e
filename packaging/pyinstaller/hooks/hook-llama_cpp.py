"""Tells PyInstaller which files of llama_cpp are needed: its libraries, each once.

A wheel has every library under three names (libX.so, libX.so.0, libX.so.0.1.2), and all of them a second time outside
the package. The binding opens libX.so, the libraries each other as libX.so.0. What is chosen at run time (the variants
for kinds of processors, accelerators) has no other name than libX.so.
"""

import re
from pathlib import Path

from PyInstaller.utils.hooks import get_package_paths

_LOADED_AT_RUN_TIME = re.compile(r"ggml-(cpu|cuda|vulkan|metal|blas|rpc)")
_NEEDED = re.compile(r"\.(so|so\.\d+|dylib|dll|metal|metallib)$")


def _is_needed(file: Path) -> bool:
    if re.search(r"\.so\.\d+$", file.name) and _is_module(file):
        return False
    return bool(_NEEDED.search(file.name))


def _is_module(file: Path) -> bool:
    """Is this a backend that ggml opens itself, by the name without a number?"""
    linked = any(f"{file.name}".encode() in other.read_bytes() for other in _folder.glob("libggml.so"))
    return bool(_LOADED_AT_RUN_TIME.search(file.name)) and not linked


_folder = Path(get_package_paths("llama_cpp")[1]) / "lib"
binaries = [(str(file), "llama_cpp/lib") for file in sorted(_folder.iterdir()) if _is_needed(file)]
# Pictures and sound are not ours, and neither is the server.
excludedimports = ["llama_cpp.server", "llama_cpp.mtmd_cpp", "uvicorn", "fastapi", "openai"]
