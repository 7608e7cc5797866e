"""The section of the side panel that shapes the target's choice."""

from dataclasses import replace
from typing import Any

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from app.protocol.messages import Loaded
from app.protocol.options import MAX_SEED, SamplingOptions
from app.ui.theme import Theme
from app.ui.widgets.labels import label
from app.ui.widgets.number_field import NumberField
from app.ui.widgets.section import Rows, Section, wide_button

_WHOLE = ("top_k", "seed")


class SamplingSection(Section):
    """Temperature and the other settings of the choice.

    Signals:
        changed: The new `SamplingOptions`.
    """

    changed = Signal(object)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, parent)
        self.set_title(self.tr("Sampling"))
        self._options = SamplingOptions()
        off, random = self.tr("off"), self.tr("random")
        self.numbers: dict[str, NumberField] = {}
        self._captions: dict[str, str] = {}
        self._tips: dict[str, str] = {}
        self._ignored = label("", "warning", wrap=True)
        self._ignored.hide()
        rows = Rows()
        for name, words, tip, low, high, step, decimals, special in (
            (
                "temperature",
                self.tr("Temperature"),
                self.tr("0 always takes the most likely token."),
                0,
                5,
                0.1,
                2,
                None,
            ),
            ("top_k", self.tr("Top-k"), self.tr("Only the k most likely tokens."), 0, 100_000, 10, 0, (0, off)),
            ("top_p", self.tr("Top-p"), self.tr("Only the likeliest tokens that share p."), 0.01, 1, 0.05, 2, (1, off)),
            ("min_p", self.tr("Min-p"), self.tr("Only tokens with p times the best."), 0, 1, 0.01, 2, (0, off)),
            ("repeat_penalty", self.tr("Repeat penalty"), self.tr("Tokens said already."), 0.5, 3, 0.05, 2, (1, off)),
            (
                "presence_penalty",
                self.tr("Presence penalty"),
                self.tr("Once for a token said."),
                -2,
                2,
                0.1,
                2,
                (0, off),
            ),
            (
                "frequency_penalty",
                self.tr("Frequency penalty"),
                self.tr("For each time it was said."),
                -2,
                2,
                0.1,
                2,
                (0, off),
            ),
            ("seed", self.tr("Seed"), self.tr("The same seed gives the same text."), -1, MAX_SEED, 1, 0, (-1, random)),
        ):
            number = NumberField(words, low, high, step=step, decimals=decimals, special=special)
            number.valueChanged.connect(lambda value, field=name: self._on_value(field, value))
            rows.add(words, number, tip)
            self.numbers[name] = number
            self._captions[name], self._tips[name] = words, tip
        self.body.addLayout(rows)
        self.body.addWidget(self._ignored)
        self.reset = wide_button(self.tr("Reset to defaults"))
        self.reset.clicked.connect(lambda _checked=False: self._apply(SamplingOptions()))
        self.body.addWidget(self.reset)
        self.set_options(self._options)

    @property
    def options(self) -> SamplingOptions:
        return self._options

    def show_loaded(self, loaded: Loaded | None) -> None:
        """Mark the settings that have no effect with this model."""
        ignored = loaded.server.sampling if loaded is not None and loaded.server is not None else {}
        marks = [self._captions[name] for name in ignored if name in self._captions]
        for name, number in self.numbers.items():
            reason = ignored.get(name, "")
            number.setEnabled(not reason)
            number.setToolTip(reason or self._tips[name])
            number.setAccessibleDescription(reason or self._tips[name])
        self._ignored.setText(self.tr("Without effect on this server: {0}").format(", ".join(marks)) if marks else "")
        self._ignored.setToolTip("\n".join(dict.fromkeys(ignored.values())))
        self._ignored.setVisible(bool(marks))

    def set_options(self, options: SamplingOptions) -> None:
        """Show these options; nothing is emitted."""
        self._options = options
        for name, number in self.numbers.items():
            value = getattr(options, name)
            number.blockSignals(True)
            number.setValue(-1 if value is None else value)
            number.blockSignals(False)
        self.reset.setEnabled(options != SamplingOptions())

    def _on_value(self, name: str, value: float) -> None:
        change: dict[str, Any] = {name: round(value) if name in _WHOLE else round(value, 2)}
        if name == "seed" and value < 0:
            change = {name: None}
        self._apply(replace(self._options, **change))

    def _apply(self, options: SamplingOptions) -> None:
        if options != self._options:
            self.set_options(options)
            self.changed.emit(options)
