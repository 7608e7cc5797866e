"""The recipes for systems we do not have: parsed, and compared with this tree."""

import ast
import plistlib
import re
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest
import yaml

import app

ROOT = Path(__file__).resolve().parents[3]
PACKAGING = ROOT / "packaging"
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))


# What GitHub itself writes: `on` as a key, no `---`.
YAML_STYLE = (
    "{extends: default, rules: {line-length: {max: 120}, document-start: disable, truthy: {check-keys: false}, "
    "comments: {min-spaces-from-content: 1}}}"
)


def text(name: str) -> str:
    return (PACKAGING / name).read_text(encoding="utf-8")


def test_the_spec_names_modules_and_files_that_exist() -> None:
    tree = ast.parse(text("pyinstaller/outpace.spec"))
    names = {node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str)}
    ours = {name for name in names if re.fullmatch(r"app(\.\w+)+", name)}
    assert ours
    for name in ours:
        place = ROOT / name.replace(".", "/")
        assert place.is_dir() or place.with_suffix(".py").is_file(), name
    for name in ("window.py", "engine.py", "hooks"):
        assert name in names
        assert (PACKAGING / "pyinstaller" / name).exists()
    assert {"outpace", "outpace-engine"} <= names, "app/core/launch.py starts these"


def test_what_the_spec_leaves_out_is_qt_that_is_not_used() -> None:
    """A plugin or library on the list that the program imports would only be missed by whoever downloads it."""
    spec = text("pyinstaller/outpace.spec")
    excluded = set(re.findall(r'"(PySide6\.\w+)"', spec))
    used = {
        f"PySide6.{name}"
        for file in (ROOT / "app").rglob("*.py")
        for name in re.findall(r"from PySide6\.(\w+) import", file.read_text(encoding="utf-8"))
    }
    assert excluded & used == set()


def test_property_list_and_manifest_are_well_formed() -> None:
    rights = plistlib.loads((PACKAGING / "macos" / "entitlements.plist").read_bytes())
    assert all(rights.values())
    assert "com.apple.security.cs.allow-unsigned-executable-memory" in rights
    if shutil.which("plutil"):
        subprocess.run(["plutil", "-lint", str(PACKAGING / "macos" / "entitlements.plist")], check=True, timeout=60)
    manifest = ElementTree.parse(PACKAGING / "windows" / "outpace.manifest")
    found = {element.tag.rpartition("}")[2]: element.text for element in manifest.iter()}
    assert found["longPathAware"] == "true"
    assert found["activeCodePage"] == "UTF-8"


def test_the_version_resource_is_an_expression_of_pyinstaller() -> None:
    filled = text("windows/version_info.txt.in").replace("@VERSION@", "1.2.3").replace("@NUMBERS@", "1, 2, 3, 0")
    assert "@" not in filled

    class Any:
        def __init__(self, *arguments: object, **named: object) -> None:
            self.arguments, self.named = arguments, named

    names = (
        "VSVersionInfo",
        "FixedFileInfo",
        "StringFileInfo",
        "StringTable",
        "StringStruct",
        "VarFileInfo",
        "VarStruct",
    )
    made = eval(filled, dict.fromkeys(names, Any))
    assert made.named["ffi"].named["filevers"] == (1, 2, 3, 0)
    assert app.__version__ not in text("windows/version_info.txt.in")


