"""The catalogue as cards, grouped by what this computer can run."""

import time

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from app.bridge.item_models.catalogue import CatalogueModel
from app.bridge.timers import single_shot
from app.ui.models_page.card_grid import CardGrid
from app.ui.models_page.pair_card import PairCard
from app.ui.theme import GRID
from app.ui.widgets.column import ScrollColumn
from app.ui.widgets.labels import label

_SLICE_S = 0.008
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
        self._waiting: list[tuple[str, CardGrid]] = []
        self._clock = single_shot(self, "more cards", 0, self._make_some)
        self._area = ScrollColumn()
        self._area.column.setContentsMargins(0, 0, 0, GRID)
        self._area.column.setSpacing(2 * GRID)
        self._area.column.addStretch(1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self._area)
        catalogue.modelReset.connect(self.fill)
        catalogue.dataChanged.connect(self._on_changed)

    def fill(self) -> None:
        """Make the cards anew, a few in each turn of the event loop."""
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
        self._waiting = []
        grids: dict[str, CardGrid] = {}
        for row in self._catalogue.rows:
            key = "recommended" if row.recommended else "slow" if row.slow else row.fit
            if key not in grids:
                grids[key] = self._add_group(titles[key])
            self._waiting.append((row.pair.id, grids[key]))
        self._clock.start()

    def _add_group(self, title: str) -> CardGrid:
        group = QWidget()
        grid = CardGrid()
        layout = QVBoxLayout(group)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(GRID)
        layout.addWidget(label(title, "strong", wrap=True))
        layout.addLayout(grid)
        self._area.column.insertWidget(len(self._groups), group)
        self._groups.append(group)
        return grid

    def _make_some(self) -> None:
        until = time.monotonic() + _SLICE_S
        while self._waiting and time.monotonic() < until:
            pair_id, grid = self._waiting.pop(0)
            row = self._catalogue.find(pair_id)
            if row is not None:
                card = self.cards[pair_id] = PairCard(row)
                grid.addWidget(card)
                self.card_made.emit(card)
        if self._waiting:
            self._clock.start()

    def _on_changed(self, first: _Index, last: _Index) -> None:
        for number in range(first.row(), last.row() + 1):
            row = self._catalogue.rows[number]
            card = self.cards.get(row.pair.id)
            if card is not None:
                card.show_row(row)
