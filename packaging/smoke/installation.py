"""An installed Outpace, as a smoke run starts it: here, or in the root of another system."""

import json
import os
import shutil
import sqlite3
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from machine import UID, SmokeError, files_of, processes_of, wait_until


@dataclass(frozen=True, slots=True)
class Installation:
    """Where it is and who starts it.

    `window`, `engine`: the programs, as they are called inside of `root`. `home`: the folder of the person, inside too;
    must not exist yet. `root`: "/" or the root of another system.
    """

    window: str
    engine: str
    home: Path
    root: Path = Path("/")

    def make_home(self) -> None:
        """An empty folder that belongs to nobody else. Only root can give it away."""
        self.outside(self.home).mkdir(parents=True)
        if os.geteuid() == 0:
            os.chown(self.outside(self.home), UID, UID)

    @property
    def uid(self) -> int:
        return UID if os.geteuid() == 0 else os.geteuid()

    def outside(self, path: Path) -> Path:
        """Where a path inside is, seen from here."""
        return self.root / path.relative_to("/")

    def command(self, *words: str, display: str = "", **more: str) -> list[str]:
        """What starts a program there with an empty environment."""
        variables = {"HOME": str(self.home), "PATH": "/usr/local/bin:/usr/bin:/bin", "LANG": "C.UTF-8", **more}
        if display:
            variables["DISPLAY"] = display
        listed = ["env", "-i", *(f"{key}={value}" for key, value in variables.items()), *words]
        if self.root != Path("/"):
            return ["chroot", f"--userspec={UID}:{UID}", str(self.root), *listed]
        if os.geteuid() == 0:
            return ["setpriv", f"--reuid={UID}", f"--regid={UID}", "--clear-groups", *listed]
        return listed

    def start(self, display: str, *arguments: str, **more: str) -> subprocess.Popen[str]:
        """Start the window."""
        command = self.command(self.window, *arguments, display=display, **more)
        # From a folder that is not the program's own.
        return subprocess.Popen(command, cwd="/", stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def run(self, *arguments: str, timeout: float = 300, **more: str) -> subprocess.CompletedProcess[str]:
        """Run the command line to its end."""
        command = self.command(self.engine, *arguments, **more)
        return subprocess.run(command, cwd="/", capture_output=True, text=True, timeout=timeout, check=False)

    def answers(self) -> list[dict[str, Any]]:
        """The answers in the history, oldest first: `text`, `status`, and all that is kept about them."""
        file = self.outside(self.home) / ".local/share/outpace/history.db"
        if not file.exists():
            return []
        with sqlite3.connect(f"file:{file}?mode=ro", uri=True, timeout=10) as history:
            rows = history.execute(
                "SELECT text, status, details FROM message WHERE role = 'assistant' ORDER BY number"
            ).fetchall()
        return [{**json.loads(details), "text": text, "status": status} for text, status, details in rows]

    def comparisons(self) -> list[dict[str, Any]]:
        """The kept comparisons, oldest first, those that are written to their end."""
        file = self.outside(self.home) / ".local/share/outpace/comparisons.jsonl"
        if not file.exists():
            return []
        return [json.loads(line) for line in file.read_bytes().splitlines(keepends=True) if line.endswith(b"\n")]

    def demo_pair(self) -> tuple[str, str]:
        """The built-in files, as seen from inside."""
        inside = Path(self.engine)
        if self.outside(inside).is_symlink():
            inside = Path(os.path.normpath(inside.parent / self.outside(inside).readlink()))
        demo = inside.parent / "_internal" / "resources" / "demo"
        return str(demo / "outpace-demo-target-q8_0.gguf"), str(demo / "outpace-demo-draft-q8_0.gguf")

    def require_nothing_left(self) -> None:
        """No process of the person, and no file but in the person's folder.

        Raises:
            SmokeError: there is something.
        """
        if self.uid != UID:
            return  # a developer without root has other programs and files
        wait_until("the end of all processes", lambda: not processes_of(UID), 10)
        home = self.outside(self.home)
        left = [file for file in files_of(UID, self.root) if not Path(file).is_relative_to(home)]
        if left:
            raise SmokeError(f"files were left outside of the home: {', '.join(left)}")
        inside = {str(path.relative_to(self.outside(self.home))) for path in self.outside(self.home).rglob("*")}
        known = (".config", ".local", ".cache")
        strange = sorted(name for name in inside if not name.startswith(known))
        if strange:
            raise SmokeError(f"the home has what does not belong there: {', '.join(strange)}")

    def remove_home(self) -> None:
        shutil.rmtree(self.outside(self.home), ignore_errors=True)
