"""Where a person writes."""

import itertools
from collections.abc import Iterable

from PySide6.QtCore import QMimeData, QSize, Qt, QUrl, Signal
from PySide6.QtGui import (
    QDragEnterEvent,
    QDragMoveEvent,
    QFontMetricsF,
    QInputMethodEvent,
    QKeyEvent,
    QResizeEvent,
    QTextCursor,
)
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QPlainTextEdit,
    QPushButton,
    QSizePolicy,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from app.chat.session import Phase
from app.ui import icons
from app.ui.attachment_chips import AttachmentChips
from app.ui.context_meter import ContextMeter
from app.ui.theme import GRID, Theme
from app.ui.widgets.labels import label

MAX_LINES = 8
_NARROW = 620
"""px, below which there is no room for the words of the meter."""
_PARAGRAPH, _LINE = "\N{PARAGRAPH SEPARATOR}", "\N{LINE SEPARATOR}"
_BUSY: tuple[Phase, ...] = ("prefill", "streaming", "stopping")


def local_files(urls: Iterable[QUrl]) -> list[str]:
    """Paths of what is dragged or pasted, without what is on the net."""
    return [url.toLocalFile() for url in urls if url.isLocalFile() and url.toLocalFile()]


class PromptEdit(QPlainTextEdit):
    """Plain text that grows with its lines; Enter asks to send, Shift+Enter breaks the line.

    Signals:
        enter_pressed: Enter, outside of an input method's own composition.
        files_given: Paths (a list of str) of files that were pasted.
    """

    enter_pressed = Signal()
    files_given = Signal(list)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._composing = False
        self.setObjectName("prompt")
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setTabChangesFocus(True)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.viewport().setAutoFillBackground(False)
        self.document().setDocumentMargin(2)
        self.document().documentLayout().documentSizeChanged.connect(self._fit)
        self._fit()

    def text(self) -> str:
        """The text as typed; unlike toPlainText it keeps no-break spaces."""
        return self.document().toRawText().replace(_PARAGRAPH, "\n").replace(_LINE, "\n")

    def take_all(self) -> None:
        """Empty the field in a way that Undo brings back."""
        cursor = self.textCursor()
        cursor.select(QTextCursor.SelectionType.Document)
        cursor.removeSelectedText()
        self.setTextCursor(cursor)

    def _fit(self) -> None:
        # The layout of a plain text edit measures its height in lines.
        lines = self.document().documentLayout().documentSize().height()
        height = QFontMetricsF(self.font()).lineSpacing() * max(1.0, min(lines, MAX_LINES))
        self.setFixedHeight(round(height + 2 * self.document().documentMargin()) + 2)
        more = lines > MAX_LINES
        policy = Qt.ScrollBarPolicy
        self.setVerticalScrollBarPolicy(policy.ScrollBarAsNeeded if more else policy.ScrollBarAlwaysOff)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def inputMethodEvent(self, event: QInputMethodEvent) -> None:
        self._composing = bool(event.preeditString())
        super().inputMethodEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and not self._composing:
            if event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier:
                self.textCursor().insertBlock()
                self.ensureCursorVisible()
            else:
                self.enter_pressed.emit()
            return
        super().keyPressEvent(event)

    # Files that are dropped belong to the window.

    def canInsertFromMimeData(self, source: QMimeData) -> bool:
        return bool(local_files(source.urls())) or super().canInsertFromMimeData(source)

    def insertFromMimeData(self, source: QMimeData) -> None:
        paths = local_files(source.urls())
        if paths:
            self.files_given.emit(paths)
        else:
            super().insertFromMimeData(source)

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if event.mimeData().hasUrls():
            event.ignore()
        else:
            super().dragEnterEvent(event)

    def dragMoveEvent(self, event: QDragMoveEvent) -> None:
        if event.mimeData().hasUrls():
            event.ignore()
        else:
            super().dragMoveEvent(event)


