"""Where the memory of a pair goes, against what is free, and what was given up to make it fit."""

from dataclasses import dataclass

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QBrush, QColor, QPainter, QPainterPath, QPaintEvent, QPen
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QVBoxLayout, QWidget

from app.hub.memory_plan import Plan, Segment
from app.ui import figures
from app.ui.theme import GRID, Theme
from app.ui.widgets.flow import FlowLayout
from app.ui.widgets.labels import label

_BAR, _MARK = 14, 4
_FAINT = 0.5
UNKNOWN_MEMORY = 1 << 59
"""A budget above this stands for "not known"."""


@dataclass(frozen=True, slots=True)
class _Paint:
    colour: str
    faint: bool = False


_PAINTS = {
    "target": _Paint("accent"),
    "target_cache": _Paint("accent", faint=True),
    "heads": _Paint("ink_heads"),
    "draft": _Paint("ink_ngram"),
    "draft_cache": _Paint("ink_ngram", faint=True),
    "buffers": _Paint("pencil"),
    "program": _Paint("line_strong"),
}


def _colour(theme: Theme, kind: str) -> QColor:
    paint = _PAINTS.get(kind, _Paint("pencil"))
    colour = QColor(getattr(theme, paint.colour))
    if paint.faint:
        colour.setAlphaF(_FAINT)
    return colour


