"""Two answers side by side: while they are made, and again as a race that is said to be a replay."""

import bisect
import time
from collections.abc import Callable

from PySide6.QtCore import QCoreApplication, QTimer
from PySide6.QtGui import QHideEvent
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from app.bridge.compare_desk import Standing
from app.comparison.result import Comparison, Side
from app.comparison.run import Plan
from app.ui import figures
from app.ui.compare_page.lane import Lane
from app.ui.names import drafter_name
from app.ui.theme import GRID
from app.ui.widgets.labels import label

_TICK_MS = 33
_LONGEST_S = 12.0
"""A replay that would take longer runs faster than the answers did, and says so."""


class Race(QWidget):
    """Plain decoding on the left, an arm with speculation on the right."""

    def __init__(self, clock: Callable[[], float] = time.perf_counter, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._clock = clock
        self.plain, self.other = Lane(), Lane()
        self.note = label("", "small", wrap=True)
        self._sides: tuple[Side, Side] | None = None
        self._factor = 1.0
        self._began = 0.0
        self._timer = QTimer(self)
        self._timer.setObjectName("race")
        self._timer.setInterval(_TICK_MS)
        self._timer.timeout.connect(self._tick)
        lanes = QHBoxLayout()
        lanes.setSpacing(2 * GRID)
        lanes.addWidget(self.plain, 1)
        lanes.addWidget(self.other, 1)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(GRID)
        column.addLayout(lanes)
        column.addWidget(self.note)

    @property
    def is_running(self) -> bool:
        return self._timer.isActive()

    def show_standing(self, standing: Standing) -> None:
        """What there is while the answers are made."""
        self._timer.stop()
        self._sides = None
        arms = standing.plan.arms
        shown = standing.arm or next((n for n in range(1, len(arms)) if standing.texts[n]), 1)
        for lane, arm in ((self.plain, 0), (self.other, shown)):
            lane.show_name(arm_name(standing.plan, arm))
            lane.show_clock(None)
            lane.show_text(standing.texts[arm])
            lane.show_numbers(self.tr("answering now…") if standing.arm == arm else "")
            lane.show_first(standing.arm == arm)
        self.note.setText(self.tr("One answer after the other: two at a time would slow each other down."))

    def show_end(self, comparison: Comparison, side: Side) -> None:
        """Both answers, complete."""
        self._take(comparison, side)
        self._finish()

    def replay(self, comparison: Comparison, side: Side) -> None:
        """Both answers at once, each with the clock it had."""
        self._take(comparison, side)
        longest = max(one.samples[0].wait_s for one in (comparison.plain, side))
        self._factor = max(1.0, longest / _LONGEST_S)
        words = self.tr("A replay: the two answers were made one after the other, and run here side by side.")
        if self._factor > 1:
            faster = self.tr("It runs {0} times as fast as they did; the clocks show their own time.")
            words = f"{words} {faster.format(f'{self._factor:.1f}')}"
        self.note.setText(words)
        for lane in (self.plain, self.other):
            lane.show_text("")
            lane.show_numbers("")
            lane.show_first(False)
        self._began = self._clock()
        self._timer.start()
        self._tick()

    def _take(self, comparison: Comparison, side: Side) -> None:
        self._timer.stop()
        self._sides = (comparison.plain, side)
        self.plain.show_name(arm_name(comparison.plan, 0))
        self.other.show_name(arm_name(comparison.plan, comparison.sides.index(side)))
        self.note.setText(self.tr("The first answer of each side."))

    def _tick(self) -> None:
        if self._sides is None:
            return
        elapsed = (self._clock() - self._began) * self._factor
        for lane, side in zip((self.plain, self.other), self._sides, strict=True):
            wait = side.samples[0].wait_s
            lane.show_clock(min(elapsed, wait))
            lane.show_text(_text_at(side, elapsed))
            if elapsed >= wait:
                lane.show_numbers(_numbers(side))
        if elapsed >= max(side.samples[0].wait_s for side in self._sides):
            self._finish()

    def _finish(self) -> None:
        self._timer.stop()
        if self._sides is None:
            return
        first = min(self._sides, key=lambda side: side.samples[0].wait_s)
        for lane, side in zip((self.plain, self.other), self._sides, strict=True):
            lane.show_clock(side.samples[0].wait_s)
            lane.show_text(side.text)
            lane.show_numbers(_numbers(side))
            lane.show_first(side is first)

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        if self.is_running:
            self._finish()


def _text_at(side: Side, seconds: float) -> str:
    if seconds >= side.samples[0].wait_s:
        return side.text
    place = bisect.bisect_right(side.times_ms, seconds * 1000)
    return side.text[: side.characters[place - 1]] if place else ""


def arm_name(plan: Plan, arm: int) -> str:
    """What an arm is called: its model where models are compared, else its drafter."""
    return plan.places[arm].name if plan.places else side_name(plan.arms[arm].drafter)


def side_name(drafter: str) -> str:
    """What a side is called."""
    translate = QCoreApplication.translate
    if drafter == "off":
        return translate("compare", "Speculation off")
    return translate("compare", "Speculation on: {0}").format(drafter_name(drafter))


def _numbers(side: Side) -> str:
    sample = side.samples[0]
    translate = QCoreApplication.translate
    words = (
        figures.per_second(sample.speed),
        translate("compare", "first token {0}").format(figures.duration(sample.ttft_ms)),
        translate("compare", "{0} tokens").format(figures.count(sample.tokens)),
    )
    return " \N{MIDDLE DOT} ".join(words)
