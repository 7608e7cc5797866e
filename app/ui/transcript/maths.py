r"""Maths in Markdown: `$x$`, `\(x\)` and `$$x$$` inside a line, `$$` and `\[` around lines of their own.

Rules for markdown-it. A formula keeps its delimiters, so that what cannot be set as maths is shown as it was written.
"""

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    # The window needs `bare` before anything is rendered, and must not load the parser for it.
    from markdown_it import MarkdownIt
    from markdown_it.rules_block import StateBlock
    from markdown_it.rules_inline import StateInline

INLINE, BLOCK, UNFINISHED = "math_inline", "math_block", "math_unfinished"
_BLOCKS = {"$$": "$$", "\\[": "\\]"}
_MOST = 2000
"""Letters after which the end of a formula inside a line is not looked for any more."""
_STOPS = re.compile(r"[ \t]*[.,;:]?[ \t]*$")


def use(markdown: "MarkdownIt") -> "MarkdownIt":
    """Teach a parser maths."""
    markdown.inline.ruler.before("escape", INLINE, _inline)
    options: dict[str, list[str]] = {"alt": ["paragraph", "reference", "blockquote", "list"]}
    markdown.block.ruler.before("fence", BLOCK, _block, options)  # type: ignore[arg-type]  # a TypedDict of that shape
    return markdown


def bare(formula: str) -> str:
    """A formula without its delimiters."""
    for opening, closing in (("$$", "$$"), ("\\[", "\\]"), ("\\(", "\\)"), ("$", "$")):
        if formula.startswith(opening):
            return formula[len(opening) : -len(closing)]
    return formula


def is_display(formula: str) -> bool:
    """Is it meant to stand alone?"""
    return formula[:2] in _BLOCKS


def _inline(state: "StateInline", silent: bool) -> bool:
    source, start = state.src, state.pos
    if source.startswith("\\(", start):
        end = source.find("\\)", start + 2, start + _MOST)
        length = 2
    elif source.startswith("$$", start):
        end = source.find("$$", start + 2, start + _MOST)
        length = 2
    elif source.startswith("$", start):
        end = _closing_dollar(source, start + 1)
        length = 1
    else:
        return False
    if end < 0 or not source[start + length : end].strip():
        return False
    if not silent:
        token = state.push(INLINE, "math", 0)
        token.content = source[start : end + length]
    state.pos = end + length
    return True


def _closing_dollar(source: str, start: int) -> int:
    """Where the formula that begins at `start` ends, -1 if these dollars are money or something else."""
    if source[start : start + 1].isspace():
        return -1
    end = source.find("$", start, start + _MOST)
    while end > 0 and source[end - 1] == "\\":
        end = source.find("$", end + 1, start + _MOST)
    if end < 0 or source[end - 1].isspace() or source[end + 1 : end + 2].isalnum() or "`" in source[start:end]:
        return -1
    return end


def _block(state: "StateBlock", first: int, last: int, silent: bool) -> bool:
    if state.is_code_block(first):
        return False
    line = _line(state, first)
    closing = _BLOCKS.get(line[:2])
    if closing is None:
        return False
    at = line.find(closing, 2)
    if at >= 0 and (not _STOPS.match(line[at + 2 :]) or not line[2:at].strip()):
        # Words go on after it, so it belongs to a line of text.
        return False
    if silent:
        return True
    after, lines = first + 1, [line]
    while at < 0 and after < last and not state.isEmpty(after) and state.sCount[after] >= state.blkIndent:
        lines.append(_line(state, after))
        at = lines[-1].find(closing)
        after += 1
    state.line = after
    token = state.push(BLOCK if at >= 0 else UNFINISHED, "math", 0)
    token.map = [first, after]
    token.block = True
    if at >= 0:
        token.info = lines[-1][at + 2 :].strip()
        lines[-1] = lines[-1][: at + 2]
    token.content = "\n".join(lines)
    return True


def _line(state: "StateBlock", number: int) -> str:
    return state.src[state.bMarks[number] + state.tShift[number] : state.eMarks[number]]
