"""A card that hangs below another widget, inside the same window."""

from PySide6.QtCore import QEvent, QObject, QPoint, Qt
from PySide6.QtGui import QColor, QHideEvent, QMouseEvent, QShowEvent
from PySide6.QtWidgets import QApplication, QFrame, QGraphicsDropShadowEffect, QVBoxLayout, QWidget

from app.ui.theme import GRID
from app.ui.widgets.column import ScrollColumn

_EDGE = 2


class Popover(QFrame):
    """Shown under its anchor; closes by Esc (the window's), a click elsewhere, or when it is told to.

    A child and no top-level window: it works the same with every window system and never steals the keyboard.
    """

    def __init__(self, window: QWidget, anchor: QWidget, width: int) -> None:
        """`column` is the layout to fill; it scrolls where the window is too low for all of it."""
        super().__init__(window)
        self._window = window
        self._anchor = anchor
        self._area = ScrollColumn()
        self.column = self._area.column
        self._wanted_width = width
        layout = QVBoxLayout(self)
        layout.setContentsMargins(_EDGE, _EDGE, _EDGE, _EDGE)
        layout.addWidget(self._area)
        self.setProperty("ground", "card")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        shadow = QGraphicsDropShadowEffect(self)
        shadow.setBlurRadius(3 * GRID)
        shadow.setOffset(0, 4)
        shadow.setColor(QColor(0, 0, 0, 60))
        self.setGraphicsEffect(shadow)
        self.hide()

    def open_below(self) -> None:
        """Show under the anchor, as far to the left as the window asks for."""
        window = self._window
        width = min(self._wanted_width, window.width() - 2 * GRID)
        corner = self._anchor.mapTo(window, QPoint(self._anchor.width() - width, self._anchor.height() + 6))
        left = max(GRID, min(corner.x(), window.width() - width - GRID))
        # Shown first: words and fonts have their final sizes only then.
        self.setGeometry(left, corner.y(), width, 0)
        self.raise_()
        self.show()
        self.fit()

    def fit(self) -> None:
        """As high as what it shows, or as the window lets it be."""
        wanted = self._area.wanted_height(self.width() - 2 * _EDGE) + 2 * _EDGE
        self.resize(self.width(), min(wanted, self._window.height() - self.y() - GRID))

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if (app := QApplication.instance()) is not None:
            app.installEventFilter(self)

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        if (app := QApplication.instance()) is not None:
            app.removeEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.MouseButtonPress and isinstance(event, QMouseEvent):
            place = event.globalPosition().toPoint()
            inside = self.rect().contains(self.mapFromGlobal(place))
            on_anchor = self._anchor.rect().contains(self._anchor.mapFromGlobal(place))
            if not inside and not on_anchor:
                self.hide()
        return super().eventFilter(watched, event)
