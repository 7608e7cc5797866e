"""Writes items into a text document, and only what changed.

Formats are set with a text cursor and not through HTML: no markup of the model ever meets an HTML reader, a piece
added later looks exactly as if it had been there from the start, and a selection survives while text grows below it.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from PySide6.QtGui import (
    QTextBlock,
    QTextBlockFormat,
    QTextCharFormat,
    QTextCursor,
    QTextDocument,
    QTextLayout,
    QTextTable,
    QTextTableFormat,
)

from app.core.translation import translate
from app.ui.transcript import tables
from app.ui.transcript.items import AROUND_BOX, Code, Item, Line, Mark, Span, Table, displayable, gap, is_right_to_left
from app.ui.transcript.style import Style
from app.ui.transcript.tables import insert_runs

COPY_SCHEME, SAVE_SCHEME = "copy:", "save:"
_BETWEEN = "\u2003"
_MOVE, _KEEP = QTextCursor.MoveOperation, QTextCursor.MoveMode.KeepAnchor


def copy_word() -> str:
    """The word that copies a code block or a message."""
    return translate("code", "Copy")


def copied_word() -> str:
    """What it says for a moment afterwards."""
    return translate("code", "Copied")


class Writer:
    """Keeps a document equal to a list of items.

    `items`: what the document shows. The document belongs to the writer; nobody else changes its text.
    `code_ids`: index of a code block -> something that changes when the block is written anew and lost its colours.
    """

    def __init__(self, document: QTextDocument, style: Style) -> None:
        self.items: list[Item] = []
        self.style = style
        self.code_ids: dict[int, object] = {}
        self._painted: dict[int, list[tuple[Span, ...]]] = {}
        # A cursor does not find a table before the edit block it was made in has ended.
        self._tables: dict[int, QTextTable] = {}
        self._document = document
        self._starts: list[int] = []
        self._width = 600.0

    def apply(self, items: Sequence[Item], keep: int) -> None:
        """Make the document show `items`, of which the first `keep` are there already."""
        cursor = QTextCursor(self._document)
        cursor.beginEditBlock()
        if keep < len(self.items) and keep < len(items) and self._extend(cursor, keep, items[keep]):
            keep += 1
        self._remove_from(cursor, keep)
        for item in items[keep:]:
            self._append(cursor, item)
        cursor.endEditBlock()

    def rewrite(self, index: int, item: Item) -> None:
        """Put an item of the same kind in the place of another, in the current style."""
        cursor = QTextCursor(self._document)
        cursor.beginEditBlock()
        before = self._document.characterCount()
        self.items[index] = item
        if isinstance(item, Line):
            cursor.setPosition(self._block_of(index).position())
            cursor.movePosition(_MOVE.EndOfBlock, _KEEP)
            cursor.removeSelectedText()
            cursor.setBlockFormat(self.style.line(item, self._gap(index)))
            self._insert_line(cursor, item)
        elif isinstance(item, Code):
            self._write_head(index, copy_word())
        else:
            tables.rewrite(self._tables[index], item, self._table_format(index), self.style)
        self._shift(index, self._document.characterCount() - before)
        cursor.endEditBlock()

    def restyle(self, style: Style) -> Iterator[None]:
        """Change fonts and colours, one item a step; the text stays where it is, code has to be coloured again."""
        self.style = style
        self._painted.clear()
        index = 0
        while index < len(self.items):
            self.rewrite(index, self.items[index])
            index += 1
            yield

    def set_width(self, width: float) -> None:
        """The document is now `width` px wide: moves what stands far right."""
        self._width = width
        for index, item in enumerate(self.items):
            if isinstance(item, Code):
                cursor = QTextCursor(self._block_of(index))
                cursor.setBlockFormat(self.style.code_head(item.nest, self._gap(index), width))
            elif isinstance(item, Table):
                tables.reformat(self._tables[index], self._table_format(index))

    def code_number(self, index: int) -> int:
        """Which code block of the message the item is, from 0."""
        return sum(isinstance(item, Code) for item in self.items[:index])

    def paint_line(self, index: int, number: int, spans: tuple[Span, ...]) -> None:
        """Colour one line of a code block.

        Args:
            index: The item.
            number: Of the line, from 0.
            spans: Coloured parts of it.
        """
        painted = self._painted.setdefault(index, [])
        painted.extend(() for _ in range(len(painted), number + 1))
        if painted[number] == spans:
            return
        painted[number] = spans
        block = self._document.findBlockByNumber(self._block_of(index).blockNumber() + 1 + number)
        ranges = []
        for start, length, kind in spans:
            part = QTextLayout.FormatRange()
            part.start, part.length, part.format = start, length, self.style.colour(kind)
            ranges.append(part)
        block.layout().setFormats(ranges)
        self._document.markContentsDirty(block.position(), block.length())

    def code_items(self) -> list[int]:
        """Indices of the code blocks."""
        return [index for index, item in enumerate(self.items) if isinstance(item, Code)]

    def label_copy(self, index: int, word: str) -> None:
        """Change the word that copies a code block."""
        cursor = QTextCursor(self._document)
        cursor.beginEditBlock()
        before = self._document.characterCount()
        self._write_head(index, word)
        self._shift(index, self._document.characterCount() - before)
        cursor.endEditBlock()

    # --- places

    def _block_of(self, index: int) -> QTextBlock:
        """The first text block of a line or a code block."""
        start = self._starts[index]
        return self._document.findBlock(start if self._uses_spare(index) else start + 1)

    def _uses_spare(self, index: int) -> bool:
        """There is always an empty block after a table and in an empty document; the next item takes it."""
        return index == 0 or isinstance(self.items[index - 1], Table)

    def _gap(self, index: int) -> int:
        return gap(self.items[index - 1] if index else None, self.items[index])

    def _shift(self, index: int, by: int) -> None:
        if by:
            self._starts[index + 1 :] = [start + by for start in self._starts[index + 1 :]]

    # --- removing

    def _remove_from(self, cursor: QTextCursor, index: int) -> None:
        if index >= len(self.items):
            return
        start, is_spare = self._starts[index], self._uses_spare(index)
        block = self._document.findBlock(start)
        kept = QTextBlockFormat() if is_spare else block.blockFormat()
        kept_text = QTextCharFormat() if is_spare else block.charFormat()
        cursor.setPosition(start)
        cursor.movePosition(_MOVE.End, _KEEP)
        cursor.removeSelectedText()
        # Where two blocks become one, Qt sometimes keeps the format of the second.
        cursor.setBlockFormat(kept)
        cursor.setBlockCharFormat(kept_text)
        del self.items[index:], self._starts[index:]
        for known in (self.code_ids, self._painted, self._tables):
            for gone in [number for number in known if number >= index]:
                del known[gone]

    # --- adding

    def _append(self, cursor: QTextCursor, item: Item) -> None:
        cursor.movePosition(_MOVE.End)
        index = len(self.items)
        self._starts.append(cursor.position())
        self.items.append(item)
        if isinstance(item, Table):
            self._tables[index] = tables.insert(cursor, item, self._table_format(index), self.style)
            if item.part:
                # The part above was the last one until now.
                tables.reformat(self._tables[index - 1], self._table_format(index - 1))
        elif isinstance(item, Code):
            self._open_block(cursor, index, self.style.code_head(item.nest, self._gap(index), self._width))
            self._insert_head(cursor, index, copy_word())
            self.code_ids[index] = object()
            text = self.style.code_text()
            cursor.insertBlock(self.style.code_line(item.nest, is_first=True), text)
            self._insert_code(cursor, item, displayable(item.text))
        else:
            self._open_block(cursor, index, self.style.line(item, self._gap(index)))
            self._insert_line(cursor, item)

    def _open_block(self, cursor: QTextCursor, index: int, block: QTextBlockFormat) -> None:
        if self._uses_spare(index):
            cursor.setBlockFormat(block)
            cursor.setBlockCharFormat(QTextCharFormat())
        else:
            cursor.insertBlock(block, QTextCharFormat())

    def _insert_line(self, cursor: QTextCursor, line: Line) -> None:
        if line.bullet:
            # A tab would not leave a space in a line from right to left.
            space = "\u2002" if is_right_to_left(line.runs) else "\t"
            cursor.insertText(f"{line.bullet}{space}", self.style.bullet(line))
        if line.is_rule:
            # Qt hides an empty block after a table.
            cursor.insertText("\u00a0", self.style.bullet(line))
        insert_runs(cursor, line.runs, line, self.style)

    def _insert_head(self, cursor: QTextCursor, index: int, word: str) -> None:
        item = self.items[index]
        assert isinstance(item, Code)
        cursor.insertText(f"{displayable(item.language) or translate('code', 'code')}\t", self.style.code_label())
        number = self.code_number(index)
        cursor.insertText(translate("code", "Save"), self.style.code_label(f"{SAVE_SCHEME}{number}"))
        cursor.insertText(_BETWEEN, self.style.code_label())
        cursor.insertText(word, self.style.code_label(f"{COPY_SCHEME}{number}"))

    def _write_head(self, index: int, word: str) -> None:
        cursor = QTextCursor(self._block_of(index))
        cursor.movePosition(_MOVE.EndOfBlock, _KEEP)
        cursor.removeSelectedText()
        self._insert_head(cursor, index, word)

    def _insert_code(self, cursor: QTextCursor, item: Code, text: str) -> None:
        first, *others = text.split("\n", 1)
        form = self.style.code_text()
        cursor.insertText(first, form)
        if others:
            cursor.insertBlock(self.style.code_line(item.nest, is_first=False), form)
            cursor.insertText(others[0], form)

    def _table_format(self, index: int) -> QTextTableFormat:
        item = self.items[index]
        assert isinstance(item, Table)
        follower = self.items[index + 1] if index + 1 < len(self.items) else None
        goes_on = isinstance(follower, Table) and follower.part > 0
        return self.style.table(item, self._gap(index), 0 if goes_on else AROUND_BOX, self._width)

    # --- growing

    def _extend(self, cursor: QTextCursor, index: int, new: Item) -> bool:
        """Turn the item into a longer one by adding to its end; False if that is not how they differ."""
        if index != len(self.items) - 1:
            return False
        old = self.items[index]
        if isinstance(old, Line) and isinstance(new, Line):
            done = self._extend_line(cursor, old, new)
        elif isinstance(old, Code) and isinstance(new, Code):
            done = self._extend_code(cursor, old, new)
        elif isinstance(old, Table) and isinstance(new, Table):
            done = tables.extend(self._tables[index], old, new, self.style)
        else:
            return False
        if done:
            self.items[index] = new
            if isinstance(new, Table):
                tables.reformat(self._tables[index], self._table_format(index))
        return done

    def _extend_line(self, cursor: QTextCursor, old: Line, new: Line) -> bool:
        if not old.runs or replace(old, runs=()) != replace(new, runs=()):
            return False
        common = len(old.runs) - 1
        last, longer = old.runs[-1], new.runs[common] if len(new.runs) > common else None
        if longer is None or last.marks & Mark.MATH or old.runs[:common] != new.runs[:common]:
            return False
        if (last.marks, last.href) != (longer.marks, longer.href) or not longer.text.startswith(last.text):
            return False
        if self.style.line(old, 0) != self.style.line(new, 0):
            return False
        cursor.movePosition(_MOVE.End)
        rest = replace(longer, text=longer.text[len(last.text) :])
        insert_runs(cursor, (rest, *new.runs[common + 1 :]), new, self.style)
        return True

    def _extend_code(self, cursor: QTextCursor, old: Code, new: Code) -> bool:
        if (old.language, old.nest) != (new.language, new.nest) or not new.text.startswith(old.text):
            return False
        shown, longer = displayable(old.text), displayable(new.text)
        if not longer.startswith(shown):
            return False
        cursor.movePosition(_MOVE.End)
        self._insert_code(cursor, new, longer[len(shown) :])
        return True
