"""What people get on Linux: an archive with an install script, and a package for Debian and Ubuntu."""

import gzip
import hashlib
import os
import shutil
import subprocess
import textwrap
from pathlib import Path

from dev_system import SetupError, say
from release.bundle import Bundle
from release.libraries import elf_files

APP_ID = "io.github.outpace.Outpace"
_MAINTAINER = "The Outpace developers <outpace@localhost.invalid>"
_FONTS = ["fonts-noto-core", "fonts-noto-color-emoji", "xdg-desktop-portal"]
_SUMMARY = "chat with language models on your own computer, faster"
_DESCRIPTION = """\
Outpace is a desktop chat app for language models that run on this computer. It answers faster by speculative decoding:
a small model or the text so far proposes the next tokens, and the model checks several at once. It never changes what
the model says."""


def make_archive(bundle: Bundle, root: Path, *, level: int = 19) -> Path:
    """A .tar.zst: the bundle, what belongs into a desktop's folders, install.sh and uninstall.sh."""
    name = f"outpace-{bundle.version}-{bundle.label}"
    stage = root / "build" / "archive" / name
    shutil.rmtree(stage.parent, ignore_errors=True)
    stage.mkdir(parents=True)
    shutil.copytree(bundle.folder, stage / "app", symlinks=True)
    put_desktop_files(root, stage / "share")
    for script in ("install.sh", "uninstall.sh"):
        shutil.copyfile(root / "packaging" / "linux" / script, stage / script)
        (stage / script).chmod(0o755)
    (stage / "VERSION").write_text(f"{bundle.version}\n", encoding="ascii")
    shutil.copyfile(root / "LICENSE", stage / "LICENSE")
    target = root / "dist" / f"{name}.tar.zst"
    # The same files give the same archive, whoever packs them and when.
    order = ["--sort=name", "--owner=0", "--group=0", "--numeric-owner", "--mtime", f"@{source_date(root)}"]
    say(f"Packing {target.name}")
    compressor = f"zstd -{level} -T0 -q"
    _run(["tar", *order, "--use-compress-program", compressor, "-cf", str(target), "-C", str(stage.parent), name])
    return target


def make_deb(bundle: Bundle, root: Path, *, compression: str = "xz") -> Path:
    """A package for Debian 12, Ubuntu 22.04 and newer."""
    if bundle.needs is None:
        raise SetupError("A Debian package can only be made on Linux.")
    architecture = _run(["dpkg", "--print-architecture"]).strip()
    stage = root / "build" / "deb"
    shutil.rmtree(stage, ignore_errors=True)
    lib, programs = stage / "usr" / "lib", stage / "usr" / "bin"
    for folder in (lib, programs, stage / "DEBIAN"):
        folder.mkdir(parents=True)
    shutil.copytree(bundle.folder, lib / "outpace", symlinks=True)
    _set_modes(lib / "outpace")
    (programs / "outpace").symlink_to("../lib/outpace/outpace")
    (programs / "outpace-cli").symlink_to("../lib/outpace/outpace-engine")
    share = stage / "usr" / "share"
    put_desktop_files(root, share)
    _put_documents(bundle, root, share)
    size = sum(file.lstat().st_size for file in stage.rglob("*") if not file.is_dir()) // 1024
    fields = {
        "Package": "outpace",
        "Version": bundle.version,
        "Architecture": architecture,
        "Maintainer": _MAINTAINER,
        "Installed-Size": str(size),
        "Depends": ", ".join([*bundle.needs.packages(), "fontconfig-config"]),
        "Recommends": ", ".join([*bundle.needs.recommended(), *_FONTS]),
        "Suggests": "fonts-noto-cjk",
        "Section": "utils",
        "Priority": "optional",
    }
    wrapped = textwrap.fill(" ".join(_DESCRIPTION.split()), 78, initial_indent=" ", subsequent_indent=" ")
    control = "".join(f"{key}: {value}\n" for key, value in fields.items()) + f"Description: {_SUMMARY}\n{wrapped}\n"
    (stage / "DEBIAN" / "control").write_text(control, encoding="utf-8")
    _write_sums(stage)
    suffix = "" if bundle.device == "none" else f"+{bundle.device}"
    target = root / "dist" / f"outpace_{bundle.version}{suffix}_{architecture}.deb"
    say(f"Packing {target.name}")
    command = ["dpkg-deb", "--build", "--root-owner-group", f"-Z{compression}", str(stage), str(target)]
    _run(command, SOURCE_DATE_EPOCH=source_date(root))
    return target


