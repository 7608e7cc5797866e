"""The section of the side panel with the numbers of the newest answer."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QPushButton, QWidget

from app.chat.conversation import Message
from app.ui.answer_figures import AnswerFigures
from app.ui.theme import Theme
from app.ui.widgets.flow import FlowLayout
from app.ui.widgets.labels import label
from app.ui.widgets.section import Section


class LastAnswerSection(Section):
    """Statistics, and the seed that repeats the answer.

    Signals:
        seed_wanted: Use this seed from now on (an int over 2**31 does not fit a Qt int, hence an object).
    """

    seed_wanted = Signal(object)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, parent)
        self.set_title(self.tr("Last answer"))
        self._seed_value: int | None = None
        self.figures = AnswerFigures(theme)
        self._seed = label("", "soft")
        self._keep = QPushButton(self.tr("Use this seed"))
        self._keep.clicked.connect(lambda _checked=False: self.seed_wanted.emit(self._seed_value))
        self._nothing = label(self.tr("No answer yet."), "soft", wrap=True)
        row = FlowLayout()
        row.addWidget(self._seed)
        row.addWidget(self._keep)
        self.body.addWidget(self._nothing)
        self.body.addWidget(self.figures)
        self.body.addLayout(row)
        self.show_message(None)

    def set_theme(self, theme: Theme) -> None:
        super().set_theme(theme)
        self.figures.set_theme(theme)

    def show_message(self, message: Message | None) -> None:
        """Show the numbers of this answer."""
        stats = message.stats if message is not None else None
        self.figures.show_answer(stats, message.speculation if message is not None else None)
        self.figures.setVisible(stats is not None)
        self._nothing.setVisible(stats is None)
        self._seed_value = message.seed if message is not None else None
        known = self._seed_value is not None
        self._seed.setText(self.tr("seed {0}").format(self._seed_value) if known else "")
        self._seed.setVisible(known)
        self._keep.setVisible(known)
