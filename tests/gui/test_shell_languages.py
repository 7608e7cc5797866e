"""Words for people: found by Qt Linguist, translated, and shown."""

import ast
import importlib.util
import re
import shutil
import string
from pathlib import Path

import pytest

from app.core import translation
from app.ui import languages
from app.ui.composer import Composer
from app.ui.shortcuts import shortcuts
from app.ui.theme import LIGHT

ROOT = Path(__file__).resolve().parents[2]

_spec = importlib.util.spec_from_file_location("translations", ROOT / "packaging" / "translations.py")
assert _spec is not None
assert _spec.loader is not None
translations = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(translations)

LEAST_TRANSLATED = 0.9


@pytest.fixture
def german(qapp):
    installed = languages.install(qapp, "de")
    yield
    languages.uninstall(qapp, installed)


def fields(text: str) -> list[str]:
    return sorted(name or "" for _, name, _, _ in string.Formatter().parse(text) if name is not None)


@pytest.mark.parametrize("file", sorted(translations.FOLDER.glob("*.ts")), ids=lambda file: file.stem)
def test_a_translation_is_nearly_complete_and_fills_in_the_same_things(file: Path, tmp_path: Path) -> None:
    now = tmp_path / file.name
    shutil.copy(file, now)
    translations.update(now)
    words = list(translations.messages(now))
    done = [(source, translated) for _, source, translated in words if translated]
    assert len(done) >= LEAST_TRANSLATED * len(words)
    assert [pair for pair in done if fields(pair[0]) != fields(pair[1])] == []


def test_the_compiled_files_are_those_of_the_sources(tmp_path: Path) -> None:
    files = list(translations.FOLDER.glob("*.ts"))
    assert files
    for file in files:
        translations.compile_to(file, tmp_path / "new.qm")
        assert (tmp_path / "new.qm").read_bytes() == file.with_suffix(".qm").read_bytes()


def test_linguist_finds_the_words_as_they_are_at_run_time() -> None:
    """It knows no named characters, and no context for a `tr` that is not called on `self`."""
    for context, source, _ in translations.messages(translations.FOLDER / "outpace_de.ts"):
        assert context, source
        assert "N{" not in source


def test_no_word_is_put_together_inside_a_call_for_translation() -> None:
    """An f-string is looked up after it was filled in, so no translation would ever be found."""
    for path in (ROOT / "app").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call):
                function = node.func
                name = function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
                # A helper of one's own would hide the words from Qt Linguist.
                assert name != "_tr", (path, node.lineno)
                assert name != "tr" or isinstance(function, ast.Attribute), (path, node.lineno)
                if name == "tr":
                    assert not any(isinstance(argument, ast.JoinedStr) for argument in node.args), (path, node.lineno)


def test_german_is_spoken_by_widgets_and_by_what_knows_no_qt(qtbot, german) -> None:
    composer = Composer(LIGHT)
    qtbot.addWidget(composer)
    assert composer.button.text() == "Senden"
    assert shortcuts()[0].words == "Neuer Chat"
    assert translation.translate("badge", "Speculation off") == "Spekulation aus"


def test_english_comes_back(qtbot, qapp) -> None:
    languages.uninstall(qapp, languages.install(qapp, "de"))
    composer = Composer(LIGHT)
    qtbot.addWidget(composer)
    assert composer.button.text() == "Send"
    assert translation.translate("badge", "Speculation off") == "Speculation off"


def test_a_choice_wins_and_an_unknown_one_falls_back(monkeypatch) -> None:
    class System:
        @staticmethod
        def uiLanguages() -> list[str]:
            return ["fr-FR", "de-AT", "en"]

    monkeypatch.setattr(languages.QLocale, "system", lambda: System)
    assert languages.wanted("en") == "en"
    assert languages.wanted("") == "de"
    assert languages.wanted("xx") == "de"
    assert languages.available()[0] == "en"
    assert re.match("Deutsch", languages.own_name("de"))
