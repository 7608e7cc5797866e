"""A chat of 300,000 tokens: how soon it is open, how soon a typed letter is seen in it, how smooth it scrolls.

    python benchmarks/long_chat.py                  300,000 tokens in answers of about 500
    python benchmarks/long_chat.py --answer 20000   in a few very long answers
    python benchmarks/long_chat.py --maths          with formulas

The real window, history and engine with the demo pair. "open" is from the choice in the list to the painted end of the
chat; "settled" until nothing is left to do. A timer that should fire every millisecond tells how long the event loop
was held up; "busy" is the processor time in it, which does not grow when other programs use the machine.
"""

import argparse
import itertools
import json
import os
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtCore import QObject, Qt, QTimer
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractSlider, QApplication

from app.bridge.chat_controller import ChatController
from app.bridge.engine_client import EngineClient
from app.bridge.history import History
from app.bridge.settings_store import SettingsStore
from app.chat import archive
from app.chat.conversation import Message
from app.chat.settings import Pair, Settings, WindowState
from app.core import paths
from app.core.settings import SettingsFile
from app.store.history import HistoryRepository
from app.store.rows import ChatRow
from app.ui.appearance import Appearance
from app.ui.main_window import MainWindow
from app.ui.presenter import Presenter
from benchmarks.streaming import TOKEN_LETTERS, pieces_of, text_of

OPEN_LIMIT_S, TYPE_LIMIT_MS = 1.5, 50.0
PATIENCE_S = 300
MATHS = "\n\n$$\\sum_{i=1}^{n} x_i = \\frac{a}{b}$$\n\nwith $x_i \\in \\mathbb{R}$.\n\n"


def messages(tokens: int, answer: int, *, maths: bool) -> tuple[Message, ...]:
    """Questions and answers of about so many tokens together."""
    made: list[Message] = []
    for number in itertools.count():
        if sum(len(message.text) for message in made[1::2]) >= tokens * TOKEN_LETTERS:
            return tuple(made)
        text = f"Answer {number}. " + text_of("mixed", answer * TOKEN_LETTERS)[: answer * TOKEN_LETTERS]
        text += MATHS.replace("n}", f"{number}}}") if maths else ""
        before = made[-1].id if made else ""
        question = Message(role="user", text=f"Question {number}: explain the importer.", parent=before)
        made += (
            question,
            Message(role="assistant", text=text, parent=question.id, pieces=tuple(pieces_of(text, number))),
        )
    raise AssertionError


def store(file: Path, chat_id: str, talk: tuple[Message, ...]) -> None:
    """Write the chat into a new database."""
    now = time.time()
    chat = ChatRow(id=chat_id, title="A long chat", created=now, changed=now, leaf=talk[-1].id)
    repository = HistoryRepository(file)
    repository.write(chat, tuple(archive.row_of(message, chat_id) for message in talk))
    repository.close()


class Beat(QObject):
    """Notes how long the event loop was held up, ms."""

    def __init__(self) -> None:
        super().__init__()
        self._timer = QTimer(self)
        self._timer.setObjectName("beat")
        self._timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._timer.timeout.connect(self._note)
        self.restart()
        self._timer.start(1)

    def restart(self) -> None:
        self.gaps: list[float] = []
        self.busy: list[float] = []
        self._last, self._last_busy = time.perf_counter(), time.thread_time()

    def _note(self) -> None:
        now, busy = time.perf_counter(), time.thread_time()
        self.gaps.append((now - self._last) * 1000)
        self.busy.append((busy - self._last_busy) * 1000)
        self._last, self._last_busy = now, busy

    def told(self, name: str) -> dict[str, float]:
        gaps, busy = sorted(self.gaps), sorted(self.busy)
        return {
            f"{name}_gap_ms_max": round(gaps[-1], 1),
            f"{name}_gap_ms_p99": round(gaps[int(len(gaps) * 0.99)], 1),
            f"{name}_busy_ms_max": round(busy[-1], 1),
        }


