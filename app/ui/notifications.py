"""Tells a person who does something else that a long answer is there."""

import time
from collections.abc import Callable

from PySide6.QtCore import QEvent, QObject, QTimer
from PySide6.QtWidgets import QApplication, QSystemTrayIcon, QWidget

from app.bridge.chat_controller import ChatController
from app.chat.conversation import Message
from app.chat.titles import shortened
from app.ui.transcript import words

LONG_S = 10.0
"""Answers that took less need no notification: whoever waited for them is still there."""
_SHOWN_MS = 10_000


class Notifier(QObject):
    """Watches answers; while the window is not in front, the end of a long one is announced.

    Where the desktop has no place for notifications the window asks for attention in its task bar.
    """

    def __init__(
        self, window: QWidget, controller: ChatController, clock: Callable[[], float] = time.monotonic
    ) -> None:
        super().__init__(window)
        self.told: list[str] = []
        self._window = window
        self._clock = clock
        self._began: dict[str, float] = {}
        self._tray: QSystemTrayIcon | None = None
        self._over = QTimer(self)
        self._over.setObjectName("notification over")
        self._over.setSingleShot(True)
        self._over.setInterval(_SHOWN_MS)
        self._over.timeout.connect(self._hide)
        controller.message_added.connect(self._note)
        controller.message_changed.connect(self._note)
        window.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.WindowActivate:
            self._hide()
        return super().eventFilter(watched, event)

    def _note(self, message: Message) -> None:
        if message.role != "assistant":
            return
        if message.status == "streaming":
            self._began.setdefault(message.id, self._clock())
            return
        began = self._began.pop(message.id, None)
        if began is not None and self._clock() - began >= LONG_S and not self._window.isActiveWindow():
            self._tell(message)

    def _tell(self, message: Message) -> None:
        title = self.tr("The answer failed") if message.status == "failed" else self.tr("The answer is complete")
        text = words.problem(message) or shortened(" ".join(message.text[:400].split()), 120)
        self.told.append(title)
        QApplication.alert(self._window)
        if QSystemTrayIcon.isSystemTrayAvailable() and QSystemTrayIcon.supportsMessages():
            if self._tray is None:
                self._tray = QSystemTrayIcon(QApplication.windowIcon(), self)
                self._tray.messageClicked.connect(self._come_forward)
                self._tray.activated.connect(lambda _reason: self._come_forward())
            self._tray.show()
            self._tray.showMessage(title, text, self._tray.icon(), _SHOWN_MS)
            self._over.start()

    def _come_forward(self) -> None:
        self._hide()
        self._window.show()
        self._window.raise_()
        self._window.activateWindow()

    def _hide(self) -> None:
        self._over.stop()
        if self._tray is not None:
            self._tray.hide()
