"""Starts the program as a person does and goes through all its screens, in a process of its own.

    python -m tests.helpers.tour audit                      one line of JSON for each screen: its controls
    python -m tests.helpers.tour pictures FOLDER [WxH]      a picture of each screen

Profile, theme, language and text size come from the settings below `OUTPACE_HOME`, pixels from `QT_SCALE_FACTOR`.
"""

import json
import os
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtCore import QEvent, Qt, QTimer
from PySide6.QtGui import QAccessible, QAction
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QAbstractSlider,
    QAbstractSpinBox,
    QApplication,
    QComboBox,
    QDialog,
    QLineEdit,
    QPlainTextEdit,
    QScrollBar,
    QTabBar,
    QTextEdit,
    QWidget,
)

from app import bootstrap
from app.chat.conversation import Message
from app.ui import main_window

CONTROLS = (
    QAbstractButton,
    QAbstractItemView,
    QAbstractSlider,
    QAbstractSpinBox,
    QComboBox,
    QLineEdit,
    QPlainTextEdit,
    QTabBar,
    QTextEdit,
)
MOST_TABS = 160
PATIENCE_S = 120
PROMPT = "Give me a JSON array of 2 recipes."
DIALOGS = {
    "shortcuts": "show_shortcuts",
    "commands": "show_commands",
    "about": "about outpace",
    "report": "report a problem",
}
"""Actions that open one, by the name of the screen."""
RICH = r"""## What a reader sees

Text with **bold**, `code`, [a link](https://example.org/page) and $\frac{n(n+1)}{2}$.

> A quote with *emphasis*.

1. one
2. two
   - inner

| level | per day |
|:--|--:|
| WARN | 37 |

$$\int_0^\infty e^{-x^2}\,dx = \frac{\sqrt{\pi}}{2}$$

```python
def parse(line: str) -> dict:
    return {"text": line}  # a comment
```
"""


class Tour:
    """Goes from screen to screen; `visit` is called at each."""

    def __init__(self, window: main_window.MainWindow, visit: Callable[[str, QWidget], None]) -> None:
        self._window = window
        self._visit = visit
        self._steps = self._walk()
        self._ready: Callable[[], bool] = lambda: True
        self._since = time.monotonic()
        self._timer = QTimer(window)
        self._timer.setObjectName("tour")
        self._timer.timeout.connect(self._go)
        self._timer.start(30)

    def _go(self) -> None:
        if not self._ready() and time.monotonic() - self._since < PATIENCE_S:
            return
        self._since = time.monotonic()
        try:
            self._ready = next(self._steps)
        except StopIteration:
            self._timer.stop()
            self._window.close()

    def _pause(self, seconds: float = 0.4) -> Callable[[], bool]:
        end = time.monotonic() + seconds
        return lambda: time.monotonic() > end

    def _action(self, name: str) -> bool:
        """Do what an action of the window or of its menus does."""
        for action in self._window.findChildren(QAction, name):
            if action.isEnabled():
                action.trigger()
                return True
        return False

    def _walk(self) -> Iterator[Callable[[], bool]]:
        window = self._window
        yield lambda: window.composer.why_not() == "" and window.top.model.isVisible()
        yield self._pause()
        self._visit("empty chat", window)
        window.composer.put_text(PROMPT)
        QTest.keyClick(window.composer.edit, Qt.Key.Key_Return)
        yield lambda: window.composer.why_not() != ""
        yield lambda: window.composer.why_not() == "" and len(window.transcript.messages) == 2
        window.transcript.add_message(Message(role="user", text="Show everything you can write."))
        window.transcript.add_message(Message(role="assistant", text=RICH, reason="end"))
        yield lambda: not any(getattr(view._content, "awaited", None) for view in window.transcript.views)
        yield self._pause()
        self._visit("chat", window)
        window.top.set_ink(True)
        yield self._pause()
        self._visit("ink", window)
        window.top.set_ink(False)
        window.find_in_chat()
        window.find_bar.edit.setText("e")
        yield self._pause(0.8)
        self._visit("find", window)
        self._action("escape")
        if window.body.is_wide or window.body.set_panel_open(True) is None:
            yield self._pause()
            self._visit("panel", window)
        window.body.close_what_covers()
        window.set_list_open(True)
        yield self._pause()
        self._visit("list", window)
        window.body.close_what_covers()
        yield from self._pages()
        yield from self._dialogs()

    def _pages(self) -> Iterator[Callable[[], bool]]:
        window = self._window
        window.top.models.click()
        yield self._pause(1.5)
        for page in window.findChildren(QWidget):
            tabs = getattr(page, "tabs", None)
            if page.isVisible() and isinstance(tabs, QTabBar):
                for number in range(tabs.count()):
                    tabs.setCurrentIndex(number)
                    yield self._pause(0.8)
                    self._visit(f"models {number}", window)
        for name in ("connections", "compare"):
            if self._action(name) or self._open(name):
                yield self._pause(1.0)
                self._visit(name, window)
        window.leave_page()
        yield self._pause()

    def _open(self, name: str) -> bool:
        wanted = getattr(self._window.top.model if name == "connections" else self._window.top, f"{name}_wanted", None)
        if wanted is None:
            return False
        try:
            wanted.emit()
        except TypeError:
            wanted.emit(True)
        return True

    def _dialogs(self) -> Iterator[Callable[[], bool]]:
        window = self._window
        for name, action in DIALOGS.items():
            if not self._action(action):
                continue
            yield self._pause(0.6)
            yield from self._show_dialogs(name)
        answers = [view for view in window.transcript.views if view.message.stats is not None]
        answers[0].footer.details.click()
        yield self._pause(0.6)
        yield from self._show_dialogs("answer")
        window.transcript.link_activated.emit("https://example.org/a/rather/long/address?with=some&more=of-it")
        yield self._pause()
        yield from self._show_dialogs("link")

    def _show_dialogs(self, name: str) -> Iterator[Callable[[], bool]]:
        for dialog in [d for d in QApplication.topLevelWidgets() if isinstance(d, QDialog) and d.isVisible()]:
            self._visit(name, dialog)
            dialog.reject()
        yield self._pause(0.2)


