"""What is to be compared: a question, drafters, how often."""

from collections.abc import Callable

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QCheckBox, QFrame, QHBoxLayout, QPlainTextEdit, QVBoxLayout, QWidget

from app.protocol.messages import Turn
from app.protocol.options import DrafterName
from app.ui.models_page.buttons import button
from app.ui.names import drafter_name
from app.ui.theme import GRID
from app.ui.widgets.flow import FlowLayout
from app.ui.widgets.labels import label
from app.ui.widgets.number_field import NumberField

CHOICES: tuple[DrafterName, ...] = ("ngram", "draft_model", "mixed", "heads")
_PROMPT_HEIGHT = 76


class SetupCard(QFrame):
    """Signals:
    start_wanted, stop_wanted: The button.
    """

    start_wanted = Signal()
    stop_wanted = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("ground", "card")
        self._turns: tuple[Turn, ...] = ()
        self._busy = False
        self.prompt = QPlainTextEdit()
        self.prompt.setPlaceholderText(self.tr("A question to be answered with and without speculation"))
        self.prompt.setAccessibleName(self.tr("Question"))
        self.prompt.setTabChangesFocus(True)
        self.prompt.setFixedHeight(_PROMPT_HEIGHT)
        self.prompt.textChanged.connect(self._on_typed)
        self._context = label("", "small", wrap=True)
        self.arms: dict[DrafterName, QCheckBox] = {}
        choices = FlowLayout()
        for drafter in CHOICES:
            self.arms[drafter] = box = QCheckBox(drafter_name(drafter))
            choices.addWidget(box)
        self._why = label("", "small", wrap=True)
        self.repeats = NumberField(self.tr("Answers of each side"), 1, 20)
        self.repeats.setValue(3)
        self.tokens = NumberField(
            self.tr("Tokens of an answer at most"), 0, 100_000, step=64, special=(0.0, self.tr("no limit"))
        )
        self.tokens.setValue(256)
        self.start = button(self.tr("Compare"), self._on_button, "primary")
        self._build(choices)
        self.show_context(())

    def _build(self, choices: FlowLayout) -> None:
        numbers = FlowLayout()
        for words, field in (
            (self.tr("Answers of each side"), self.repeats),
            (self.tr("Tokens at most"), self.tokens),
        ):
            field.setFixedWidth(92)
            pair = QWidget()
            row = QHBoxLayout(pair)
            row.setContentsMargins(0, 0, 2 * GRID, 0)
            row.setSpacing(GRID)
            caption = label(words, "soft")
            caption.setBuddy(field)
            row.addWidget(caption)
            row.addWidget(field)
            numbers.addWidget(pair)
        numbers.addWidget(self.start)
        column = QVBoxLayout(self)
        column.setContentsMargins(2 * GRID, 2 * GRID, 2 * GRID, 2 * GRID)
        column.setSpacing(GRID)
        column.addWidget(self.prompt)
        column.addWidget(self._context)
        column.addWidget(label(self.tr("Plain decoding against"), "soft"))
        column.addLayout(choices)
        column.addWidget(self._why)
        column.addLayout(numbers)

    @property
    def turns(self) -> tuple[Turn, ...]:
        """What the model is asked: the question alone, or in the context it came from while it is unchanged."""
        return self._turns or (Turn(role="user", content=self.prompt.toPlainText()),)

    @property
    def is_as_offered(self) -> bool:
        """Is the question the one that was given with `show_context`?"""
        return bool(self._turns)

    @property
    def chosen(self) -> tuple[DrafterName, ...]:
        """The drafters to compare with."""
        return tuple(name for name, box in self.arms.items() if box.isChecked() and box.isEnabled())

    def choose(self, drafters: tuple[str, ...]) -> None:
        """Tick these and no others."""
        for name, box in self.arms.items():
            box.setChecked(name in drafters)

    def show_context(self, turns: tuple[Turn, ...]) -> None:
        """Ask the last of these in the context of the others; nothing for an own question."""
        self._turns = ()
        if turns:
            self.prompt.setPlainText(turns[-1].content)
            self._turns = turns
        words = self.tr("In its context: {0} earlier messages. A changed question is asked alone.")
        self._context.setText(words.format(len(turns) - 1))
        self._context.setVisible(len(turns) > 1)

    def show_reasons(self, why_not: Callable[[DrafterName], str]) -> None:
        """Which drafters cannot be used, and why."""
        reasons = []
        for name, box in self.arms.items():
            reason = why_not(name)
            box.setEnabled(not reason)
            box.setToolTip(reason)
            box.setAccessibleDescription(reason)
            if reason and reason not in reasons:
                reasons.append(reason)
        self._why.setText(" ".join(reasons))
        self._why.setVisible(bool(reasons))

    def show_busy(self, *, busy: bool, stopping: bool = False) -> None:
        """The button stops what it started."""
        self._busy = busy
        self.start.setText(self.tr("Stop") if busy else self.tr("Compare"))
        self.start.setEnabled(not stopping)
        for widget in (self.prompt, self.repeats, self.tokens):
            widget.setEnabled(not busy)

    def _on_typed(self) -> None:
        if self._turns and self.prompt.toPlainText() != self._turns[-1].content:
            self._turns = ()
            self._context.hide()

    def _on_button(self) -> None:
        (self.stop_wanted if self._busy else self.start_wanted).emit()