class Composer(QFrame):
    """The text field with its button. While sending is impossible the text stays and a line says why.

    Signals:
        submitted: The text to send; the field is empty already.
        stop_wanted: Stop the answer, or the load.
        cancelled: Leave the task the composer was given.
    """

    submitted = Signal(str)
    stop_wanted = Signal()
    cancelled = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._phase: Phase = "no_model"
        self._progress = ""
        self._task = ""
        self.setProperty("ground", "card")
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Minimum)
        self.edit = PromptEdit()
        self.edit.setAccessibleName(self.tr("Message"))
        self.edit.setPlaceholderText(self.tr("Ask anything…"))
        self.edit.enter_pressed.connect(self._submit)
        self.edit.textChanged.connect(self._update)
        self._status = label("", "small", wrap=True)
        self.button = QPushButton()
        self.button.setObjectName("send or stop")
        self.button.setProperty("kind", "primary")
        self.button.setIconSize(QSize(16, 16))
        self.button.clicked.connect(self._on_button)
        self.attach = QToolButton()
        self.attach.setObjectName("attach files")
        self.attach.setProperty("kind", "quiet")
        self.attach.setProperty("shape", "icon")
        self.attach.setIconSize(QSize(18, 18))
        self.attach.setToolTip(self.tr("Attach text files"))
        self.attach.setAccessibleName(self.tr("Attach text files"))
        below = QHBoxLayout()
        below.setSpacing(GRID)
        below.addWidget(self._status, 1)
        self.meter = ContextMeter(theme)
        below.addWidget(self.meter, 0, Qt.AlignmentFlag.AlignVCenter)
        below.addWidget(self.attach, 0, Qt.AlignmentFlag.AlignBottom)
        self.cancel = QPushButton(self.tr("Cancel"))
        self.cancel.setObjectName("cancel task")
        self.cancel.clicked.connect(lambda _checked=False: self.cancelled.emit())
        self.cancel.hide()
        below.addWidget(self.cancel, 0, Qt.AlignmentFlag.AlignBottom)
        below.addWidget(self.button, 0, Qt.AlignmentFlag.AlignBottom)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(2 * GRID - 2, GRID + 2, GRID + 2, GRID + 2)
        layout.setSpacing(GRID // 2)
        self.chips = AttachmentChips(theme)
        layout.addWidget(self.chips)
        layout.addWidget(self.edit)
        layout.addLayout(below)
        self.setFocusProxy(self.edit)
        self.chips.shown.connect(self._order_tabs)
        self._order_tabs()
        self._update()

    @property
    def status(self) -> str:
        """The line below the text."""
        return self._status.text()

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self.meter.set_theme(theme)
        self.chips.set_theme(theme)
        self._update()

    def set_phase(self, phase: Phase) -> None:
        """What the session is doing decides what the button does."""
        self._phase = phase
        self._progress = ""
        self._update()

    def set_progress(self, words: str) -> None:
        """How far a load or a prefill is; forgotten at the next phase."""
        self._progress = words
        self._update()

    def set_task(self, words: str) -> None:
        """What the text is for instead of the next message; "" for that."""
        self._task = words
        self.cancel.setVisible(bool(words))
        self._update()

    def put_text(self, text: str) -> None:
        """Fill the field, with the cursor at the end."""
        self.edit.setPlainText(text)
        self.edit.moveCursor(QTextCursor.MoveOperation.End)

    def why_not(self) -> str:
        """Why nothing can be sent now, or ""."""
        return {
            "no_model": self.tr("No model is loaded. Open a GGUF file first."),
            "loading": self.tr("The model is loading. You can write already; Esc stops it."),
            "idle": "",
            "prefill": self.tr("Reading your message…"),
            "streaming": self.tr("Answering. Esc stops."),
            "stopping": self.tr("Stopping…"),
            "engine_down": self.tr("The engine is not running. Restart it to go on; your text stays here."),
        }[self._phase]

    def _key_hint(self) -> str:
        """What Enter does, where that needs no more than two lines."""
        words = self.tr("Enter sends, Shift+Enter starts a new line")
        beside = (self.button, self.attach, self.meter)
        room = self.width() - sum(widget.sizeHint().width() + GRID for widget in beside) - 4 * GRID
        return words if self._status.fontMetrics().horizontalAdvance(words) <= 2 * room else ""

    def _submit(self) -> None:
        text = self.edit.text()
        if self._phase != "idle" or not text.strip():
            return
        self.edit.take_all()
        self.submitted.emit(text)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.meter.set_compact(self.width() < _NARROW)
        self._update()

    def _order_tabs(self) -> None:
        order = [self.edit, *self.chips.buttons, self.button, self.attach, self.cancel]
        for before, after in itertools.pairwise(order):
            QWidget.setTabOrder(before, after)

    def _on_button(self) -> None:
        if self._phase in _BUSY:
            self.stop_wanted.emit()
        else:
            self._submit()
        self.edit.setFocus()

    def _update(self) -> None:
        stops = self._phase in _BUSY
        theme = self._theme
        send = self.tr("Ask again") if self._task else self.tr("Send")
        self.button.setText(self.tr("Stop") if stops else send)
        self.attach.setIcon(icons.icon("attach", theme.soft))
        self.button.setIcon(icons.icon("stop" if stops else "send", theme.on_accent, theme.soft))
        can_send = self._phase == "idle" and bool(self.edit.text().strip())
        self.button.setEnabled(self._phase in ("prefill", "streaming") or can_send)
        hint = self._task or self._key_hint()
        self._status.setText(self._progress or self.why_not() or hint)
        # Two lines: the field must not jump with every change of the words.
        self._status.setMinimumHeight(2 * self._status.fontMetrics().lineSpacing())
        self.button.setToolTip("" if self.button.isEnabled() else self.why_not())
