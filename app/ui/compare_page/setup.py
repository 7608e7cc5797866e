"""What is to be compared: a question, drafters, how often."""

from collections.abc import Callable

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QCheckBox, QComboBox, QFrame, QHBoxLayout, QPlainTextEdit, QVBoxLayout, QWidget

from app.comparison.run import Place
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
        self._places: list[Place] = []
        self.other = QComboBox()
        self.other.setAccessibleName(self.tr("Compare with"))
        self.other.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.other.setMinimumContentsLength(20)
        self.other.currentIndexChanged.connect(lambda _index: self._show_arms())
        self._caption = label(self.tr("Plain decoding against"), "soft")
        self._choices = QWidget()
        self._choices.setLayout(choices)
        self.repeats = NumberField(self.tr("Answers of each side"), 1, 20)
        self.repeats.setValue(3)
        self.tokens = NumberField(
            self.tr("Tokens of an answer at most"), 0, 100_000, step=64, special=(0.0, self.tr("no limit"))
        )
        self.tokens.setValue(256)
        self.start = button(self.tr("Compare"), self._on_button, "primary")
        self._build()
        self.show_context(())
        self.show_places([])

    def _build(self) -> None:
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
        column.addWidget(self.other)
        column.addWidget(self._caption)
        column.addWidget(self._choices)
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
        earlier = sum(turn.role != "system" for turn in turns[:-1])
        self._context.setText(words.format(earlier))
        self._context.setVisible(earlier > 0)

    @property
    def against(self) -> Place | None:
        """The model to compare the loaded one with, None to compare drafters."""
        place = self.other.currentIndex() - 1
        return self._places[place] if 0 <= place < len(self._places) else None

    def show_places(self, places: list[Place]) -> None:
        """Models on servers that can be compared with; the chosen one stays."""
        chosen = self.against
        self._places = places
        self.other.blockSignals(True)
        self.other.clear()
        self.other.addItem(self.tr("The loaded model with itself, by drafter"))
        self.other.addItems([self.tr("The loaded model with {0}").format(place.name) for place in places])
        self.other.setCurrentIndex(places.index(chosen) + 1 if chosen in places else 0)
        self.other.blockSignals(False)
        self.other.setVisible(bool(places))
        self._show_arms()

    def _show_arms(self) -> None:
        by_drafter = self.against is None
        self._caption.setVisible(by_drafter)
        self._choices.setVisible(by_drafter)
        self._why.setVisible(by_drafter and bool(self._why.text()))

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
        self._show_arms()

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