def test_the_installer_takes_files_that_exist() -> None:
    lines = text("windows/outpace.iss").splitlines()
    sections = [line for line in lines if line.startswith("[")]
    assert sections == [
        "[Setup]", "[Languages]", "[Tasks]", "[InstallDelete]", "[Files]", "[Icons]", "[Registry]", "[Run]",
    ]  # fmt: skip
    entries = [line for line in lines if re.match(r"\w+: ", line)]
    for line in entries:
        assert line.count('"') % 2 == 0, line
        assert all(re.match(r" ?\w+: ", part) for part in re.sub(r'"(""|[^"])*"', "x", line).split(";")), line
    for path in re.findall(r"\{#Root\}\\([^\"\n]+)", "\n".join(lines)):
        if not path.startswith("build"):
            assert (ROOT / path.replace("\\", "/").strip()).exists(), path
    tasks = set(re.findall(r'^Name: "(\w+)"; Description', "\n".join(lines), re.MULTILINE))
    assert set(re.findall(r"Tasks: (\w+)", "\n".join(lines))) <= tasks
    told = (PACKAGING / "release" / "desktop_systems.py").read_text(encoding="utf-8")
    assert set(re.findall(r"\{#(\w+)\}", "\n".join(lines))) == set(re.findall(r"/D(\w+)=", told))


@pytest.mark.parametrize("file", WORKFLOWS, ids=lambda file: file.stem)
def test_workflows_run_what_is_here(file: Path) -> None:
    workflow = yaml.safe_load(file.read_text(encoding="utf-8"))
    assert workflow["permissions"] == {"contents": "read"}
    commands = []
    for job in workflow["jobs"].values():
        assert job["timeout-minutes"] <= 120 if "timeout-minutes" in job else job["needs"]
        for step in job["steps"]:
            assert ("uses" in step) != ("run" in step)
            if "uses" in step:
                assert re.fullmatch(r"actions/[\w-]+@v\d+", step["uses"])
            commands.append(step.get("run", ""))
    assert any("packaging/dev.py" in command for command in commands)
    for path in re.findall(r"(?<![\w/])((?:packaging|\.ci)/[\w./-]+)", "\n".join(commands)):
        assert (ROOT / path).exists(), path


@pytest.mark.parametrize(
    "command",
    [
        ["yamllint", "--strict", "-d", YAML_STYLE],
        ["check-jsonschema", "--builtin-schema", "github-workflows"],
        ["actionlint"],
    ],
    ids=lambda command: command[0],
)
def test_linters_of_workflows_have_nothing_to_say(command: list[str]) -> None:
    if not shutil.which(command[0]):
        pytest.skip(f"needs {command[0]}")
    full = [*command, *map(str, WORKFLOWS)]
    done = subprocess.run(full, cwd=ROOT, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_scripts_are_what_a_shell_understands() -> None:
    scripts = sorted(PACKAGING.rglob("*.sh"))
    assert len(scripts) == 6
    for script in scripts:
        shell = script.read_text(encoding="utf-8").splitlines()[0].rpartition("/")[2].split()[-1]
        if shutil.which(shell):
            subprocess.run([shell, "-n", str(script)], check=True, timeout=60)
        if shutil.which("shellcheck"):
            done = subprocess.run(["shellcheck", str(script)], capture_output=True, text=True, timeout=60, check=False)
            assert done.stdout == ""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="tools of Linux desktops")
@pytest.mark.parametrize(
    "command",
    [["desktop-file-validate", "outpace.desktop"], ["appstreamcli", "validate", "--no-net", "metainfo.xml"]],
    ids=lambda command: command[0],
)
def test_desktop_files_are_valid(command: list[str]) -> None:
    if not shutil.which(command[0]):
        pytest.skip(f"needs {command[0]}")
    done = subprocess.run(command, cwd=PACKAGING / "linux", capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_desktop_entry_is_the_one_that_qt_names() -> None:
    source = (ROOT / "app" / "bootstrap.py").read_text(encoding="utf-8")
    assert 'setDesktopFileName("outpace")' in source
    metainfo = ElementTree.parse(PACKAGING / "linux" / "metainfo.xml")
    assert metainfo.findtext("launchable") == "outpace.desktop"
    entry = text("linux/outpace.desktop")
    kind = metainfo.findtext("provides/mediatype")
    assert f"MimeType={kind};" in entry
    assert f'type="{kind}"' in text("linux/mime.xml")
