"""Drives an installed Outpace from outside, with a keyboard on a screen of its own, as a person would.

    python3 packaging/smoke/smoke.py BUNDLE                 a folder as `dev.py package bundle` makes it
    python3 packaging/smoke/smoke.py --root ROOT            the package installed in the root of another system

As root the program runs for a user that owns nothing, from a folder that cannot be written to. Exit code 0, or 1 with a
sentence.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from installation import Installation
from machine import UID, Keyboard, SmokeError, processes_of, screen, wait_until

FOLDER = "Ein Ordner mit Leerzeichen, Ümlauten & ☕"
PROMPT = "List 2 users in JSON."


def main() -> int:
    """Run what the arguments ask for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("bundle", nargs="?", type=Path, help="folder with the programs")
    parser.add_argument("--root", type=Path, help="root of a system where the package is installed")
    parser.add_argument("--pictures", type=Path, help="keep pictures of the screen in this folder")
    options = parser.parse_args()
    if (options.bundle is None) == (options.root is None):
        parser.error("either a bundle or --root")
    scratch = Path(tempfile.mkdtemp(prefix="outpace smoke "))
    scratch.chmod(0o755)
    try:
        if options.root is not None:
            home = Path("/var/smoke")
            installation = Installation("/usr/bin/outpace", "/usr/bin/outpace-cli", home, options.root.resolve())
        else:
            place = scratch / FOLDER / "outpace"
            copy_read_only(options.bundle, place)
            installation = Installation(str(place / "outpace"), str(place / "outpace-engine"), scratch / "home ü")
        with screen() as display:
            Smoke(installation, display, options.pictures).run()
    except (SmokeError, subprocess.TimeoutExpired) as problem:
        print(f"FAILED: {problem}", file=sys.stderr)
        return 1
    finally:
        make_writable(scratch)
        shutil.rmtree(scratch, ignore_errors=True)
        if options.root is not None:
            installation.remove_home()
    print("The smoke run passed.")
    return 0


def copy_read_only(bundle: Path, place: Path) -> None:
    """Install by copying; nobody may write there afterwards."""
    if not (bundle / "outpace").exists():
        raise SmokeError(f"{bundle} has no program in it")
    shutil.copytree(bundle, place, symlinks=True)
    for path in (place, *place.rglob("*")):
        if not path.is_symlink():
            path.chmod(path.stat().st_mode & ~0o222 | 0o444)


def make_writable(folder: Path) -> None:
    """So that it can be deleted."""
    for base, _, _ in os.walk(folder):
        Path(base).chmod(0o755)


