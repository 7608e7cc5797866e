"""The environment of the checkout: uv, `.venv`, and the engine compiled for the chosen device."""

import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
import time
import tomllib
from pathlib import Path

from dev_system import (
    SetupError,
    cache_folder,
    compiler_advice,
    compiler_works,
    engine_compiler,
    log_file,
    require_device_compiler,
    require_known_system,
    say,
)

UV_VERSION = "0.13.9"
_OLDEST_UV = (0, 9)  # knows --config-settings-package, and notices when the settings change
ENGINE = "llama-cpp-python"
_CMAKE_ARGUMENTS = {
    "cuda": "-DGGML_CUDA=on;-DCMAKE_CUDA_ARCHITECTURES=native",
    "vulkan": "-DGGML_VULKAN=on",
    "metal": "",  # what llama.cpp does on macOS anyway
    "none": "",
}


# --- the chosen device ------------------------------------------------------------------------------------------------


def choose_device(asked: str | None) -> str:
    """The device to build for: what is asked for now, or what was remembered."""
    if asked is not None:
        if (asked == "metal") != (sys.platform == "darwin") and asked != "none":
            choices = "metal or none" if sys.platform == "darwin" else "cuda, vulkan or none"
            raise SetupError(f"The engine cannot be built for {asked} on this system. Choose {choices}.")
        return asked
    try:
        remembered = _device_file().read_text(encoding="utf-8").strip()
    except OSError:
        return "none"
    return remembered if remembered in _CMAKE_ARGUMENTS else "none"


def remember_device(device: str) -> None:
    """Build for this device from now on; called once such a build has worked."""
    if device != choose_device(None):
        log_file("uv")  # makes the folder, or says why not
        _device_file().write_text(device, encoding="utf-8")


def _device_file() -> Path:
    return cache_folder() / "device"


# --- uv ---------------------------------------------------------------------------------------------------------------


def find_uv() -> str:
    """A uv that is new enough: from PATH, or our own in the cache folder, installed when needed.

    Raises:
        SetupError: there is none, and it cannot be installed.
    """
    on_path = shutil.which("uv")
    if on_path and _version_of(on_path) >= _OLDEST_UV:
        return on_path
    if _own_uv() is None:
        say(f"Fetching uv {UV_VERSION}, which manages the Python packages")
        _install_uv(cache_folder() / f"uv-{UV_VERSION}")
    own = _own_uv()
    if own is None:
        raise SetupError(f"pip says it installed uv, but there is none in {cache_folder()}. Install uv by hand.")
    return str(own)


def uv_packages() -> list[str]:
    """The Debian package without which `find_uv` cannot work: its Python comes without `venv` and without pip."""
    if shutil.which("uv") or _own_uv() or importlib.util.find_spec("ensurepip") or importlib.util.find_spec("pip"):
        return []
    return [f"python{sys.version_info.major}.{sys.version_info.minor}-venv"]


def _own_uv() -> Path | None:
    folder = cache_folder() / f"uv-{UV_VERSION}"
    # `venv` and `pip --target` differ in where they put programs on Windows.
    places = (folder / "Scripts" / "uv.exe", folder / "bin" / "uv.exe", folder / "bin" / "uv")
    return next((place for place in places if place.is_file()), None)


def _version_of(uv: str) -> tuple[int, ...]:
    try:
        text = subprocess.run([uv, "--version"], capture_output=True, text=True, timeout=60).stdout
    except (OSError, subprocess.TimeoutExpired):
        return ()
    match = re.search(r"(\d+)\.(\d+)\.(\d+)", text)
    return tuple(int(part) for part in match.groups()) if match else ()


def _install_uv(folder: Path) -> None:
    """An own virtual environment, which also works where the system's Python is managed by its packages (PEP 668).

    Debian ships Python without `ensurepip`; there a pip, if any, installs into the bare folder.
    """
    log = log_file("uv-install")
    shutil.rmtree(folder, ignore_errors=True)
    wanted = f"uv=={UV_VERSION}"
    inside = folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    ways = (
        [[sys.executable, "-m", "venv", str(folder)], [str(inside), "-m", "pip", "install", wanted]],
        [[sys.executable, "-m", "pip", "install", "--target", str(folder), wanted]],
    )
    with log.open("wb") as sink:
        for way in ways:
            if all(subprocess.run(step, stdout=sink, stderr=sink).returncode == 0 for step in way):
                return
            shutil.rmtree(folder, ignore_errors=True)
    text = log.read_text(encoding="utf-8", errors="replace")
    tail = "".join(f"    {line}\n" for line in text.strip().splitlines()[-5:])
    raise SetupError(f"uv could not be installed with pip:\n{tail}Check the network connection. The whole log: {log}")


