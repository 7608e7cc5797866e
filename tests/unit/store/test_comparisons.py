"""The file of kept comparisons: what a crash, damage or a full disk does to it."""

import json
from pathlib import Path

import pytest

from app.core.errors import EnvironmentFault
from app.store.comparisons import MOST, ComparisonFile


def ids(file: ComparisonFile) -> list[str]:
    return [record["id"] for record in file.read()]


def test_what_is_appended_is_read_back_newest_last(tmp_path: Path) -> None:
    file = ComparisonFile(tmp_path / "new folder" / "comparisons.jsonl")
    assert file.read() == []
    records = [{"id": "a", "text": "Größe \u2028 😀"}, {"id": "b"}]
    for record in records:
        file.append(record)
    assert file.read() == records


def test_a_newer_state_takes_the_place_of_the_older(tmp_path: Path) -> None:
    file = ComparisonFile(tmp_path / "c.jsonl")
    for record in ({"id": "a", "proof": []}, {"id": "b"}, {"id": "a", "proof": [-1]}):
        file.append(record)
    assert file.read() == [{"id": "a", "proof": [-1]}, {"id": "b"}]


def test_damaged_lines_are_skipped_and_a_line_cut_off_loses_only_itself(tmp_path: Path) -> None:
    path = tmp_path / "c.jsonl"
    file = ComparisonFile(path)
    file.append({"id": "a"})
    path.write_bytes(path.read_bytes() + b'\x00\xff{}\n[1]\n{"id": 5}\n{"id": "cut')
    file.append({"id": "b"})
    assert ids(file) == ["a", "b"]


def test_only_the_newest_are_listed(tmp_path: Path) -> None:
    path = tmp_path / "c.jsonl"
    path.write_text("".join(json.dumps({"id": str(number)}) + "\n" for number in range(MOST + 5)), "utf-8")
    assert ids(ComparisonFile(path)) == [str(number) for number in range(5, MOST + 5)]


def test_what_is_removed_is_gone(tmp_path: Path) -> None:
    file = ComparisonFile(tmp_path / "c.jsonl")
    for name in "abc":
        file.append({"id": name})
    file.keep_only([{"id": "a"}, {"id": "c"}])
    assert ids(file) == ["a", "c"]


def test_a_place_that_cannot_be_written_gets_a_sentence(tmp_path: Path) -> None:
    path = tmp_path / "c.jsonl"
    path.mkdir()
    file = ComparisonFile(path)
    for act in (file.read, lambda: file.append({"id": "a"}), lambda: file.keep_only([])):
        with pytest.raises(EnvironmentFault, match=r"The kept comparisons could not be (read|written) \("):
            act()
