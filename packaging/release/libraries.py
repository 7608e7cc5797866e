"""Which libraries the files of a bundle need, and which of them it does not bring (Linux)."""

import os
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

from dev_system import SetupError

# What every system that can show a window has, and must come from there: the C library, what belongs to graphics
# drivers, the first libraries of X11, which the drivers load too, bus and fonts. With the Debian package that has it.
SYSTEM = {
    "libc.so.6": "libc6",
    "libm.so.6": "libc6",
    "libdl.so.2": "libc6",
    "libpthread.so.0": "libc6",
    "librt.so.1": "libc6",
    "libutil.so.1": "libc6",
    "libresolv.so.2": "libc6",
    "ld-linux-x86-64.so.2": "libc6",
    "ld-linux-aarch64.so.1": "libc6",
    "libgcc_s.so.1": "libgcc-s1",
    "libstdc++.so.6": "libstdc++6",
    "libGL.so.1": "libgl1",
    "libEGL.so.1": "libegl1",
    "libxcb.so.1": "libxcb1",
    "libX11.so.6": "libx11-6",
    "libX11-xcb.so.1": "libx11-xcb1",
    "libdbus-1.so.3": "libdbus-1-3",
    "libexpat.so.1": "libexpat1",
}
# Without these the program runs on X11, or without an accelerator.
OPTIONAL = {
    "libwayland-client.so.0": "libwayland-client0",
    "libwayland-cursor.so.0": "libwayland-cursor0",
    "libwayland-egl.so.1": "libwayland-egl1",
    "libvulkan.so.1": "libvulkan1",
    "libcuda.so.1": "",
}


@dataclass(frozen=True, slots=True)
class Needs:
    """What a bundle expects from the system.

    `required`, `optional`: names of libraries. `glibc`: the oldest version of the C library that has all it calls.
    """

    required: frozenset[str]
    optional: frozenset[str]
    glibc: tuple[int, ...]

    def packages(self) -> list[str]:
        """As dependencies of a Debian package."""
        names = {SYSTEM[name] for name in self.required} | {"libc6"}
        version = ".".join(map(str, self.glibc))
        return [f"libc6 (>= {version})" if name == "libc6" else name for name in sorted(names)]

    def recommended(self) -> list[str]:
        return sorted({package for name in self.optional if (package := OPTIONAL[name])})


def find_needs(bundle: Path) -> Needs:
    """Look into every library and program below `bundle`.

    Raises:
        SetupError: one of them needs a library that is neither there nor on every system.
    """
    files = elf_files(bundle)
    brought = {file.name for file in files}
    required, optional, missing = set(), set(), []
    glibc: tuple[int, ...] = (2, 28)
    for file in files:
        text = _objdump(file)
        for name in re.findall(r"^\s+NEEDED\s+(\S+)", text, re.MULTILINE):
            if name in brought:
                continue
            if name in SYSTEM:
                required.add(name)
            elif name in OPTIONAL:
                optional.add(name)
            else:
                missing.append(f"{file.relative_to(bundle)} needs {name}")
        versions = re.findall(r"\bGLIBC_(\d+(?:\.\d+)+)", text)
        glibc = max([glibc, *(tuple(map(int, version.split("."))) for version in versions)])
    if missing:
        raise SetupError("Library not found, neither in the bundle nor on every system:\n  " + "\n  ".join(missing))
    return Needs(frozenset(required), frozenset(optional), glibc)


def drop_unneeded(bundle: Path) -> list[str]:
    """Delete the libraries of the system that nothing in the bundle asks for any more; their names.

    PyInstaller took them for plugins that were left out afterwards.
    """
    inside, dropped = bundle / "_internal", []
    while True:
        needed: set[str] = set()
        for file in elf_files(bundle):
            needed |= set(re.findall(r"^\s+NEEDED\s+(\S+)", _objdump(file), re.MULTILINE))
        unneeded = [
            file
            for file in sorted(inside.glob("lib*.so*"))
            if file.name not in needed and not file.name.startswith("libpython")
        ]
        if not unneeded:
            return dropped
        for file in unneeded:
            file.unlink()
            dropped.append(file.name)


def elf_files(folder: Path) -> list[Path]:
    """Programs and libraries below a folder, under all their names."""
    found = []
    for base, _, names in os.walk(folder):
        for name in names:
            path = Path(base) / name
            if path.is_file():
                with path.open("rb") as file:
                    if file.read(4) == b"\x7fELF":
                        found.append(path)
    return sorted(found)


def _objdump(file: Path) -> str:
    done = subprocess.run(["objdump", "-p", str(file)], capture_output=True, text=True)
    if done.returncode:
        raise SetupError(f"{file} is no library that objdump can read: {done.stderr.strip()}")
    return done.stdout