# --- the environment --------------------------------------------------------------------------------------------------


class Environment:
    """`.venv` of a checkout.

    Attributes:
        folder: Where it is.
        device: What the engine is, or will be, built for.
    """

    def __init__(self, root: Path, device: str) -> None:
        self.root = root
        self.folder = root / ".venv"
        self.device = device

    def tool(self, name: str) -> str:
        """The path of a program in it."""
        return str(self.folder / (f"Scripts/{name}.exe" if os.name == "nt" else f"bin/{name}"))

    @property
    def python(self) -> str:
        return self.tool("python")

    def forget_engine(self, uv: str) -> None:
        """Throw away the compiled engine, here and in uv's cache."""
        log = log_file("uv")
        commands = [[uv, "cache", "clean", ENGINE]]
        if Path(self.python).exists():
            commands.append([uv, "pip", "uninstall", "--python", self.python, ENGINE])
        with log.open("wb") as sink:
            codes = [subprocess.run(command, stdout=sink, stderr=sink).returncode for command in commands]
        if any(codes):
            raise SetupError(explain_failure(log.read_text(encoding="utf-8", errors="replace"), log))

    def has_engine(self) -> bool:
        """Is the engine there, in the pinned version and built for the device?"""
        with (self.root / "pyproject.toml").open("rb") as file:
            pins = tomllib.load(file)["project"]["dependencies"]
        version = next(pin.split("==")[1] for pin in pins if pin.startswith(f"{ENGINE}=="))
        name = f"llama_cpp_python-{version}.dist-info"
        patterns = (f"lib/python3.*/site-packages/{name}", f"Lib/site-packages/{name}")
        places = [found for pattern in patterns for found in self.folder.glob(pattern)]
        if not places:
            return False
        try:
            built = json.loads((places[0] / "uv_build.json").read_text(encoding="utf-8"))
            settings = built.get("config_settings") or {}
        except (OSError, ValueError):
            settings = {}
        return bool(settings.get("cmake.args", "") == _CMAKE_ARGUMENTS[self.device])

    def sync(self, uv: str, *, development: bool) -> None:
        """Make `.venv` what pyproject.toml says. `development`: with what tests, linters and benchmarks need.

        Raises:
            SetupError: with a sentence, the lines of the log that matter, and where all of it is.
        """
        require_known_system()
        has_engine = self.has_engine()
        extra: dict[str, str] = {}
        if not has_engine:
            if not compiler_works():
                raise SetupError(compiler_advice())
            extra = {**engine_compiler(), **require_device_compiler(self.device)}
        command = self._command(uv, development=development)
        environment = {key: value for key, value in os.environ.items() if key not in ("VIRTUAL_ENV", "PYTHONPATH")}
        environment |= {"UV_PROJECT_ENVIRONMENT": str(self.folder), "NO_COLOR": "1", "UV_NO_PROGRESS": "1", **extra}
        # Not every registry lets uv see that a source package is unchanged, and then uv compiles the engine again.
        # From its cache alone it takes what it compiled before, so that is tried first, and again before compiling.
        steps = [["--offline"], []]
        if not has_engine:
            steps[1:1] = [["--no-install-package", ENGINE, *(["--inexact"] if development else [])], ["--offline"]]
        log = log_file("uv")
        for number, step in enumerate(steps):
            code = follow([*command, *step], environment, log)
            if code == 0 and ENGINE not in step:
                break
            text = log.read_text(encoding="utf-8", errors="replace")
            if code and (number == len(steps) - 1 or "--offline" not in step or "build_wheel` failed" in text):
                raise SetupError(explain_failure(text, log, self.device))
        remember_device(self.device)

    def _command(self, uv: str, *, development: bool) -> list[str]:
        command = [uv, "sync", "--verbose", "--project", str(self.root)]
        if not development:
            command += ["--no-dev", "--inexact"]
        if _CMAKE_ARGUMENTS[self.device]:
            command += ["--config-settings-package", f"{ENGINE}:cmake.args={_CMAKE_ARGUMENTS[self.device]}"]
        if not Path(self.python).exists() and sys.version_info < (3, 15):
            command += ["--python", sys.executable]
        return command


