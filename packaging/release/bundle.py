"""The bundle: one folder with two programs and all they need, made by PyInstaller."""

import os
import platform
import re
import shutil
import subprocess
import sys
import sysconfig
from dataclasses import dataclass
from pathlib import Path

from dev_environment import ENGINE, explain_failure, follow
from dev_system import SetupError, log_file, say
from release import licences
from release.engine import ACCELERATORS, accelerator, engine_source, engine_wheel
from release.libraries import OPTIONAL, Needs, drop_unneeded, elf_files, find_needs

SYSTEMS = {"linux": "linux", "darwin": "macos", "win32": "windows"}
_CHOSEN_AT_RUN_TIME = re.compile(r"libggml-(cpu|cuda|vulkan)")


@dataclass(frozen=True, slots=True)
class Bundle:
    """`folder`: where it is; on macOS the app. `needs`: what it expects from a Linux system."""

    folder: Path
    version: str
    device: str
    needs: Needs | None

    @property
    def label(self) -> str:
        """System and architecture, and the accelerator if it was made for one: the end of file names."""
        machine = {"amd64": "x86_64", "aarch64": "arm64"}.get(platform_machine(), platform_machine())
        kind = f"{SYSTEMS[sys.platform]}-{machine}"
        return kind if self.device in ("none", "metal") else f"{kind}-{self.device}"


def platform_machine() -> str:
    """The architecture, in small letters."""
    return platform.machine().lower()


def make(root: Path, uv: str, device: str, *, cuda_architectures: str = "") -> Bundle:
    """Make the bundle in `dist/outpace`, whatever was there before.

    Raises:
        SetupError: with a sentence and the lines that matter.
    """
    build, dist = root / "build", root / "dist"
    module = accelerator(root, uv, device, cuda_architectures) if device in ACCELERATORS else None
    python = _environment(root, uv, engine_wheel(root, uv))
    version = _run([str(python), "-c", "import app; print(app.__version__)"], root).strip()
    _run([str(python), str(root / "packaging/release/draw_icons.py"), "resources/icons", "build/icons"], root)
    if sys.platform == "win32":
        _write_version_info(root, version)
    site_packages = Path(_run([str(python), "-c", "import numpy; print(numpy.__path__[0])"], root).strip()).parent
    beside = site_packages / "llama_cpp" / "lib"
    for earlier in (file for kind in ACCELERATORS for file in beside.glob(f"*ggml-{kind}.*")):
        earlier.unlink()  # of a bundle for an accelerator that was made here before
    if module is not None:
        # Where PyInstaller finds what it needs in turn, such as the libraries of CUDA.
        shutil.copy(module, beside)
    say("Making the bundle; this takes a minute or two")
    spec = root / "packaging" / "pyinstaller" / "outpace.spec"
    command = [str(python), "-m", "PyInstaller", "--noconfirm", "--clean", "--distpath", str(dist)]
    log = log_file("pyinstaller")
    code = follow([*command, "--workpath", str(build / "pyinstaller"), str(spec)], dict(os.environ), log)
    text = log.read_text(encoding="utf-8", errors="replace")
    folder = dist / ("Outpace.app" if sys.platform == "darwin" else "outpace")
    if code or not folder.exists():
        raise SetupError(explain_failure(text, log))
    refuse_missing_libraries(text, folder)
    refuse_missing_words(root, folder)
    needs = None
    inside = folder / "Contents" / "Resources" if sys.platform == "darwin" else folder / "_internal"
    if sys.platform.startswith("linux"):
        _join_names(folder)
        drop_unneeded(folder)
        _strip(folder)
        needs = find_needs(folder)
    texts = root / "packaging" / "licences"
    licences.collect(site_packages, folder, texts, engine_source(root, uv), inside / "resources" / "licences")
    shutil.copyfile(root / "LICENSE", inside / "resources" / "licences" / "Outpace.txt")
    return Bundle(folder, version, device, needs)


