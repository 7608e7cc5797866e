"""The native library: start, log, devices, versions."""

import ctypes
import os
from dataclasses import dataclass
from pathlib import Path

from app.core import log
from app.core.errors import EnvironmentFault
from app.engine.backends.llamacpp.binding import _ggml, llama_cpp, native

_log = log.get("llama")

_CPU, _GPU, _INTEGRATED_GPU = 0, 1, 2
_DEBUG, _WARNING, _ERROR, _CONTINUED = 1, 3, 4, 5


@dataclass(frozen=True, slots=True)
class Device:
    """A compute device other than the CPU; memory in bytes."""

    name: str
    description: str
    free: int
    total: int


class NativeLog:
    """Joins the library's continued lines; its errors and warnings of the last call explain a failure."""

    def __init__(self) -> None:
        self.recent: list[str] = []
        self._line = ""
        self._level = _DEBUG
        self.hook = native.llama_log_callback(self._take)

    def _take(self, level: int, text: bytes, _data: object) -> None:
        if level != _CONTINUED:
            self._level = level
        self._line += text.decode("utf-8", "replace")
        if not self._line.endswith("\n"):
            return
        line, self._line = self._line.rstrip(), ""
        if self._level in (_WARNING, _ERROR):
            self.recent = [*self.recent[-19:], line]
            # The library warns about harmless things: its lines are for the log file, our errors are for people.
            _log.info("%s", line)

    def since(self) -> str:
        lines, self.recent = self.recent, []
        return "\n".join(lines)


native_log = NativeLog()
_ready = False


def start() -> None:
    """Prepare the library; more than once is fine.

    Raises:
        EnvironmentFault: the installation has no part that runs on this processor.
    """
    global _ready
    if not _ready:
        native.llama_log_set(native_log.hook, ctypes.c_void_p(0))
        _load_backends(Path(llama_cpp.__file__).parent / "lib")
        native.llama_backend_init()
        _ready = True


def _load_backends(folder: Path) -> None:
    """Choose the backends of a package, where each is a file of its own; compiled on this machine they are built in.

    Left to itself the library looks beside the program and in the working directory, where anybody may have put a file.
    """
    library = _device_functions()
    if not library.ggml_backend_reg_count():
        library.ggml_backend_load_all_from_path(os.fsencode(folder))
    if not library.ggml_backend_dev_by_type(_CPU):
        raise EnvironmentFault(
            "no_cpu_backend",
            "The engine has no part that runs on this processor.",
            "Install Outpace again.",
            f"no usable ggml-cpu library in {folder}",
        )


def devices() -> tuple[Device, ...]:
    """The accelerators the library was built for and finds."""
    start()
    library = _device_functions()
    found = []
    for index in range(library.ggml_backend_dev_count()):
        handle = library.ggml_backend_dev_get(index)
        if library.ggml_backend_dev_type(handle) in (_GPU, _INTEGRATED_GPU):
            free, total = ctypes.c_size_t(), ctypes.c_size_t()
            library.ggml_backend_dev_memory(handle, ctypes.byref(free), ctypes.byref(total))
            name = library.ggml_backend_dev_name(handle).decode("utf-8", "replace")
            description = library.ggml_backend_dev_description(handle).decode("utf-8", "replace")
            found.append(Device(name, description, free.value, total.value))
    return tuple(found)


def _device_functions() -> ctypes.CDLL:
    # The copy that libllama uses, found through it. Where a wheel has the library under two names, the binding's own
    # handle is to another copy, with a registry of its own. Windows neither does that nor looks through a library.
    library: ctypes.CDLL = _ggml.libggml if os.name == "nt" else native._lib
    library.ggml_backend_reg_count.restype = ctypes.c_size_t
    library.ggml_backend_load_all_from_path.restype = None
    library.ggml_backend_load_all_from_path.argtypes = [ctypes.c_char_p]
    library.ggml_backend_dev_by_type.restype = ctypes.c_void_p
    library.ggml_backend_dev_by_type.argtypes = [ctypes.c_int]
    library.ggml_backend_dev_count.restype = ctypes.c_size_t
    library.ggml_backend_dev_get.restype = ctypes.c_void_p
    library.ggml_backend_dev_get.argtypes = [ctypes.c_size_t]
    for name, result in (("name", ctypes.c_char_p), ("description", ctypes.c_char_p), ("type", ctypes.c_int)):
        function = getattr(library, f"ggml_backend_dev_{name}")
        function.restype = result
        function.argtypes = [ctypes.c_void_p]
    library.ggml_backend_dev_memory.restype = None
    library.ggml_backend_dev_memory.argtypes = [ctypes.c_void_p, *[ctypes.POINTER(ctypes.c_size_t)] * 2]
    return library


def versions() -> tuple[str, str, str]:
    """Version of the binding, version of llama.cpp, and the CPU features it was built with."""
    start()
    features = native.llama_print_system_info().decode("ascii", "replace").strip(" |\n")
    return llama_cpp.__version__, native.llama_version().decode("ascii", "replace"), features
