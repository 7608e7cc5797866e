"""Is the window's event loop ever held up while an answer streams in at 200 tokens a second?

Streams an answer into the real conversation area, below a long conversation, the way the window does it:
`update_message` about 30 times a second. A timer that should fire every millisecond tells how long the event loop was
held up; "busy" is the processor time in it, which does not grow when other programs use the machine.

    python benchmarks/streaming.py                  the real thing, 40 s
    python benchmarks/streaming.py --fast           as fast as the event loop takes it
    python benchmarks/streaming.py --kind table     one endless table; see --help for others
"""

import argparse
import itertools
import json
import os
import random
import statistics
import sys
import time
from dataclasses import replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtCore import QObject, Qt, QTimer
from PySide6.QtWidgets import QApplication

from app.chat.conversation import Conversation, Message
from app.protocol.messages import Piece
from app.protocol.stats import GenerationStats, SpeculationState
from app.ui import theme
from app.ui.transcript import TranscriptView

TOKEN_LETTERS = 4
TICK_MS = 33
LIMIT_MS = 50.0

PROSE = "The importer reads the log **line by line**, keeps what it *understands* and counts the rest with `skipped`. "
PARTS = {
    "prose": PROSE * 4 + "\n\n",
    "python": '```python\ndef parse(line: str) -> dict:\n    """Split a line of the log."""\n'
    + "".join(f'    value_{n} = line.split(" ", {n})[0]  # field {n}\n' for n in range(30))
    + "    return locals()\n```\n\n",
    "json": "```json\n"
    + json.dumps([{"row": n, "level": "WARN", "text": "skipped"} for n in range(12)], indent=2)
    + "\n```\n\n",
    "list": "".join(f"{n}. step **{n}** of the import\n   - a detail with `code`\n" for n in range(1, 13)) + "\n",
    "table": "| level | meaning | per day |\n|:--|:--|--:|\n"
    + "".join(f"| L{n} | a row was **skipped** | {n * 37} |\n" for n in range(14))
    + "\n",
    "quote": "> The log is appended by two processes.\n> > Lines never interleave.\n\n## What to watch for\n\n",
    "shell": '```bash\nfor file in *.log; do\n  grep -c WARN "$file" | sort -n\ndone\n```\n\n',
}