# --- what is noted of a screen


def audit(name: str, top: QWidget) -> None:
    """Print the controls of a screen: name, role, whether the Tab key comes there."""
    reached = reachable(top)
    controls = []
    for widget in top.findChildren(QWidget):
        if not isinstance(widget, CONTROLS) or not usable(widget, top):
            continue
        face = QAccessible.queryAccessibleInterface(widget)
        controls.append(
            {
                "what": f"{type(widget).__name__} {widget.objectName()!r} in {place(widget)}",
                "name": face.text(QAccessible.Text.Name) if face is not None else "",
                "role": face.role().name if face is not None else "",
                "reached": widget in reached or any(widget.isAncestorOf(other) for other in reached),
                "policy": widget.focusPolicy().name,
            }
        )
    sys.stdout.write(json.dumps({"screen": name, "controls": controls}) + "\n")
    sys.stdout.flush()


def usable(widget: QWidget, top: QWidget) -> bool:
    """Can a person use it now? Parts of other controls and scroll bars are not counted."""
    if not widget.isVisible() or not widget.isEnabled() or isinstance(widget, QScrollBar):
        return False
    if widget.window() is not top or widget.visibleRegion().isEmpty():
        return False
    parent = widget.parentWidget()
    while parent is not None and parent is not top:
        if isinstance(parent, (QComboBox, QAbstractSpinBox, QTabBar, QLineEdit)):
            return False
        parent = parent.parentWidget()
    return True


def reachable(top: QWidget) -> set[QWidget]:
    """The widgets the Tab key comes to."""
    top.activateWindow()
    first = top.focusWidget() or top
    first.setFocus()
    seen: set[QWidget] = set()
    for _ in range(MOST_TABS):
        focus = QApplication.focusWidget()
        if focus is not None:
            seen.add(focus)
        QTest.keyClick(focus or top, Qt.Key.Key_Tab)
        QApplication.processEvents()
        after = QApplication.focusWidget()
        if after is first and len(seen) > 1:
            break
    return seen


def place(widget: QWidget) -> str:
    names = []
    parent = widget.parentWidget()
    while parent is not None:
        if type(parent).__module__.startswith("app."):
            names.append(type(parent).__name__)
        parent = parent.parentWidget()
    return " < ".join(names[:3])


def photographer(folder: Path) -> Callable[[str, QWidget], None]:
    folder.mkdir(parents=True, exist_ok=True)

    def take(name: str, top: QWidget) -> None:
        top.grab().save(str(folder / f"{name.replace(' ', '-')}.png"))

    return take


def main(arguments: list[str]) -> int:
    visit = photographer(Path(arguments[1])) if arguments[:1] == ["pictures"] else audit
    size = tuple(int(part) for part in arguments[2].split("x")) if len(arguments) > 2 else (1120, 760)

    class Toured(main_window.MainWindow):
        def showEvent(self, event: QEvent) -> None:
            super().showEvent(event)
            if not hasattr(self, "tour"):
                self.resize(*size)
                self.tour = Tour(self, visit)

    bootstrap.MainWindow = Toured
    return bootstrap.main([])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
