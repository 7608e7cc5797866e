"""What people get on macOS and Windows: a disk image, an installer. Written with care, and never run by us."""

import os
import subprocess
import sys
from pathlib import Path

from dev_system import SetupError, say
from release.bundle import Bundle


def make(bundle: Bundle, root: Path) -> Path:
    """The disk image or the installer, in `dist`.

    Raises:
        SetupError: a tool is missing or fails.
    """
    name = f"Outpace-{bundle.version}-{bundle.label}"
    if sys.platform == "darwin":
        target = root / "dist" / f"{name}.dmg"
        command = ["sh", str(root / "packaging" / "macos" / "make_dmg.sh"), str(bundle.folder), str(target)]
    else:
        target = root / "dist" / f"{name}-setup.exe"
        base = os.environ.get("PROGRAMFILES(X86)", r"C:\Program Files (x86)")
        compiler = Path(base) / "Inno Setup 6" / "ISCC.exe"
        if not compiler.exists():
            raise SetupError("The installer needs Inno Setup 6: winget install JRSoftware.InnoSetup")
        script = str(root / "packaging" / "windows" / "outpace.iss")
        defined = [f"/DVersion={bundle.version}", f"/DBundle={bundle.folder}", f"/DRoot={root}"]
        command = [str(compiler), *defined, f"/O{target.parent}", f"/F{target.stem}", script]
    say(f"Packing {target.name}")
    done = subprocess.run(command, stdin=subprocess.DEVNULL)
    if done.returncode or not target.exists():
        raise SetupError(f"This failed: {' '.join(command)}")
    return target
