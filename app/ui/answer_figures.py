"""The numbers of one answer: time split, kept tokens by position, and the rates."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QGridLayout, QLabel, QVBoxLayout, QWidget

from app.chat.remote_badge import origin_words
from app.protocol.stats import GenerationStats, SpeculationState
from app.ui import figures
from app.ui.theme import GRID, Theme
from app.ui.widgets.charts import PositionBars, Share, SplitBar, percent
from app.ui.widgets.labels import label


class AnswerFigures(QWidget):
    """Shows one answer's statistics; everything that is not known reads "-"."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._shares: tuple[Share, ...] = ()
        self._split = SplitBar(theme, self.tr("Where the time went"))
        self._split_words = label("", "small", wrap=True)
        self._split_words.setTextFormat(self._split_words.textFormat().RichText)
        self._places = PositionBars(theme, self.tr("Accepted by position"))
        self._values: dict[str, QLabel] = {}
        self._captions: dict[str, QLabel] = {}
        rows = QGridLayout()
        rows.setContentsMargins(0, 0, 0, 0)
        rows.setVerticalSpacing(3)
        rows.setColumnStretch(0, 1)
        for row, (name, words) in enumerate(self._names()):
            self._values[name] = label(figures.UNKNOWN, "strong")
            self._captions[name] = label(words, "soft", wrap=True)
            rows.addWidget(self._captions[name], row, 0)
            rows.addWidget(self._values[name], row, 1, Qt.AlignmentFlag.AlignRight)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(GRID // 2)
        layout.addWidget(self._split)
        layout.addWidget(self._split_words)
        layout.addSpacing(GRID // 2)
        layout.addWidget(self._places)
        layout.addLayout(rows)
        self.show_answer(None, None)

    def _names(self) -> tuple[tuple[str, str], ...]:
        return (
            ("accepted", self.tr("accepted of verified")),
            ("per_pass", self.tr("tokens per pass")),
            ("speed", self.tr("speed")),
            ("gain", self.tr("gain")),
            ("first", self.tr("first token after")),
            ("prompt", self.tr("prompt tokens")),
            ("cached", self.tr("of them from the cache")),
        )

    def value(self, name: str) -> str:
        """The text shown for one of: accepted, per_pass, speed, gain, first, prompt, cached."""
        return self._values[name].text()

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self._split.set_theme(theme)
        self._places.set_theme(theme)
        self._write_split()

    def show_answer(self, stats: GenerationStats | None, speculation: SpeculationState | None) -> None:
        """Show these numbers, or none."""
        known = stats or GenerationStats()
        self._shares = (
            Share(self.tr("draft"), known.draft_ms, "ink_draft"),
            Share(self.tr("check"), known.verify_ms, "accent"),
            Share(self.tr("choose"), known.sample_ms, "soft"),
            Share(self.tr("other"), known.other_ms, "rest"),
        )
        self._split.set_shares(self._shares)
        self._write_split()
        self._places.set_counts(known.accepted_by_position, known.verified_by_position)
        self._places.setVisible(bool(known.verified_by_position))
        gain = speculation.gain if speculation is not None else None
        kind = {"": "", "measured": self.tr("measured"), "estimated": self.tr("estimated")}[
            speculation.gain_kind if speculation is not None and gain is not None else ""
        ]
        accepted = f"{figures.count(known.accepted)} / {figures.count(known.checked)}"
        prompt = figures.count(known.prompt_tokens) if known.prompt_tokens else figures.UNKNOWN
        cached = figures.count(known.cached_tokens) if known.prompt_tokens else figures.UNKNOWN
        for name, figure, text in (
            ("accepted", "accepted", accepted if known.acceptance_rate is not None else figures.UNKNOWN),
            ("per_pass", "passes", figures.ratio(known.tokens_per_pass)),
            ("speed", "decode_ms", figures.per_second(known.speed)),
            ("gain", "gain", f"{figures.times(gain)} {kind}".rstrip()),
            ("first", "ttft", figures.duration(known.ttft_ms)),
            ("prompt", "prompt_tokens", prompt),
            ("cached", "cached_tokens", cached),
        ):
            unknown = known.unknown.get(figure, "")
            self._values[name].setText(figures.UNKNOWN if unknown else text)
            self._values[name].setToolTip(unknown or origin_words(known.origins.get(figure, "")))
        of_proposed = "verified" in known.unknown
        self._captions["accepted"].setText(
            self.tr("accepted of proposed") if of_proposed else self.tr("accepted of verified")
        )
        has_split = "split" not in known.unknown
        self._split.setVisible(has_split)
        self._split_words.setVisible(has_split)

    def _write_split(self) -> None:
        # Square and words: the colours are never the only key to the bar.
        words = [
            f'<span style="color:{getattr(self._theme, s.colour)}">\N{BLACK SQUARE}</span>&nbsp;'
            f"{s.label}&nbsp;{percent(s, self._shares).replace(' ', '&nbsp;')}"
            for s in self._shares
        ]
        self._split_words.setText(" &nbsp;".join(words))