class Smoke:
    """The steps, in order; each says what it found."""

    def __init__(self, installation: Installation, display: str, pictures: Path | None) -> None:
        self.installation = installation
        self.display = display
        self.keyboard = Keyboard(display)
        self.pictures = pictures
        self.started: list[subprocess.Popen[str]] = []

    def run(self) -> None:
        """All steps, for a person with an empty home."""
        if self.installation.uid == UID and processes_of(UID):
            raise SmokeError(f"another smoke run is going on (processes of user {UID})")
        self.installation.make_home()
        try:
            self.command_line()
            self.first_day()
            self.second_day()
            self.another_profile()
        except BaseException:
            self._picture("failed")
            raise
        finally:
            for process in self.started:
                process.kill()
                process.communicate()
        self.installation.require_nothing_left()
        print("no process and no file is left outside of the home")

    def command_line(self) -> None:
        """Doctor, inspect and compare, without a screen."""
        done = self.installation.run("doctor")
        problems = [line for line in done.stdout.splitlines() if line.startswith("problem")]
        expect(not problems and done.returncode == 0, f"the doctor says:\n{done.stdout}{done.stderr}")
        expect(not done.stderr, f"the doctor printed: {done.stderr}")
        print(next(line for line in done.stdout.splitlines() if "Processor" in line))
        target, draft = self.installation.demo_pair()
        pair = ["--model", target, "--draft", draft]
        done = self.installation.run("compare", *pair, "--prompt", PROMPT, "--lookahead", "3", "--prove")
        expect(done.returncode == 0, f"compare failed: {done.stdout}{done.stderr}")
        expect("identical, token for token" in done.stdout, f"the texts differ: {done.stdout}")
        print("compare: the texts with speculation off and on are identical, token for token")

    def first_day(self) -> None:
        """An answer, drafted tokens, the switch, the end."""
        process = self._open("first start, nothing cached")
        answer = self._ask(1)
        print(f"answer with {answer['stats']['generated_tokens']} tokens, as it is after an installation")
        self._picture("answer")
        # Not left to `auto`, which rightly sees no gain on some machines with models this small.
        self.keyboard.press("F7")
        stats = self._ask(2)["stats"]
        expect(stats["accepted"] > 0, f"no drafted token was accepted: {stats}")
        expect(stats["accepted"] <= stats["verified"] <= stats["proposed"], f"odd counts: {stats}")
        print(f"drafted tokens: {stats['verified']} checked, {stats['accepted']} kept")
        self.keyboard.press("ctrl+d")
        stats = self._ask(3)["stats"]
        expect(stats["verified"] == 0, f"speculation is off, and drafts are checked: {stats}")
        self.keyboard.press("ctrl+d")
        stats = self._ask(4)["stats"]
        expect(stats["accepted"] > 0, f"speculation is on again, and nothing was accepted: {stats}")
        print("the switch turns speculation off and on")
        self._picture("chat")
        self._compare()
        self._quit(process)

    def second_day(self) -> None:
        """The chats are there; a second start shows the first window."""
        before = self.installation.answers()
        process = self._open("second start")
        expect(self.installation.answers() == before, "the chats are not those of before")
        second = self._start()
        out, err = second.communicate(timeout=60)
        expect((second.returncode, out, err) == (0, "", ""), f"second start: {second.returncode} {out}{err}")
        expect(len(self.keyboard.windows()) == 1, "a second start opened a second window")
        print("a second start shows the first window")
        self._quit(process)

    def another_profile(self) -> None:
        """Two instances at once, for two profiles."""
        first = self._open("third start")
        other = str(self.installation.home / ".local" / "other")
        second = self._start(OUTPACE_HOME=other)
        wait_until("a second window", lambda: len(self.keyboard.windows()) == 2)
        second.terminate()
        expect(second.wait(30) == 0, f"the second instance ended with {second.returncode}")
        expect(first.poll() is None, "the first instance ended with the second")
        print("two instances with two profiles do not disturb each other")
        self.keyboard.focus(self.keyboard.windows()[0])
        self._quit(first)

    def _start(self, **more: str) -> subprocess.Popen[str]:
        process = self.installation.start(self.display, **more)
        self.started.append(process)
        return process

    def _open(self, what: str) -> subprocess.Popen[str]:
        started = time.monotonic()
        process = self._start()

        def shown() -> list[str]:
            expect(process.poll() is None, f"the program ended with {process.returncode} before it had a window")
            return self.keyboard.windows()

        windows = wait_until("a window", shown, 60, pause=0.01)
        print(f"window after {time.monotonic() - started:.2f} s ({what})")
        self.keyboard.focus(windows[0])
        return process

    def _ask(self, number: int) -> dict[str, Any]:
        """Ask in a chat of its own, once the engine is ready for it, and wait for the end of the answer."""
        if number > 1:
            self.keyboard.press("ctrl+n")
        self.keyboard.write(PROMPT)

        def begun() -> bool:
            if len(self.installation.answers()) >= number:
                return True
            self.keyboard.press("Return")
            time.sleep(0.3)
            return len(self.installation.answers()) >= number

        wait_until(f"the begin of answer {number}", begun, 120)

        def over() -> dict[str, Any] | None:
            answer = self.installation.answers()[number - 1]
            return None if answer["status"] == "streaming" else answer

        answer = wait_until(f"the end of answer {number}", over, 300, pause=0.2)
        expect(answer["status"] == "complete" and answer["text"] != "", f"answer {number}: {answer}")
        return answer

    def _compare(self) -> None:
        """The page for it, filled in with the keyboard, until what it found is kept."""
        self.keyboard.press("ctrl+shift+s")
        time.sleep(1)  # nothing tells from outside that the page is there
        self.keyboard.press("ctrl+a")
        self.keyboard.write(PROMPT)
        # Past four drafters and two numbers to the button.
        self.keyboard.press(*["Tab"] * 7, "space")
        found = wait_until("the result of the comparison", self.installation.comparisons, 300, pause=0.2)
        plain, drafted = found[-1]["sides"]
        expect(found[-1]["plan"]["turns"][-1]["content"] == PROMPT, f"another question was asked: {found[-1]['plan']}")
        expect(plain["drafter"] == "off" and plain["stats"]["verified"] == 0, f"the plain side drafted: {plain}")
        expect(drafted["stats"]["verified"] > 0, f"the other side did not draft: {drafted}")
        answers, same = len(plain["samples"]), drafted["identical"]
        expect(plain["text"] and len(drafted["samples"]) == answers, f"answers are missing: {found[-1]}")
        print(f"comparison in the window: {same} of {answers} answers the same, token for token")
        self._picture("comparison")

    def _quit(self, process: subprocess.Popen[str]) -> None:
        self.keyboard.press("ctrl+q")
        out, err = process.communicate(timeout=30)
        expect((process.returncode, out, err) == (0, "", ""), f"the end: code {process.returncode}, printed {out}{err}")

    def _picture(self, name: str) -> None:
        if self.pictures is not None:
            self.pictures.mkdir(parents=True, exist_ok=True)
            self.keyboard.picture(self.pictures / f"{name}.png")


def expect(condition: object, sentence: str) -> None:
    """Raise `SmokeError` if it is not so."""
    if not condition:
        raise SmokeError(sentence)


if __name__ == "__main__":
    sys.exit(main())
