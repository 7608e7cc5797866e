"""Set up this checkout and use it: `python3 packaging/dev.py run | test | lint | bench | doctor | package`.

Needs Python 3.11 or newer and nothing else: everything it needs is put into `.venv`, and what was fetched or compiled
once is kept in the caches of this user. On Debian and Ubuntu, as root, missing system packages are installed too.
"""

import argparse
import os
import shutil
import subprocess
import sys
from pathlib import Path

# Everything above this line, and the syntax of this whole file, has to work for older Pythons, to say this:
if sys.version_info < (3, 11):  # noqa: UP036 (the Python of this machine, not of the project)
    _newer = [name for name in ("python3.14", "python3.13", "python3.12", "python3.11") if shutil.which(name)]
    _hint = f"Use {_newer[0]} {sys.argv[0]} ..." if _newer else "Install one and run this file with it."
    sys.exit(f"Outpace needs Python 3.11 or newer; this is {sys.version.split()[0]}. {_hint}")

from dev_environment import Environment, choose_device, find_uv, uv_packages
from dev_system import SetupError, ensure_packages, packages_for
from release import command as release

ROOT = Path(__file__).resolve().parent.parent
LINTERS = (["ruff", "check", "."], ["ruff", "format", "--check", "."], ["mypy"], ["lint-imports", "--no-logo"])


def main(arguments: list[str]) -> int:
    """Run one command; the exit code is that of what ran, 1 if the set-up failed, 2 for bad usage."""
    own, rest = _parse(arguments)
    try:
        if own.command == "package":
            return _package(own, rest)
        device = choose_device(own.gpu)
        environment = Environment(ROOT, device)
        if not own.no_system_check:
            compiler = own.rebuild_engine or not environment.has_engine()
            ensure_packages([*packages_for(own.command, device, compiler=compiler), *uv_packages()])
        uv = find_uv()
        if own.rebuild_engine:
            environment.forget_engine(uv)
        environment.sync(uv, development=own.command in ("test", "lint", "bench"))
        return _COMMANDS[own.command](environment, rest)
    except SetupError as problem:
        print(problem, file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130


def _parse(arguments: list[str]) -> tuple[argparse.Namespace, list[str]]:
    parser = argparse.ArgumentParser(
        prog="dev.py",
        description="Set up this checkout and run something in it. Other arguments, and all after --, are passed on.",
        allow_abbrev=False,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        epilog="run     the app\ntest    the tests (arguments of pytest)\nlint    ruff, mypy, import contracts\n"
        "bench   a program of benchmarks/ by its name\ndoctor  what this machine has, and what to do about the rest\n"
        "package what people download: a bundle, and what this system installs",
    )
    parser.add_argument("command", choices=[*_COMMANDS, "package"])
    parser.add_argument(
        "--gpu",
        choices=["cuda", "metal", "vulkan", "none"],
        help="build the engine for this kind of device; remembered on this machine",
    )
    parser.add_argument(
        "--rebuild-engine", action="store_true", help="compile the engine again, whatever was compiled before"
    )
    parser.add_argument(
        "--no-system-check", action="store_true", help="do not look for missing system packages (Debian, Ubuntu)"
    )
    end = arguments.index("--") if "--" in arguments else len(arguments)
    own, rest = parser.parse_known_args(arguments[:end])
    return own, rest + arguments[end + 1 :]


def _run(environment: Environment, rest: list[str]) -> int:
    return _become([environment.python, "-m", "app", *rest])


def _test(environment: Environment, rest: list[str]) -> int:
    os.environ["QT_QPA_PLATFORM"] = "offscreen"
    return _become([environment.python, "-m", "pytest", *rest])


def _lint(environment: Environment, rest: list[str]) -> int:
    if rest:
        raise SetupError(f"lint takes no arguments, so this means nothing: {' '.join(rest)}")
    failed = [
        linter for linter in LINTERS if subprocess.run([environment.tool(linter[0]), *linter[1:]], cwd=ROOT).returncode
    ]
    if failed:
        print(f"failed: {', '.join(' '.join(linter) for linter in failed)}", file=sys.stderr)
    return 1 if failed else 0


def _bench(environment: Environment, rest: list[str]) -> int:
    files = (ROOT / "benchmarks").glob("*.py")
    known = sorted(file.stem for file in files if '__name__ == "__main__"' in file.read_text(encoding="utf-8"))
    if not rest or rest[0] not in known:
        asked = f"There is no benchmark called {rest[0]!r}." if rest else "Which benchmark?"
        raise SetupError(f"{asked} These exist: {', '.join(known) or 'none'}.")
    return _become([environment.python, str(ROOT / "benchmarks" / f"{rest[0]}.py"), *rest[1:]])


def _doctor(environment: Environment, rest: list[str]) -> int:
    return _become([environment.python, "-m", "app", "--role", "cli", "doctor", *rest])


def _package(own: argparse.Namespace, rest: list[str]) -> int:
    """Not in `.venv`, nor for the device that is remembered: what people download is the same wherever it is made."""
    device = choose_device(own.gpu or "none")
    if not own.no_system_check:
        needed = packages_for("package", device, compiler=True)
        ensure_packages([*needed, *release.packages(), *uv_packages()])
    return release.main(ROOT, find_uv, device, rest)


_COMMANDS = {"run": _run, "test": _test, "lint": _lint, "bench": _bench, "doctor": _doctor}


def _become(command: list[str]) -> int:
    """Replace this process where the system can, so that signals and the exit code are those of the command."""
    os.chdir(ROOT)
    sys.stdout.flush()
    sys.stderr.flush()
    if os.name == "posix":
        os.execv(command[0], command)
    return subprocess.run(command).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
