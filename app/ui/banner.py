"""A strip above the composer that says what went wrong and what can be done."""

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QAccessible, QAccessibleEvent, QColor, QFont, QGuiApplication, QPainter, QPaintEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPushButton, QSizePolicy, QToolButton, QVBoxLayout, QWidget

from app.chat import phrases
from app.chat.banner import Banner, BannerAction
from app.ui import icons
from app.ui.theme import GRID, Theme
from app.ui.widgets.flow import FlowLayout
from app.ui.widgets.labels import label

_ICON = 20


class BannerView(QFrame):
    """Shows a `Banner`, or hides.

    Signals:
        action_chosen: The name of an action of the banner.
    """

    action_chosen = Signal(str)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._banner: Banner | None = None
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Minimum)
        self._sentence = label("", "", wrap=True)
        self._hint = label("", "", wrap=True)
        for words in (self._sentence, self._hint):
            words.setTextInteractionFlags(words.textInteractionFlags().TextSelectableByMouse)
        self._buttons = FlowLayout()
        words_column = QVBoxLayout()
        words_column.setSpacing(GRID // 2)
        words_column.addWidget(self._sentence)
        words_column.addWidget(self._hint)
        words_column.addLayout(self._buttons)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(2 * GRID + _ICON + GRID, GRID + 4, GRID, GRID + 4)
        layout.addLayout(words_column, 1)
        self._dismiss = QToolButton()
        self._dismiss.setObjectName("banner dismiss")
        self._dismiss.setProperty("kind", "quiet")
        self._dismiss.setProperty("shape", "icon")
        self._dismiss.setIconSize(QSize(16, 16))
        self._dismiss.setAccessibleName(self.tr("Dismiss"))
        self._dismiss.setToolTip(self.tr("Dismiss"))
        self._dismiss.clicked.connect(lambda _checked=False: self.action_chosen.emit("dismiss"))
        layout.addWidget(self._dismiss, 0, Qt.AlignmentFlag.AlignTop)
        self.set_theme(theme)
        self.hide()

    @property
    def banner(self) -> Banner | None:
        return self._banner

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self._dismiss.setIcon(icons.icon("cross", theme.ink))
        self.update()

    def show_banner(self, banner: Banner | None) -> None:
        """Show this, or nothing."""
        self._banner = banner
        if banner is None:
            self.hide()
            return
        sentence = "\n".join(phrases.said(line) for line in banner.sentence.split("\n"))
        hint = phrases.said(banner.hint)
        self._sentence.setText(sentence)
        font = self.font()
        font.setWeight(QFont.Weight.Normal if banner.kind == "info" else QFont.Weight.DemiBold)
        self._sentence.setFont(font)
        self._hint.setText(hint)
        self._hint.setVisible(bool(banner.hint))
        self.setAccessibleName(f"{self._kind_word(banner.kind)}: {sentence} {hint}".strip())
        self._fill_buttons(banner)
        self.show()
        QAccessible.updateAccessibility(QAccessibleEvent(self, QAccessible.Event.Alert))
        self.updateGeometry()
        self.update()

    def _kind_word(self, kind: str) -> str:
        return {"error": self.tr("Error"), "warning": self.tr("Warning"), "info": self.tr("Note")}[kind]

    def _fill_buttons(self, banner: Banner) -> None:
        while (item := self._buttons.takeAt(0)) is not None:
            if (old := item.widget()) is not None:
                old.hide()
                old.deleteLater()
        names: dict[BannerAction, str] = {
            "restart": self.tr("Restart the engine"),
            "retry": self.tr("Try again"),
            "retry_plain": self.tr("Retry without speculation"),
            "leave_out": self.tr("Leave out the oldest messages"),
            "new_chat": self.tr("New chat"),
            "plain_template": self.tr("Use a plain dialogue"),
            "load_pair": self.tr("Load the models of this chat"),
            "report": self.tr("Report a problem…"),
        }
        self._dismiss.setVisible("dismiss" in banner.actions)
        for action in banner.actions:
            if action == "dismiss":
                continue
            button = QPushButton(names[action])
            button.setObjectName(f"banner {action}")
            button.clicked.connect(lambda _checked=False, name=action: self.action_chosen.emit(name))
            self._buttons.addWidget(button)
            button.show()
        if banner.detail:
            copy = QPushButton(self.tr("Copy details"))
            copy.setObjectName("banner copy details")
            copy.clicked.connect(self._copy)
            self._buttons.addWidget(copy)
            copy.show()

    def _copy(self) -> None:
        if self._banner is not None:
            parts = (self._banner.sentence, self._banner.hint, self._banner.detail)
            QGuiApplication.clipboard().setText("\n".join(part for part in parts if part))

    def paintEvent(self, _event: QPaintEvent) -> None:
        if self._banner is None:
            return
        theme = self._theme
        ink, ground = {
            "error": (theme.bad, theme.bad_bg),
            "warning": (theme.warn, theme.warn_bg),
            "info": (theme.accent, theme.accent_soft),
        }[self._banner.kind]
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QColor(ink))
        painter.setBrush(QColor(ground))
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), 10, 10)
        icons.draw(painter, self._banner.kind, ink, QRectF(2 * GRID, GRID + 4, _ICON, _ICON))
        painter.end()
