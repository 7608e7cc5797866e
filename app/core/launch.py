"""How this program starts itself in another role."""

import os
import sys
from pathlib import Path
from typing import Literal

ChildRole = Literal["engine", "download", "inspect", "probe-engine", "probe-window"]


def child_command(role: ChildRole) -> list[str]:
    """The command line of a child process in `role`."""
    if is_bundle():
        # Two programs: Qt is only in the first, the engine only in the second.
        name = "outpace" if role == "probe-window" else "outpace-engine"
        suffix = ".exe" if sys.platform == "win32" else ""
        return [str(Path(sys.executable).with_name(f"{name}{suffix}")), "--role", role]
    return [sys.executable, "-m", "app", "--role", role]


def is_bundle() -> bool:
    """Is this the packaged program, which nobody can compile anything for?"""
    return bool(getattr(sys, "frozen", False))


def child_environment() -> dict[str, str]:
    """Our environment, with this package importable from any folder."""
    environment = dict(os.environ)
    if not is_bundle():
        root = str(Path(__file__).resolve().parents[2])
        before = environment.get("PYTHONPATH", "")
        environment["PYTHONPATH"] = f"{root}{os.pathsep}{before}" if before else root
    return environment