def text_of(kind: str, letters: int) -> str:
    """An answer of this kind, at least so long."""
    if kind == "mixed":
        parts = itertools.cycle(PARTS.values())
        result = ""
        while len(result) < letters:
            result += next(parts)
        return result
    endless = {
        "code": ("```python\n", "value = compute(1, 'two')  # a comment\n"),
        "table": ("| a | b | c |\n|---|---|---|\n", "| one `1` | two **2** | three and some more |\n"),
        "list": ("", "- an item with **bold** text and `code`\n"),
        "line": ("", "word and `code` and **more** "),
    }
    head, body = endless[kind]
    return head + body * (letters // len(body) + 1)


def pieces_of(text: str, seed: int = 7) -> list[Piece]:
    """The text cut into tokens with sources, neighbours of one source joined."""
    chance = random.Random(seed)
    result: list[Piece] = []
    for at in range(0, len(text), TOKEN_LETTERS):
        source = chance.choice(("draft_model", "draft_model", "draft_model", "ngram", "correction", "target"))
        word = text[at : at + TOKEN_LETTERS]
        if result and result[-1].source == source:
            result[-1] = Piece(text=result[-1].text + word, source=source)
        else:
            result.append(Piece(text=word, source=source))
    return result


class Run(QObject):
    """One streamed answer and what it cost."""

    def __init__(self, view: TranscriptView, text: str, arguments: argparse.Namespace) -> None:
        super().__init__(view)
        self.gaps: list[float] = []
        self.busy: list[float] = []
        self.updates: list[float] = []
        self.done = False
        self._view = view
        self._text = text
        self._pieces = pieces_of(text) if arguments.ink else []
        self._arguments = arguments
        self._message = Message(role="assistant", status="streaming")
        self._shown = 0
        self._began = self._last = time.perf_counter()
        self._last_busy = time.thread_time()
        self._beat = self._timer("beat", 1, self._note)
        self._beat.setTimerType(Qt.TimerType.PreciseTimer)
        self._tick = self._timer("tick", 0 if arguments.fast else TICK_MS, self._grow)
        view.add_message(Message(role="user", text="Explain the importer."))
        view.add_message(self._message)

    def _timer(self, name: str, interval: int, slot: object) -> QTimer:
        timer = QTimer(self)
        timer.setObjectName(name)
        timer.setInterval(interval)
        timer.timeout.connect(slot)
        timer.start()
        return timer

    def _note(self) -> None:
        now, busy = time.perf_counter(), time.thread_time()
        self.gaps.append((now - self._last) * 1000)
        self.busy.append((busy - self._last_busy) * 1000)
        self._last, self._last_busy = now, busy

    def _grow(self) -> None:
        rate = self._arguments.rate
        if self._arguments.fast:
            self._shown += max(round(rate * TICK_MS / 1000), 1) * TOKEN_LETTERS
        else:
            self._shown = int((time.perf_counter() - self._began) * rate) * TOKEN_LETTERS
        end = self._shown >= len(self._text)
        text = self._text[: self._shown]
        self._message = replace(self._message, text=text, pieces=self._pieces_until(self._shown))
        if end:
            stats = GenerationStats(generated_tokens=len(text) // TOKEN_LETTERS, passes=1, decode_ms=40_000)
            self._message = replace(
                self._message, status="complete", reason="end", stats=stats, speculation=SpeculationState()
            )
        if self._arguments.theme_changes and len(self.updates) % 100 == 50:
            self._view.set_theme(theme.DARK if len(self.updates) % 200 == 50 else theme.LIGHT)
        before = time.perf_counter()
        self._view.update_message(self._message)
        self.updates.append((time.perf_counter() - before) * 1000)
        if end:
            self._tick.stop()
            QTimer.singleShot(1500, self, self._finish)

    def _pieces_until(self, letters: int) -> tuple[Piece, ...]:
        result = list(self._message.pieces[:-1])
        have = sum(len(piece.text) for piece in result)
        for piece in self._pieces[len(result) :]:
            if have >= letters:
                break
            result.append(replace(piece, text=piece.text[: letters - have]))
            have += len(piece.text)
        return tuple(result)

    def _finish(self) -> None:
        self._beat.stop()
        self.done = True


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tokens", type=int, default=8000)
    parser.add_argument("--rate", type=float, default=200.0, help="tokens per second")
    parser.add_argument("--old", type=int, default=200, help="messages above the answer")
    parser.add_argument("--fast", action="store_true", help="do not wait between updates")
    parser.add_argument("--kind", choices=("mixed", "code", "table", "list", "line"), default="mixed")
    parser.add_argument("--ink", action="store_true", help="in the ink view")
    parser.add_argument("--theme-changes", action="store_true", help="change the theme every 100 updates")
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()

    app = QApplication([])
    app.setStyle("Fusion")
    app.setPalette(theme.palette(theme.LIGHT))
    app.setStyleSheet(theme.stylesheet(theme.LIGHT))
    view = TranscriptView(theme.LIGHT)
    view.resize(1000, 700)
    view.show()
    view.set_ink(arguments.ink)
    old = text_of("mixed", 1200)[:1200]
    roles = itertools.cycle(("user", "assistant"))
    messages = tuple(Message(role=next(roles), text=old if n % 2 else PROSE) for n in range(arguments.old))
    view.reset(Conversation(messages=messages))
    # What a person has done long before: the conversation is there, the languages are loaded.
    ready = time.perf_counter() + 5
    while time.perf_counter() < ready:
        app.processEvents()
    run = Run(view, text_of(arguments.kind, arguments.tokens * TOKEN_LETTERS), arguments)
    while not run.done:
        app.processEvents()
        if not run.done:
            time.sleep(0.0002)
    gaps, busy, updates = sorted(run.gaps), sorted(run.busy), sorted(run.updates)
    result = {
        "kind": arguments.kind,
        "tokens": arguments.tokens,
        "updates": len(updates),
        "gap_ms_max": round(gaps[-1], 1),
        "gap_ms_p99": round(gaps[int(len(gaps) * 0.99)], 1),
        "busy_ms_max": round(busy[-1], 1),
        "busy_ms_p99": round(busy[int(len(busy) * 0.99)], 1),
        "gaps_over_50_ms": sum(gap > LIMIT_MS for gap in gaps),
        "gaps_over_33_ms": sum(gap > TICK_MS for gap in gaps),
        "update_ms_median": round(statistics.median(updates), 2),
        "update_ms_max": round(updates[-1], 1),
        "load_average": round(os.getloadavg()[0], 1) if hasattr(os, "getloadavg") else None,
    }
    print(json.dumps(result) if arguments.json else "\n".join(f"{name:18} {value}" for name, value in result.items()))
    return 0 if result["gap_ms_max"] < LIMIT_MS else 1


if __name__ == "__main__":
    sys.exit(main())
