"""Which parts of a line of source text are coloured."""

import pytest

from app.ui.transcript import highlight


def parts(code: str, language: str) -> list[list[tuple[str, str]]]:
    """For each line the coloured text with its kind, cut out as Qt does it: by UTF-16 units."""
    result = []
    for line, spans in zip(code.split("\n"), highlight.lines(code, language), strict=True):
        units = line.encode("utf-16-le")
        result.append(
            [(units[2 * start : 2 * (start + length)].decode("utf-16-le"), kind) for start, length, kind in spans]
        )
    return result


def test_a_line_of_python():
    (line,) = parts("def f(x): return 'a' # c", "python")
    assert line == [
        ("def", "keyword"),
        ("f", "name"),
        ("return", "keyword"),
        ("'", "string"),
        ("a", "string"),
        ("'", "string"),
        ("# c", "comment"),
    ]


def test_a_text_over_several_lines_is_one_text():
    first, second, third = parts('x = """a\nb\n""" + 1', "python")
    assert ("b", "string") in second
    assert ('"""', "string") in third
    assert ("1", "number") in third
    assert first


def test_places_count_as_qt_counts():
    (line,) = parts("'👩‍👩‍👧‍👦' + 12", "python")
    assert "".join(text for text, kind in line if kind == "string") == "'👩‍👩‍👧‍👦'"
    assert ("12", "number") in line


@pytest.mark.parametrize("language", ["", "no-such-language", "text"])
def test_no_colours_without_a_language(language):
    assert not [spans for spans in highlight.lines("def x(): 1", language) if spans]


@pytest.mark.parametrize("language", highlight.COMMON)
def test_common_languages_exist_and_keep_every_line(language):
    assert highlight.lexer_for(language) is not None
    assert len(list(highlight.lines("a\n\n b = 'c'\n", language))) == 4
