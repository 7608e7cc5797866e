"""The pairs this program recommends, with what became of each here."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from PySide6.QtCore import QCoreApplication, QObject

from app.bridge.item_models.rows import RowsModel
from app.chat.settings import Pair as Files
from app.core.errors import AppError
from app.hub.catalogue import Fit, Pair, Part, Suggestion
from app.hub.library import Library
from app.hub.quantisation import label
from app.hub.texts import amount
from app.protocol.download_messages import DownloadProgress

_SIZE = re.compile(r"(?<![A-Za-z0-9.])(\d+(?:\.\d+)?[BM])(?![A-Za-z0-9])", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class CatalogueRow:
    """A pair. `draft`: which of its drafts is chosen. `asking`: its files are being looked up; `fault`: and were not
    found. `download`: the one for it. `here`: the files, if they are on this computer already.
    """

    pair: Pair
    fit: Fit
    recommended: bool
    slow: bool = False
    draft: int = 0
    asking: bool = False
    fault: AppError | None = None
    download: DownloadProgress | None = None
    here: Files | None = None

    @property
    def draft_part(self) -> Part | None:
        return self.pair.draft[self.draft] if self.pair.draft else None

    @property
    def parts(self) -> tuple[Part, ...]:
        """What is downloaded."""
        return (self.pair.target,) if self.draft_part is None else (self.pair.target, self.draft_part)

    @property
    def size(self) -> int:
        """Bytes of both."""
        return sum(part.size for part in self.parts)

    @property
    def title(self) -> str:
        """For example "Qwen3 8B + 0.6B"."""
        part = self.draft_part
        if self.pair.drafter == "heads":
            return QCoreApplication.translate("catalogue", "{0} + prediction heads").format(self.pair.title)
        return self.pair.title if part is None else f"{self.pair.title} + {short_name(part)}"

    @property
    def download_id(self) -> str:
        return f"pair:{self.pair.id}:{self.draft}"


class CatalogueModel(RowsModel[CatalogueRow]):
    """Rows of suggestions: the recommended one first, then by what runs here."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._library = Library((), ())
        self._find_download: Callable[[str], DownloadProgress | None] = lambda _id: None

    def words(self, row: CatalogueRow) -> str:
        return row.title

    def sentence(self, row: CatalogueRow) -> str:
        recommended = QCoreApplication.translate("catalogue", "best for this computer") if row.recommended else ""
        parts = (row.title, recommended, row.pair.good_for, row.pair.licence, amount(row.size))
        return ", ".join(part for part in parts if part)

    def key(self, row: CatalogueRow) -> object:
        return row.pair.id

    def find(self, pair_id: str) -> CatalogueRow | None:
        """The row of a pair."""
        return next((row for row in self._rows if row.pair.id == pair_id), None)

    @property
    def recommended(self) -> CatalogueRow | None:
        return next((row for row in self._rows if row.recommended), None)

    def show_suggestions(self, suggestions: Sequence[Suggestion]) -> None:
        """Show these, with what is known of each already."""
        known = {row.pair.id: row for row in self._rows}
        rows = []
        for suggestion in suggestions:
            pair, fit, recommended = suggestion.pair, suggestion.fit, suggestion.recommended
            old = known.get(pair.id) or CatalogueRow(pair=pair, fit=fit, recommended=recommended)
            fresh = replace(old, pair=pair, fit=fit, recommended=recommended, slow=suggestion.slow)
            rows.append(self._complete(fresh))
        self.replace(rows)

    def change(self, pair_id: str, **fields: object) -> None:
        """Change fields of a row."""
        self.replace(
            [
                self._complete(replace(row, **fields)) if row.pair.id == pair_id else row  # type: ignore[arg-type]  # checked by the dataclass
                for row in self._rows
            ]
        )

    def show_library(self, library: Library) -> None:
        """Find out which pairs are here."""
        self._library = library
        self.refresh()

    def use_downloads(self, find: Callable[[str], DownloadProgress | None]) -> None:
        """`find`: gives the download with an id."""
        self._find_download = find

    def refresh(self) -> None:
        """Look at library and downloads again."""
        self.replace([self._complete(row) for row in self._rows])

    def _complete(self, row: CatalogueRow) -> CatalogueRow:
        return replace(row, download=self._find_download(row.download_id), here=self._here(row))

    def _here(self, row: CatalogueRow) -> Files | None:
        found = [find_part(self._library, part) for part in row.parts]
        if not all(found):
            return None
        # Heads are found beside their target.
        return Files(target=found[0], draft=found[1] if len(found) > 1 and row.pair.drafter != "heads" else "")


def find_part(library: Library, part: Part) -> str:
    """The path of a part of the catalogue that is in the library, "" if it is not."""
    for model in library.models:
        if model.role in ("chat", "drafter") and part.file.rsplit("/", 1)[-1] in (model.path.name, model.name):
            return str(model.path)
    return ""


def short_name(part: Part) -> str:
    """How large a model is, by its file name ("0.6B"); the name where that does not say."""
    stem = part.file.rsplit("/", 1)[-1].removesuffix(".gguf")
    found = _SIZE.findall(stem)
    if found:
        return str(found[-1]).upper()
    quantisation = label(stem)
    return re.sub(rf"[-._]?{re.escape(quantisation)}$", "", stem, flags=re.IGNORECASE) if quantisation else stem
