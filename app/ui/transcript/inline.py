"""Text inside a paragraph or a table cell: emphasis, code, links."""

import functools
import re
from collections.abc import Iterable, Iterator
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.token import Token

from app.core.translation import translate
from app.ui.transcript import maths
from app.ui.transcript.items import LINE_BREAK, Cell, Mark, Run, displayable

MAX_NESTING = 100
_MANY_BRACKETS = 400
_PART, _PART_MORE = 4000, 400
_OPENABLE = ("http://", "https://", "mailto:")
_MARKS = {"strong": Mark.STRONG, "em": Mark.EMPHASIS, "s": Mark.STRIKE}

markdown = maths.use(MarkdownIt("commonmark", {"html": False, "maxNesting": MAX_NESTING}))
markdown.enable(["table", "strikethrough"])
# Looking for the other end of each of very many brackets takes seconds.
_linkless = maths.use(MarkdownIt("commonmark", {"html": False, "maxNesting": MAX_NESTING})).enable("strikethrough")
_linkless.disable(["link", "image"])


def runs_of(content: str, env: dict[str, Any]) -> Cell:
    """Runs of the Markdown in `content`.

    Args:
        content: Text of one paragraph or cell.
        env: Holds the link definitions, as the parser keeps them.
    """
    return tuple(_merged(run for part in _parts(content) for run in _parse(part, env)))


def _parts(content: str) -> Iterator[str]:
    """A very long text in parts that are read on their own, so that a growing one is not read again from its start.

    A part ends at a space where nothing is open, if there is one in time.
    """
    at = 0
    while len(content) - at > _PART + _PART_MORE:
        end = at + _PART
        for space in re.finditer(r"\s", content[end : end + _PART_MORE]):
            part = content[at : end + space.end()]
            if part.count("[") == part.count("]") and not any(part.count(mark) % 2 for mark in "*_`$"):
                end += space.end()
                break
        yield content[at:end]
        at = end
    yield content[at:]


def _parse(content: str, env: dict[str, Any]) -> Iterable[Run]:
    if len(content) >= _PART and not env.get("references"):
        return _remembered(content)
    return _read(content, env)


@functools.lru_cache(maxsize=64)
def _remembered(content: str) -> Cell:
    return tuple(_read(content, {}))


def _read(content: str, env: dict[str, Any]) -> Iterator[Run]:
    parser = _linkless if content.count("[") > _MANY_BRACKETS else markdown
    children: list[Token] = []
    parser.inline.parse(content, parser, env, children)
    yield from _flatten(children)


def _flatten(tokens: list[Token]) -> Iterator[Run]:
    marks = Mark.NONE
    links: list[tuple[str, str]] = []
    for token in tokens:
        name, _, side = token.type.rpartition("_")
        href = links[-1][0] if links else ""
        if name in _MARKS and side in {"open", "close"}:
            marks = marks | _MARKS[name] if side == "open" else marks & ~_MARKS[name]
        elif token.type == "link_open":
            target = str(token.attrGet("href") or "")
            links.append((target, "") if target.lower().startswith(_OPENABLE) else ("", target))
        elif token.type == "link_close":
            _, shown = links.pop()
            if shown and not shown.startswith("#"):
                yield Run(f" ({displayable(shown)})", marks | Mark.QUIET)
        elif token.type == "image":
            target = str(token.attrGet("src") or "")
            label = displayable(token.content) or translate("answer", "without a description")
            yield Run(
                translate("answer", "[image: {0}]").format(label),
                marks | Mark.QUIET,
                href or (target if target.startswith(_OPENABLE) else ""),
            )
        elif token.type in {"softbreak", "hardbreak"}:
            yield Run(LINE_BREAK, marks, href)
        elif token.type == maths.INLINE:
            yield Run(_inside(token.content), Mark.MATH, href)
        elif token.type == "code_inline":
            yield Run(_inside(token.content), marks | Mark.CODE, href)
        elif token.content:
            yield Run(_inside(token.content), marks, href)


def _inside(text: str) -> str:
    return displayable(text).replace("\n", LINE_BREAK)


def _merged(runs: Iterator[Run]) -> Iterator[Run]:
    previous: Run | None = None
    for run in runs:
        if (
            previous is not None
            and not run.marks & Mark.MATH
            and (previous.marks, previous.href) == (run.marks, run.href)
        ):
            previous = Run(previous.text + run.text, run.marks, run.href)
            continue
        if previous is not None:
            yield previous
        previous = run
    if previous is not None:
        yield previous
