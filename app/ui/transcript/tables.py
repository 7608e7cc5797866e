"""Tables in a text document."""

from collections.abc import Iterator
from dataclasses import replace

from PySide6.QtGui import QTextCursor, QTextTable, QTextTableFormat

from app.ui.transcript import formula
from app.ui.transcript.items import Cell, Line, Mark, Table
from app.ui.transcript.style import Style


def insert(cursor: QTextCursor, table: Table, form: QTextTableFormat, style: Style) -> QTextTable:
    """Add a table at the cursor."""
    lines = list(_lines(table))
    made = cursor.insertTable(len(lines), len(table.alignments), form)
    for row, cells in enumerate(lines):
        _set_row(made, row, cells, table, style)
    return made


def rewrite(made: QTextTable, table: Table, form: QTextTableFormat, style: Style) -> None:
    """Write a table of the same size into one that is there."""
    reformat(made, form)
    for row, cells in enumerate(_lines(table)):
        _set_row(made, row, cells, table, style)


def extend(made: QTextTable, old: Table, new: Table, style: Style) -> bool:
    """Turn a table into one with more rows; False if that is not how they differ."""
    if replace(old, rows=()) != replace(new, rows=()) or len(new.rows) < len(old.rows):
        return False
    if len(new.rows) > len(old.rows):
        made.appendRows(len(new.rows) - len(old.rows))
    head = 0 if new.part else 1
    for row, cells in enumerate(new.rows):
        if row >= len(old.rows) or old.rows[row] != cells:
            _set_row(made, row + head, cells, new, style)
    return True


def reformat(made: QTextTable, form: QTextTableFormat) -> None:
    """Change gaps, widths and colours; a change of nothing costs nothing."""
    if form != made.format():
        made.setFormat(form)


def insert_runs(cursor: QTextCursor, runs: Cell, item: Line | Table, style: Style) -> None:
    """Add runs of text at the cursor."""
    for run in runs:
        picture = formula.typesetter().picture(run.text) if run.marks & Mark.MATH else None
        if picture is not None:
            cursor.insertText("\ufffc", style.formula(run, item, picture))
        else:
            cursor.insertText(run.text, style.run(run, item))


def _lines(table: Table) -> Iterator[tuple[Cell, ...]]:
    if not table.part:
        yield tuple(tuple(replace(run, marks=run.marks | Mark.STRONG) for run in cell) for cell in table.header)
    yield from table.rows


def _set_row(made: QTextTable, row: int, cells: tuple[Cell, ...], table: Table, style: Style) -> None:
    for column, runs in enumerate(cells):
        cell = made.cellAt(row, column)
        if not row and not table.part:
            cell.setFormat(style.head_cell())
        cursor = cell.firstCursorPosition()
        cursor.setPosition(cell.lastPosition(), QTextCursor.MoveMode.KeepAnchor)
        cursor.removeSelectedText()
        if table.alignments[column] or table.nest:
            cursor.setBlockFormat(style.cell(table.alignments[column], table.nest))
        insert_runs(cursor, runs, table, style)
