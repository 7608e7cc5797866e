"""The whole program with a fake engine, asking one question after the other. Started by path, not imported by tests.

    python drill_window.py JOURNAL RECORD

JOURNAL gets a line for every text that was shown: seconds (monotonic), message id, length. RECORD gets the requests
the engine saw.
"""

import itertools
import sys
import time
from pathlib import Path

from PySide6.QtCore import QTimer

from app import bootstrap
from app.bridge import engine_client
from app.bridge.chat_controller import ChatController
from app.chat.conversation import Message, new_id

FAKE_ENGINE = Path(__file__).with_name("fake_engine.py")


def main(journal: str, record: str) -> int:
    engine = (sys.executable, str(FAKE_ENGINE), "--deltas", "400", "--delay", "0.003", "--text", "wörter ", "--record")
    engine_client.engine_command = lambda: (*engine, record)
    numbers = itertools.count()

    class Drilled(ChatController):
        def start(self, *arguments: object, **options: object) -> None:
            super().start(*arguments, **options)
            self.message_changed.connect(self.note)
            timer = QTimer(self)
            timer.setObjectName("ask")
            timer.timeout.connect(self.ask)
            timer.start(30)

        def note(self, message: Message) -> None:
            line = f"{time.monotonic()} {message.id} {len(message.text)}\n"
            with Path(journal).open("a") as file:
                file.write(line)

        def ask(self) -> None:
            if self.phase != "idle":
                return
            if len(self.conversation.messages) > 12:
                self.new_chat()
            self.send_text(f"question {next(numbers)} {new_id()}")

    bootstrap.ChatController = Drilled
    return bootstrap.main([])


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
