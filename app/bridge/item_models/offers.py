"""What a hub has: repositories that a search found, and the models in one of them."""

from dataclasses import dataclass
from typing import Literal

from PySide6.QtCore import QCoreApplication

from app.bridge.item_models.rows import RowsModel
from app.hub.texts import amount
from app.protocol.download_messages import DownloadProgress, FoundRepository, OfferedModel


class HitsModel(RowsModel[FoundRepository]):
    """Search hits."""

    def words(self, row: FoundRepository) -> str:
        return row.repo

    def sentence(self, row: FoundRepository) -> str:
        text = QCoreApplication.translate("hits", "{0}, downloaded {1} times").format(row.repo, f"{row.downloads:,}")
        return f"{text}, {QCoreApplication.translate('hits', 'needs an access token')}" if row.gated else text

    def key(self, row: FoundRepository) -> object:
        return row.repo


@dataclass(frozen=True, slots=True)
class OfferRow:
    """A model in a repository. `fit`: whether this computer can run it, by size. `download`: the one for it, if any."""

    model: OfferedModel
    fit: Literal["fits", "too_large"]
    here: bool = False
    download: DownloadProgress | None = None


class OffersModel(RowsModel[OfferRow]):
    """The models of a repository, the smallest first."""

    def words(self, row: OfferRow) -> str:
        return row.model.name

    def sentence(self, row: OfferRow) -> str:
        translate = QCoreApplication.translate
        fit = translate("offers", "fits") if row.fit == "fits" else translate("offers", "too large for this computer")
        parts = (row.model.name, row.model.quantisation, amount(row.model.size), fit)
        return ", ".join(part for part in parts if part)

    def key(self, row: OfferRow) -> object:
        return row.model.name