def _environment(root: Path, uv: str, wheel: Path) -> Path:
    """An environment for packaging only: no tests, and the engine that runs everywhere. Returns its Python."""
    folder = root / "build" / "package-env"
    log = log_file("package-environment")
    variables = {key: value for key, value in os.environ.items() if key not in ("VIRTUAL_ENV", "PYTHONPATH")}
    variables |= {"UV_PROJECT_ENVIRONMENT": str(folder), "NO_COLOR": "1", "UV_NO_PROGRESS": "1"}
    python = folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    sync = [uv, "sync", "--verbose", "--project", str(root), "--no-default-groups", "--group", "package"]
    sync += ["--no-install-project", "--no-install-package", ENGINE, "--inexact"]
    if not python.exists() and sys.version_info < (3, 15):
        sync += ["--python", sys.executable]
    install = [uv, "pip", "install", "--python", str(python), "--no-deps", "--reinstall", str(wheel)]
    for command in (sync, install):
        if follow(command, variables, log):
            raise SetupError(explain_failure(log.read_text(encoding="utf-8", errors="replace"), log))
    return python


def refuse_missing_libraries(text: str, folder: Path) -> None:
    """Fail on a "Library not found" of PyInstaller if its asker is in the bundle; some plugins are left out."""
    inside = {file.name for file in folder.rglob("*")}
    pattern = re.compile(r"Library not found: could not resolve '([^']+)', dependency of '([^']+)'")
    pairs = [(name, Path(asker).name) for name, asker in pattern.findall(text) if name not in OPTIONAL]
    missing = [(name, asker) for name, asker in pairs if asker in inside]
    if missing:
        lines = "".join(f"\n  {asker} needs {name}" for name, asker in sorted(set(missing)))
        raise SetupError(f"Library not found on this machine, so the bundle would not have it:{lines}")


def refuse_missing_words(root: Path, folder: Path) -> None:
    """Fail if a language of ours lacks Qt's own words: those of buttons, keys and the menus of text fields."""
    brought = {file.name for file in folder.rglob("qtbase_*.qm")}
    for file in sorted((root / "resources" / "translations").glob("outpace_*.qm")):
        name = file.name.replace("outpace", "qtbase")
        if name not in brought:
            raise SetupError(f"{name}, Qt's own words in the language of {file.name}, did not get into the bundle.")


def _join_names(folder: Path) -> None:
    """Have the engine's libraries once: as they name each other, and a link as the binding opens them."""
    for numbered in sorted((folder / "_internal" / "llama_cpp" / "lib").glob("lib*.so.*")):
        plain = numbered.with_name(numbered.name.partition(".so")[0] + ".so")
        if _CHOSEN_AT_RUN_TIME.match(numbered.name) and not _is_linked(folder, numbered.name):
            numbered.unlink()
        elif plain.exists():
            plain.unlink()
            plain.symlink_to(numbered.name)


def _is_linked(folder: Path, name: str) -> bool:
    """Does another library of the engine name this one? Those that are chosen at run time are named by none."""
    lib = folder / "_internal" / "llama_cpp" / "lib"
    return any(
        re.search(rf"NEEDED\s+{re.escape(name)}$", _run(["objdump", "-p", str(other)], folder), re.MULTILINE)
        for other in lib.glob("lib*.so")
        if not other.name.startswith(name.partition(".so")[0])
    )


def _strip(folder: Path) -> None:
    """Throw away what only a debugger reads. Not in all of the wheels' own libraries: some do not survive it."""
    inside = folder / "_internal"
    places = (inside / "llama_cpp", *inside.glob("python3.*/lib-dynload"), inside / "cryptography")
    ours = [file for place in places for file in elf_files(place) if not file.is_symlink()]
    ours += inside.glob("PySide6/Qt/lib/libicu*")
    # Python's library is the largest; a Python of the system comes stripped.
    python = inside / (sysconfig.get_config_var("INSTSONAME") or "")
    _run(["strip", "--strip-unneeded", *map(str, [*ours, *([python] if python.is_file() else [])])], folder)


def _write_version_info(root: Path, version: str) -> None:
    template = (root / "packaging" / "windows" / "version_info.txt.in").read_text(encoding="utf-8")
    numbers = ", ".join([*version.split("."), "0"])
    filled = template.replace("@VERSION@", version).replace("@NUMBERS@", numbers)
    (root / "build" / "version_info.txt").write_text(filled, encoding="utf-8")


def _run(command: list[str], folder: Path) -> str:
    environment = {**os.environ, "PYTHONPATH": str(folder)}
    try:
        done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, encoding="utf-8")
    except OSError as error:
        raise SetupError(f"{command[0]} could not be started: {error.strerror}.") from error
    if done.returncode:
        raise SetupError(f"This failed: {' '.join(command)[:200]}\n    {done.stderr.strip()[-600:]}")
    return done.stdout
