"""What could draft for the chosen target: nothing, then every other model with its verdict."""

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QCoreApplication

from app.bridge.item_models.rows import RowsModel
from app.hub.pairing import Verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class DraftRow:
    """A candidate; `verdict` None stands for no draft model. `in_use`: loaded with the target right now."""

    verdict: Verdict | None
    in_use: bool = False

    @property
    def path(self) -> str:
        return str(self.verdict.model.path) if self.verdict is not None else ""

    @property
    def fits(self) -> bool:
        return self.verdict is None or self.verdict.fits


class DraftsModel(RowsModel[DraftRow]):
    """Rows for verdicts, in their order."""

    def words(self, row: DraftRow) -> str:
        if row.verdict is None:
            return QCoreApplication.translate("drafts", "No draft model")
        return row.verdict.model.name

    def sentence(self, row: DraftRow) -> str:
        translate = QCoreApplication.translate
        parts = [self.words(row)]
        if row.in_use:
            parts.append(translate("drafts", "in use"))
        if row.verdict is not None:
            parts.append(translate("drafts", "fits") if row.fits else translate("drafts", "does not fit"))
            parts.append(row.verdict.sentence)
        return ": ".join((", ".join(parts[:-1]), parts[-1])) if len(parts) > 1 else parts[0]

    def tip(self, row: DraftRow) -> str:
        return row.path

    def key(self, row: DraftRow) -> object:
        return row.path

    def show_verdicts(self, verdicts: Sequence[Verdict], in_use: str | None) -> None:
        """Show these. `in_use`: path of the loaded draft, "" for none, None while the target is not loaded."""
        rows = [DraftRow(verdict=None, in_use=in_use == "")]
        rows += [DraftRow(verdict=verdict, in_use=str(verdict.model.path) == in_use) for verdict in verdicts]
        self.replace(rows)

    def find(self, path: str) -> int:
        """The row of the draft with this path ("" for none), -1 if there is none."""
        return next((number for number, row in enumerate(self._rows) if row.path == path), -1)
