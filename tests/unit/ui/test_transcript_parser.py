"""Markdown to items: what is shown, and that nothing of the text gets lost or is taken for more than text."""

import time

import pytest

from app.ui.transcript.items import LINE_BREAK, Code, Item, Line, Mark, Run, Table, displayable, gap, is_right_to_left
from app.ui.transcript.parser import TABLE_PART, Cut, parse


def items(text: str) -> list[Item]:
    return parse(text, Cut(), {}).items


def text_of(item: Item) -> str:
    assert isinstance(item, Line)
    return "".join(run.text for run in item.runs)


def test_inline_marks_and_line_breaks():
    (line,) = items("a *b* **c** ~~d~~ `e` ***f***\nnext")
    assert line == Line(
        runs=(
            Run("a "),
            Run("b", Mark.EMPHASIS),
            Run(" "),
            Run("c", Mark.STRONG),
            Run(" "),
            Run("d", Mark.STRIKE),
            Run(" "),
            Run("e", Mark.CODE),
            Run(" "),
            Run("f", Mark.STRONG | Mark.EMPHASIS),
            Run(f"{LINE_BREAK}next"),
        )
    )


def test_headings_rules_and_quotes():
    found = items("# One\n\nTwo\n---\n\n***\n\n> a\n> > b\n>\n> - c")
    assert [(item.level, item.is_rule, item.nest) for item in found if isinstance(item, Line)] == [
        (1, False, ""),
        (2, False, ""),
        (0, True, ""),
        (0, False, "q"),
        (0, False, "qq"),
        (0, False, "ql"),
    ]


def test_lists_have_bullets_numbers_and_boxes():
    found = items("- a\n  - b\n    1. c\n\n       more\n7. x\n7. y\n- [ ] todo\n- [x] done\n- - inner\n-\n")
    shown = [(item.bullet, item.nest, text_of(item)) for item in found if isinstance(item, Line)]
    assert shown == [
        ("•", "l", "a"),
        ("◦", "ll", "b"),
        ("1.", "lll", "c"),
        ("", "lll", "more"),
        ("7.", "l", "x"),
        ("8.", "l", "y"),
        ("☐", "l", "todo"),
        ("☑", "l", "done"),
        ("•", "l", ""),
        ("◦", "ll", "inner"),
        ("•", "l", ""),
    ]


def test_twelve_levels_of_lists_are_all_there():
    found = items("\n".join("  " * depth + f"- level {depth}" for depth in range(12)))
    assert [text_of(item) for item in found] == [f"level {depth}" for depth in range(12)]
    assert [item.nest for item in found] == ["l" * depth for depth in range(1, 13)]


def test_what_is_nested_too_deep_is_shown_as_it_is_written():
    source = "before\n\n" + ">" * 1000 + " the end\n\nafter"
    assert [text_of(item) for item in items(source)] == ["before", ">" * 1000 + " the end", "after"]


def test_tables_have_alignments_and_full_rows():
    (table,) = items("| a | b | c |\n|:--|:-:|--:|\n| 1 | **2** |\n")
    assert table == Table(
        header=((Run("a"),), (Run("b"),), (Run("c"),)),
        rows=(((Run("1"),), (Run("2", Mark.STRONG),), ()),),
        alignments=("left", "center", "right"),
    )


def test_a_long_table_is_cut_into_parts_that_agree_about_widths():
    parts = items("| a | b |\n|---|---|\n" + "".join(f"| {n} | row |\n" for n in range(2 * TABLE_PART + 1)))
    assert [part.part for part in parts if isinstance(part, Table)] == [0, 1, 2]
    assert [len(part.rows) for part in parts if isinstance(part, Table)] == [TABLE_PART, TABLE_PART, 1]
    assert len({part.widths for part in parts if isinstance(part, Table)}) == 1
    assert gap(parts[0], parts[1]) == 0


@pytest.mark.parametrize(
    "source",
    ["<script>alert('x')</script>", "a <b>c</b>", "<img src='file:///etc/passwd'>", "<!-- no -->", "&lt;b&gt;"],
)
def test_html_is_text(source):
    (line,) = items(source)
    assert text_of(line) == source.replace("&lt;", "<").replace("&gt;", ">")


