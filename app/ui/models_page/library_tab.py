"""What is on this computer: a list to choose from, and what is chosen."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QSplitter, QStackedWidget, QVBoxLayout, QWidget

from app.bridge.item_models.library import LibraryRow
from app.bridge.models_controller import ModelsController
from app.hub.model_file import ModelFile
from app.ui.models_page import words
from app.ui.models_page.details import DetailsPane
from app.ui.models_page.empty_library import EmptyLibrary
from app.ui.models_page.row_delegate import RowLook, Tone
from app.ui.models_page.row_list import RowList
from app.ui.theme import GRID, Theme
from app.ui.widgets.labels import label

_SIDE_BY_SIDE_FROM = 600


class LibraryTab(QWidget):
    """A list and a details pane, or what leads to the first model.

    Signals:
        chosen: The path of the model a person went to.
        used: A model was double-clicked or confirmed with Enter; it is the chosen one.
        delete_wanted: A `ModelFile`.
        empty_made: `empty` is there now; to be connected.
    """

    empty_made = Signal()
    chosen = Signal(str)
    used = Signal()
    delete_wanted = Signal(object)

    def __init__(self, theme: Theme, controller: ModelsController, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._model = controller.library_model
        self.filter = QLineEdit()
        self.filter.setPlaceholderText(self.tr("Filter"))
        self.filter.setAccessibleName(self.tr("Filter models"))
        self.filter.setClearButtonEnabled(True)
        self.filter.textChanged.connect(self._on_filter)
        self.list = RowList(theme, self.tr("Models on this computer"), self._model, self._look)
        self.list.setProperty("frame", "card")
        self.list.chosen.connect(self._on_chosen)
        self.list.used.connect(self._on_used)
        self.list.delete_wanted.connect(self._on_delete)
        self._nothing = label("", "soft", wrap=True)
        self._problems = label("", "caution", wrap=True)
        self._scanning = label("", "small", wrap=True)
        self._scanning.hide()
        self.details = DetailsPane(theme, controller.desk)
        self._controller = controller
        self.empty: EmptyLibrary | None = None
        self._stack = QStackedWidget()
        self._stack.addWidget(self._build())
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(GRID)
        layout.addWidget(self._problems)
        layout.addWidget(self._stack, 1)
        self._model.modelReset.connect(self._on_rows)
        self.show_problems(())

    def _build(self) -> QWidget:
        left = QWidget()
        column = QVBoxLayout(left)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(GRID)
        column.addWidget(self.filter)
        column.addWidget(self._scanning)
        column.addWidget(self._nothing)
        column.addWidget(self.list, 1)
        self._splitter = QSplitter(Qt.Orientation.Horizontal)
        self._splitter.setChildrenCollapsible(False)
        self._splitter.setHandleWidth(2 * GRID)
        self._splitter.addWidget(left)
        self._splitter.addWidget(self.details)
        self._splitter.setStretchFactor(0, 2)
        self._splitter.setStretchFactor(1, 3)
        self._splitter.setSizes([400, 600])
        holder = QWidget()
        row = QHBoxLayout(holder)
        row.setContentsMargins(0, 0, 0, 0)
        row.addWidget(self._splitter)
        return holder

    def set_theme(self, theme: Theme) -> None:
        self.list.set_theme(theme)
        self.details.set_theme(theme)

    def show_problems(self, sentences: tuple[str, ...]) -> None:
        """Folders that could not be read."""
        self._problems.setText("\n".join(sentences))
        self._problems.setVisible(bool(sentences))

    def show_scanning(self, done: int, total: int) -> None:
        """A scan takes a while; 0, 0 when it is over."""
        self._scanning.setText(self.tr("Reading models: {0} of {1}").format(done, total))
        self._scanning.setVisible(total > 0)

    def show_empty(self, *, empty: bool) -> None:
        """Whether there is nothing yet but what came with the program."""
        if empty and self.empty is None:
            self.empty = EmptyLibrary(self._controller)
            self._stack.addWidget(self.empty)
            self.empty_made.emit()
        self._stack.setCurrentIndex(1 if empty else 0)

    @property
    def is_empty(self) -> bool:
        return self._stack.currentIndex() == 1

    def go_to(self, path: str) -> None:
        """Make a model current without choosing it anew."""
        self.list.go_to(self._model.find(path))

    def _look(self, row: LibraryRow) -> RowLook:
        model = row.model
        if model is None:
            return RowLook(name=row.title, heading=True)
        chips: list[tuple[str, Tone]] = []
        if row.use:
            chips.append((self.tr("loaded") if row.use == "target" else self.tr("draft"), "good"))
        if row.target is not None:
            return RowLook(name=row.title, lines=(words.attachment(model, row.target),), indent=1)
        if model.role != "chat" and model.problem is not None:
            return RowLook(name=row.title, lines=(model.problem.sentence,), muted=True)
        line = " \N{MIDDLE DOT} ".join(part for part in (words.short_facts(model), words.source(model)) if part)
        return RowLook(name=row.title, chips=tuple(chips), lines=(line,))

    def _on_filter(self, text: str) -> None:
        current = self.list.current()
        self._model.set_filter(text)
        if isinstance(current, LibraryRow):
            self.go_to(current.path)

    def _on_rows(self) -> None:
        nothing = not self._model.rows
        self._nothing.setVisible(nothing)
        self.list.setVisible(not nothing)
        self._nothing.setText(
            self.tr("No model has all of these words.") if self.filter.text().strip() else self.tr("No models.")
        )

    def _on_chosen(self, row: LibraryRow) -> None:
        if row.path:
            self.chosen.emit(row.path)

    def _on_used(self, row: LibraryRow) -> None:
        if row.model is not None and row.model.role == "chat":
            self.chosen.emit(row.path)
            self.used.emit()

    def _on_delete(self, row: LibraryRow) -> None:
        if isinstance(row.model, ModelFile):
            self.delete_wanted.emit(row.model)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        wide = self.width() >= _SIDE_BY_SIDE_FROM
        orientation = Qt.Orientation.Horizontal if wide else Qt.Orientation.Vertical
        if self._splitter.orientation() != orientation:
            self._splitter.setOrientation(orientation)
