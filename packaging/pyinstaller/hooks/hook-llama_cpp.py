"""Tells PyInstaller which files of llama_cpp are needed: its libraries.

A wheel has each of them under three names (libX.so, libX.so.0, libX.so.0.1.2), and all a second time outside of the
package. The binding opens libX.so, and the libraries name each other as libX.so.0; `release/bundle.py` makes these one.
"""

import re
from pathlib import Path

from PyInstaller.utils.hooks import get_package_paths

_NEEDED = re.compile(r"\.(so|so\.\d+|dylib|dll|metal|metallib)$")

_folder = Path(get_package_paths("llama_cpp")[1]) / "lib"
binaries = [(str(file), "llama_cpp/lib") for file in sorted(_folder.iterdir()) if _NEEDED.search(file.name)]
# Pictures and sound are not ours, and neither is the server.
excludedimports = ["llama_cpp.server", "llama_cpp.mtmd_cpp", "uvicorn", "fastapi", "openai"]