def test_an_image_is_text_and_at_most_a_link():
    (line,) = items("![a cat](https://example.com/cat.png) ![](https://x.y/z) ![c](cat.png)")
    assert isinstance(line, Line)
    assert [(run.text, run.href) for run in line.runs if run.text.strip()] == [
        ("[image: a cat]", "https://example.com/cat.png"),
        ("[image: without a description]", "https://x.y/z"),
        ("[image: c]", ""),
    ]


@pytest.mark.parametrize(
    ("source", "shown", "href"),
    [
        ("[docs](https://a.b/c?d=1#e)", "docs", "https://a.b/c?d=1#e"),
        ("<mailto:a@b.c>", "mailto:a@b.c", "mailto:a@b.c"),
        ("[docs](docs/x.md)", "docs (docs/x.md)", ""),
        ("[up](#top)", "up", ""),
        ("[x](copy:0)", "x (copy:0)", ""),
        ("[x](javascript:alert(1))", "[x](javascript:alert(1))", ""),
        ("[x](file:///etc/passwd)", "[x](file:///etc/passwd)", ""),
    ],
)
def test_only_web_and_mail_addresses_are_links(source, shown, href):
    (line,) = items(source)
    assert isinstance(line, Line)
    assert text_of(line) == shown
    assert {run.href for run in line.runs} - {""} == ({href} if href else set())


@pytest.mark.parametrize(
    ("source", "code"),
    [
        ("```\na\n```", "a"),
        ("```python\n\tx = 1  \r\n\r\ny\0z\n```\n", "\tx = 1  \r\n\r\ny\0z"),
        ("~~~~ py\n```\n~~~\n~~~~", "```\n~~~"),
        ("```\n```", ""),
        ("```\n\n\n```", "\n"),
        ("```\nnever closed\n\n  ", "never closed\n\n  "),
        ("    indented\n\n    code", "indented\n\ncode"),
        ("- a\n  ```\n  in a list\n    more\n  ```", "in a list\n  more"),
        ("> ```\n> in a quote\n> ```", "in a quote"),
    ],
)
def test_code_is_kept_byte_for_byte(source, code):
    assert [item.text for item in items(source) if isinstance(item, Code)] == [code]


def test_the_language_is_the_first_word_of_the_fence():
    assert [
        item.language for item in items("```Python title=x\n```\n```{.js}\n```\n```\n```") if isinstance(item, Code)
    ] == [
        "python",
        "js",
        "",
    ]


def test_an_unclosed_fence_is_open_and_a_closed_one_is_not():
    assert [item.is_open for item in items("```\na\n```\n\n```\nb") if isinstance(item, Code)] == [False, True]


def test_link_definitions_are_found_and_used():
    assert parse("[a][1]\n\n[1]: https://x.y", Cut(), {}).references["1"]["href"] == "https://x.y"
    (line,) = parse("[a][1]", Cut(), {"1": {"href": "https://x.y", "title": ""}}).items
    assert line == Line(runs=(Run("a", href="https://x.y"),))


def test_a_paragraph_of_any_length_is_read_as_a_whole():
    sentence = "word **bold** and `code` [x](https://x.y) *em*, "
    (line,) = items(sentence * 1000)
    (short,) = items(sentence)
    assert isinstance(line, Line)
    assert text_of(line) == (text_of(short) + " ") * 999 + text_of(short)
    assert sum(Mark.STRONG in run.marks for run in line.runs) == 1000
    assert sum(Mark.CODE in run.marks for run in line.runs) == 1000


@pytest.mark.parametrize(
    "source", ["[" * 20_000, "![" * 10_000, "`" * 20_000, "*a " * 5000, "<" * 20_000, "[a](" * 5000]
)
def test_hostile_text_is_read_in_reasonable_time(source):
    began = time.process_time()
    assert items(source)
    assert time.process_time() - began < 1.0


def test_displayable_keeps_the_length_and_drops_structure():
    assert displayable("plain\ttext\n") == "plain\ttext\n"
    odd = "a\0b\u2029c\ufdd0d\ufffce\rf\r\ng\x1bh"
    assert len(displayable(odd)) == len(odd)
    assert displayable(odd) == "a\ufffdb\nc\ufffdd\ufffde\nf\u200b\ng\ufffdh"


def test_direction_is_that_of_the_first_letter():
    assert is_right_to_left((Run("  1. "), Run("שלום abc")))
    assert not is_right_to_left((Run("abc שלום"),))
    assert not is_right_to_left((Run("123 😀"),))
