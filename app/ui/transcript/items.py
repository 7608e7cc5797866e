"""What a message looks like, as a flat list of items: lines, code blocks and tables.

Flat, so that a growing answer can be compared with what is on the screen and only the difference is written. Nesting
is a property of an item, not a tree.
"""

import enum
import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

LINE_BREAK = "\u2028"
"""A new line inside a paragraph."""


class Mark(enum.IntFlag):
    """How a run of text is set."""

    NONE = 0
    STRONG = 1
    EMPHASIS = 2
    STRIKE = 4
    CODE = 8
    QUIET = 16
    MATH = 32


@dataclass(frozen=True, slots=True)
class Run:
    """Text set in one way. `href`: where a click asks to go, "" for plain text."""

    text: str
    marks: Mark = Mark.NONE
    href: str = ""


Cell = tuple[Run, ...]
Kind = Literal["", "keyword", "string", "number", "comment", "name", "good", "bad"]
"""What a part of source text is."""
Span = tuple[int, int, Kind]
"""Start and length in UTF-16 units (those of Qt) within a line of source text, and what it is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One paragraph, heading, list line or rule.

    `level`: 1 to 6 for headings, 0 for text. `bullet`: what hangs in front of the first line of a list item.
    `is_display`: a formula on lines of its own.
    `nest`: the containers around it, outermost first, one letter each: "q" a quote, "l" a list item.
    """

    runs: Cell = ()
    level: int = 0
    bullet: str = ""
    nest: str = ""
    is_rule: bool = False
    is_display: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Code:
    """A block of source text, without the line end before the closing fence.

    `is_open`: the closing fence has not come yet.
    """

    text: str
    language: str = ""
    nest: str = ""
    is_open: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """A table, or one part of a long one.

    `header` and every row have as many cells as `alignments`. `part`: 0 for the first part, which shows the header.
    `widths`: percent of the width for each column when the table has several parts, which must agree; else empty.
    """

    header: tuple[Cell, ...]
    rows: tuple[tuple[Cell, ...], ...]
    alignments: tuple[str, ...]
    nest: str = ""
    part: int = 0
    widths: tuple[int, ...] = ()


Item = Line | Code | Table

CODE_PADDING = 10
"""Ground below the last line of a code block, px; the gap to the next item comes on top."""
_PARAGRAPH, _LIST_LINE, _HEADING = 10, 4, 20
AROUND_BOX = 14
"""Room above and below code blocks and tables, px."""


def gap(previous: Item | None, item: Item) -> int:
    """The distance between two neighbours in px (0 above the first item)."""
    if previous is None:
        return 0
    extra = CODE_PADDING if isinstance(previous, Code) else 0
    if isinstance(item, Table):
        return extra if item.part else AROUND_BOX + extra
    if isinstance(item, Code) or isinstance(previous, Code | Table):
        return AROUND_BOX + extra
    if item.level:
        return _PARAGRAPH if previous.level else _HEADING
    if item.bullet and (previous.bullet or "l" in previous.nest):
        return _LIST_LINE
    if previous.level:
        return _LIST_LINE + 2
    return _PARAGRAPH


def cells_of(item: Item) -> Iterator[Cell]:
    """Runs of a line, or of each cell of a table row by row; nothing for code."""
    if isinstance(item, Line):
        yield item.runs
    elif isinstance(item, Table):
        for row in (item.header, *item.rows):
            yield from row


def formulas_of(item: Item) -> set[str]:
    """The formulas of an item, with their delimiters."""
    return {run.text for cell in cells_of(item) for run in cell if run.marks & Mark.MATH}


_ODD = re.compile("[\x00-\x08\x0b-\x1f\x7f\u2029\ufdd0\ufdd1\ufffc\ud800-\udfff]")


def displayable(text: str) -> str:
    """`text` with the same number of characters and nothing that a text document would take for structure."""
    if not _ODD.search(text):
        return text
    return _ODD.sub(
        lambda match: "\n" if match[0] in "\r\u2029\x0b\x0c" else "\ufffd", text.replace("\r\n", "\u200b\n")
    )


def is_right_to_left(runs: Cell) -> bool:
    """Does the first letter with a direction run from right to left?"""
    for run in runs:
        if run.text.isascii():
            if any(letter.isalpha() for letter in run.text):
                return False
            continue
        for letter in run.text:
            direction = unicodedata.bidirectional(letter)
            if direction in {"L", "R", "AL"}:
                return direction != "L"
    return False
