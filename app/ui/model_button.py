"""The button that names the models at work and opens the list of others."""

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPaintEvent
from PySide6.QtWidgets import QMenu, QPushButton, QSizePolicy, QStyle, QStyleOptionButton, QStylePainter, QWidget

from app.chat.connections import Connections, is_remote, target_of
from app.chat.settings import Pair
from app.protocol.messages import Loaded
from app.ui import icons
from app.ui.theme import Theme

_PADDING, _GAP, _ARROW = 13, 7, 14
_LEAST_DRAFT = 60
_MOST_MODELS = 200
_LONGEST = 80


class ModelButton(QPushButton):
    """Target and draft model in one line; the menu has recent models, a file from disk, and the demo pair.

    Signals:
        open_wanted: Ask for a GGUF file.
        demo_wanted: Load the demo pair.
        models_wanted: Show all models.
        connections_wanted: Show the servers.
        model_chosen: The path of a target, or what stands for one on a server.
    """

    open_wanted = Signal()
    demo_wanted = Signal()
    models_wanted = Signal()
    connections_wanted = Signal()
    model_chosen = Signal(str)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._recent: tuple[Pair, ...] = ()
        self._connections = Connections()
        self._parts: tuple[tuple[str, bool], ...] = ()
        self._fraction: float | None = None
        self.setObjectName("model")
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self._menu = QMenu(self)
        self._menu.setToolTipsVisible(True)
        self._menu.aboutToShow.connect(self._fill_menu)
        self.setMenu(self._menu)
        self.show_models(None)

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self.update()

    def set_recent(self, recent: Sequence[Pair]) -> None:
        """Pairs for the menu, newest first."""
        self._recent = tuple(pair for pair in recent if not is_remote(pair.target))

    def set_connections(self, connections: Connections) -> None:
        """Servers for the menu."""
        self._connections = connections

    def show_models(self, loaded: Loaded | None) -> None:
        """Name what is loaded."""
        if loaded is None:
            parts: list[tuple[str, bool]] = [(self.tr("No model"), True)]
            tooltip = ""
        else:
            target, draft = loaded.target, loaded.draft
            parts = [(target.name or Path(target.path).stem, True), (target.quantisation, False)]
            tooltip = target.path
            if loaded.server is not None:
                parts += [("@", False), (loaded.server.name, False)]
                tooltip = f"{loaded.server.name}: {loaded.server.origin}"
            if draft is not None:
                parts += [("+", False), (draft.name or Path(draft.path).stem, True), (self.tr("draft"), False)]
                tooltip += f"\n+ {draft.path}"
        self._show(tuple(part for part in parts if part[0]), tooltip, None)

    def show_loading(self, words: str, fraction: float | None) -> None:
        """A load is under way; `fraction` is 0 to 1, None while it cannot be told."""
        self._show(((words, False),), "", fraction if fraction is not None else 0.0)

    def _show(self, parts: tuple[tuple[str, bool], ...], tooltip: str, fraction: float | None) -> None:
        resized = parts != self._parts
        self._parts, self._fraction = parts, fraction
        self.setAccessibleName(self.tr("Model: {0}").format(" ".join(text for text, _ in parts)))
        self.setToolTip(tooltip)
        if resized:
            self.updateGeometry()
        self.update()

    def _fill_menu(self) -> None:
        self._menu.clear()
        for pair in self._recent:
            words = Path(pair.target).stem
            if pair.draft:
                words += f"  +  {Path(pair.draft).stem}"
            action = self._menu.addAction(_plain(words))
            action.setToolTip(pair.target)
            action.setStatusTip(pair.target)
            action.triggered.connect(lambda _checked=False, path=pair.target: self.model_chosen.emit(path))
        if self._recent:
            self._menu.addSeparator()
        self._menu.addAction(self.tr("Open GGUF file…")).triggered.connect(
            lambda _checked=False: self.open_wanted.emit()
        )
        self._menu.addAction(self.tr("Demo pair")).triggered.connect(lambda _checked=False: self.demo_wanted.emit())
        self._add_servers()
        self._menu.addAction(self.tr("All models")).triggered.connect(lambda _checked=False: self.models_wanted.emit())

    def _add_servers(self) -> None:
        self._menu.addSeparator()
        for connection in self._connections.servers:
            if not connection.models:
                continue
            menu = self._menu.addMenu(_plain(connection.title))
            for model in connection.models[:_MOST_MODELS]:
                target = target_of(connection.id, model)
                menu.addAction(_plain(model if len(model) <= _LONGEST else f"{model[:_LONGEST]}…")).triggered.connect(
                    lambda _checked=False, target=target: self.model_chosen.emit(target)
                )
        self._menu.addAction(self.tr("Connections to servers…")).triggered.connect(
            lambda _checked=False: self.connections_wanted.emit()
        )
        self._menu.addSeparator()

    def _fonts(self) -> tuple[QFont, QFont]:
        strong, quiet = QFont(self.font()), QFont(self.font())
        strong.setWeight(QFont.Weight.Medium)
        quiet.setPointSizeF(quiet.pointSizeF() * 0.88)
        return strong, quiet

    def _text_width(self) -> float:
        strong, quiet = (QFontMetricsF(font) for font in self._fonts())
        return sum((strong if is_name else quiet).horizontalAdvance(text) + _GAP for text, is_name in self._parts)

    def sizeHint(self) -> QSize:
        return QSize(int(2 * _PADDING + self._text_width() + _ARROW) + 1, 34)

    def minimumSizeHint(self) -> QSize:
        return QSize(100, 34)

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QStylePainter(self)
        option = QStyleOptionButton()
        self.initStyleOption(option)
        painter.drawControl(QStyle.ControlElement.CE_PushButtonBevel, option)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        theme = self._theme
        left, right = float(_PADDING), self.width() - _PADDING - _ARROW
        strong, quiet = self._fonts()
        for text, is_name in self._parts:
            if text == "+" and right - left < _LEAST_DRAFT:
                break
            font = strong if is_name else quiet
            metrics = QFontMetricsF(font)
            shown = metrics.elidedText(text, Qt.TextElideMode.ElideRight, max(right - _GAP - left, 0))
            painter.setFont(font)
            painter.setPen(QColor(theme.ink if is_name else theme.soft))
            painter.drawText(QRectF(left, 0, right - left, self.height()), int(Qt.AlignmentFlag.AlignVCenter), shown)
            left += metrics.horizontalAdvance(shown) + _GAP
            if shown != text:
                break
        middle = (self.height() - _ARROW) / 2
        icons.draw(painter, "chevron-down", theme.soft, QRectF(right, middle, _ARROW, _ARROW))
        if self._fraction is not None:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(theme.accent))
            width = (self.width() - 2 * _PADDING) * self._fraction
            painter.drawRoundedRect(QRectF(_PADDING, self.height() - 5, width, 2), 1, 1)
        painter.end()


def _plain(text: str) -> str:
    return text.replace("&", "&&")
