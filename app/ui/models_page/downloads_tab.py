"""The queue of downloads."""

from collections.abc import Callable

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from app.bridge.item_models.downloads import DownloadsModel
from app.protocol.download_messages import DownloadProgress
from app.ui.models_page.buttons import button
from app.ui.models_page.download_card import DownloadCard
from app.ui.theme import GRID
from app.ui.widgets.column import ScrollColumn
from app.ui.widgets.labels import label

_Index = QModelIndex | QPersistentModelIndex


class DownloadsTab(QWidget):
    """One card a download, in the order of the queue.

    Signals:
        card_made: A new `DownloadCard`; to be connected.
        catalogue_wanted: Show what there is to download.
    """

    card_made = Signal(object)
    catalogue_wanted = Signal()

    def __init__(
        self,
        downloads: DownloadsModel,
        loadable: Callable[[DownloadProgress], bool],
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._downloads = downloads
        self._loadable = loadable
        self.cards: list[DownloadCard] = []
        self._nothing = label(
            self.tr("Nothing is being downloaded. Downloads go on when you close Outpace and start it again."),
            "soft",
            wrap=True,
        )
        self._more = button(self.tr("Get models"), self.catalogue_wanted.emit)
        self._area = ScrollColumn()
        column = self._area.column
        column.setContentsMargins(0, 0, 0, GRID)
        column.setSpacing(GRID + 4)
        column.addWidget(self._nothing)
        column.addWidget(self._more)
        column.addStretch(1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self._area)
        downloads.rowsInserted.connect(self._on_inserted)
        downloads.rowsRemoved.connect(self._on_removed)
        downloads.dataChanged.connect(self._on_changed)
        self._update()

    def fill(self) -> None:
        """Make the cards of what is there already; for when somebody is there to connect them."""
        count = len(self._downloads.rows)
        if count and not self.cards:
            self._on_inserted(QModelIndex(), 0, count - 1)

    def refresh(self) -> None:
        """The library changed: what is complete may be loadable now."""
        for card, download in zip(self.cards, self._downloads.rows, strict=True):
            card.show_download(download, loadable=self._loadable(download))

    def _on_inserted(self, _parent: _Index, first: int, last: int) -> None:
        for number in range(first, last + 1):
            download = self._downloads.rows[number]
            card = DownloadCard(download)
            card.show_download(download, loadable=self._loadable(download))
            self.cards.insert(number, card)
            self._area.column.insertWidget(number, card)
            self.card_made.emit(card)
        self._update()

    def _on_removed(self, _parent: _Index, first: int, last: int) -> None:
        for card in self.cards[first : last + 1]:
            self._area.column.removeWidget(card)
            card.hide()
            card.deleteLater()
        del self.cards[first : last + 1]
        self._update()

    def _on_changed(self, first: _Index, last: _Index) -> None:
        for number in range(first.row(), last.row() + 1):
            download = self._downloads.rows[number]
            self.cards[number].show_download(download, loadable=self._loadable(download))

    def _update(self) -> None:
        for widget in (self._nothing, self._more):
            widget.setVisible(not self.cards)
