import json
import os
import stat
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core import settings
from app.core.errors import EnvironmentFault, UserError
from app.core.settings import SettingsFile


@dataclass(frozen=True)
class Group:
    heat: float = 0.8
    top: int = 40

    def check(self) -> None:
        if self.heat < 0:
            raise UserError("bad_option", "The heat is negative.", "Use a positive one.")


@dataclass(frozen=True)
class Choices:
    theme: str = "system"
    group: Group = field(default_factory=Group)
    recent: tuple[str, ...] = ()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "config" / "settings.json"


def written(path: Path, content: bytes | str | dict[str, Any]) -> SettingsFile[Choices]:
    path.parent.mkdir(parents=True, exist_ok=True)
    if isinstance(content, dict):
        content = json.dumps(content)
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return SettingsFile(path, Choices)


def copies(path: Path) -> list[Path]:
    return sorted(p for p in path.parent.iterdir() if p != path)


def codes(problems: tuple[settings.Problem, ...]) -> list[str]:
    return [problem.code for problem in problems]


def test_no_file_is_no_problem(path: Path) -> None:
    assert SettingsFile(path, Choices).load() == (Choices(), ())
    assert not path.parent.exists()


def test_what_is_saved_is_loaded(path: Path) -> None:
    value = Choices("dark", Group(0.5, 3), ("/models/größe ‘x’.gguf", "/broken/\udcff.gguf"))
    SettingsFile(path, Choices).save(value)
    assert SettingsFile(path, Choices).load() == (value, ())
    assert copies(path) == []
    assert json.loads(path.read_text())["version"] == 1


@pytest.mark.parametrize("content", [b"", b"\0" * 400, b'{"theme": "da', b"[]", b"\xff\xfe{}", b"[" * 100_000, b"null"])
def test_a_damaged_file_gives_defaults_a_notice_and_a_copy(path: Path, content: bytes) -> None:
    file = written(path, content)
    value, problems = file.load()
    assert value == Choices()
    assert codes(problems) == ["settings_damaged"]
    (copy,) = copies(path)
    assert copy.read_bytes() == content
    assert "settings.json is damaged" in problems[0].text
    assert copy.name in problems[0].text
    assert path.read_bytes() == content, "loading alone changes nothing"
    file.save(Choices("dark"))
    assert SettingsFile(path, Choices).load() == (Choices("dark"), ())


def test_a_file_that_stays_damaged_is_copied_once(path: Path) -> None:
    for _ in range(3):
        written(path, "{").load()
    assert len(copies(path)) == 1


@pytest.mark.parametrize(
    ("body", "expected", "reason"),
    [
        ({"theme": 3, "recent": ["a"]}, Choices(recent=("a",)), "theme: 3 is not str"),
        ({"group": {"heat": "hot", "top": 7}}, Choices(group=Group(top=7)), "group.heat: 'hot' is not float"),
        ({"group": {"heat": -1.0, "top": 7}}, Choices(group=Group(top=7)), "The heat is negative. Use a positive one."),
        ({"group": [], "theme": "dark"}, Choices("dark"), "group: not an object"),
        ({"recent": ["a", 1]}, Choices(), "recent: 1 is not str"),
    ],
)
def test_a_bad_field_falls_back_alone(path: Path, body: dict[str, Any], expected: Choices, reason: str) -> None:
    value, problems = written(path, body).load()
    assert value == expected
    assert codes(problems) == ["settings_field"]
    assert reason in problems[0].text
    (copy,) = copies(path)
    assert json.loads(copy.read_bytes()) == body


def test_nan_is_a_bad_field_not_a_damaged_file(path: Path) -> None:
    value, problems = written(path, '{"theme": "dark", "group": {"heat": NaN}}').load()
    assert value == Choices("dark")
    assert codes(problems) == ["settings_field"]


def test_all_bad_fields_are_told(path: Path) -> None:
    _, problems = written(path, {"theme": 1, "recent": 2, "group": {"top": "x"}}).load()
    assert codes(problems) == ["settings_field"] * 3


def test_unknown_keys_survive(path: Path) -> None:
    file = written(path, {"theme": "dark", "later": {"a": 1}, "group": {"top": 1, "new": 2}})
    value, problems = file.load()
    assert problems == ()
    file.save(value)
    file.save(Choices("light", value.group))
    body = json.loads(path.read_text())
    assert body["later"] == {"a": 1}
    assert body["group"] == {"heat": 0.8, "top": 1, "new": 2}
    assert body["theme"] == "light"


def test_a_newer_file_is_read_and_never_written(path: Path) -> None:
    body = {"version": 9, "theme": "dark", "recent": 5}
    file = written(path, body)
    value, problems = file.load()
    assert value == Choices("dark")
    assert codes(problems) == ["settings_newer"]
    file.save(Choices("light"))
    assert json.loads(path.read_text()) == body
    assert copies(path) == []


@pytest.mark.parametrize("version", ["1", None, 0, -3, True, 1.5])
def test_a_version_that_makes_no_sense(path: Path, version: object) -> None:
    value, problems = written(path, {"version": version, "theme": "dark"}).load()
    assert value == Choices("dark")
    assert codes(problems) == ["settings_field"]


