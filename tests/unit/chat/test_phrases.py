"""Sentences of the engine, in the language of the person."""

from dataclasses import replace
from pathlib import Path

import pytest

from app.chat import phrases
from app.core import translation
from app.core.gguf import describe, heads_problem, read_header
from app.engine.backends.head_files import find_heads
from app.engine.lookahead import reasons


@pytest.fixture
def shouting():
    """A language in which everything is said in capitals, and places stay places."""
    translation.install(lambda _context, text: text.upper())
    yield
    translation.install(None)


@pytest.mark.parametrize("template", phrases.TEMPLATES)
def test_every_template_finds_its_own_sentences(template: str, shouting) -> None:
    filled = template.format("x1", "y 2", "z 3,000", "9 %")
    assert phrases.said(filled) == template.upper().format("x1", "y 2", "z 3,000", "9 %")


def test_what_is_not_known_stays_as_it_came(shouting) -> None:
    assert phrases.said("Something quite different.") == "Something quite different."
    assert phrases.said("") == ""


def test_english_stays_english() -> None:
    for template in phrases.TEMPLATES:
        filled = template.format("a", "b", "c", "d")
        assert phrases.said(filled) == filled


def test_the_reasons_of_the_engine_are_known(shouting) -> None:
    said = phrases.said(reasons.lost_too_much(0.0421))
    assert said == "DRAFTING HAS COST 42 MS MORE THAN IT SAVED IN THIS ANSWER, SO IT WAITS."


def test_why_there_are_no_prediction_heads_is_known(shouting, demo_draft: Path) -> None:
    plain = describe(read_header(demo_draft))
    heads = {"nextn": 1, "nextn_declared": 2, "architecture": "mimo2"}
    files = (
        plain,
        replace(plain, architecture="mimo2"),
        replace(plain, nextn_declared=1),
        replace(plain, nextn=1, nextn_declared=1),
        replace(plain, **heads),
    )
    sentences = {heads_problem(facts) for facts in files} | {find_heads(plain, "off").problem}
    sentences |= {find_heads(replace(plain, **(heads | {"nextn_declared": 1})), "off").problem}
    assert len(sentences) == 6
    for sentence in sentences:
        assert phrases.said(sentence) != sentence
