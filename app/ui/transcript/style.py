"""Formats of a message's text: fonts, colours and distances for one theme and one font."""

import functools
from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtGui import (
    QBrush,
    QColor,
    QFont,
    QFontDatabase,
    QFontInfo,
    QFontMetricsF,
    QTextBlockFormat,
    QTextCharFormat,
    QTextFormat,
    QTextFrameFormat,
    QTextLength,
    QTextOption,
    QTextTableCellFormat,
    QTextTableFormat,
)

from app.core.translation import translate
from app.protocol.options import TokenSource
from app.ui.theme import Theme
from app.ui.transcript import formula
from app.ui.transcript.actions import pictures
from app.ui.transcript.items import Cell, Kind, Line, Mark, Run, Table, is_right_to_left

NEST = QTextFormat.Property.UserProperty + 1
"""Property of blocks and tables: the containers around them (`Line.nest`)."""
PART = QTextFormat.Property.UserProperty + 2
"""Property of blocks that belong to something painted: one of HEAD, CODE, RULE."""
HEAD, CODE, RULE = 1, 2, 3

QUOTE_STEP, LIST_STEP, MAX_DEPTH = 16, 24, 14
CODE_INDENT = 14
CELL_PADDING = 6
_LONGEST_KEPT = 24
"""Letters of a word that a column makes room for."""
HEAD_ABOVE, HEAD_BELOW = 7, 6
"""Ground above and below the line with the language."""
_LINE_HEIGHT = 1.5
_HEADINGS = (0.0, 1.5, 1.3, 1.15, 1.05, 1.0, 1.0)
_UNDERLINES: dict[TokenSource, QTextCharFormat.UnderlineStyle] = {
    "draft_model": QTextCharFormat.UnderlineStyle.SingleUnderline,
    "ngram": QTextCharFormat.UnderlineStyle.DotLine,
    "heads": QTextCharFormat.UnderlineStyle.DashUnderline,
    "correction": QTextCharFormat.UnderlineStyle.WaveUnderline,
}


def indent(nest: str) -> int:
    """Width of the containers around an item, px."""
    return sum(QUOTE_STEP if letter == "q" else LIST_STEP for letter in nest[:MAX_DEPTH])


def _longest_word(cell: Cell) -> int:
    return max((len(word) for run in cell for word in run.text.split()), default=0)