def rename_colour(body: dict[str, Any]) -> dict[str, Any]:
    return {**{k: v for k, v in body.items() if k != "colour"}, "theme": body["colour"]}


def to_list(body: dict[str, Any]) -> dict[str, Any]:
    return {**body, "recent": [body["recent"]]}


def test_old_files_are_migrated_step_by_step_and_copied(path: Path) -> None:
    old = {"colour": "dark", "recent": "a", "version": 1}
    written(path, old)
    file = SettingsFile(path, Choices, [rename_colour, to_list])
    value, problems = file.load()
    assert (value, problems) == (Choices("dark", recent=("a",)), ())
    (copy,) = copies(path)
    assert "version-1" in copy.name
    assert json.loads(copy.read_text()) == old
    file.save(value)
    assert json.loads(path.read_text())["version"] == 3


def test_a_migration_starts_where_the_file_is(path: Path) -> None:
    written(path, {"theme": "dark", "recent": "a", "version": 2})
    assert SettingsFile(path, Choices, [rename_colour, to_list]).load()[0] == Choices("dark", recent=("a",))


def test_an_old_file_that_cannot_be_migrated_is_kept_as_a_copy(path: Path) -> None:
    written(path, {"version": 1, "recent": "a"})
    value, problems = SettingsFile(path, Choices, [rename_colour]).load()
    assert value == Choices()
    assert codes(problems) == ["settings_damaged"]
    assert len(copies(path)) == 2


def test_a_half_written_save_is_never_read_and_goes_away(path: Path) -> None:
    file = written(path, {"theme": "dark"})
    old, young = (path.with_name(f".settings.json.{name}.tmp") for name in ("old", "young"))
    for orphan in (old, young):
        orphan.write_text('{"theme": "li')
    os.utime(old, (time.time() - 3600, time.time() - 3600))
    assert file.load() == (Choices("dark"), ())
    assert not old.exists()
    assert young.exists(), "another window may be writing it"


def test_a_failing_write_keeps_the_old_file(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = written(path, {"theme": "dark"})
    file.load()

    def full(_descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(EnvironmentFault) as caught:
        file.save(Choices("light"))
    assert caught.value.code == "settings_not_saved"
    assert "No space left on device" in caught.value.sentence
    assert json.loads(path.read_text()) == {"theme": "dark"}
    assert copies(path) == [], "no half file stays behind"


def test_a_folder_that_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "config").write_text("a file where the folder should be")
    file = SettingsFile(tmp_path / "config" / "settings.json", Choices)
    value, problems = file.load()
    assert value == Choices()
    assert codes(problems) == ["settings_unreadable"]
    file.save(Choices("dark"))
    assert (tmp_path / "config").read_text() == "a file where the folder should be"


def test_a_folder_in_the_place_of_the_file(path: Path) -> None:
    path.mkdir(parents=True)
    value, problems = SettingsFile(path, Choices).load()
    assert value == Choices()
    assert codes(problems) == ["settings_unreadable"]


@pytest.mark.skipif(sys.platform == "win32" or not hasattr(os, "geteuid"), reason="POSIX permissions")
def test_an_unwritable_folder(path: Path) -> None:
    file = written(path, {"theme": "dark"})
    path.parent.chmod(stat.S_IRUSR | stat.S_IXUSR)
    try:
        if os.access(path.parent, os.W_OK):
            pytest.skip("permissions do not bind this user")
        assert file.load() == (Choices("dark"), ())
        with pytest.raises(EnvironmentFault):
            file.save(Choices("light"))
    finally:
        path.parent.chmod(stat.S_IRWXU)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="a folder where nobody may write")
def test_a_folder_where_nobody_may_write() -> None:
    file = SettingsFile(Path("/proc/settings.json"), Choices)
    assert file.load() == (Choices(), ())
    with pytest.raises(EnvironmentFault) as caught:
        file.save(Choices("dark"))
    assert caught.value.code == "settings_not_saved"


@pytest.mark.skipif(sys.platform == "win32", reason="links need a privilege there")
def test_a_link_stays_a_link(path: Path, tmp_path: Path) -> None:
    real = tmp_path / "dotfiles" / "outpace.json"
    real.parent.mkdir()
    real.write_text('{"theme": "dark"}')
    path.parent.mkdir()
    path.symlink_to(real)
    file = SettingsFile(path, Choices)
    file.load()
    file.save(Choices("light"))
    assert path.is_symlink()
    assert json.loads(real.read_text())["theme"] == "light"


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["heat", "top", "x"]), inner, max_size=3)
    ),
    max_leaves=8,
)


@given(body=st.dictionaries(st.sampled_from(["theme", "group", "recent", "version", "other"]), json_values))
def test_no_file_stops_the_program(tmp_path_factory: pytest.TempPathFactory, body: dict[str, Any]) -> None:
    path = tmp_path_factory.mktemp("any") / "settings.json"
    file = written(path, body)
    value, _ = file.load()
    assert isinstance(value, Choices)
    file.save(value)
    if not isinstance(body.get("version"), int) or body["version"] <= 1:
        assert SettingsFile(path, Choices).load() == (value, ())
