"""Formulas in Markdown: which are found, and which dollars are only dollars."""

import pytest

from app.ui.transcript import formula
from app.ui.transcript.items import Line, Mark, formulas_of
from app.ui.transcript.maths import bare, is_display
from app.ui.transcript.stream import MarkdownStream


def lines(text: str) -> list[Line]:
    stream = MarkdownStream()
    stream.feed(text, final=True)
    return [item for item in stream.items if isinstance(item, Line)]


def found(text: str) -> list[str]:
    return [run.text for line in lines(text) for run in line.runs if run.marks & Mark.MATH]


@pytest.mark.parametrize(
    ("text", "formulas"),
    [
        ("so $x^2$ it is", ["$x^2$"]),
        (r"so \(x_1\), it is", [r"\(x_1\)"]),
        ("so $$x$$ it is", ["$$x$$"]),
        ("$a_1*b*c_2$", ["$a_1*b*c_2$"]),
        ("**$x$**", ["$x$"]),
        ("| a |\n|---|\n| $x$ |", []),
        (r"\$5 and $x$", ["$x$"]),
        (r"$a\$b$", [r"$a\$b$"]),
        ("costs $5 and $6", []),
        ("costs $5-$6.", []),
        ("echo $HOME/$USER", []),
        ("a $ b $ c", []),
        ("`$x$`", []),
        ("    $x$", []),
        ("```\n$x$\n```", []),
        ("$x", []),
        ("$$", []),
        ("$$$$", []),
        (r"\(\)", []),
        (r"\(x", []),
    ],
)
def test_formulas_inside_lines(text: str, formulas: list[str]) -> None:
    assert found(text) == formulas


def test_a_table_cell_has_formulas_too() -> None:
    stream = MarkdownStream()
    stream.feed("| a |\n|---|\n| $x$ |\n", final=True)
    assert formulas_of(stream.items[0]) == {"$x$"}


@pytest.mark.parametrize(
    "text",
    [
        "$$x$$",
        "$$\nx\n$$",
        "\\[x\\]",
        "\\[\na\n- b\n= c\n+ d\n\\]",
        "words\n\\[\nx\n\\]\nmore",
        "- item\n  \\[ x \\]",
        "> $$x$$",
    ],
)
def test_formulas_on_lines_of_their_own(text: str) -> None:
    shown = [line for line in lines(text) if line.is_display]
    assert len(shown) == 1
    assert len(found(text)) == 1
    assert is_display(found(text)[0])


def test_what_follows_the_end_of_a_formula_stays() -> None:
    line = lines("$$\nx\n$$ .")[0]
    assert [run.text for run in line.runs][1:] == ["."]
    assert "and more" in lines("$$\nx\n$$ and more")[0].runs[1].text


@pytest.mark.parametrize("text", ["\\[\nx\n\ny", "$$\na\n\n- b", "\\[1\\] is a **note**", "$$$ money $$$ here"])
def test_what_has_no_end_stays_text(text: str) -> None:
    shown = "".join(run.text for line in lines(text) for run in line.runs)
    for word in text.replace("*", "").replace("\\", "").replace("$", "").replace("-", "").split():
        assert word in shown


def test_delimiters_come_off() -> None:
    assert [bare(text) for text in ("$x$", "$$x$$", r"\(x\)", r"\[x\]", "x")] == ["x"] * 5


@pytest.mark.parametrize("latex", [r"\frac{a}{b}", r"\sum_{i=1}^n i", r"\begin{pmatrix} a & b \\ c & d \end{pmatrix}"])
def test_latex_becomes_a_picture(latex: str) -> None:
    picture = formula.typeset(f"$${latex}$$")
    assert picture is not None
    assert picture.svg.startswith("<svg")
    assert picture.width > 0.3
    assert picture.ascent > 0.3


@pytest.mark.parametrize(
    "latex",
    [r"\frac{1", "{" * 400 + "}" * 400, r"\left(" * 100, "&" * 500, r"\text{a < b & c}", "x" * 5000, "x^x^x", " "],
)
def test_what_cannot_be_drawn_is_none_and_never_an_error(latex: str) -> None:
    assert formula.typeset(f"$${latex}$$") is None
