"""Markdown to items. Raw HTML stays text, images become text, nothing refers to a resource.

`parse` also says where the text may be cut: everything above a cut is finished, whatever follows, so that a stream has
to be read again only from its last cut.
"""

import re
from collections.abc import MutableMapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from markdown_it.token import Token

from app.ui.transcript import maths
from app.ui.transcript.inline import MAX_NESTING, markdown, runs_of
from app.ui.transcript.items import LINE_BREAK, Cell, Code, Item, Line, Mark, Run, Table, displayable

TABLE_PART = 30
"""Rows after which a table goes on as another one: every change lays out a whole table again."""
LINE_END = re.compile(r"\r\n?|\n")


CutKind = Literal["block", "list", "table", "fence"]


@dataclass(frozen=True, slots=True)
class Cut:
    """A place from where a growing text can be read on.

    `offset`: in the text. `item`: index of the first item after the cut. `kind`: what begins here: any block, one more
    item of a list, more rows of a table, or an open fence. `number`: of the list item, or of the part of the table.
    `prefix`, `widths`, `rows`: the head of a table, its column widths, and the rows of this part above the cut.
    `fence`: the opening line of an open fence.
    """

    offset: int = 0
    item: int = 0
    kind: CutKind = "block"
    number: int = 0
    prefix: str = ""
    fence: str = ""
    widths: tuple[int, ...] = ()
    rows: tuple[tuple[Cell, ...], ...] = ()


@dataclass(slots=True)
class Parsed:
    """Items of a text, the last place to cut, and the link definitions up to there and after."""

    items: list[Item]
    cut: Cut
    settled: dict[str, Any] = field(default_factory=dict)
    references: dict[str, Any] = field(default_factory=dict)


def parse(text: str, start: Cut, references: MutableMapping[str, Any]) -> Parsed:
    """Read `text` from a cut to its end.

    Args:
        text: All of it.
        start: A cut of an earlier reading of this text, or `Cut()`.
        references: Link definitions that count; they stay unchanged.
    """
    source = text[start.offset :]
    ends = list(LINE_END.finditer(source))
    plain = LINE_END.sub("\n", source).replace("\0", "\ufffd")
    env: dict[str, Any] = {"references": dict(references)}
    tokens: list[Token] = []
    markdown.block.parse(start.prefix + plain, markdown, env, tokens)
    builder = _Builder(source, [0, *(end.end() for end in ends)], start, env)
    builder.build(tokens)
    found = {name: value for name, value in env["references"].items() if name not in references}
    # Definitions are given with their lines; those below the cut will be read again.
    settled = {name: value for name, value in found.items() if value["map"][1] <= builder.cut_line}
    return Parsed(builder.items, builder.cut, settled, found)