def put_desktop_files(root: Path, share: Path) -> None:
    """Desktop entry, metainfo, kind of file and icons, in a folder like /usr/share."""
    files = {
        "outpace.desktop": "applications/outpace.desktop",
        "metainfo.xml": f"metainfo/{APP_ID}.metainfo.xml",
        "mime.xml": "mime/packages/outpace.xml",
    }
    for source, place in files.items():
        (share / place).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(root / "packaging" / "linux" / source, share / place)
    icons = share / "icons" / "hicolor"
    for picture in sorted((root / "build" / "icons").glob("outpace-*.png")):
        size = picture.stem.partition("-")[2]
        folder = icons / f"{size}x{size}" / "apps"
        folder.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(picture, folder / "outpace.png")
    scalable = icons / "scalable" / "apps"
    scalable.mkdir(parents=True)
    shutil.copyfile(root / "resources" / "icons" / "app.svg", scalable / "outpace.svg")


def write_checksums(files: list[Path]) -> Path:
    """SHA256SUMS beside the files, as `sha256sum --check` reads it."""
    target = files[0].parent / "SHA256SUMS"
    lines = [f"{hashlib.sha256(file.read_bytes()).hexdigest()}  {file.name}\n" for file in sorted(files)]
    target.write_text("".join(lines), encoding="ascii")
    return target


def source_date(root: Path) -> str:
    """The time of the last commit, so that a package can be made a second time; seconds since 1970."""
    told = os.environ.get("SOURCE_DATE_EPOCH")
    if told:
        return told
    try:
        return _run(["git", "-C", str(root), "log", "-1", "--format=%ct"]).strip() or "0"
    except SetupError:  # an unpacked archive
        return str(int((root / "pyproject.toml").stat().st_mtime))


def _put_documents(bundle: Bundle, root: Path, share: Path) -> None:
    document = share / "doc" / "outpace"
    document.mkdir(parents=True)
    copyright_text = (root / "packaging" / "linux" / "copyright").read_text(encoding="utf-8")
    (document / "copyright").write_text(copyright_text, encoding="utf-8")
    changes = (root / "CHANGELOG.md").read_bytes()
    (document / "changelog.gz").write_bytes(gzip.compress(changes, 9, mtime=0))
    manual = share / "man" / "man1"
    manual.mkdir(parents=True)
    for page in sorted((root / "packaging" / "linux").glob("*.1")):
        text = page.read_text(encoding="utf-8").replace("@VERSION@", bundle.version)
        (manual / f"{page.name}.gz").write_bytes(gzip.compress(text.encode(), 9, mtime=0))


def _set_modes(folder: Path) -> None:
    """Libraries are no programs; nobody but root may change anything."""
    programs = {folder / "outpace", folder / "outpace-engine"}
    libraries = set(elf_files(folder)) - programs
    for path in folder.rglob("*"):
        if not path.is_symlink():
            path.chmod(0o755 if path.is_dir() or path in programs else 0o644)
    assert libraries
    folder.chmod(0o755)


def _write_sums(stage: Path) -> None:
    lines = [
        f"{hashlib.md5(file.read_bytes(), usedforsecurity=False).hexdigest()}  {file.relative_to(stage)}\n"
        for file in sorted((stage / "usr").rglob("*"))
        if file.is_file() and not file.is_symlink()
    ]
    (stage / "DEBIAN" / "md5sums").write_text("".join(lines), encoding="utf-8")


def _run(command: list[str], **environment: str) -> str:
    try:
        done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, **environment})
    except OSError as error:
        raise SetupError(f"{command[0]} could not be started: {error.strerror}.") from error
    if done.returncode:
        raise SetupError(f"This failed: {' '.join(command)[:200]}\n    {done.stderr.strip()[-600:]}")
    return done.stdout
