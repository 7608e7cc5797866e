"""What stands in the document of one message: rendered Markdown, or text as it is with marks by source."""

import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Protocol

from PySide6.QtGui import QTextCharFormat, QTextCursor, QTextDocument

from app.protocol.messages import Piece
from app.ui.transcript import formula
from app.ui.transcript.chunks import CHUNK, chunks
from app.ui.transcript.items import CODE_PADDING, Code, Item, displayable, formulas_of
from app.ui.transcript.style import Style
from app.ui.transcript.writer import Writer

if TYPE_CHECKING:
    from app.ui.transcript.stream import MarkdownStream

_COLOUR_AGAIN_S = 0.25


class Content(Protocol):
    """Fills a document. Everything that may take long is an iterator of short steps."""

    def show(self, text: str, pieces: Sequence[Piece], *, final: bool) -> Iterator[None]:
        """Show `text` instead of what was shown; cheap when it only grew.

        Args:
            text: All of it.
            pieces: The same text by source.
            final: It will not grow any more.
        """
        ...

    def restyle(self, style: Style) -> Iterator[None]:
        """Change fonts and colours."""
        ...

    def set_width(self, width: float) -> None:
        """The document is now `width` px wide."""
        ...

    def space_below(self) -> int:
        """Room to keep below the text for what is painted there, px."""
        ...


class PlainContent:
    """Text exactly as it is; each source has its own look."""

    def __init__(self, document: QTextDocument, style: Style, *, marked: bool) -> None:
        self._document = document
        self._style = style
        self._marked = marked
        self._shown: list[Piece] = []

    def show(self, text: str, pieces: Sequence[Piece], *, final: bool) -> Iterator[None]:
        if not self._grew(pieces):
            self._shown = []
            self._document.clear()
            QTextCursor(self._document).setBlockFormat(self._style.plain_line())
        cursor = QTextCursor(self._document)
        room, editing = 0, False
        for number in range(max(len(self._shown) - 1, 0), len(pieces)):
            piece = pieces[number]
            if number == len(self._shown):
                self._shown.append(replace(piece, text=""))
            form = self._style.ink(piece.source) if self._marked else QTextCharFormat()
            while (done := len(self._shown[number].text)) < len(piece.text):
                if room <= 0:
                    # Never an end without a beginning: the document would believe to be inside of an edit for ever.
                    if editing:
                        cursor.endEditBlock()
                    yield
                    cursor.beginEditBlock()
                    room, editing = CHUNK, True
                more = piece.text[done : done + room]
                cursor.movePosition(QTextCursor.MoveOperation.End)
                cursor.insertText(displayable(more), form)
                self._shown[number] = replace(piece, text=piece.text[: done + room])
                room -= len(more) + 32
        if editing:
            cursor.endEditBlock()

    def restyle(self, style: Style) -> Iterator[None]:
        self._style = style
        shown, self._shown = self._shown, []
        yield from self.show("", shown, final=True)

    def set_width(self, width: float) -> None:
        """Nothing here depends on the width."""

    def space_below(self) -> int:
        return 0

    def _grew(self, pieces: Sequence[Piece]) -> bool:
        shown = self._shown
        if not shown or len(pieces) < len(shown) or list(pieces[: len(shown) - 1]) != shown[:-1]:
            return False
        last, longer = shown[-1], pieces[len(shown) - 1]
        return last.source == longer.source and longer.text.startswith(last.text)


class MarkdownContent:
    """Rendered Markdown. While the text grows only its end is read and written again.

    `awaited`: formulas that stand as text until their pictures come.
    """

    def __init__(self, document: QTextDocument, style: Style) -> None:
        self._writer = Writer(document, style)
        self._stream = _new_stream()
        self._coloured: dict[int, tuple[object, str]] = {}
        self._colour_at = 0.0
        self._document = document
        self._draws_formulas = False
        self.awaited: set[str] = set()

    def show(self, text: str, pieces: Sequence[Piece], *, final: bool) -> Iterator[None]:
        if not text.startswith(self._stream.text):
            self._stream = _new_stream()
            self._writer.apply([], 0)
        for length in chunks(text, len(self._stream.text)):
            keep = self._stream.feed(text[:length], final=final and length == len(text))
            self._ask_for_formulas(self._stream.items[keep:])
            self._writer.apply(self._stream.items, keep)
            yield
        if final and self._stream.found:
            yield from self._resolve(text)

    def draw_formula(self, source: str) -> None:
        """Show the picture of a formula that is known now."""
        self.awaited.discard(source)
        if formula.typesetter().picture(source) is not None:
            for index, item in enumerate(self._writer.items):
                if source in formulas_of(item):
                    self._writer.rewrite(index, item)

    def _ask_for_formulas(self, items: Sequence[Item]) -> None:
        sources = {source for item in items for source in formulas_of(item)}
        if sources and not self._draws_formulas:
            self._draws_formulas = True
            formula.FormulaObject(self._document)
        self.awaited |= {source for source in sources if formula.typesetter().ask(source)}

    def restyle(self, style: Style) -> Iterator[None]:
        self._coloured.clear()
        self._colour_at = 0.0
        yield from self._writer.restyle(style)

    def set_width(self, width: float) -> None:
        self._writer.set_width(width)

    def space_below(self) -> int:
        items = self._writer.items
        return CODE_PADDING + 4 if items and isinstance(items[-1], Code) else 4

    def code(self, number: int) -> str | None:
        """The text of a code block as the model wrote it; None if there is no such block."""
        codes = [item for item in self._writer.items if isinstance(item, Code)]
        return codes[number].text if 0 <= number < len(codes) else None

    def language(self, number: int) -> str:
        """The word after the fence of a code block."""
        return [item for item in self._writer.items if isinstance(item, Code)][number].language

    def label_copy(self, number: int, word: str) -> None:
        """Change the word that copies a code block."""
        codes = self._writer.code_items()
        if 0 <= number < len(codes):
            self._writer.label_copy(codes[number], word)

    def colour(self, *, final: bool) -> Iterator[None]:
        """Colour the code; a block that still grows only now and then."""
        if not final and time.perf_counter() < self._colour_at:
            return
        for index in self._writer.code_items():
            # Loading it takes a while, and many answers have no code.
            from app.ui.transcript import highlight

            code_id, item = self._writer.code_ids[index], self._writer.items[index]
            assert isinstance(item, Code)
            if self._coloured.get(index) == (code_id, item.text):
                continue
            spent, began = 0.0, time.perf_counter()
            for number, spans in enumerate(highlight.lines(displayable(item.text), item.language)):
                if self._writer.code_ids.get(index) is not code_id:
                    return
                self._writer.paint_line(index, number, spans)
                spent += time.perf_counter() - began
                yield
                began = time.perf_counter()
            self._coloured[index] = (code_id, item.text)
            self._colour_at = time.perf_counter() + max(_COLOUR_AGAIN_S, 10 * spent)

    def _resolve(self, text: str) -> Iterator[None]:
        """Links may be defined below the place where they are used: read all of it again, knowing them."""
        again = _new_stream(self._stream.found)
        for length in chunks(text):
            again.feed(text[:length], final=length == len(text))
            yield
        for index, (old, new) in enumerate(zip(self._writer.items, again.items, strict=False)):
            if old != new and type(old) is type(new):
                self._writer.rewrite(index, new)
                yield
        self._stream = again


def _new_stream(references: dict[str, Any] | None = None) -> "MarkdownStream":
    # Loading the Markdown parser would hold up the first window.
    from app.ui.transcript.stream import MarkdownStream

    return MarkdownStream(references)