class Style:
    """Formats for one theme and one font; make a new one when either changes."""

    def __init__(self, theme: Theme, font: QFont) -> None:
        self.theme = theme
        self.point_size = QFontInfo(font).pointSizeF()
        self._pixels = float(QFontInfo(font).pixelSize())
        # Fonts differ much in their own line distance; the text gets the same one with all of them.
        own = QFontMetricsF(font).height() / max(QFontInfo(font).pixelSize(), 1)
        self._letter_width = QFontMetricsF(font).averageCharWidth() * 1.1
        self._line_height = max(100.0, 100 * _LINE_HEIGHT / own)
        self.mono = [QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont).family(), "monospace"]
        self.pictures = pictures(theme)
        # Caches belong to the instance: a method cache would keep styles of old themes alive.
        self.text: Callable[[Mark, str, int, bool], QTextCharFormat] = functools.cache(self._text)
        self.colour: Callable[[Kind], QTextCharFormat] = functools.cache(self._colour)
        self.ink: Callable[[TokenSource], QTextCharFormat] = functools.cache(self._ink)

    def run(self, run: Run, item: Line | Table) -> QTextCharFormat:
        """How a run of a line or a table cell is set."""
        level = item.level if isinstance(item, Line) else 0
        return self.text(run.marks, run.href, level, "q" in item.nest)

    def formula(self, run: Run, item: Line | Table, picture: formula.Picture) -> QTextCharFormat:
        """How the character is set that stands for a formula."""
        level = item.level if isinstance(item, Line) else 0
        colour = self.theme.accent if run.href else self.theme.soft if "q" in item.nest else self.theme.ink
        return formula.char_format(run.text, colour, self._pixels * (_HEADINGS[level] or 1), picture)

    def bullet(self, line: Line) -> QTextCharFormat:
        return self.text(Mark.QUIET, "", line.level, False)

    def line(self, line: Line, gap: int) -> QTextBlockFormat:
        """Block format of a line that begins `gap` px below its neighbour."""
        result = self._block(line.nest, gap)
        if line.is_rule:
            result.setProperty(PART, RULE)
            result.setLineHeight(10, QTextBlockFormat.LineHeightTypes.FixedHeight.value)
            return result
        if line.is_display:
            result.setAlignment(Qt.AlignmentFlag.AlignHCenter)
            return result
        height = 100 if line.level else self._line_height
        result.setLineHeight(height, QTextBlockFormat.LineHeightTypes.ProportionalHeight.value)
        if line.bullet:
            result.setTextIndent(-LIST_STEP + 4)
            stop = QTextOption.Tab(float(LIST_STEP - 4), QTextOption.TabType.LeftTab)
            result.setTabPositions([stop])
        if is_right_to_left(line.runs):
            result.setLayoutDirection(Qt.LayoutDirection.RightToLeft)
            result.setRightMargin(result.leftMargin())
            result.setLeftMargin(0)
        if line.level:
            result.setHeadingLevel(line.level)
        return result

    def code_head(self, nest: str, gap: int, width: float) -> QTextBlockFormat:
        """The line above a code block: the language, and far right what copies it. `width`: of the document."""
        result = self._block(nest, gap + HEAD_ABOVE)
        result.setProperty(PART, HEAD)
        result.setLayoutDirection(Qt.LayoutDirection.LeftToRight)
        result.setLeftMargin(indent(nest) + CODE_INDENT)
        right = max(width - indent(nest) - 2 * CODE_INDENT, 1.0)
        result.setTabPositions([QTextOption.Tab(right, QTextOption.TabType.RightTab)])
        return result

    def code_line(self, nest: str, *, is_first: bool) -> QTextBlockFormat:
        result = self._block(nest, HEAD_BELOW + 9 if is_first else 0)
        result.setProperty(PART, CODE)
        result.setLayoutDirection(Qt.LayoutDirection.LeftToRight)
        result.setLeftMargin(indent(nest) + CODE_INDENT)
        result.setRightMargin(CODE_INDENT)
        result.setLineHeight(122, QTextBlockFormat.LineHeightTypes.ProportionalHeight.value)
        return result

    def plain_line(self) -> QTextBlockFormat:
        """Text shown as it was written."""
        result = QTextBlockFormat()
        result.setLineHeight(self._line_height, QTextBlockFormat.LineHeightTypes.ProportionalHeight.value)
        return result

    def code_text(self) -> QTextCharFormat:
        result = QTextCharFormat()
        result.setFontFamilies(self.mono)
        result.setFontFixedPitch(True)
        result.setFontPointSize(self.point_size * 0.92)
        return result

    def code_label(self, href: str = "") -> QTextCharFormat:
        """Text of the line above a code block; with `href` something to click."""
        result = QTextCharFormat()
        result.setFontPointSize(self.point_size * 0.86)
        result.setForeground(QColor(self.theme.soft))
        if href:
            result.setAnchor(True)
            result.setAnchorHref(href)
            result.setFontUnderline(False)
            result.setForeground(QColor(self.theme.accent))
            saves = href.startswith("save:")
            words = translate("code", "Save this code") if saves else translate("code", "Copy this code")
            result.setToolTip(words)
        return result

    def table(self, table: Table, above: int, below: int, width: float) -> QTextTableFormat:
        """Format of a table with these gaps (px) in a document of this width (px)."""
        result = QTextTableFormat()
        result.setBorder(1)
        result.setBorderStyle(QTextFrameFormat.BorderStyle.BorderStyle_Solid)
        result.setBorderBrush(QBrush(QColor(self.theme.line_strong)))
        result.setBorderCollapse(True)
        result.setCellPadding(CELL_PADDING)
        result.setCellSpacing(0)
        result.setTopMargin(above)
        result.setBottomMargin(below)
        result.setLeftMargin(indent(table.nest))
        result.setHeaderRowCount(0 if table.part else 1)
        wanted = self._column_widths(table)
        if sum(wanted) > width - indent(table.nest):
            # Rather wider than the window than words broken into letters.
            result.setColumnWidthConstraints([QTextLength(QTextLength.Type.FixedLength, wide) for wide in wanted])
        elif table.widths:
            kind = QTextLength.Type.PercentageLength
            result.setWidth(QTextLength(kind, 100))
            result.setColumnWidthConstraints([QTextLength(kind, wide) for wide in table.widths])
        return result

    def _column_widths(self, table: Table) -> list[float]:
        """Width each column needs to keep words whole, px."""
        if table.widths:
            # The parts of a long table must agree, whatever words are in them.
            return [wide / 100 * len(table.widths) * 10 * self._letter_width for wide in table.widths]
        columns = zip(table.header, *table.rows, strict=True)
        words = (max(_longest_word(cell) for cell in column) for column in columns)
        return [min(length, _LONGEST_KEPT) * self._letter_width + 2 * CELL_PADDING + 2 for length in words]

    def head_cell(self) -> QTextTableCellFormat:
        result = QTextTableCellFormat()
        result.setBackground(QColor(self.theme.panel))
        return result

    def cell(self, alignment: str, nest: str) -> QTextBlockFormat:
        result = QTextBlockFormat()
        if nest:
            result.setProperty(NEST, nest)
        sides = {"center": Qt.AlignmentFlag.AlignHCenter, "right": Qt.AlignmentFlag.AlignRight}
        if alignment in sides:
            result.setAlignment(sides[alignment])
        return result

    def _block(self, nest: str, gap: int) -> QTextBlockFormat:
        result = QTextBlockFormat()
        result.setTopMargin(gap)
        result.setLeftMargin(indent(nest))
        if nest:
            result.setProperty(NEST, nest)
        return result

    def _text(self, marks: Mark, href: str, level: int, is_quoted: bool) -> QTextCharFormat:
        result = QTextCharFormat()
        if level:
            result.setFontPointSize(self.point_size * _HEADINGS[level])
        if level or marks & Mark.STRONG:
            result.setFontWeight(QFont.Weight.DemiBold)
        if marks & Mark.EMPHASIS:
            result.setFontItalic(True)
        if marks & Mark.STRIKE:
            result.setFontStrikeOut(True)
        if marks & (Mark.CODE | Mark.MATH):
            result.setFontFamilies(self.mono)
            result.setFontFixedPitch(True)
            result.setFontPointSize(self.point_size * (_HEADINGS[level] or 1) * 0.93)
            result.setBackground(QColor(self.theme.hover))
        if href:
            result.setAnchor(True)
            result.setAnchorHref(href)
            result.setToolTip(href)
            result.setForeground(QColor(self.theme.accent))
            result.setFontUnderline(True)
        elif marks & Mark.QUIET or is_quoted:
            result.setForeground(QColor(self.theme.soft))
        return result

    def _colour(self, kind: Kind) -> QTextCharFormat:
        theme = self.theme
        colours: dict[Kind, str] = {
            "keyword": theme.keyword,
            "string": theme.string,
            "number": theme.number,
            "comment": theme.soft,
            "name": theme.accent,
            "good": theme.good,
            "bad": theme.bad,
        }
        result = QTextCharFormat()
        if kind in colours:
            result.setForeground(QColor(colours[kind]))
        if kind == "comment":
            result.setFontItalic(True)
        return result

    def _ink(self, source: TokenSource) -> QTextCharFormat:
        theme = self.theme
        colours: dict[TokenSource, str] = {
            "draft_model": theme.ink_draft,
            "ngram": theme.ink_ngram,
            "heads": theme.ink_heads,
            "correction": theme.ink_correction,
        }
        result = QTextCharFormat()
        if source in colours:
            result.setUnderlineStyle(_UNDERLINES[source])
            result.setUnderlineColor(QColor(colours[source]))
            ground = QColor(colours[source])
            ground.setAlpha(36 if theme.is_dark else 30)
            result.setBackground(ground)
        return result