def until(condition) -> None:
    deadline = time.perf_counter() + PATIENCE_S
    while not condition():
        QApplication.processEvents()
        if time.perf_counter() > deadline:
            raise RuntimeError("nothing happened any more")
        time.sleep(0.0001)


def measure(app: QApplication, folder: Path, arguments: argparse.Namespace) -> dict[str, float]:
    talk = messages(arguments.tokens, arguments.answer, maths=arguments.maths)
    store(folder / "history.db", "long", talk)
    appearance = Appearance(app, "light")
    settings = SettingsStore(SettingsFile(folder / "settings.json", Settings), Settings())
    target, draft = (str(path) for path in paths.demo_pair())
    client, history = EngineClient(), History(folder / "history.db")
    controller = ChatController(client, settings, Pair(target=target, draft=draft), history=history)
    window = MainWindow(appearance.theme, WindowState(ink=arguments.ink))
    presenter = Presenter(window, controller, appearance)
    window.resize(1120, 760)
    window.show()
    controller.start()
    until(lambda: controller.phase == "idle")
    controller.new_chat()
    until(lambda: not controller.conversation.messages and not history.lane._background.busy)

    beat = Beat()
    began, busy = time.perf_counter(), time.thread_time()
    controller.open_chat("long")
    until(lambda: len(controller.conversation.messages) == len(talk) and window.transcript.isVisible())
    until(lambda: window.transcript.views and window.transcript.views[-1].message.id == talk[-1].id)
    window.repaint()
    result = {"tokens": arguments.tokens, "messages": len(talk), "open_s": round(time.perf_counter() - began, 3)}
    result["open_busy_s"] = round(time.thread_time() - busy, 3)

    # A person types at once, while older messages are still being made.
    result |= typing(window, "type_at_once")
    until(lambda: window.transcript._slices.is_idle)
    result["settled_s"] = round(time.perf_counter() - began, 3)
    result |= beat.told("open")
    result |= typing(window, "type")
    beat.restart()
    for _ in range(60):
        window.transcript.follower.bar.triggerAction(QAbstractSlider.SliderAction.SliderPageStepSub)
        QApplication.processEvents()
    until(lambda: window.transcript._slices.is_idle)
    result |= beat.told("scroll")
    window.close()
    controller.shut_down()
    for thing in (presenter, window, controller, client, history, settings, appearance):
        thing.deleteLater()
    return result


def typing(window: MainWindow, name: str) -> dict[str, float]:
    """Milliseconds from a key to the painted letter."""
    echoes = []
    for letter in "how long does it take to see this?":
        began = time.perf_counter()
        QTest.keyClicks(window.composer.edit, letter)
        window.composer.edit.viewport().repaint()
        echoes.append((time.perf_counter() - began) * 1000)
        QApplication.processEvents()
    window.composer.put_text("")
    echoes.sort()
    return {f"{name}_ms_max": round(echoes[-1], 1), f"{name}_ms_median": round(echoes[len(echoes) // 2], 1)}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tokens", type=int, default=300_000)
    parser.add_argument("--answer", type=int, default=500, help="tokens of one answer")
    parser.add_argument("--maths", action="store_true")
    parser.add_argument("--ink", action="store_true", help="in the ink view")
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    app = QApplication([])
    with tempfile.TemporaryDirectory() as folder:
        result = measure(app, Path(folder), arguments)
    result["load_average"] = round(os.getloadavg()[0], 1) if hasattr(os, "getloadavg") else None
    print(json.dumps(result) if arguments.json else "\n".join(f"{name:20} {value}" for name, value in result.items()))
    good = result["open_s"] < OPEN_LIMIT_S and result["type_ms_max"] < TYPE_LIMIT_MS
    return 0 if good and result["type_at_once_ms_max"] < TYPE_LIMIT_MS else 1


if __name__ == "__main__":
    sys.exit(main())