def follow(command: list[str], environment: dict[str, str], log: Path, *, compiling: bool = False) -> int:
    """Run uv, keep all it says in `log`, show how far it is, and return its exit code. `compiling`: from the start."""
    progress = Progress()
    progress.compiling = compiling
    process = subprocess.Popen(
        command, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    )
    assert process.stdout is not None
    try:
        with process.stdout, log.open("wb") as sink:
            for line in process.stdout:
                sink.write(line)
                progress.read(line.decode("utf-8", "replace"))
    except BaseException:
        process.terminate()
        process.wait()
        raise
    finally:
        progress.end()
    return process.wait()


class Progress:
    """Turns what uv and ninja say into a few lines; into one that changes in place on a terminal."""

    def __init__(self) -> None:
        self.started = time.monotonic()
        self.fetching = False
        self.compiling = False
        self.shown = 0.0
        self.live = sys.stderr.isatty()

    def read(self, line: str) -> None:
        """Look at one line."""
        if not self.fetching and line.lstrip().startswith("Downloading "):
            self.fetching = True
            say("Fetching packages")
        if not self.compiling and line.lstrip().startswith(f"Building {ENGINE}=="):
            self.compiling, self.started = True, time.monotonic()
            say("Compiling the engine; this takes some minutes, once for this machine")
        step = re.search(r"\[(\d+)/(\d+)\]", line)
        pause = 0.5 if self.live else 60.0
        if self.compiling and step and time.monotonic() - self.shown > pause:
            self.shown = time.monotonic()
            text = f"  {step[1]} of {step[2]} files, {self.shown - self.started:.0f} s"
            print(text, end="  \r" if self.live else "\n", file=sys.stderr, flush=True)

    def end(self) -> None:
        """Leave the terminal on a fresh line."""
        if self.compiling and self.live:
            print(file=sys.stderr)


_CAUSES = (
    ("No space left on device", "The disk is full."),
    (
        "Project virtual environment directory",
        "There is a .venv that is no Python environment. Delete it and try again.",
    ),
    (
        r"Killed|out of memory|[Cc]annot allocate memory",
        "The memory ran out while compiling. Close other programs, or compile one file at a time: set "
        "CMAKE_BUILD_PARALLEL_LEVEL=1 and try again.",
    ),
    (r"CMAKE_C(XX)?_COMPILER not set|Could not find the compiler", None),
    (
        r"dns error|error sending request|[Ff]ailed to fetch|[Cc]onnection (refused|reset)|timed out",
        "Packages could not be fetched. Check the network connection and try again.",
    ),
    (rf"(Failed to build|Building) `?{ENGINE}", "The engine did not compile."),
)
_USEFUL = re.compile(r"error:|CMake Error|fatal|undefined ref|not found|cannot|failed|No s(uch|pace)", re.IGNORECASE)


def explain_failure(text: str, log: Path, device: str = "none") -> str:
    """A sentence for what uv said before it failed, the lines that matter, and where all of it is."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    # What uv's debug lines mention before its last word are errors that it got over.
    last_word = max((number for number, line in enumerate(lines) if line.startswith("error:")), default=0)
    lines = [line for line in lines[last_word:] if not line.startswith(("DEBUG", "TRACE"))]
    sentence = "The packages could not be set up in .venv."
    for pattern, meaning in _CAUSES:
        if re.search(pattern, "\n".join(lines)):
            sentence = meaning or compiler_advice()
            break
    if device != "none" and ENGINE in "\n".join(lines):
        sentence += f" It was to be built for {device}; --gpu none builds it without."
    useful = [line for line in lines if _USEFUL.search(line) and " -c " not in line][:8] or lines[-8:]
    return f"{sentence}\n" + "".join(f"    {line[:160]}\n" for line in useful) + f"The whole log: {log}"