class MemoryBar(QWidget):
    """Pieces of one kind of memory as one bar, with a mark where the free memory ends."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._pieces: tuple[tuple[str, int], ...] = ()
        self._free = 0
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    @property
    def needed(self) -> int:
        return sum(size for _, size in self._pieces)

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self.update()

    def show_pieces(self, name: str, pieces: tuple[tuple[str, int], ...], free: int) -> None:
        """`pieces`: (kind, bytes) in order; `free`: bytes there are for them."""
        self._pieces, self._free = pieces, free
        self.setAccessibleName(name)
        self.setAccessibleDescription(
            self.tr("needs {0}, {1} free").format(figures.size(self.needed), figures.size(free))
        )
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(160, _BAR + 2 * _MARK)

    def paintEvent(self, _event: QPaintEvent) -> None:
        theme, width = self._theme, self.width()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        whole = max(self.needed, self._free, 1)
        bar = QRectF(0, _MARK, width, _BAR)
        shape = QPainterPath()
        shape.addRoundedRect(bar, _BAR / 2, _BAR / 2)
        painter.setClipPath(shape)
        painter.fillRect(bar, QColor(theme.line))
        left = 0.0
        for kind, size in self._pieces:
            if size <= 0:
                continue
            part = max(width * size / whole, 2.0)
            # A gap, so that neighbours can be told apart without their colours.
            painter.fillRect(QRectF(left, _MARK, max(part - 1.5, 1.0), _BAR), _colour(theme, kind))
            left += part
        end = width * self._free / whole
        if self.needed > self._free:
            over = QRectF(end, _MARK, width - end, _BAR)
            painter.fillRect(over, QColor(theme.bad))
            painter.fillRect(over, QBrush(QColor(theme.card), Qt.BrushStyle.BDiagPattern))
            painter.setClipping(False)
            painter.setPen(QPen(QColor(theme.bad), 2))
            painter.drawLine(round(end), 0, round(end), _BAR + 2 * _MARK)
        painter.end()


class _Swatch(QWidget):
    """A spot of colour before a word of the legend."""

    def __init__(self, theme: Theme, kind: str) -> None:
        super().__init__()
        self.theme, self._kind = theme, kind
        self.setFixedSize(10, 10)

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(_colour(self.theme, self._kind))
        painter.drawRoundedRect(QRectF(self.rect()), 3, 3)
        painter.end()


class _Legend(QWidget):
    """One piece in words."""

    def __init__(self, theme: Theme, kind: str) -> None:
        super().__init__()
        self.swatch = _Swatch(theme, kind)
        self.words = label("", "small")
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, GRID, 0)
        row.setSpacing(6)
        row.addWidget(self.swatch)
        row.addWidget(self.words)


class MemoryView(QWidget):
    """A `Plan` in words and as bars: one for main memory, one for the accelerator where there is one."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._headline = label("", "strong", wrap=True)
        self._ram, self._vram = MemoryBar(theme), MemoryBar(theme)
        self._ram_words, self._vram_words = label("", "small", wrap=True), label("", "small", wrap=True)
        self._legends = {kind: _Legend(theme, kind) for kind in _PAINTS}
        self._steps = label("", "caution", wrap=True)
        self._problem = label("", "problem", wrap=True)
        legend = FlowLayout()
        for entry in self._legends.values():
            legend.addWidget(entry)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(GRID // 2)
        for widget in (self._headline, self._ram_words, self._ram, self._vram_words, self._vram):
            layout.addWidget(widget)
        layout.addLayout(legend)
        layout.addWidget(self._steps)
        layout.addWidget(self._problem)
        self.show_plan(None)

    @property
    def words(self) -> str:
        """All that is said, for tests and screen readers."""
        parts = (self._headline, self._ram_words, self._vram_words, self._steps, self._problem)
        return "\n".join(part.text() for part in parts if part.text() and not part.isHidden())

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self._ram.set_theme(theme)
        self._vram.set_theme(theme)
        for entry in self._legends.values():
            entry.swatch.theme = theme
            entry.swatch.update()

    def show_plan(self, plan: Plan | None) -> None:
        """Show this, or nothing."""
        self.setVisible(plan is not None)
        if plan is None:
            return
        free, total = plan.budget, plan.total
        known = free.ram < UNKNOWN_MEMORY
        self._headline.setText(self._headline_of(plan))
        ram = tuple((segment.kind, segment.amount.ram) for segment in plan.segments)
        vram = tuple((segment.kind, segment.amount.vram) for segment in plan.segments)
        self._ram.show_pieces(self.tr("Main memory"), ram, free.ram if known else total.ram)
        self._vram.show_pieces(self.tr("Accelerator memory"), vram, free.vram)
        self._ram_words.setText(
            self.tr("Main memory: {0} of {1} free").format(figures.size(total.ram), figures.size(free.ram))
            if known
            else self.tr("Main memory: {0}; how much is free is not known").format(figures.size(total.ram))
        )
        self._vram_words.setText(
            self.tr("Accelerator: {0} of {1} free").format(
                figures.size(total.vram) if total.vram else "0", figures.size(free.vram)
            )
        )
        for part in (self._vram, self._vram_words):
            part.setVisible(free.vram > 0)
        self._fill_legend(plan.segments)
        self._steps.setText("\n".join(f"\N{BULLET} {step.sentence}" for step in plan.steps))
        self._steps.setVisible(bool(plan.steps))
        self._problem.setText(str(plan.problem) if plan.problem is not None else "")
        self._problem.setVisible(plan.problem is not None)
        self.setAccessibleName(self.words)

    def _headline_of(self, plan: Plan) -> str:
        if plan.problem is not None:
            return self.tr("Memory: it does not fit")
        if plan.steps:
            return self.tr("Memory: it does not fit as it is. It would fit like this:")
        return self.tr("Memory: it fits")

    def _fill_legend(self, segments: tuple[Segment, ...]) -> None:
        sizes = {segment.kind: segment.amount.ram + segment.amount.vram for segment in segments}
        names = {
            "target": self.tr("Target"),
            "target_cache": self.tr("Target's cache"),
            "draft": self.tr("Draft model"),
            "heads": self.tr("Prediction heads"),
            "draft_cache": self.tr("Draft's cache"),
            "buffers": self.tr("Work buffers"),
            "program": self.tr("Program"),
        }
        for kind, entry in self._legends.items():
            size = sizes.get(kind, 0)
            entry.setVisible(size > 0)
            entry.words.setText(f"{names[kind]} {figures.size(size)}")
