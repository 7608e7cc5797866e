"""The models on this computer, with a filter: chat models with their drafters, then what cannot chat."""

from dataclasses import dataclass
from typing import Literal

from PySide6.QtCore import QCoreApplication, QObject

from app.bridge.item_models.rows import RowsModel
from app.hub.library import Library
from app.hub.model_file import ModelFile
from app.hub.texts import amount, describe_model


@dataclass(frozen=True, slots=True, kw_only=True)
class LibraryRow:
    """`kind`: "heading" has only `title`; an "attachment" is a drafter that belongs to the model above it.

    `use`: what the model is loaded as right now. `target`: of an attachment the model above it.
    """

    kind: Literal["heading", "model", "attachment"]
    title: str
    model: ModelFile | None = None
    use: Literal["", "target", "draft"] = ""
    target: ModelFile | None = None

    @property
    def path(self) -> str:
        return str(self.model.path) if self.model is not None else ""


class LibraryModel(RowsModel[LibraryRow]):
    """Rows of a `Library`."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._library = Library((), ())
        self._filter = ""
        self._target = ""
        self._draft = ""

    def words(self, row: LibraryRow) -> str:
        return row.title

    def sentence(self, row: LibraryRow) -> str:
        if row.model is None:
            return row.title
        return f"{row.title}: {describe_model(row.model)}"

    def tip(self, row: LibraryRow) -> str:
        return row.path

    def is_heading(self, row: LibraryRow) -> bool:
        return row.kind == "heading"

    def key(self, row: LibraryRow) -> object:
        return row.kind, row.title, row.path

    def show_library(self, library: Library) -> None:
        """Show another state of the library."""
        self._library = library
        self._fill()

    def set_filter(self, text: str) -> None:
        """Show only models that have every word of `text` in their name, path, architecture or quantisation."""
        self._filter = text
        self._fill()

    def show_use(self, target: str, draft: str) -> None:
        """Mark the loaded models; paths, "" for none."""
        self._target, self._draft = target, draft
        self._fill()

    def find(self, path: str) -> int:
        """The row of the model with this path, -1 if it is not shown."""
        return next((number for number, row in enumerate(self._rows) if row.path == path and path), -1)

    def _fill(self) -> None:
        words = self._filter.casefold().split()
        chat: list[LibraryRow] = []
        attached: set[str] = set()
        for model in self._library.chat_models:
            drafters = self._library.attachments_of(model)
            attached.update(str(drafter.path) for drafter in drafters)
            if any(_matches(one, words) for one in (model, *drafters)):
                chat.append(LibraryRow(kind="model", title=model.name, model=model, use=self._use(model)))
                chat += [LibraryRow(kind="attachment", title=one.name, model=one, target=model) for one in drafters]
        others = [
            LibraryRow(kind="model", title=model.name, model=model)
            for model in self._library.models
            if model.role != "chat" and str(model.path) not in attached and _matches(model, words)
        ]
        translate = QCoreApplication.translate
        rows: list[LibraryRow] = []
        if chat:
            rows += [LibraryRow(kind="heading", title=translate("library", "Chat models")), *chat]
        if others:
            rows += [LibraryRow(kind="heading", title=translate("library", "Not chat models")), *others]
        self.replace(rows)

    def _use(self, model: ModelFile) -> Literal["", "target", "draft"]:
        path = str(model.path)
        return "target" if path == self._target else "draft" if path == self._draft else ""


def _matches(model: ModelFile, words: list[str]) -> bool:
    facts = model.facts
    text = (
        f"{model.name} {model.path} {facts.architecture} {facts.quantisation} {facts.name}"
        if facts
        else str(model.path)
    )
    text = text.casefold()
    return all(word in text for word in words)


def summary(model: ModelFile) -> str:
    """Size and kind of a model in a few words."""
    facts = model.facts
    return amount(model.size_bytes) if facts is None else f"{facts.quantisation} {amount(model.size_bytes)}".strip()
