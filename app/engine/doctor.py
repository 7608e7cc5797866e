"""Examines this computer: what there is, and what to do about what is missing."""

import importlib.metadata
import os
import platform
import re
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from app.core import machine, paths
from app.core.errors import AppError
from app.core.gguf import describe, read_header
from app.core.launch import is_bundle
from app.engine.doctor_children import EngineFacts, QtFacts, ask_engine, ask_qt

GIB = 1024**3
LOW_MEMORY = 2 * GIB
LOW_DISK = 2 * GIB
PYTHONS = ((3, 11), (3, 15))  # from, up to but not including
_CPU_FLAGS = {"AVX": "avx", "AVX2": "avx2", "FMA": "fma", "F16C": "f16c", "BMI2": "bmi2", "AVX512": "avx512f"}
_DEV = "python3 packaging/dev.py run"
_INSTALL_AGAIN = "Install Outpace again."


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that was looked at.

    `found`: what there is. `advice`: what to do, "" where nothing is to be done.
    `state`: "ok"; "advice" when it works and could be better; "problem" when something will not work.
    """

    name: str
    state: Literal["ok", "advice", "problem"]
    found: str
    advice: str = ""


def examine(
    folders: paths.Paths,
    *,
    engine: Callable[[], EngineFacts] = ask_engine,
    qt: Callable[[], QtFacts] = ask_qt,
) -> Iterator[Check]:
    """Look at everything, one check after the other, in the order a person would want to read them.

    Args:
        folders: The profile to look at.
        engine: Asks the native library about itself; an `AppError` says why it cannot.
        qt: Asks Qt about itself, likewise.
    """
    yield check_python(sys.version_info[:2], platform.python_version())
    yield check_qt(qt)
    facts: EngineFacts | None = None
    try:
        facts = engine()
        yield Check("Engine", "ok", f"llama-cpp-python {facts.version}, llama.cpp {facts.build}")
    except AppError as error:
        yield Check("Engine", "problem", error.sentence, _compile_advice())
    yield check_cpu(_cpu_name(), _cpu_flags(), facts.features if facts else "")
    if facts is not None:
        yield check_devices(facts, nvidia=_has_nvidia())
    yield Check("Cores", "ok", f"{machine.physical_cores()} physical")
    yield check_memory(machine.memory_total(), machine.memory_available())
    for name, folder in (
        ("Settings folder", folders.config),
        ("Data folder", folders.data),
        ("Cache folder", folders.cache),
        ("Log folder", folders.logs),
    ):
        yield check_folder(name, folder)
    yield check_versions(_pins(), _installed)
    yield check_demo_pair(paths.demo_pair())


def check_python(version: tuple[int, ...], text: str) -> Check:
    """Is this Python one that Outpace runs on?"""
    bits = "64 bit" if sys.maxsize > 2**32 else "32 bit"
    found = f"{text} ({platform.python_implementation()}, {bits})"
    low, high = PYTHONS
    if low <= version < high and bits == "64 bit":
        return Check("Python", "ok", found)
    wanted = f"Use a 64 bit Python from {low[0]}.{low[1]} to {high[0]}.{high[1] - 1}."
    return Check("Python", "problem", found, wanted)


def check_qt(ask: Callable[[], QtFacts], python: tuple[int, ...] = sys.version_info[:2]) -> Check:
    """Can Qt be started, and can it open a window on a display?"""
    try:
        facts = ask()
    except AppError as error:
        return Check("Qt", "problem", error.sentence, _library_advice())
    found = f"PySide6 {facts.version}, Qt {facts.qt}"
    if facts.version.startswith("6.12.0") and python < (3, 12):
        # That release drops a reference to None for every empty QVariant, and the process aborts in the end.
        return Check("Qt", "problem", found, "This release crashes on Python before 3.12. Install PySide6 6.11.3.")
    if facts.display:
        state: Literal["advice", "problem"] = "advice" if os.environ.get("WAYLAND_DISPLAY") else "problem"
        return Check("Qt", state, f"{found}; no window on X11: {facts.display}", _library_advice())
    return Check("Qt", "ok", found)


def check_cpu(name: str, flags: frozenset[str], features: str) -> Check:
    """Does the engine use what the processor can do, and nothing that it cannot?

    Args:
        name: Of the processor.
        flags: What it can do, as Linux names it; empty if unknown.
        features: What the engine was compiled to use, as the library prints it; "" if unknown.
    """
    used = {feature for feature, flag in re.findall(r"(\w+) = (\d)", features) if flag == "1"}
    listed = ", ".join(feature for feature in _CPU_FLAGS if feature in used)
    found = f"{name}; the engine uses {listed}" if listed else name
    if not flags or not used:
        return Check("Processor", "ok", found)
    beyond = [feature for feature, flag in _CPU_FLAGS.items() if feature in used and flag not in flags]
    unused = [feature for feature, flag in _CPU_FLAGS.items() if feature not in used and flag in flags]
    if beyond:
        found += f", but the processor has no {', '.join(beyond)}"
        return Check("Processor", "problem", found, f"The engine will crash. {_compile_advice()}")
    if unused:
        found += f", not {', '.join(unused)}"
        return Check("Processor", "advice", found, f"It would be faster made for this processor. {_compile_advice()}")
    return Check("Processor", "ok", found)


def check_devices(facts: EngineFacts, *, nvidia: bool) -> Check:
    """Which devices can the engine use? `nvidia`: the driver of an NVIDIA card is there."""
    if facts.devices:
        found = "; ".join(
            f"{device.name}: {device.description}, {_size(device.free)} of {_size(device.total)} free"
            for device in facts.devices
        )
        return Check("Devices", "ok", found)
    if nvidia:
        how = "built from source, Outpace can use the card: README, Building for a GPU"
        advice = f"There is an NVIDIA driver; {how if is_bundle() else f'compile the engine for it: {_DEV} --gpu cuda'}"
        return Check("Devices", "advice", "the processor only", advice)
    return Check("Devices", "ok", "the processor only")


def check_memory(total: int | None, available: int | None) -> Check:
    """Is there room for a model? Bytes, None if unknown."""
    if total is None or available is None:
        return Check("Memory", "ok", "unknown" if total is None else f"{_size(total)} in all")
    found = f"{_size(available)} of {_size(total)} available"
    if available < LOW_MEMORY:
        return Check("Memory", "advice", found, "Close other programs before you load a model.")
    return Check("Memory", "ok", found)


def check_folder(name: str, folder: Path) -> Check:
    """Can files be written there? A folder that does not exist yet is asked for at its nearest existing parent."""
    place = folder
    while not place.exists() and place != place.parent:
        place = place.parent
    try:
        free = shutil.disk_usage(place).free
        found = f"{folder}, {_size(free)} free"
        if place == folder:
            with tempfile.TemporaryFile(dir=folder) as file:
                file.write(b"x" * 4096)
        elif not place.is_dir() or not os.access(place, os.W_OK | os.X_OK):
            raise PermissionError(f"cannot be made in {place}")
    except OSError as error:
        advice = f"Make it writable, or set {paths.HOME_VARIABLE} to a folder that is."
        return Check(name, "problem", f"{folder}: {error.strerror or error}", advice)
    if free < LOW_DISK:
        return Check(name, "advice", found, "Free some space: models need gigabytes.")
    return Check(name, "ok", found)


def check_versions(pins: dict[str, str], installed: Callable[[str], str | None]) -> Check:
    """Are the libraries the ones Outpace was tested with? `pins`: name to version."""
    if not pins:
        return Check("Libraries", "ok", "as bundled")
    has = {name: installed(name) for name in pins}
    missing = [name for name, version in has.items() if version is None]
    other = [f"{name} {has[name]} instead of {pins[name]}" for name in pins if has[name] not in (None, pins[name])]
    advice = f"Set up the environment again: {_DEV}"
    if missing:
        return Check("Libraries", "problem", f"missing: {', '.join(missing)}", advice)
    if other:
        return Check("Libraries", "advice", ", ".join(other), advice)
    return Check("Libraries", "ok", ", ".join(f"{name} {version}" for name, version in pins.items()))


def check_demo_pair(pair: tuple[Path, Path]) -> Check:
    """Are the built-in models there, and are they models?"""
    try:
        names = [describe(read_header(path)).name or path.name for path in pair]
    except AppError as error:
        return Check(
            "Demo pair",
            "problem",
            str(error),
            _INSTALL_AGAIN if is_bundle() else "Get the files in resources/demo again.",
        )
    return Check("Demo pair", "ok", " and ".join(names))


# --- this computer ----------------------------------------------------------------------------------------------------


def _cpu_name() -> str:
    for line in _cpuinfo():
        if line.startswith("model name"):
            return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def _cpu_flags() -> frozenset[str]:
    for line in _cpuinfo():
        if line.startswith("flags"):
            return frozenset(line.partition(":")[2].split())
    return frozenset()


def _cpuinfo() -> list[str]:
    try:
        return Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return []


def _has_nvidia() -> bool:
    return Path("/proc/driver/nvidia/version").exists() or shutil.which("nvidia-smi") is not None


def _pins() -> dict[str, str]:
    try:
        required = importlib.metadata.requires("outpace") or []
    except importlib.metadata.PackageNotFoundError:
        return {}
    return dict(line.split("==", 1) for line in required if re.fullmatch(r"[\w.-]+==[\w.]+", line))


def _installed(name: str) -> str | None:
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return None


# --- words ------------------------------------------------------------------------------------------------------------


def _size(number: int) -> str:
    return f"{number / GIB:.1f} GiB"


def _compile_advice() -> str:
    return _INSTALL_AGAIN if is_bundle() else f"Compile it on this computer: {_DEV} --rebuild-engine"


def _library_advice() -> str:
    if shutil.which("apt-get") and not is_bundle():
        return f"Install what Qt needs; this does, or says how: {_DEV}"
    return "Install what Qt needs (the named library) with the packages of your system."
