"""How this program starts itself in another role."""

import os
import sys
from pathlib import Path
from typing import Literal

ChildRole = Literal["engine", "download"]


def child_command(role: ChildRole) -> list[str]:
    """The command line of a child process in `role`."""
    if getattr(sys, "frozen", False):
        suffix = ".exe" if sys.platform == "win32" else ""
        return [str(Path(sys.executable).parent / f"outpace-engine{suffix}"), "--role", role]
    return [sys.executable, "-m", "app", "--role", role]


def child_environment() -> dict[str, str]:
    """Our environment, with this package importable from any folder."""
    environment = dict(os.environ)
    if not getattr(sys, "frozen", False):
        root = str(Path(__file__).resolve().parents[2])
        before = environment.get("PYTHONPATH", "")
        environment["PYTHONPATH"] = f"{root}{os.pathsep}{before}" if before else root
    return environment
