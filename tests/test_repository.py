"""Rules of this repository that no other tool checks."""

import ast
import hashlib
import re
import shutil
import subprocess
import tomllib
from pathlib import Path

import pytest

import app

ROOT = Path(__file__).resolve().parent.parent
APP_LINES = 400

# Put together here, so that this file does not break its own rule.
MACHINE_PATHS = re.compile(
    r"(?<![\w.])/(?:" + "|".join(["wo" + "rk", "ro" + "ot", "ho" + r"me/\w+", "Us" + r"ers/\w+"]) + r")(?:/|\b)"
)
SCRATCH_PATHS = re.compile(r"(?<![\w.])/t" + r"mp/\w")
REGISTRY_HOSTS = re.compile(
    "|".join(["py" + r"pi\.org", "python" + r"hosted\.", "registry\\." + "npmjs", "deb" + r"ian\.org"])
)

DEMO = {
    "outpace-demo-target-q8_0.gguf": "070e9863eb1c1d4b",
    "outpace-demo-draft-q8_0.gguf": "e147fa00653b473c",
}


def tracked() -> list[Path]:
    """The files git knows; in an unpacked archive, or without git, all files but hidden ones and what a set-up made."""
    if shutil.which("git") and (ROOT / ".git").exists():
        done = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True)
        return [ROOT / name for name in done.stdout.split("\0") if name and (ROOT / name).is_file()]
    names = [path.relative_to(ROOT) for path in ROOT.rglob("*") if path.is_file()]
    made = {"__pycache__", "uv.lock", "build", "dist"}
    return [ROOT / name for name in names if not made & set(name.parts) and not any(p[0] == "." for p in name.parts)]


def texts() -> list[tuple[str, str]]:
    """Name and text of every tracked text file."""
    found = []
    for path in tracked():
        content = path.read_bytes()
        if b"\0" not in content[:8192]:
            # A file that is not UTF-8 fails here, which is meant.
            found.append((path.relative_to(ROOT).as_posix(), content.decode("utf-8")))
    assert len(found) > 30
    return found


def project() -> dict[str, object]:
    with (ROOT / "pyproject.toml").open("rb") as file:
        return tomllib.load(file)


def offences(pattern: re.Pattern[str], *, suffix: str = "") -> list[str]:
    return [
        f"{name}:{number}: {line.strip()}"
        for name, text in texts()
        if name.endswith(suffix)
        for number, line in enumerate(text.splitlines(), 1)
        if pattern.search(line)
    ]


def test_packaging_is_no_package() -> None:
    """With an __init__.py it would shadow the distribution `packaging` for everything started in this folder."""
    assert not (ROOT / "packaging" / "__init__.py").exists()


def test_the_lock_file_stays_out() -> None:
    """It names the registry of whoever made it; the pins in pyproject.toml are what counts."""
    assert ROOT / "uv.lock" not in tracked()


@pytest.mark.parametrize("pattern", [MACHINE_PATHS, SCRATCH_PATHS, REGISTRY_HOSTS])
def test_no_traces_of_a_machine(pattern: re.Pattern[str]) -> None:
    assert offences(pattern) == []


@pytest.mark.parametrize(
    "line",
    ["cd /wo" + "rk/main", 'path = "/ro' + 'ot/x"', "/ho" + "me/anna/x", "https://py" + "pi.org/simple", "/t" + "mp/x"],
)
def test_traces_would_be_found(line: str) -> None:
    assert any(pattern.search(line) for pattern in (MACHINE_PATHS, SCRATCH_PATHS, REGISTRY_HOSTS))


def test_exemptions_say_which_rule_and_why() -> None:
    code, ignored = r"[A-Z]+[0-9]+(, [A-Z]+[0-9]+)*", r"\[[a-z-]+(, [a-z-]+)*\]"
    bare = offences(re.compile(rf"# ?noqa(?!: {code})|# ?type: ?ignore(?!{ignored})"), suffix=".py")
    silent = offences(
        re.compile(rf"# ?noqa: {code}(?![0-9,])(?! \(\w)|# ?type: ?ignore{ignored}(?!  # \w)"), suffix=".py"
    )
    assert bare == []
    # Tests are free to leave out the reason.
    assert [line for line in silent if not line.startswith("tests/")] == []


def test_no_relative_imports() -> None:
    assert offences(re.compile(r"^\s*from\s+\.+\w*\s+import"), suffix=".py") == []


def test_modules_of_the_app_stay_small() -> None:
    sizes = {name: len(text.splitlines()) for name, text in texts() if re.match(r"app/.*\.py$", name)}
    assert {name: size for name, size in sizes.items() if size > APP_LINES} == {}


def test_no_module_is_empty_of_words() -> None:
    """Every module says in its docstring what it is for."""
    silent = [
        name
        for name, text in texts()
        if re.match(r"(app|packaging|benchmarks)/.*\.py$", name) and not ast.get_docstring(ast.parse(text))
    ]
    assert silent == []


def test_direct_dependencies_are_pinned_exactly() -> None:
    config = project()
    listed = [
        *config["project"]["dependencies"],
        *(name for group in config["dependency-groups"].values() for name in group),
        *config["build-system"]["requires"],
    ]
    assert [name for name in listed if not re.fullmatch(r"[A-Za-z0-9_.-]+==[0-9][0-9a-z.]*", name)] == []


def test_what_uv_is_told_about_the_engine_is_for_the_pinned_version() -> None:
    config = project()
    told = {entry["name"]: entry["version"] for entry in config["tool"]["uv"]["dependency-metadata"]}
    assert [f"{name}=={version}" in config["project"]["dependencies"] for name, version in told.items()] == [True]


def test_the_version_has_one_source() -> None:
    assert "version" not in project()["project"]
    assert re.fullmatch(r"\d+\.\d+\.\d+", app.__version__)
    number = re.compile(rf"(?<![\w.=-]){re.escape(app.__version__)}(?![\w.])")
    assert [line for line in offences(number, suffix=".py") if not line.startswith(("app/__init__.py", "tests/"))] == []


def test_the_readme_opens_with_the_two_commands() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    blocks = re.findall(r"^```\w*\n(.*?)^```", readme, re.MULTILINE | re.DOTALL)
    assert [block.strip() for block in blocks[:2]] == ["python3 packaging/dev.py run", "python3 packaging/dev.py test"]
    assert readme.index("python3 packaging/dev.py run") < 400


def test_ci_runs_the_commands_of_the_readme() -> None:
    script = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    commands = [line for line in script.splitlines() if line and not line.startswith((" ", "#"))]
    assert commands[-2:] == ["python3 packaging/dev.py lint", "python3 packaging/dev.py test"]
    assert "set -euo pipefail" in commands


def test_links_of_the_readme_lead_somewhere() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    targets = [target for target in re.findall(r"\]\(([^)#]+)\)", readme) if "://" not in target]
    assert targets
    assert [target for target in targets if not (ROOT / target).exists()] == []


@pytest.mark.parametrize("name", sorted(DEMO))
def test_the_demo_pair_is_the_one_that_was_measured(name: str) -> None:
    content = (ROOT / "resources" / "demo" / name).read_bytes()
    assert hashlib.sha256(content).hexdigest().startswith(DEMO[name])


def test_the_changelog_is_open() -> None:
    headings = re.findall(r"^## (.*)$", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert headings[0] == "[Unreleased]"
