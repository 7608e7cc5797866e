"""What the last test of a connection found: a state, a sentence, and the models to chat with."""

import functools

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QVBoxLayout, QWidget

from app.protocol.servers import Probed, RemoteModel
from app.ui.connections_page import words
from app.ui.models_page.buttons import button
from app.ui.models_page.style import restyle
from app.ui.theme import GRID
from app.ui.widgets.labels import ElidedLabel, label

SHOWN = 200
"""Servers in front of many others list hundreds of models; the menu has the same limit."""


class ResultView(QFrame):
    """State, sentence, hint, models.

    Signals:
        model_chosen: The id of a model to chat with.
    """

    model_chosen = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("ground", "card")
        self.state = label("", "chip")
        self.sentence = label("", wrap=True)
        self.hint = label("", "soft", wrap=True)
        self._rows = QVBoxLayout()
        self._rows.setSpacing(GRID)
        chips = QHBoxLayout()
        chips.addWidget(self.state)
        chips.addStretch(1)
        column = QVBoxLayout(self)
        column.setContentsMargins(2 * GRID, 2 * GRID, 2 * GRID, 2 * GRID)
        column.setSpacing(GRID)
        column.addLayout(chips)
        column.addWidget(self.sentence)
        column.addWidget(self.hint)
        column.addLayout(self._rows)
        self.show_nothing("")

    def show_nothing(self, sentence: str) -> None:
        """No test yet, or one is under way."""
        self.setVisible(bool(sentence))
        self._fill(())
        self.state.hide()
        self.sentence.setText(sentence)
        self.hint.hide()

    def show_result(self, found: Probed) -> None:
        """Show what was found."""
        self.setVisible(True)
        self.state.setText(words.state_words(found.state))
        tone = "good" if found.state in words.GOOD else "warn"
        restyle(self.state, "chip", tone)
        self.state.setVisible(True)
        self.sentence.setText(found.sentence)
        self.hint.setText(found.hint)
        self.hint.setVisible(bool(found.hint))
        self._fill(found.models if found.state in words.GOOD else ())

    def _fill(self, models: tuple[RemoteModel, ...]) -> None:
        while (item := self._rows.takeAt(0)) is not None:
            if (old := item.widget()) is not None:
                old.hide()
                old.deleteLater()
        for model in models[:SHOWN]:
            self._rows.addWidget(self._row(model))

    def _row(self, model: RemoteModel) -> QWidget:
        row = QWidget()
        name = ElidedLabel("strong")
        name.setText(model.id)
        facts = label(words.model_words(model), "small", wrap=True)
        use = button(
            self.tr("Chat with it"),
            functools.partial(self.model_chosen.emit, model.id),
            name=self.tr("Chat with {0}").format(model.id),
        )
        left = QVBoxLayout()
        left.setSpacing(2)
        left.addWidget(name)
        left.addWidget(facts)
        layout = QHBoxLayout(row)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(GRID)
        layout.addLayout(left, 1)
        layout.addWidget(use)
        return row
