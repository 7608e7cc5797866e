"""The catalogue as cards, grouped by what this computer can run."""

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from app.bridge.item_models.catalogue import CatalogueModel, CatalogueRow
from app.ui.models_page.card_grid import CardGrid
from app.ui.models_page.pair_card import PairCard
from app.ui.theme import GRID
from app.ui.widgets.column import ScrollColumn
from app.ui.widgets.labels import label

_Index = QModelIndex | QPersistentModelIndex


class CatalogueView(QWidget):
    """One card a row of the model.

    Signals:
        card_made: A new `PairCard`; to be connected.
    """

    card_made = Signal(object)

    def __init__(self, catalogue: CatalogueModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._catalogue = catalogue
        self.cards: dict[str, PairCard] = {}
        self._groups: list[QWidget] = []
        self._area = ScrollColumn()
        self._area.column.setContentsMargins(0, 0, GRID, GRID)
        self._area.column.setSpacing(2 * GRID)
        self._area.column.addStretch(1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self._area)
        catalogue.modelReset.connect(self._fill)
        catalogue.dataChanged.connect(self._on_changed)

    def fill(self) -> None:
        """Make the cards; for when somebody is there to connect them."""
        self._fill()

    def _fill(self) -> None:
        for group in self._groups:
            group.hide()
            group.deleteLater()
        self._groups, self.cards = [], {}
        titles = {
            "recommended": self.tr("Recommended"),
            "accelerator": self.tr("Runs on your accelerator"),
            "memory": self.tr("Runs well here"),
            "slow": self.tr("Fits into main memory, but is slow without an accelerator"),
            "too_large": self.tr("Needs more memory than is free here"),
        }
        grouped: dict[str, list[CatalogueRow]] = {}
        for row in self._catalogue.rows:
            key = "recommended" if row.recommended else "slow" if row.slow else row.fit
            grouped.setdefault(key, []).append(row)
        for number, (title, rows) in enumerate((titles[key], rows) for key, rows in grouped.items()):
            self._groups.append(self._group(title, rows))
            self._area.column.insertWidget(number, self._groups[-1])

    def _group(self, title: str, rows: list[CatalogueRow]) -> QWidget:
        group = QWidget()
        grid = CardGrid()
        for row in rows:
            card = self.cards[row.pair.id] = PairCard(row)
            grid.addWidget(card)
            self.card_made.emit(card)
        layout = QVBoxLayout(group)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(GRID)
        layout.addWidget(label(title, "strong", wrap=True))
        layout.addLayout(grid)
        return group

    def _on_changed(self, first: _Index, last: _Index) -> None:
        for number in range(first.row(), last.row() + 1):
            row = self._catalogue.rows[number]
            self.cards[row.pair.id].show_row(row)
