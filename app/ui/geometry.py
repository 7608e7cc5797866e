"""Where the window was, brought back onto a screen that exists."""

import base64
import binascii

from PySide6.QtCore import QByteArray, QRect, QSize
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QMainWindow

DEFAULT_SIZE = QSize(1120, 760)


def save(window: QMainWindow) -> str:
    """The window's place as base64."""
    return base64.b64encode(window.saveGeometry().data()).decode("ascii")


def restore(window: QMainWindow, saved: str) -> None:
    """Put the window where it was; somewhere visible if that place is gone or the text is damaged."""
    try:
        known = bool(saved) and window.restoreGeometry(QByteArray(base64.b64decode(saved, validate=True)))
    except (binascii.Error, ValueError):
        known = False
    if not known:
        window.resize(DEFAULT_SIZE)
    clamp(window)


def clamp(window: QMainWindow) -> None:
    """Move and shrink a window so that all of it is on one screen."""
    if window.isMaximized() or window.isFullScreen():
        return
    place = window.frameGeometry()
    screen = QGuiApplication.screenAt(place.center()) or QGuiApplication.primaryScreen()
    window.setGeometry(clamped(window.geometry(), screen.availableGeometry()))


def clamped(place: QRect, room: QRect) -> QRect:
    """`place`, made to fit into `room` with as little change as possible."""
    width, height = min(place.width(), room.width()), min(place.height(), room.height())
    left = min(max(place.x(), room.x()), room.x() + room.width() - width)
    top = min(max(place.y(), room.y()), room.y() + room.height() - height)
    return QRect(left, top, width, height)
