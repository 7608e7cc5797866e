"""Names from the network do not lead anywhere else."""

from pathlib import Path

import pytest

from app.core.errors import UserError
from app.hub.disk import free_bytes, place


def test_where_files_go(tmp_path: Path) -> None:
    assert place(tmp_path, "org/model", "a.gguf") == tmp_path / "org" / "model" / "a.gguf"
    assert place(tmp_path, "org/model", "Q4_K_M/ü 1.gguf") == tmp_path / "org" / "model" / "Q4_K_M" / "ü 1.gguf"
    assert place(tmp_path, "gpt2", "a.gguf") == tmp_path / "gpt2" / "a.gguf"


@pytest.mark.parametrize(
    ("repo", "name"),
    [
        ("org/model", "../a.gguf"),
        ("org/model", "sub/../../../a.gguf"),
        ("org/model", "/etc/a.gguf"),
        ("org/model", "a\\..\\b.gguf"),
        ("org/model", "c:a.gguf"),
        ("org/model", ""),
        ("org/model", "sub/"),
        ("org/model", "nul.gguf"),
        ("org/model", "a\0.gguf"),
        ("org/model", "trailing ."),
        ("org/model", "x" * 300),
        ("../model", "a.gguf"),
        ("..", "a.gguf"),
        ("a/b/c", "a.gguf"),
    ],
)
def test_where_they_do_not_go(tmp_path: Path, repo: str, name: str) -> None:
    with pytest.raises(UserError, match="no name for a file"):
        place(tmp_path, repo, name)


def test_free_room(tmp_path: Path) -> None:
    assert (free_bytes(tmp_path / "not" / "there" / "yet") or 0) > 0
