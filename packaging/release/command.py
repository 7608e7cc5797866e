"""`python3 packaging/dev.py package`: makes the files that people download."""

import argparse
import sys
import sysconfig
from collections.abc import Callable
from pathlib import Path

from dev_system import say
from release import bundle, desktop_systems, linux

_KINDS = {"linux": ("bundle", "archive", "deb"), "darwin": ("bundle", "dmg"), "win32": ("bundle", "installer")}


def main(root: Path, find_uv: Callable[[], str], device: str, arguments: list[str]) -> int:
    """Make what is asked for in `dist`, and say how large it is; 2 for bad usage."""
    kinds = _KINDS.get(sys.platform, ("bundle",))
    parser = argparse.ArgumentParser(prog="dev.py package", description="Make what people download, in dist/.")
    parser.add_argument("what", nargs="*", metavar="|".join(kinds), help="default: all of them")
    parser.add_argument("--cuda-architectures", default="", metavar="90", help="as CMake names them; default: all")
    parser.add_argument("--quick", action="store_true", help="pack fast instead of small, to try something out")
    options = parser.parse_args(arguments)
    unknown = [name for name in options.what if name not in kinds]
    if unknown:
        parser.error(f"{unknown[0]} cannot be made on this system; one of: {', '.join(kinds)}")
    wanted = set(options.what or kinds)
    made = bundle.make(root, find_uv(), device, cuda_architectures=options.cuda_architectures)
    say(f"{made.folder.relative_to(root)}: {size_of(made.folder) / 1e6:.0f} MB")
    files = []
    if "archive" in wanted:
        files.append(linux.make_archive(made, root, level=3 if options.quick else 19))
    if "deb" in wanted:
        files.append(linux.make_deb(made, root, compression="zstd" if options.quick else "xz"))
    if "dmg" in wanted or "installer" in wanted:
        files.append(desktop_systems.make(made, root))
    for file in files:
        say(f"{file.relative_to(root)}: {file.stat().st_size / 1e6:.0f} MB")
    if files:
        say(f"{linux.write_checksums(files).relative_to(root)}")
    return 0


def packages() -> list[str]:
    """The Debian packages that making packages needs, beside a compiler."""
    names = ["binutils", "zstd", "dpkg", "tar"]
    # The Python of Debian has its library, which goes into the bundle, in a package of its own.
    library = Path(sysconfig.get_config_var("LIBDIR") or "") / (sysconfig.get_config_var("INSTSONAME") or "")
    if sys.base_prefix == "/usr" and not library.is_file():
        names.append(f"libpython{sys.version_info.major}.{sys.version_info.minor}")
    return names


def size_of(folder: Path) -> int:
    """Bytes of all files below a folder, links not counted."""
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file() and not file.is_symlink())
