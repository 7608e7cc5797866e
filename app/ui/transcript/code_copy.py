"""Copies a block of source text and says so for a moment."""

from collections.abc import Callable

from PySide6.QtCore import QObject, QTimer, Signal
from PySide6.QtGui import QGuiApplication

from app.ui.transcript.content import Content, MarkdownContent
from app.ui.transcript.writer import copied_word, copy_word

_COPIED_MS = 1500


class CodeCopy(QObject):
    """The word "Copy" of code blocks.

    Signals:
        forgotten: Nothing says "Copied" any more.
    """

    forgotten = Signal()

    def __init__(self, content: Callable[[], Content], parent: QObject) -> None:
        """`content`: what the message shows now."""
        super().__init__(parent)
        self._content = content
        self._number = -1
        self._timer = QTimer(self)
        self._timer.setObjectName("copied")
        self._timer.setSingleShot(True)
        self._timer.setInterval(_COPIED_MS)
        self._timer.timeout.connect(self._forget)

    def start(self) -> None:
        """Something says "Copied" now."""
        self._timer.start()

    def copy(self, number: int) -> None:
        """Put the text of a block on the clipboard."""
        content = self._content()
        code = content.code(number) if isinstance(content, MarkdownContent) else None
        if code is not None:
            self._label(copy_word())
            QGuiApplication.clipboard().setText(code)
            self._number = number
            self._label(copied_word())
            self._timer.start()

    def _forget(self) -> None:
        self._label(copy_word())
        self.forgotten.emit()

    def _label(self, word: str) -> None:
        content = self._content()
        if isinstance(content, MarkdownContent) and self._number >= 0:
            content.label_copy(self._number, word)
