"""What the smoke runs stand on: a screen, a keyboard, a person without rights, a look at what is left."""

import contextlib
import os
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeVar

UID = 64_210
"""Nobody's; every process and file of a run by root belongs to it, so that nothing of it can be overlooked."""
# Where everybody may write.
SHARED_FOLDERS = ("/tmp", "/var/tmp", "/dev/shm", "/run/lock")


T = TypeVar("T")


class SmokeError(Exception):
    """Something is not as it must be; the text says what."""


def wait_until(what: str, condition: Callable[[], T], timeout: float = 60.0, pause: float = 0.05) -> T:
    """The first true value of `condition`.

    Raises:
        SmokeError: there was none in `timeout` seconds.
    """
    end = time.monotonic() + timeout
    while not (value := condition()):
        if time.monotonic() > end:
            raise SmokeError(f"waited {timeout:.0f} s in vain for {what}")
        time.sleep(pause)
    return value


@contextlib.contextmanager
def screen(size: str = "1280x900x24") -> Iterator[str]:
    """A screen; the value for DISPLAY."""
    if not shutil.which("Xvfb") or not shutil.which("xdotool"):
        raise SmokeError("Xvfb and xdotool are needed: apt-get install xvfb xdotool")
    read, write = os.pipe()
    command = ["Xvfb", "-displayfd", str(write), "-screen", "0", size, "-nolisten", "tcp", "-ac", "-noreset"]
    server = subprocess.Popen(command, pass_fds=[write], stderr=subprocess.DEVNULL)
    os.close(write)
    try:
        with os.fdopen(read) as told:
            number = told.readline().strip()
        if not number:
            raise SmokeError("Xvfb did not start")
        yield f":{number}"
    finally:
        server.terminate()
        server.wait(20)


class Keyboard:
    """Looks at the screen, and types."""

    def __init__(self, display: str) -> None:
        self._environment = {**os.environ, "DISPLAY": display}

    def windows(self) -> list[str]:
        """The visible windows of the program."""
        return self._run("search", "--onlyvisible", "--class", "outpace").split()

    def focus(self, window: str) -> None:
        """There is no window manager to do that."""
        self._run("windowfocus", "--sync", window)

    def press(self, *keys: str) -> None:
        for key in keys:
            self._run("key", "--clearmodifiers", key)

    def write(self, text: str) -> None:
        self._run("type", "--clearmodifiers", "--delay", "15", text)

    def picture(self, target: Path) -> None:
        """The whole screen as PNG, where ImageMagick is installed."""
        if shutil.which("import"):
            subprocess.run(["import", "-window", "root", str(target)], env=self._environment, check=False)

    def _run(self, *arguments: str) -> str:
        command = ["xdotool", *arguments]
        done = subprocess.run(command, env=self._environment, capture_output=True, text=True, timeout=60, check=False)
        return done.stdout


def processes_of(uid: int) -> list[str]:
    """Process id and command line of all that runs for a user and is not over."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if folder.stat().st_uid == uid and "\nState:\tZ" not in (folder / "status").read_text():
                words = (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode("utf-8", "replace")
                found.append(f"{folder.name} {words}")
        except OSError:
            continue
    return found


def files_of(uid: int, root: Path) -> list[str]:
    """What a user left in the folders where everybody may write, below `root`."""
    found = []
    for name in SHARED_FOLDERS:
        for base, folders, files in os.walk(root / name.lstrip("/")):
            for entry in (*folders, *files):
                with contextlib.suppress(OSError):
                    if (Path(base) / entry).lstat().st_uid == uid:
                        found.append(str(Path(base) / entry))
    return found
