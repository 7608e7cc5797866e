"""Everything that is known about one answer: where its time went, what was accepted, which files made it."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog, QPushButton, QVBoxLayout, QWidget

from app.chat.connections import shown_name
from app.chat.conversation import Message
from app.ui.answer_figures import AnswerFigures
from app.ui.names import drafter_name
from app.ui.theme import GRID, Theme
from app.ui.widgets.column import ScrollColumn
from app.ui.widgets.labels import ElidedLabel, label

_WIDTH = 400


class AnswerSheet(QDialog):
    """The detail sheet of a stored message."""

    def __init__(self, window: QWidget, message: Message, theme: Theme) -> None:
        super().__init__(window)
        self.setObjectName("answer sheet")
        self.setWindowTitle(self.tr("About this answer"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.figures = AnswerFigures(theme)
        self.figures.show_answer(message.stats, message.speculation)
        self.lines = [*self._facts(message), *self._files(message)]
        area = ScrollColumn()
        area.column.setContentsMargins(0, 0, GRID, 0)
        area.column.setSpacing(GRID)
        area.column.addWidget(label(self.tr("About this answer"), "title"))
        area.column.addWidget(self.figures)
        if message.speculation is not None and message.speculation.reason:
            area.column.addWidget(label(message.speculation.reason, "warning", wrap=True))
        for text, tip in self.lines:
            line = ElidedLabel("soft")
            line.setText(text)
            line.setToolTip(tip or text)
            area.column.addWidget(line)
        area.column.addStretch(1)
        close = QPushButton(self.tr("Close"))
        close.clicked.connect(self.reject)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(3 * GRID, 3 * GRID, 2 * GRID, 2 * GRID)
        layout.setSpacing(2 * GRID)
        layout.addWidget(area, 1)
        layout.addWidget(close, 0, Qt.AlignmentFlag.AlignRight)
        width = min(_WIDTH, window.width() - 2 * GRID)
        wanted = area.wanted_height(width - 6 * GRID) + close.sizeHint().height() + 8 * GRID
        self.resize(width, min(wanted, window.height() - 2 * GRID))

    def _facts(self, message: Message) -> list[tuple[str, str]]:
        facts = []
        state = message.speculation
        if state is not None:
            words = self.tr("Drafter: {0}, lookahead {1}") if state.lookahead else self.tr("Drafter: {0}")
            facts.append(words.format(drafter_name(state.drafter, message), state.lookahead))
        if message.seed is not None:
            facts.append(self.tr("Seed: {0}").format(message.seed))
        return [(text, "") for text in facts]

    def _files(self, message: Message) -> list[tuple[str, str]]:
        if not message.files:
            return [(self.tr("Which files made it is not known."), "")]
        names = (self.tr("Target: {0}"), self.tr("Draft model: {0}"))
        return [(words.format(shown_name(path)), path) for words, path in zip(names, message.files, strict=False)]
