"""Colours of source text: which part of a line is a keyword, a string, a number."""

import functools
from collections.abc import Iterator

from pygments.lexer import Lexer
from pygments.lexers import get_lexer_by_name
from pygments.token import Token, _TokenType
from pygments.util import ClassNotFound

from app.ui.transcript.items import Kind, Span

COMMON = (
    "python",
    "bash",
    "json",
    "javascript",
    "html",
    "css",
    "sql",
    "c",
    "cpp",
    "java",
    "yaml",
    "rust",
    "go",
    "diff",
)
"""Languages worth loading before they are asked for: the first use of one costs up to 40 ms."""

_KINDS: dict[_TokenType, Kind] = {
    Token.Keyword: "keyword",
    Token.Name.Tag: "keyword",
    Token.Name.Builtin.Pseudo: "keyword",
    Token.Operator.Word: "keyword",
    Token.String: "string",
    Token.Number: "number",
    Token.Literal: "number",
    Token.Name.Decorator: "number",
    Token.Name.Attribute: "number",
    Token.Keyword.Constant: "number",
    Token.Comment: "comment",
    Token.Generic.Output: "comment",
    Token.Generic.Prompt: "comment",
    Token.Name.Function: "name",
    Token.Name.Class: "name",
    Token.Generic.Heading: "name",
    Token.Generic.Subheading: "name",
    Token.Generic.Inserted: "good",
    Token.Generic.Deleted: "bad",
}


@functools.cache
def lexer_for(language: str) -> Lexer | None:
    """The lexer for the word after a fence, or None."""
    if not language:
        return None
    try:
        lexer: Lexer = get_lexer_by_name(language, stripnl=False, ensurenl=False)
    except ClassNotFound:
        return None
    return lexer


def load(language: str) -> None:
    """Make a language ready, so that its first use costs nothing."""
    for _ in lines("x", language):
        pass


def lines(code: str, language: str) -> Iterator[tuple[Span, ...]]:
    """Coloured parts of each line of `code`, one line a step, so that the caller can pause.

    Yields nothing for an unknown language.
    """
    lexer = lexer_for(language)
    if lexer is None:
        return
    line: list[Span] = []
    at = 0
    for _, token, value in lexer.get_tokens_unprocessed(code):
        kind = _kind(token)
        for number, part in enumerate(value.split("\n")):
            if number:
                yield tuple(line)
                line, at = [], 0
            length = len(part) if part.isascii() else len(part.encode("utf-16-le", "surrogatepass")) // 2
            if kind and length:
                line.append((at, length, kind))
            at += length
    yield tuple(line)


@functools.cache
def _kind(token: _TokenType) -> Kind:
    for ancestor in reversed(token.split()):
        if ancestor in _KINDS:
            return _KINDS[ancestor]
    return ""
