"""Sentences of the engine, in the language of the person."""

import pytest

from app.chat import phrases
from app.core import translation
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
