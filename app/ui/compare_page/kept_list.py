"""Comparisons that are kept, under the pair they were made with."""

from collections.abc import Sequence
from pathlib import PurePath

from PySide6.QtCore import QDateTime, QLocale, Qt, Signal
from PySide6.QtGui import QFont
from PySide6.QtWidgets import QFrame, QListWidget, QListWidgetItem, QWidget

from app.comparison.result import Comparison
from app.ui import figures
from app.ui.names import drafter_name

_ROWS_IN_SIGHT = 8
_PROMPT = 60
_PADDING = 6


class KeptList(QListWidget):
    """Newest first; pairs in the order of their newest comparison.

    Signals:
        chosen: A `Comparison` to show.
    """

    chosen = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setAccessibleName(self.tr("Kept comparisons"))
        self.setTextElideMode(Qt.TextElideMode.ElideRight)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._shown: list[Comparison | None] = []
        self.currentRowChanged.connect(self._on_row)

    def show_comparisons(self, comparisons: Sequence[Comparison], current: str) -> None:
        """Show these (newest first) and mark the one with the id `current`, "" for none; nothing is emitted."""
        self.blockSignals(True)
        self.clear()
        self._shown = []
        pairs: dict[tuple[str, str], list[Comparison]] = {}
        for comparison in comparisons:
            pairs.setdefault((comparison.target, comparison.draft), []).append(comparison)
        for paths, group in pairs.items():
            self._add_heading(" + ".join(PurePath(path).name for path in paths if path))
            for comparison in group:
                self.addItem(self._words(comparison))
                self._shown.append(comparison)
                if comparison.id == current:
                    self.setCurrentRow(self.count() - 1)
        self.blockSignals(False)
        self.setVisible(self.count() > 0)
        rows = range(min(self.count(), _ROWS_IN_SIGHT))
        self.setFixedHeight(sum(max(self.sizeHintForRow(row), 20) for row in rows) + 2 * _PADDING)
        self.scrollToTop()

    def _add_heading(self, words: str) -> None:
        item = QListWidgetItem(words)
        item.setFlags(Qt.ItemFlag.ItemIsEnabled)
        font = QFont(self.font())
        font.setWeight(QFont.Weight.DemiBold)
        item.setFont(font)
        self.addItem(item)
        self._shown.append(None)

    def _words(self, comparison: Comparison) -> str:
        best = comparison.best
        spread = comparison.gain(best)
        gain = f"{spread.median:.2f}\N{MULTIPLICATION SIGN}" if spread else figures.UNKNOWN
        prompt = " ".join(comparison.prompt.split())
        short = prompt if len(prompt) <= _PROMPT else f"{prompt[:_PROMPT]}\N{HORIZONTAL ELLIPSIS}"
        quoted = f"\N{LEFT DOUBLE QUOTATION MARK}{short}\N{RIGHT DOUBLE QUOTATION MARK}"
        name = comparison.plan.places[1].name if comparison.plan.places else drafter_name(best.drafter)
        parts = [gain, name, quoted]
        if spread is not None and spread.median < 1:
            parts[0] = self.tr("{0}, slower").format(gain)
        if comparison.proof:
            parts.append(self.tr("proven") if max(comparison.proof) < 0 else self.tr("proof failed"))
        when = QDateTime.fromSecsSinceEpoch(int(comparison.created))
        parts.append(QLocale().toString(when, QLocale.FormatType.ShortFormat))
        return " \N{MIDDLE DOT} ".join(parts)

    def _on_row(self, row: int) -> None:
        comparison = self._shown[row] if 0 <= row < len(self._shown) else None
        if comparison is not None:
            self.chosen.emit(comparison)
