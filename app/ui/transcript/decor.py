"""What is painted below the text: cards of code blocks, bars of quotes, rules."""

from collections.abc import Iterator

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen, QTextBlock, QTextDocument

from app.ui.theme import Theme
from app.ui.transcript.items import CODE_PADDING
from app.ui.transcript.style import (
    CODE,
    HEAD,
    HEAD_ABOVE,
    HEAD_BELOW,
    LIST_STEP,
    MAX_DEPTH,
    NEST,
    PART,
    QUOTE_STEP,
    RULE,
    indent,
)

_RADIUS, _BAR = 8.0, 3.0


def paint(painter: QPainter, document: QTextDocument, clip: QRectF, theme: Theme) -> None:
    """Paint what lies in `clip` (document coordinates, px)."""
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    width = document.textWidth()
    layout = document.documentLayout()
    card: _Card | None = None
    last_bottom = clip.top() - 2 * _RADIUS
    for block in _blocks(document, clip):
        form = block.blockFormat()
        rect = layout.blockBoundingRect(block)
        part, nest = form.property(PART), form.property(NEST) or ""
        if card is not None and part != CODE:
            card.paint(painter, theme)
            card = None
        if part in {HEAD, CODE}:
            card = card or _Card(rect, indent(nest), width, is_head=part == HEAD)
            card.rect.setBottom(rect.bottom() + CODE_PADDING)
        elif part == RULE:
            left = indent(nest)
            painter.fillRect(QRectF(left, rect.center().y(), width - left, 1), QColor(theme.line_strong))
        if "q" in nest:
            is_right = form.layoutDirection() == Qt.LayoutDirection.RightToLeft
            before = block.previous().blockFormat().property(NEST) or ""
            _bars(painter, nest, before, (last_bottom, rect.top(), rect.bottom()), width if is_right else 0.0, theme)
        last_bottom = rect.bottom()
    if card is not None:
        card.paint(painter, theme)
    painter.restore()


class _Card:
    """The ground of a code block, or of the part of it that is in sight."""

    def __init__(self, first: QRectF, left: int, width: float, *, is_head: bool) -> None:
        # What begins above the clip has its corners and its head line out of sight.
        top = first.top() - (HEAD_ABOVE if is_head else 4 * _RADIUS)
        self.rect = QRectF(left + 0.5, top + 0.5, width - left - 1, 0)
        self.head_line = first.bottom() + HEAD_BELOW + 0.5 if is_head else None

    def paint(self, painter: QPainter, theme: Theme) -> None:
        painter.setPen(QPen(QColor(theme.line), 1))
        painter.setBrush(QColor(theme.code))
        painter.drawRoundedRect(self.rect, _RADIUS, _RADIUS)
        if self.head_line is not None:
            painter.drawLine(QPointF(self.rect.left(), self.head_line), QPointF(self.rect.right(), self.head_line))


def _blocks(document: QTextDocument, clip: QRectF) -> Iterator[QTextBlock]:
    """Text blocks in sight, and one above."""
    layout = document.documentLayout()
    position = layout.hitTest(QPointF(0, clip.top()), Qt.HitTestAccuracy.FuzzyHit)
    block = document.findBlock(max(position, 0))
    block = block.previous() if block.previous().isValid() else block
    while block.isValid() and layout.blockBoundingRect(block).top() <= clip.bottom() + CODE_PADDING + HEAD_ABOVE:
        yield block
        block = block.next()


def _bars(
    painter: QPainter, nest: str, before: str, heights: tuple[float, float, float], mirror: float, theme: Theme
) -> None:
    """Bars left of a quoted block, or right of it, joined to those of the block before.

    Args:
        painter: Where to.
        nest: Containers of the block.
        before: Containers of the block before.
        heights: Bottom of the block before, top and bottom of the block.
        mirror: Width of the document if the text runs from right to left, else 0.
        theme: Colours.
    """
    x = 0.0
    last_bottom, top, bottom = heights
    for depth, letter in enumerate(nest[:MAX_DEPTH], 1):
        if letter == "q":
            from_here = min(last_bottom, top) if before[:depth] == nest[:depth] else top
            left = mirror - x - _BAR if mirror else x
            painter.fillRect(QRectF(left, from_here, _BAR, bottom - from_here), QColor(theme.line_strong))
        x += QUOTE_STEP if letter == "q" else LIST_STEP
