"""Keep the translations of the window: take new words into the .ts files, compile them, say what is missing.

    python packaging/translations.py update     new words into every .ts file, and compile
    python packaging/translations.py compile    only compile
    python packaging/translations.py missing    list what has no translation yet; fails if there is any

Run it in the environment of the project (`.venv`), which brings Qt's own lupdate and lrelease. A new language is an
empty file named like the others, `resources/translations/outpace_CODE.ts`, and then `update`.
"""

import argparse
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator
from pathlib import Path

import PySide6

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "resources" / "translations"


def main(arguments: list[str] | None = None) -> int:
    """Do what the command line says; the exit code."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=("update", "compile", "missing"))
    what = parser.parse_args(arguments).what
    files = sorted(FOLDER.glob("*.ts"))
    if what == "update":
        for file in files:
            update(file)
    if what in ("update", "compile"):
        for file in files:
            compile_to(file, file.with_suffix(".qm"))
    lacking = 0
    for file in files:
        words = list(messages(file))
        gaps = [(context, source) for context, source, translation in words if not translation]
        lacking += len(gaps)
        print(f"{file.name}: {len(words) - len(gaps)} of {len(words)} translated")
        if what == "missing":
            for context, source in gaps:
                print(f"  {context}: {source!r}")
    return 1 if what == "missing" and lacking else 0


def update(file: Path) -> None:
    """Take the words of the program into a .ts file; words that are gone are dropped from it."""
    sources = sorted(str(path.relative_to(ROOT)) for path in (ROOT / "app").rglob("*.py"))
    language = file.stem.rpartition("_")[2]
    options = ["-locations", "none", "-no-obsolete", "-source-language", "en", "-target-language", language]
    run("lupdate", "-silent", *options, *sources, "-ts", str(file))


def compile_to(file: Path, target: Path) -> None:
    """Make the file the window reads."""
    run("lrelease", "-silent", str(file), "-qm", str(target))


def messages(file: Path) -> Iterator[tuple[str, str, str]]:
    """Context, English words and translation ("" for none yet) of each entry."""
    for context in ElementTree.parse(file).getroot().iter("context"):
        for message in context.iter("message"):
            translation = message.find("translation")
            done = translation is not None and translation.get("type") != "unfinished"
            words = (translation.text or "") if done and translation is not None else ""
            yield context.findtext("name", ""), message.findtext("source", ""), words


def run(tool: str, *arguments: str) -> None:
    """Start one of Qt's tools; ends the program with its words if it fails."""
    program = Path(PySide6.__file__).parent / tool
    # Without a folder of their own for libraries these tools find Qt beside themselves.
    done = subprocess.run([str(program), *arguments], cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{tool} failed: {(done.stderr or done.stdout).strip()}")


if __name__ == "__main__":
    sys.exit(main())
