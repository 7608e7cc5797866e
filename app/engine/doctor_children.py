"""Questions that are safer asked in a child process: loading native libraries can end the process that does it."""

import json
import os
import signal
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass

from app.core.errors import EnvironmentFault
from app.core.launch import child_command, child_environment

TIMEOUT_S = 60.0


@dataclass(frozen=True, slots=True)
class DeviceFacts:
    """A compute device other than the CPU; memory in bytes."""

    name: str
    description: str
    free: int
    total: int


@dataclass(frozen=True, slots=True)
class EngineFacts:
    """What the native library says about itself.

    `version`: of the binding. `build`: of llama.cpp. `features`: what it was compiled to use, as it prints them
    ("CPU : AVX2 = 1 | ...").
    """

    version: str
    build: str
    features: str
    devices: tuple[DeviceFacts, ...] = ()


@dataclass(frozen=True, slots=True)
class QtFacts:
    """What a window would run with. `display`: why the plugin for X11 cannot be loaded, or ""."""

    version: str
    qt: str
    display: str


def ask_engine() -> EngineFacts:
    """Load the engine's library in a child.

    Raises:
        EnvironmentFault: it cannot be loaded; `detail` has the child's last words.
    """
    answer = _ask(child_command("probe-engine"), "The engine", {})
    devices = tuple(DeviceFacts(*device) for device in answer["devices"])
    return EngineFacts(answer["version"], answer["build"], answer["features"], devices)


def ask_qt() -> QtFacts:
    """Start a Qt application without a display in a child.

    Raises:
        EnvironmentFault: it cannot be started; `detail` has the child's last words.
    """
    answer = _ask(child_command("probe-window"), "Qt", {"QT_QPA_PLATFORM": "offscreen"})
    return QtFacts(answer["version"], answer["qt"], answer["display"])


def _ask(command: Sequence[str], what: str, extra: dict[str, str]) -> dict[str, str]:
    try:
        done = subprocess.run(
            list(command),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            encoding="utf-8",
            errors="replace",
            timeout=TIMEOUT_S,
            env={**child_environment(), **extra},
        )
    except subprocess.TimeoutExpired:
        raise EnvironmentFault("timeout", f"{what} did not answer within {TIMEOUT_S:.0f} seconds.") from None
    except OSError as error:
        raise EnvironmentFault("no_child", f"No process could be started: {error}.") from error
    words = done.stderr.strip().splitlines()
    last = words[-1] if words else ""
    if done.returncode == -getattr(signal, "SIGILL", 0) and os.name == "posix":
        raise EnvironmentFault("illegal_instruction", f"{what} was compiled for another kind of processor.", "", last)
    if done.returncode < 0:
        raise EnvironmentFault("crashed", f"{what} crashed while loading (signal {-done.returncode}).", "", last)
    lines = done.stdout.strip().splitlines()
    if done.returncode or not lines:
        raise EnvironmentFault("not_loaded", f"{what} cannot be loaded: {last.partition(': ')[2] or last}.", "", last)
    answer: dict[str, str] = json.loads(lines[-1])
    return answer
