"""The thinking of an answer: folded, with how long it took."""

from dataclasses import replace

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtWidgets import QToolButton, QWidget

from app.chat.conversation import Message
from app.core.thinking import Split, split
from app.protocol.messages import Piece
from app.ui import icons
from app.ui.theme import Theme
from app.ui.transcript import words
from app.ui.transcript.body import Body
from app.ui.transcript.content import PlainContent
from app.ui.transcript.slices import Slices
from app.ui.transcript.style import Style

_INDENT, _GAP, _BELOW = 22, 4, 8


def parts_of(message: Message) -> Split:
    """Thinking and answer of a message, also while it streams."""
    if message.role != "assistant":
        return Split()
    opened = message.thought is not None and message.thought.opened
    return split(message.text, opened=opened, final=message.status != "streaming")


def _softer(theme: Theme) -> Theme:
    return replace(theme, ink=theme.soft)


class ThinkingPart(QWidget):
    """A line that opens; the text below it is exactly what the model wrote.

    Signals:
        height_changed: It became higher or lower.
    """

    height_changed = Signal()

    def __init__(self, style: Style, slices: Slices, parent: QWidget) -> None:
        super().__init__(parent)
        self._style = style
        self._slices = slices
        self._text = ""
        self._final = False
        self.body: Body | None = None
        self._content: PlainContent | None = None
        self.header = QToolButton(self)
        self.header.setProperty("kind", "quiet")
        self.header.setProperty("shape", "small")
        self.header.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.header.setIconSize(QSize(14, 14))
        self.header.setCheckable(True)
        self.header.setCursor(Qt.CursorShape.PointingHandCursor)
        self.header.toggled.connect(self._open)
        self._show_arrow()

    @property
    def is_open(self) -> bool:
        return self.header.isChecked()

    def show_part(self, message: Message, found: Split) -> None:
        """Show the thinking of this message; `found` says where it is."""
        self.header.setText(words.thinking(message, is_open=found.is_open))
        self.header.setAccessibleName(self.header.text())
        self._text = message.text[found.begin : found.end].strip("\n")
        self._final = not found.is_open or message.status != "streaming"
        self.header.adjustSize()
        self._fill()

    def set_style(self, style: Style) -> None:
        self._style = style
        self._show_arrow()
        if self.body is not None and self._content is not None:
            self.body.set_theme(_softer(style.theme))
            self._slices.run(self, self._content.restyle(style))

    def set_focus_policy(self, policy: Qt.FocusPolicy) -> None:
        """Whether the Tab key comes here."""
        self.header.setFocusPolicy(policy)

    def fit(self, width: int) -> int:
        """Take this width, px; how high it is then, with the room below."""
        height = self.header.sizeHint().height()
        self.header.setGeometry(0, 0, min(self.header.sizeHint().width(), width), height)
        if self.body is not None and self.is_open:
            self.body.fit(max(width - _INDENT, 40))
            self.body.move(_INDENT, height + _GAP)
            height += _GAP + self.body.height()
        self.resize(width, height)
        return height + _BELOW

    def forget(self) -> None:
        """Drop all work, before it goes away."""
        self._slices.drop(self)

    def _open(self, is_open: bool) -> None:
        if is_open and self.body is None:
            self.body = Body(_softer(self._style.theme), self)
            self.body.setAccessibleName(self.tr("Thinking"))
            self.body.document().setDefaultFont(self.font())
            self._content = PlainContent(self.body.document(), self._style, marked=False)
            self.body.height_changed.connect(self.height_changed)
        if self.body is not None:
            self.body.setVisible(is_open)
        self._show_arrow()
        self._fill()
        self.height_changed.emit()

    def _fill(self) -> None:
        if self._content is None or not self.is_open:
            return
        pieces = (Piece(text=self._text, source="target"),)
        self._slices.run(self, self._content.show(self._text, pieces, final=self._final), urgent=True)
        self._slices.hurry(self, 0.01)

    def _show_arrow(self) -> None:
        name = "chevron-down" if self.is_open else "chevron-right"
        self.header.setIcon(icons.icon(name, self._style.theme.soft))
