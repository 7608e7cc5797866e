"""Texts that break renderers: nothing is lost, the copy is exact, streamed in any cuts they look as when shown at once.

`OUTPACE_DRILL_ROUNDS` (default 1) says how many different ways of cutting are tried for each text.
"""

import os
import random
import re
import time
import zlib

import pytest
from PySide6.QtGui import QGuiApplication, QTextCursor
from PySide6.QtWidgets import QApplication

from app.chat.conversation import Message
from app.ui.transcript.formula import SOURCE
from app.ui.transcript.message_view import MessageView
from tests.helpers.nasty import corpus
from tests.helpers.transcript import Shown, answer

ROUNDS = int(os.environ.get("OUTPACE_DRILL_ROUNDS", "1"))
CUTS, LONG = 25, 100_000
LONGEST_HOLD_S = 20.0
"""A frozen window on any machine; how smooth it is, benchmarks/streaming.py and benchmarks/long_chat.py measure."""
PATIENCE_MS = 120_000
TEXTS = corpus()
NOT_SHOWN = {
    "links": {"title"},  # of a link; and what follows is a definition
    "fence with attributes": {"numberLines", "startFrom"},
    "entities": {"lt", "gt", "amp", "169", "nbsp", "x1F600"},
}
"""Words of the source that are markup."""


class Watched(Shown):
    """A message that notes how long its work ever held up the window."""

    def __init__(self, message: Message) -> None:
        self.longest = 0.0
        began = time.perf_counter()
        super().__init__(message)
        self.note(began)

    def note(self, began: float) -> None:
        self.longest = max(self.longest, time.perf_counter() - began)

    def update(self, message: Message) -> None:
        began = time.perf_counter()
        self.view.show_message(message)
        self.note(began)

    def finish(self, qtbot) -> None:
        """Until it is drawn, formulas too."""

        def done() -> bool:
            began = time.perf_counter()
            QApplication.processEvents()
            self.note(began)
            return self.slices.is_idle and not getattr(self.view._content, "awaited", None)

        qtbot.waitUntil(done, timeout=PATIENCE_MS)


def words_of(text: str) -> set[str]:
    return set(re.findall(r"[^\W_]{2,}", text))


def shown_words(view: MessageView) -> set[str]:
    """Words on the screen, in the addresses behind them, and in formulas."""
    document = view.body.document()
    found = [document.toPlainText()]
    block = document.begin()
    while block.isValid():
        part = block.begin()
        while not part.atEnd():
            form = part.fragment().charFormat()
            found += [form.anchorHref(), str(form.property(SOURCE) or "")]
            part += 1
        block = block.next()
    return words_of("\n".join(found))


@pytest.mark.slow
@pytest.mark.parametrize("name", TEXTS)
def test_nothing_is_lost_and_any_stream_looks_the_same(name: str, qtbot) -> None:
    text = TEXTS[name]
    whole = Watched(answer(text))
    qtbot.addWidget(whole)
    whole.finish(qtbot)

    missing = words_of(text) - shown_words(whole.view) - NOT_SHOWN.get(name, set())
    assert not missing, sorted(missing)[:20]
    whole.view.copy_message()
    assert QGuiApplication.clipboard().text() == text
    assert not whole.view.grab().isNull()

    for turn in range(ROUNDS):
        chance = random.Random(zlib.crc32(name.encode()) + turn)
        streamed = Watched(answer("", status="streaming"))
        qtbot.addWidget(streamed)
        cuts = CUTS if len(text) < LONG else 3
        for end in sorted(chance.randrange(len(text) + 1) for _ in range(cuts)):
            streamed.update(answer(text[:end], status="streaming"))
            QApplication.processEvents()
        streamed.update(answer(text))
        streamed.finish(qtbot)
        assert streamed.view._content._writer.items == whole.view._content._writer.items
        assert streamed.text == whole.text
        assert streamed.longest < LONGEST_HOLD_S
    assert whole.longest < LONGEST_HOLD_S


def test_a_selection_over_everything_never_fails(qtbot) -> None:
    shown = Watched(answer("\n\n".join(text for text in TEXTS.values() if len(text) < 3000)))
    qtbot.addWidget(shown)
    shown.finish(qtbot)
    shown.view.body.selectAll()
    cursor: QTextCursor = shown.view.body.textCursor()
    assert cursor.hasSelection()
    shown.view.body.copy()
    assert QGuiApplication.clipboard().text()
