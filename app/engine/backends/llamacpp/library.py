"""The native library: start, log, devices, versions."""

import ctypes
from dataclasses import dataclass

from app.core import log
from app.engine.backends.llamacpp.binding import _ggml, llama_cpp, native

_log = log.get("llama")

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
    """Prepare the library; more than once is fine."""
    global _ready
    if not _ready:
        native.llama_log_set(native_log.hook, ctypes.c_void_p(0))
        native.llama_backend_init()
        _ready = True


def devices() -> tuple[Device, ...]:
    """The accelerators the library was built for and finds."""
    start()
    library = _device_functions()
    found = []
    for index in range(library.ggml_backend_dev_count()):
        handle = library.ggml_backend_dev_get(index)
        if library.ggml_backend_dev_type(handle) in (1, 2):  # GPU, integrated GPU
            free, total = ctypes.c_size_t(), ctypes.c_size_t()
            library.ggml_backend_dev_memory(handle, ctypes.byref(free), ctypes.byref(total))
            name = library.ggml_backend_dev_name(handle).decode("utf-8", "replace")
            description = library.ggml_backend_dev_description(handle).decode("utf-8", "replace")
            found.append(Device(name, description, free.value, total.value))
    return tuple(found)


def _device_functions() -> ctypes.CDLL:
    # The package's own handle: a second copy of the library would have its own registry of devices.
    library: ctypes.CDLL = _ggml.libggml
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
