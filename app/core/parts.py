"""What others wrote that this program is made of: versions and licences, in a package and in a checkout."""

import importlib.metadata
import json
import platform
import re
from dataclasses import dataclass
from pathlib import Path

from app.core import paths

_TEXT = re.compile(r"(licen[cs]e|copying|notice)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Part:
    """`file`: its licence below `resources/licences` of a package, "" where there is none."""

    name: str
    version: str
    licence: str
    file: str = ""


def parts() -> tuple[Part, ...]:
    """All parts: of a package as `packaging/release/licences.py` lists them, of a checkout what pyproject.toml pins."""
    listed = _folder() / "parts.json"
    try:
        return tuple(Part(**fields) for fields in json.loads(listed.read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError):
        return (Part("Python", platform.python_version(), "PSF-2.0"), *_installed())


def licence_text(part: Part) -> str:
    """The licence of a part, "" if it is not at hand."""
    if part.file:
        try:
            return (_folder() / part.file).read_text(encoding="utf-8", errors="replace")
        except OSError:
            return ""
    try:
        files = importlib.metadata.files(part.name) or []
    except importlib.metadata.PackageNotFoundError:
        return ""
    texts = [
        file.read_text(encoding="utf-8") for file in files if ".dist-info" in str(file) and _TEXT.search(file.name)
    ]
    return "\n\n".join(text.strip() for text in texts)


def version_of(name: str) -> str:
    """The version of a part, "" if it is not known."""
    return next((part.version for part in parts() if _plain(part.name) == _plain(name)), "")


def _plain(name: str) -> str:
    """As packages are compared: "PySide6_Essentials (Qt)" is "pyside6-essentials"."""
    return name.split(" ")[0].lower().replace("_", "-")


def _folder() -> Path:
    return paths.resources() / "licences"


def _installed() -> list[Part]:
    try:
        required = importlib.metadata.requires("outpace") or []
    except importlib.metadata.PackageNotFoundError:
        return []
    found = []
    for line in sorted(required, key=str.lower):
        match = re.match(r"[\w.-]+", line)
        try:
            facts = importlib.metadata.metadata(match[0] if match else line)
        except importlib.metadata.PackageNotFoundError:
            continue
        kinds = [line for line in facts.get_all("Classifier") or [] if line.startswith("License :: ")]
        told = next((facts[key] for key in ("License-Expression", "License") if key in facts), "")
        told = told or (kinds[0].rpartition(" :: ")[2] if kinds else "")
        found.append(Part(facts["Name"], facts["Version"], told if len(told) < 60 else "see its text"))
    return found
