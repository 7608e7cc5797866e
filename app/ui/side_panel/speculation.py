"""The section of the side panel that says how tokens are proposed."""

from dataclasses import replace
from typing import cast

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPushButton, QSlider, QToolButton, QVBoxLayout, QWidget

from app.protocol.messages import Loaded
from app.protocol.options import MAX_LOOKAHEAD, DrafterName, SpeculationOptions
from app.protocol.servers import ServerFacts
from app.protocol.stats import SpeculationState
from app.ui import figures, icons
from app.ui.names import drafter_name
from app.ui.side_panel.server_speculation import ServerSpeculation
from app.ui.theme import GRID, Theme
from app.ui.widgets.labels import ElidedLabel, label
from app.ui.widgets.number_field import NumberField
from app.ui.widgets.reason_combo import ReasonCombo
from app.ui.widgets.section import Rows, Section
from app.ui.widgets.toggle import Toggle

_CHOICES: tuple[DrafterName, ...] = ("mixed", "draft_model", "ngram", "heads")


class _Slider(QSlider):
    def wheelEvent(self, event: QWheelEvent) -> None:
        event.ignore()  # the panel scrolls


class SpeculationSection(Section):
    """On/off, drafter, draft model, lookahead, confidence.

    Signals:
        changed: The new `SpeculationOptions`.
        draft_wanted: Ask for the file of a draft model.
        draft_cleared: Go on without a draft model.
    """

    changed = Signal(object)
    draft_wanted = Signal()
    draft_cleared = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, parent)
        self.set_title(self.tr("Speculation"))
        self._options = SpeculationOptions(drafter="mixed")
        self._last_drafter: DrafterName = "mixed"
        self._last_lookahead = 4
        self._facts: tuple[str, ...] = ()
        self._gain: float | None = None
        self.toggle = Toggle(theme, self.tr("Speculation"))
        self.toggle.clicked.connect(self._on_toggle)
        self.heading.addWidget(self.toggle)

        self._server: ServerFacts | None = None
        self.remote = ServerSpeculation()
        self.remote.hide()
        self._local = QWidget()
        column = QVBoxLayout(self._local)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(self.body.spacing())
        self.body.addWidget(self.remote)
        self.body.addWidget(self._local)
        self.drafter = ReasonCombo(theme, self.tr("Drafter"))
        self.drafter.chosen.connect(self._on_drafter)
        self._reason = label("", "warning", wrap=True)
        column.addWidget(label(self.tr("Drafter"), "soft"))
        column.addWidget(self.drafter)
        column.addWidget(self._reason)

        column.addWidget(label(self.tr("Draft model"), "soft"))
        column.addWidget(self._build_draft(theme))

        self.auto = Toggle(theme, self.tr("Automatic lookahead"))
        self.auto.clicked.connect(self._on_auto)
        self.slider = _Slider(Qt.Orientation.Horizontal)
        self.slider.setRange(1, MAX_LOOKAHEAD)
        self.slider.setAccessibleName(self.tr("Lookahead"))
        self.slider.valueChanged.connect(self._on_lookahead)
        self.lookahead = NumberField(self.tr("Lookahead in tokens"), 1, MAX_LOOKAHEAD)
        self.lookahead.setFixedWidth(64)
        self.lookahead.valueChanged.connect(self._on_lookahead)
        self.confidence = NumberField(
            self.tr("Minimum confidence"), 0, 1, step=0.05, decimals=2, special=(0.0, self.tr("off"))
        )
        self.confidence.valueChanged.connect(self._on_confidence)
        rows = Rows()
        self._auto_words = rows.add(
            self.tr("Automatic lookahead"),
            self.auto,
            self.tr("How many tokens are proposed in a round is found by measuring."),
        )
        column.addLayout(rows)
        fixed = QHBoxLayout()
        fixed.setSpacing(GRID)
        fixed.addWidget(self.slider, 1)
        fixed.addWidget(self.lookahead)
        column.addLayout(fixed)
        self._now = label("", "small", wrap=True)
        column.addWidget(self._now)
        more = Rows()
        more.add(
            self.tr("Minimum confidence"),
            self.confidence,
            self.tr("The draft model stops before a token it gives less probability than this."),
        )
        column.addLayout(more)
        self.show_loaded(None)
        self.set_options(self._options)
        self.show_state(None)

    def _build_draft(self, theme: Theme) -> QWidget:
        card = QFrame()
        card.setProperty("ground", "card")
        self._draft_name = ElidedLabel()
        self._draft_facts = label("", "small", wrap=True)
        self.choose = QPushButton(self.tr("Choose…"))
        self.choose.setAccessibleName(self.tr("Choose a draft model"))
        self.choose.clicked.connect(lambda _checked=False: self.draft_wanted.emit())
        self.clear = QToolButton()
        self.clear.setProperty("kind", "quiet")
        self.clear.setProperty("shape", "icon")
        self.clear.setIconSize(QSize(16, 16))
        self.clear.setAccessibleName(self.tr("Use no draft model"))
        self.clear.setToolTip(self.tr("Use no draft model"))
        self.clear.clicked.connect(lambda _checked=False: self.draft_cleared.emit())
        self.clear.setIcon(icons.icon("cross", theme.ink, theme.pencil))
        words = QVBoxLayout()
        words.setSpacing(2)
        words.addWidget(self._draft_name)
        words.addWidget(self._draft_facts)
        row = QHBoxLayout()
        row.setSpacing(GRID // 2)
        row.addWidget(self.choose)
        row.addStretch()
        row.addWidget(self.clear)
        layout = QVBoxLayout(card)
        layout.setContentsMargins(GRID + 4, GRID, GRID, GRID)
        layout.addLayout(words)
        layout.addLayout(row)
        return card

    def set_theme(self, theme: Theme) -> None:
        super().set_theme(theme)
        self.toggle.set_theme(theme)
        self.auto.set_theme(theme)
        self.drafter.set_theme(theme)
        self.clear.setIcon(icons.icon("cross", theme.ink, theme.pencil))

    @property
    def options(self) -> SpeculationOptions:
        return self._options

    def set_options(self, options: SpeculationOptions) -> None:
        """Show these options; nothing is emitted."""
        self._options = options
        if options.drafter != "off":
            self._last_drafter = options.drafter
        if options.lookahead != "auto":
            self._last_lookahead = options.lookahead
        self._show()

    def show_loaded(self, loaded: Loaded | None) -> None:
        """Name the draft model, and say which drafters cannot be used with these models."""
        self._server = loaded.server if loaded is not None else None
        self.remote.setVisible(self._server is not None)
        self._local.setVisible(self._server is None)
        if self._server is not None:
            self.remote.show_server(self._server)
        why_not = loaded.why_not if loaded is not None else {}
        self.drafter.set_items([(name, drafter_name(name, loaded), why_not.get(name, "")) for name in _CHOICES])
        self.drafter.set_key(self._last_drafter)
        draft = loaded.draft if loaded is not None else None
        self.clear.setEnabled(draft is not None)
        self._facts = ()
        if draft is None:
            self._draft_name.setText(self.tr("None chosen"))
            self._draft_facts.setText(self.tr("A small model of the same family makes answers faster."))
        else:
            self._draft_name.setText(draft.name or draft.path)
            facts = [draft.quantisation, figures.parameters(draft.parameters)]
            if loaded is not None and draft.parameters > 0 and loaded.target.parameters > 0:
                times = max(round(loaded.target.parameters / draft.parameters), 1)
                facts.append(self.tr("1/{0} of the target").format(times))
            self._facts = tuple(fact for fact in facts if fact)
            self._write_facts()
            self._draft_name.setToolTip(draft.path)
        self._show()

    def show_gain(self, gain: float | None) -> None:
        """What a comparison measured with the loaded target and draft model, None if none did."""
        self._gain = gain
        self._write_facts()

    def _write_facts(self) -> None:
        if not self._facts:
            return
        gain = (self.tr("{0} measured").format(figures.times(self._gain)),) if self._gain is not None else ()
        self._draft_facts.setText(" \N{MIDDLE DOT} ".join((*self._facts, *gain)))

    def show_state(self, state: SpeculationState | None) -> None:
        """Say which lookahead is at work right now."""
        used = state.lookahead if state is not None else 0
        self._now.setText(self.tr("now {0} tokens").format(used) if used else "")
        self._now.setVisible(bool(used) and self._options.lookahead == "auto")

    def step_lookahead(self, by: int) -> None:
        """One token more or less; leaves "auto" for a number."""
        value = min(max(self._last_lookahead + by, 1), MAX_LOOKAHEAD)
        self._apply(replace(self._options, lookahead=value))

    def switch(self) -> None:
        """Turn speculation on or off, where that is possible."""
        if not self.toggle.isEnabled():
            return
        self._on_toggle(not self.toggle.isChecked())

    def _show(self) -> None:
        options = self._options
        on, auto = options.drafter != "off", options.lookahead == "auto"
        for widget in (self.drafter, self.slider, self.lookahead, self.confidence):
            widget.blockSignals(True)
        server = self._server
        fixed = server is not None and not server.can_switch
        self.toggle.setChecked(server.speculation == "on" if server is not None and fixed else on)
        self.toggle.setEnabled(not fixed)
        self.toggle.setToolTip(self.tr("Set when the server starts") if fixed else "")
        self.drafter.set_key(self._last_drafter)
        self.auto.setChecked(auto)
        self.slider.setValue(self._last_lookahead)
        self.lookahead.setValue(self._last_lookahead)
        self.confidence.setValue(options.min_confidence)
        for widget in (self.drafter, self.slider, self.lookahead, self.confidence):
            widget.blockSignals(False)
        controls: tuple[QWidget, ...] = (self.drafter, self.auto, self.confidence)
        for control in controls:
            control.setEnabled(on)
        for control in (self.slider, self.lookahead):
            control.setEnabled(on and not auto)
        reason = self.drafter.reason() if on else ""
        self._reason.setText(reason)
        self._reason.setVisible(bool(reason))

    def _apply(self, options: SpeculationOptions) -> None:
        if options != self._options:
            self.set_options(options)
            self.changed.emit(options)

    def _on_toggle(self, on: bool) -> None:
        self._apply(replace(self._options, drafter=self._last_drafter if on else "off"))

    def _on_drafter(self, key: str) -> None:
        self._apply(replace(self._options, drafter=cast("DrafterName", key)))

    def _on_auto(self, on: bool) -> None:
        self._apply(replace(self._options, lookahead="auto" if on else self._last_lookahead))

    def _on_lookahead(self, value: float) -> None:
        self._apply(replace(self._options, lookahead=round(value)))

    def _on_confidence(self, value: float) -> None:
        self._apply(replace(self._options, min_confidence=round(value, 2)))
