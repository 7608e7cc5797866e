"""Line icons from the resources, in the colour that is asked for."""

import functools

from PySide6.QtCore import QByteArray, QRectF, QSize, Qt
from PySide6.QtGui import QIcon, QPainter, QPixmap
from PySide6.QtSvg import QSvgRenderer

from app.core import paths

_SIZES = (16, 20, 32, 40)
"""Those of buttons, at one and two pixels a point; drawing more would hold up the first window."""


@functools.cache
def _source(name: str) -> str:
    return (paths.resources() / "icons" / f"{name}.svg").read_text(encoding="utf-8")


@functools.cache
def _renderer(name: str, colour: str) -> QSvgRenderer:
    return QSvgRenderer(QByteArray(_source(name).replace("currentColor", colour).encode()))


def icon(name: str, colour: str, disabled: str = "") -> QIcon:
    """The icon `name` (file name without suffix) drawn in `colour`, and in `disabled` on widgets that are disabled."""
    result = QIcon()
    for size in _SIZES:
        result.addPixmap(_pixmap(name, colour, size))
        if disabled:
            result.addPixmap(_pixmap(name, disabled, size), QIcon.Mode.Disabled)
    return result


def draw(painter: QPainter, name: str, colour: str, area: QRectF) -> None:
    """Draw an icon into `area`, sharp at any scale."""
    _renderer(name, colour).render(painter, area)


def app_icon() -> QIcon:
    """The icon of the program."""
    result = QIcon()
    for size in (16, 24, 32, 48, 64, 128, 256):
        result.addPixmap(_pixmap("app-small" if size <= 24 else "app", "", size))
    return result


def _pixmap(name: str, colour: str, size: int) -> QPixmap:
    pixmap = QPixmap(QSize(size, size))
    pixmap.fill(Qt.GlobalColor.transparent)
    painter = QPainter(pixmap)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    _renderer(name, colour).render(painter, QRectF(0, 0, size, size))
    painter.end()
    return pixmap