class _Builder:
    """Walks over block tokens. Line numbers of tokens count from the start of `prefix`."""

    def __init__(self, source: str, line_starts: list[int], start: Cut, env: dict[str, Any]) -> None:
        self.items: list[Item] = []
        self.cut = start
        self.cut_line = 0
        self._source = source
        self._line_starts = line_starts
        self._start = start
        self._prefix_lines = start.prefix.count("\n")
        self._env = env
        self._nest = ""
        self._bullet = ""
        self._numbers: list[int | None] = []
        self._top = (0, 0, start, 0)

    def build(self, tokens: list[Token]) -> None:
        index = 0
        while index < len(tokens):
            token = tokens[index]
            if token.level == 0 and token.nesting >= 0 and token.map:
                if index:
                    self._cut_here(token.map[0])
                self._top = (index, len(self.items), self.cut, self.cut_line)
            if token.level >= MAX_NESTING - 1:
                # The parser leaves out what is nested deeper; text must never vanish.
                index = self._too_deep(tokens)
                continue
            index = self._take(tokens, index)

    def _take(self, tokens: list[Token], index: int) -> int:
        token = tokens[index]
        if token.type == "table_open":
            close = _closing(tokens, index)
            self._table(tokens[index:close], token)
            return close + 1
        if token.type == "inline":
            level = int(tokens[index - 1].tag[1]) if tokens[index - 1].type == "heading_open" else 0
            self._line(
                Line(runs=runs_of(token.content, self._env), level=level, bullet=self._pop_bullet(), nest=self._nest)
            )
        elif token.type in {"fence", "code_block"}:
            self._code(token)
        elif token.type in {maths.BLOCK, maths.UNFINISHED}:
            self._formula(token)
        elif token.type == "hr":
            self._flush_bullet()
            self._line(Line(is_rule=True, nest=self._nest))
        elif token.type == "list_item_open":
            self._item(token)
        elif token.type in {"bullet_list_open", "ordered_list_open"}:
            self._list(token, first=index == 0)
        elif token.type in {"bullet_list_close", "ordered_list_close"}:
            self._numbers.pop()
        elif token.type == "blockquote_open":
            self._flush_bullet()
            self._nest += "q"
        elif token.type in {"list_item_close", "blockquote_close"}:
            self._flush_bullet()
            self._nest = self._nest[:-1]
        return index + 1

    def _offset(self, line: int) -> int:
        line -= self._prefix_lines
        return self._line_starts[line] if line < len(self._line_starts) else len(self._source)

    def _cut_here(self, line: int, kind: CutKind = "block", *, ahead: int = 0, **more: Any) -> None:
        """Cut before a line; the item that begins there is `ahead` items after the next one."""
        if line - self._prefix_lines >= len(self._line_starts) - 1:
            # The last line has no end yet: it may still turn out to belong to what is above.
            return
        offset = self._start.offset + self._offset(line)
        self.cut = Cut(offset, self._start.item + len(self.items) + ahead, kind, **more)
        self.cut_line = line

    def _formula(self, token: Token) -> None:
        """Lines of their own with a formula; one without an end yet is text."""
        if token.type == maths.UNFINISHED:
            self._line(Line(runs=runs_of(token.content, self._env), bullet=self._pop_bullet(), nest=self._nest))
            return
        self._flush_bullet()
        runs = [Run(displayable(token.content).replace("\n", LINE_BREAK), Mark.MATH)]
        if token.info:
            runs.append(Run(displayable(token.info)))
        self._line(Line(runs=tuple(runs), nest=self._nest, is_display=True))

    # --- lists

    def _list(self, token: Token, *, first: bool) -> None:
        number: int | None = None
        if token.type == "ordered_list_open":
            written = token.attrGet("start")
            number = int(written) if written is not None else 1
            if first and self._start.kind == "list":
                number = self._start.number
        self._numbers.append(number)

    def _item(self, token: Token) -> None:
        self._flush_bullet()
        number = self._numbers[-1]
        if token.level == 1 and self.items:
            assert token.map is not None
            self._cut_here(token.map[0], "list", number=number or 0)
        depth = len(self._numbers)
        self._bullet = "•◦"[(depth - 1) % 2] if number is None else f"{number}{token.markup}"
        if number is not None:
            self._numbers[-1] = number + 1
        self._nest += "l"

    def _pop_bullet(self) -> str:
        bullet, self._bullet = self._bullet, ""
        return bullet

    def _flush_bullet(self) -> None:
        if self._bullet:
            self._line(Line(bullet=self._pop_bullet(), nest=self._nest))

    def _line(self, line: Line) -> None:
        text = line.runs[0].text if line.runs else ""
        if line.bullet and text[:4] in {"[ ] ", "[x] ", "[X] "}:
            rest = (Run(text[4:], line.runs[0].marks), *line.runs[1:])
            line = Line(runs=rest, bullet="☐" if text[1] == " " else "☑", nest=line.nest)
        self.items.append(line)

    # --- code

    def _code(self, token: Token) -> None:
        self._flush_bullet()
        text = token.content.removesuffix("\n")
        is_open = False
        language = ""
        if token.type == "fence":
            assert token.map is not None
            first, after = token.map
            opening = self._source[self._offset(first) : self._offset(first + 1)]
            last = self._source[self._offset(after - 1) : self._offset(after)]
            is_open = after - first < 2 or not closes(last.lstrip("> \t") if token.level else last, token.markup)
            words = token.info.split()
            language = re.sub(r"^[{.]+|}+$", "", words[0]).lower() if words else ""
            if token.level == 0 and opening[:1] == token.markup[0]:
                # As the model wrote it: the parser has changed line ends and NULs.
                end = len(self._source) if is_open else self._offset(after - 1)
                text = without_line_end(self._source[self._offset(first + 1) : end])
                if is_open:
                    self._cut_here(first, "fence", fence=opening)
        self.items.append(Code(text=text, language=language, nest=self._nest, is_open=is_open))

    # --- tables

    def _table(self, tokens: Sequence[Token], opening: Token) -> None:
        self._flush_bullet()
        assert opening.map is not None
        rows: list[tuple[int, list[Cell]]] = []
        alignments: list[str] = []
        for index, token in enumerate(tokens):
            if token.type == "tr_open":
                rows.append(((token.map or opening.map)[0], []))
            elif token.type in {"th_open", "td_open"}:
                if token.type == "th_open":
                    alignments.append(str(token.attrGet("style") or "").removeprefix("text-align:"))
                rows[-1][1].append(runs_of(tokens[index + 1].content, self._env))
        header = tuple(rows[0][1])
        resumed = self._start.kind == "table" and not self.items
        kept = self._start.rows if resumed else ()
        body = [(0, row) for row in kept] + [(line, tuple(cells)) for line, cells in rows[1:]]
        part = self._start.number if resumed else 0
        widths = self._start.widths if resumed else ()
        if not part and len(body) > TABLE_PART:
            widths = _widths([header, *(cells for _, cells in body[:TABLE_PART])])
        if opening.level == 0:
            prefix = self._start.prefix if resumed else self._head(opening.map[0])
            for row in range(max(len(body) - 2, len(kept)), len(body)):
                ahead, inside = divmod(row, TABLE_PART)
                above = tuple(cells for _, cells in body[row - inside : row])
                table = {"number": part + ahead, "prefix": prefix, "widths": widths, "rows": above}
                self._cut_here(body[row][0], "table", ahead=ahead, **table)
        for at in range(0, max(len(body), 1), TABLE_PART):
            self.items.append(
                Table(
                    header=header,
                    rows=tuple(cells for _, cells in body[at : at + TABLE_PART]),
                    alignments=tuple(alignments),
                    nest=self._nest,
                    part=part,
                    widths=widths,
                )
            )
            part += 1

    def _head(self, line: int) -> str:
        head = self._source[self._offset(line) : self._offset(line + 2)]
        return LINE_END.sub("\n", head)

    def _too_deep(self, tokens: list[Token]) -> int:
        index, count, self.cut, self.cut_line = self._top
        del self.items[count:]
        self._nest, self._bullet, self._numbers = "", "", []
        first, after = tokens[index].map or (0, 0)
        text = without_line_end(self._source[self._offset(first) : self._offset(after)])
        self._line(Line(runs=(Run(displayable(LINE_END.sub(LINE_BREAK, text))),)))
        return _closing(tokens, index) + 1


def closes(line: str, markup: str) -> bool:
    """Is `line` the end of a fence that was opened with `markup`?"""
    bare = line.lstrip(" ")
    return len(line) - len(bare) < 4 and len(bare.rstrip()) >= len(markup) and not bare.rstrip().strip(markup[0])


def without_line_end(text: str) -> str:
    """`text` without its last line end, if it ends with one."""
    return text[:-2] if text.endswith("\r\n") else text[:-1] if text.endswith(("\n", "\r")) else text


def _closing(tokens: Sequence[Token], index: int) -> int:
    level = tokens[index].level
    if tokens[index].nesting == 0:
        return index
    return next(i for i in range(index + 1, len(tokens)) if tokens[i].level == level and tokens[i].nesting < 0)


def _widths(rows: Sequence[Sequence[Cell]]) -> tuple[int, ...]:
    longest = [
        max(min(sum(len(run.text) for run in cell), 60) + 3 for cell in column) for column in zip(*rows, strict=True)
    ]
    return tuple(max(round(100 * length / sum(longest)), 1) for length in longest)
