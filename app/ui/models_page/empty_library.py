"""What the library shows while there is nothing in it: the way to the first pair."""

import functools

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from app.bridge.models_controller import ModelsController
from app.hub.folders import Folder
from app.ui.models_page.buttons import button
from app.ui.models_page.pair_card import PairCard
from app.ui.theme import GRID
from app.ui.widgets.column import ScrollColumn
from app.ui.widgets.flow import FlowLayout
from app.ui.widgets.labels import label

_WIDTH = 560


class EmptyLibrary(QWidget):
    """The recommended pair, and other ways to come by a model.

    Signals:
        card_made: The `PairCard` of the recommended pair; to be connected.
        catalogue_wanted: Show all pairs.
        folder_wanted: Ask for a folder with models.
        elsewhere_wanted: The path of another app's folder to list.
    """

    card_made = Signal(object)
    catalogue_wanted = Signal()
    folder_wanted = Signal()
    elsewhere_wanted = Signal(str)

    def __init__(self, controller: ModelsController, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._catalogue = controller.catalogue
        self.card: PairCard | None = None
        column = QWidget()
        column.setMaximumWidth(_WIDTH)
        self._column = QVBoxLayout(column)
        self._column.setContentsMargins(0, 2 * GRID, 0, 2 * GRID)
        self._column.setSpacing(GRID)
        self._words = label(
            self.tr(
                "Only the demonstration pair is here. This pair of models suits your computer: a large one that "
                "answers, and a small one that drafts for it."
            ),
            "soft",
            wrap=True,
        )
        self._place = QVBoxLayout()
        self._elsewhere = QVBoxLayout()
        self._elsewhere.setSpacing(GRID)
        others = FlowLayout()
        others.addWidget(button(self.tr("All pairs and search"), self.catalogue_wanted.emit))
        others.addWidget(button(self.tr("Add a folder with models…"), self.folder_wanted.emit))
        self._column.addWidget(label(self.tr("No models yet"), "heading", wrap=True))
        self._column.addWidget(self._words)
        self._column.addLayout(self._place)
        self._column.addLayout(others)
        self._column.addLayout(self._elsewhere)
        self._column.addWidget(label(self.tr("A GGUF file can also be dropped here."), "small", wrap=True))
        area = ScrollColumn()
        across = QHBoxLayout()
        across.addStretch(1)
        across.addWidget(column, 1000)
        across.addStretch(1)
        area.column.setContentsMargins(0, 0, 0, 0)
        area.column.addStretch(1)
        area.column.addLayout(across)
        area.column.addStretch(2)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(area)
        for changed in (self._catalogue.modelReset, self._catalogue.dataChanged):
            changed.connect(self._show_card)

    def show_card(self) -> None:
        """Show the recommended pair; for when somebody is there to connect its card."""
        self._show_card()

    def show_elsewhere(self, folders: tuple[Folder, ...]) -> None:
        """Offer what other apps have."""
        names = {"huggingface": self.tr("the Hugging Face cache"), "lmstudio": self.tr("LM Studio")}
        while (item := self._elsewhere.takeAt(0)) is not None:
            if (old := item.widget()) is not None:
                old.deleteLater()
        for folder in folders:
            words = self.tr("Use the models of {0}").format(names.get(folder.source, str(folder.path)))
            offer = button(words, functools.partial(self.elsewhere_wanted.emit, str(folder.path)))
            offer.setToolTip(str(folder.path))
            self._elsewhere.addWidget(offer)

    def _show_card(self) -> None:
        row = self._catalogue.recommended
        self._words.setVisible(row is not None)
        if row is None:
            return
        if self.card is None or self.card.row.pair.id != row.pair.id:
            if self.card is not None:
                self.card.deleteLater()
            self.card = PairCard(row)
            self._place.addWidget(self.card)
            self.card_made.emit(self.card)
        else:
            self.card.show_row(row)
