"""The search inside a chat: a small card at the top right of the messages."""

from PySide6.QtCore import QEvent, QObject, QSize, Qt, QTimer
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLineEdit, QToolButton

from app.ui import icons
from app.ui.theme import GRID, Theme
from app.ui.transcript import TranscriptView
from app.ui.transcript.search import ChatSearch
from app.ui.widgets.labels import label

_WIDTH = 420
_PAUSE_MS = 120
"""Quiet after a keystroke before anything is looked for."""


class FindBar(QFrame):
    """Enter and Shift+Enter go from find to find; Esc (the window's) closes it."""

    def __init__(self, theme: Theme, transcript: TranscriptView) -> None:
        super().__init__(transcript)
        self.setObjectName("find bar")
        self.setProperty("ground", "card")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._transcript = transcript
        self.search = ChatSearch(transcript, theme)
        self.search.changed.connect(self._say)
        self.edit = QLineEdit()
        self.edit.setObjectName("find words")
        self.edit.setAccessibleName(self.tr("Search in this chat"))
        self.edit.setPlaceholderText(self.tr("Search in this chat"))
        self._pause = QTimer(self)
        self._pause.setObjectName("find pause")
        self._pause.setSingleShot(True)
        self._pause.setInterval(_PAUSE_MS)
        self._pause.timeout.connect(self._look)
        self.edit.textChanged.connect(lambda _text: self._pause.start())
        self.status = label("", "small")
        self._before = self._button("find before", self.tr("Find before"))
        self._before.clicked.connect(lambda _checked=False: self.step(-1))
        self._next = self._button("find next", self.tr("Next find"))
        self._next.clicked.connect(lambda _checked=False: self.step(1))
        self._close = self._button("find close", self.tr("Close the search"))
        self._close.clicked.connect(lambda _checked=False: self.dismiss())
        layout = QHBoxLayout(self)
        layout.setContentsMargins(GRID, GRID // 2, GRID // 2, GRID // 2)
        layout.setSpacing(GRID // 2)
        layout.addWidget(self.edit, 1)
        layout.addWidget(self.status)
        for button in (self._before, self._next, self._close):
            layout.addWidget(button)
        transcript.installEventFilter(self)
        self.set_theme(theme)
        self.hide()

    def _button(self, name: str, words: str) -> QToolButton:
        button = QToolButton()
        button.setObjectName(name)
        button.setProperty("kind", "quiet")
        button.setProperty("shape", "small")
        button.setIconSize(QSize(16, 16))
        button.setAccessibleName(words)
        button.setToolTip(words)
        return button

    def set_theme(self, theme: Theme) -> None:
        for button, name in ((self._before, "chevron-up"), (self._next, "chevron-down"), (self._close, "cross")):
            button.setIcon(icons.icon(name, theme.ink, theme.pencil))
        self.search.set_theme(theme)

    def open(self) -> None:
        """Show it with the keyboard in it."""
        self.show()
        self._place()
        self.raise_()
        self.edit.setFocus()
        self.edit.selectAll()
        if self.edit.text():
            self._look()

    def dismiss(self) -> None:
        """Hide it, and the marks."""
        self._pause.stop()
        self.hide()
        self.search.clear()

    def step(self, direction: int) -> None:
        """To the next find (1) or the one before (-1)."""
        if self._pause.isActive():
            self._look()
        else:
            self.search.step(direction)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.step(-1 if event.modifiers() & Qt.KeyboardModifier.ShiftModifier else 1)
        else:
            super().keyPressEvent(event)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Resize and watched is self._transcript:
            self._place()
        return super().eventFilter(watched, event)

    def _look(self) -> None:
        self._pause.stop()
        self.search.look_for(self.edit.text())

    def _say(self, place: int, count: int) -> None:
        if not self.edit.text():
            self.status.setText("")
        elif not count:
            self.status.setText(self.tr("not found"))
        else:
            self.status.setText(self.tr("message {0} of {1}").format(place, count))
        self.status.setAccessibleName(self.status.text())
        for button in (self._before, self._next):
            button.setEnabled(count > 0)

    def _place(self) -> None:
        room = self._transcript.width()
        width = min(_WIDTH, room - 2 * GRID)
        self.setGeometry(room - width - 2 * GRID, GRID, width, self.sizeHint().height())
