"""The whole program, which writes down what it says and ends. Started by path, not imported by tests.

    python watched_window.py JOURNAL

JOURNAL gets lines of JSON: ["notice", text], ["loaded", path], and at last ["models", everything the Models page says].
"""

import json
import sys
from pathlib import Path

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication, QLabel

from app import bootstrap
from app.bridge.chat_controller import ChatController
from app.ui.main_window import MainWindow
from app.ui.models_page.page import ModelsPage

_SETTLED = 8
"""Looks at the Models page in a row that show the same."""


def main(journal: str) -> int:
    def note(kind: str, text: str) -> None:
        with Path(journal).open("a", encoding="utf-8") as file:
            file.write(json.dumps([kind, text]) + "\n")

    class Watched(ChatController):
        def start(self, *arguments: object, **options: object) -> None:
            self.notice.connect(lambda notice: note("notice", notice.text))
            self.model_loaded.connect(lambda loaded: note("loaded", loaded.target.path))
            super().start(*arguments, **options)
            self._seen: list[str] = []
            timer = QTimer(self)
            timer.setObjectName("watch")
            timer.timeout.connect(self.watch)
            timer.start(150)

        def watch(self) -> None:
            window = next(one for one in QApplication.topLevelWidgets() if isinstance(one, MainWindow))
            page = window.findChild(ModelsPage)
            if self.loaded is None:
                return
            if page is None or not page.isVisible():
                window.top.models_wanted.emit(True)
                return
            labels = (one.text() for one in page.findChildren(QLabel) if one.isVisible())
            rows = (self.rows_of(page)) if page.library is not None else ""
            self._seen.append("\n".join((*labels, rows)))
            if len(self._seen) >= _SETTLED and len(set(self._seen[-_SETTLED:])) == 1:
                note("models", self._seen[-1])
                window.close()

        @staticmethod
        def rows_of(page: ModelsPage) -> str:
            model = page.library.list.model()
            role = 11  # Qt.ItemDataRole.AccessibleTextRole
            return "\n".join(str(model.index(row, 0).data(role)) for row in range(model.rowCount()))

    bootstrap.ChatController = Watched
    return bootstrap.main([])


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
