"""Where things live. `OUTPACE_HOME` moves all of it below one folder (tests, portable use)."""

import os
import sys
from dataclasses import dataclass
from pathlib import Path

import platformdirs

HOME_VARIABLE = "OUTPACE_HOME"


@dataclass(frozen=True, slots=True)
class Paths:
    """The folders of one profile; none of them has to exist yet."""

    config: Path
    data: Path
    cache: Path
    logs: Path

    @property
    def settings_file(self) -> Path:
        return self.config / "settings.json"

    @property
    def models(self) -> Path:
        return self.data / "models"

    @property
    def database(self) -> Path:
        return self.data / "history.db"


def below(root: Path) -> Paths:
    """All folders below one root."""
    return Paths(root / "config", root / "data", root / "cache", root / "logs")


def find() -> Paths:
    """The folders of the current user, by the rules of the operating system."""
    override = os.environ.get(HOME_VARIABLE, "")
    if override:
        return below(Path(override).absolute())
    dirs = platformdirs.PlatformDirs("outpace" if sys.platform.startswith("linux") else "Outpace", appauthor=False)
    return Paths(dirs.user_config_path, dirs.user_data_path, dirs.user_cache_path, dirs.user_log_path)


def typed(text: str) -> Path:
    """The path a person wrote, "~" and "~name" understood."""
    try:
        return Path(text).expanduser()
    except RuntimeError:  # nobody of that name has a home: then it is the name of a file or folder
        return Path(text)


def resources() -> Path:
    """The folder with icons, the catalogue and the demo pair, in a checkout, a wheel or a frozen bundle."""
    frozen = getattr(sys, "_MEIPASS", None)
    if frozen:
        return Path(frozen) / "resources"
    installed = Path(__file__).resolve().parent.parent / "_resources"
    return installed if installed.is_dir() else Path(__file__).resolve().parents[2] / "resources"


def demo_pair() -> tuple[Path, Path]:
    """The built-in target and its draft."""
    folder = resources() / "demo"
    return folder / "outpace-demo-target-q8_0.gguf", folder / "outpace-demo-draft-q8_0.gguf"
