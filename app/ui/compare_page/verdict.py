"""What a comparison found: a sentence, the figures of every side, and what can be done with it."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QComboBox, QFrame, QGridLayout, QHBoxLayout, QVBoxLayout, QWidget

from app.comparison.result import Comparison, Side
from app.comparison.words import speed_sentence, text_sentence
from app.ui import figures
from app.ui.models_page.buttons import button
from app.ui.models_page.style import restyle
from app.ui.names import drafter_name
from app.ui.theme import GRID
from app.ui.widgets.flow import FlowLayout
from app.ui.widgets.labels import label

_LEAST_SAVED_S = 0.05


class VerdictCard(QFrame):
    """Signals:
    side_chosen: The race is to show another side.
    prove_wanted, replay_wanted, again_wanted, export_wanted, remove_wanted: A button.
    """

    side_chosen = Signal()
    prove_wanted = Signal()
    replay_wanted = Signal()
    again_wanted = Signal()
    export_wanted = Signal()
    remove_wanted = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("ground", "card")
        self.comparison: Comparison | None = None
        self.sides = QComboBox()
        self.sides.setAccessibleName(self.tr("Side of the race"))
        self.sides.currentIndexChanged.connect(self._on_side)
        self.headline = label("", "strong", wrap=True)
        self.chip = label("", "chip")
        self.sentence = label("", "soft", wrap=True)
        self.proof = label("", "soft", wrap=True)
        self._table = QGridLayout()
        self._table.setHorizontalSpacing(2 * GRID)
        self._table.setVerticalSpacing(3)
        self.cells: dict[tuple[str, int], str] = {}
        self.prove = button(self.tr("Prove it"), self.prove_wanted.emit)
        self.prove.setToolTip(self.tr("Asks again with all passes in one shape: there the texts have to be identical"))
        self.replay = button(self.tr("Replay the race"), self.replay_wanted.emit)
        self.again = button(self.tr("Compare again"), self.again_wanted.emit)
        self.export = button(self.tr("Export…"), self.export_wanted.emit)
        self.remove = button(self.tr("Delete"), self.remove_wanted.emit, "quiet")
        self._build()

    def _build(self) -> None:
        top = QHBoxLayout()
        top.setSpacing(GRID)
        top.addWidget(self.headline, 1)
        top.addWidget(self.chip, 0, Qt.AlignmentFlag.AlignTop)
        buttons = FlowLayout()
        for widget in (self.prove, self.replay, self.again, self.export, self.remove):
            buttons.addWidget(widget)
        column = QVBoxLayout(self)
        column.setContentsMargins(2 * GRID, 2 * GRID, 2 * GRID, 2 * GRID)
        column.setSpacing(GRID)
        column.addWidget(self.sides)
        column.addLayout(top)
        column.addWidget(self.sentence)
        column.addWidget(self.proof)
        column.addLayout(self._table)
        column.addLayout(buttons)

    @property
    def side(self) -> Side:
        """The side with speculation that is shown."""
        assert self.comparison is not None  # the card is hidden before the first one
        return self.comparison.others[max(self.sides.currentIndex(), 0)]

    def show_comparison(self, comparison: Comparison) -> None:
        """Show this one, and of its sides the best."""
        same = self.comparison is not None and self.comparison.id == comparison.id
        index = self.sides.currentIndex() if same else comparison.others.index(comparison.best)
        self.comparison = comparison
        self.sides.blockSignals(True)
        self.sides.clear()
        self.sides.addItems([_short_name(comparison, place) for place in range(1, len(comparison.sides))])
        self.sides.setCurrentIndex(index)
        self.sides.blockSignals(False)
        self.sides.setVisible(len(comparison.others) > 1)
        # Servers cannot bring their passes into one shape.
        self.prove.setVisible(not comparison.sides[-1].by_character)
        self._fill_table(comparison)
        self._describe()

    def show_busy(self, *, busy: bool) -> None:
        for widget in (self.prove, self.replay, self.again, self.remove):
            widget.setEnabled(not busy)

    def _on_side(self) -> None:
        self._describe()
        self.side_chosen.emit()

    def _describe(self) -> None:
        comparison, side = self.comparison, self.side
        assert comparison is not None  # see `side`
        spread = comparison.gain(side)
        words = speed_sentence(comparison, side)
        if spread is not None:
            span = self.tr("(from {0} to {1})").format(f"{spread.low:.2f}", f"{spread.high:.2f}")
            words = f"{words} {span}"
        self.headline.setText(words)
        same = side.parts_at is None
        self.chip.setText(self.tr("same text, token for token") if same else self.tr("texts part"))
        restyle(self.chip, "chip", "good" if same else "warn")
        lines = [self._waiting(comparison.plain.wait_s - side.wait_s)]
        if not same:
            lines.append(text_sentence(comparison, side))
        if side.why:
            lines.append(side.why)
        self.sentence.setText("\n".join(filter(None, lines)))
        self.sentence.setVisible(bool(self.sentence.text()))
        self._describe_proof(comparison)

    def _waiting(self, saved_s: float) -> str:
        if saved_s >= _LEAST_SAVED_S:
            return self.tr("You waited {0} less.").format(figures.duration(1000 * saved_s))
        if saved_s <= -_LEAST_SAVED_S:
            return self.tr("You waited {0} longer.").format(figures.duration(-1000 * saved_s))
        return ""

    def _describe_proof(self, comparison: Comparison) -> None:
        parted = [at for at in comparison.proof if at >= 0]
        if not comparison.proof:
            words = ""
        elif parted:
            text = self.tr("Proof failed: in one shape the texts differ from token {0} on. Please report this.")
            words = text.format(min(parted))
        else:
            words = self.tr("Proven: with all passes in one shape, the texts are identical, token for token.")
        self.proof.setText(words)
        self.proof.setVisible(bool(words))

    def _fill_table(self, comparison: Comparison) -> None:
        while (item := self._table.takeAt(0)) is not None:
            if (old := item.widget()) is not None:
                old.hide()
                old.deleteLater()
        self.cells = {}
        for place in range(len(comparison.sides)):
            heading = label(_short_name(comparison, place), "small", wrap=True)
            self._table.addWidget(heading, 0, place + 1)
            self._table.setColumnStretch(place + 1, 1)
        for row, (name, words) in enumerate(self._names(), 1):
            self._table.addWidget(label(words, "soft", wrap=True), row, 0)
            for place, side in enumerate(comparison.sides):
                text = _figures(comparison, side)[name]
                self.cells[name, place] = text
                self._table.addWidget(label(text, "strong" if name in ("speed", "gain") else ""), row, place + 1)
        self._table.setColumnStretch(0, 1)
        # A word is not broken: the column is as wide as the longest.
        every = [word for _, words in self._names() for word in words.split()]
        self._table.setColumnMinimumWidth(0, max(map(self.fontMetrics().horizontalAdvance, every)) + GRID)

    def _names(self) -> tuple[tuple[str, str], ...]:
        return (
            ("first", self.tr("First token")),
            ("speed", self.tr("Speed")),
            ("wait", self.tr("Total wait")),
            ("gain", self.tr("Measured gain")),
            ("range", self.tr("Its range")),
            ("per_pass", self.tr("Tokens per pass")),
            ("accepted", self.tr("Accepted")),
            ("identical", self.tr("Identical answers")),
        )


def _short_name(comparison: Comparison, place: int) -> str:
    plan = comparison.plan
    return plan.places[place].name if plan.places else drafter_name(comparison.sides[place].drafter)


def _figures(comparison: Comparison, side: Side) -> dict[str, str]:
    is_plain = side is comparison.plain
    spread = None if is_plain else comparison.gain(side)
    return {
        "first": figures.duration(side.ttft_ms),
        "speed": figures.per_second(side.speed),
        "wait": figures.duration(1000 * side.wait_s),
        "gain": f"{spread.median:.2f}\N{MULTIPLICATION SIGN}" if spread else figures.UNKNOWN,
        "range": f"{spread.low:.2f} \N{EN DASH} {spread.high:.2f}" if spread else figures.UNKNOWN,
        "per_pass": figures.ratio(side.stats.tokens_per_pass),
        "accepted": figures.share(side.stats.acceptance_rate),
        "identical": figures.UNKNOWN if is_plain else f"{side.identical} / {len(side.samples)}",
    }
