"""What is known about the token under the mouse, or at the text cursor, in the ink view."""

from collections.abc import Callable

from PySide6.QtCore import QEvent, QObject, QPoint, Qt
from PySide6.QtGui import QHelpEvent
from PySide6.QtWidgets import QToolTip

from app.chat.conversation import Message
from app.chat.ink import InkedToken, token_at, unpacked
from app.core.translation import translate
from app.protocol.options import DRAFT_SOURCES
from app.ui.transcript.body import Body
from app.ui.transcript.words import source_words


def token_words(token: InkedToken) -> str:
    """Source, accepted or corrected, and how sure the drafter was."""
    source = source_words(token.source)
    if token.source in DRAFT_SOURCES:
        if token.sure < 0:
            return translate("answer", "{0}: proposed and accepted").format(source)
        return translate("answer", "{0}: proposed and accepted, the draft was {1} % sure").format(source, token.sure)
    if token.source == "correction":
        if token.sure < 0:
            return translate("answer", "corrected: the target said this instead of what was proposed")
        text = translate("answer", "corrected: the target said this, the draft was {0} % sure of something else")
        return text.format(token.sure)
    return translate("answer", "target: nothing was proposed here")


class InkTip(QObject):
    """Shows a tooltip over a `Body` that shows plain text.

    Args:
        body: Where; its parent in Qt's sense too.
        message: What it shows right now; None while the ink view is off.
    """

    def __init__(self, body: Body, message: Callable[[], Message | None]) -> None:
        super().__init__(body)
        self._body = body
        self._message = message
        self._known: tuple[bytes, int] = (b"", 0)
        self._tokens: tuple[InkedToken, ...] = ()
        body.viewport().installEventFilter(self)
        body.cursorPositionChanged.connect(self._on_cursor)

    def words_at(self, position: int) -> str:
        """About the character after this position of the document (in UTF-16 units), "" without one."""
        message = self._message()
        if message is None or message.role != "assistant":
            return ""
        text = message.text
        # Qt counts characters beyond the first plane twice.
        place = position if text.isascii() else len(_head(text, position))
        if place >= len(text):
            return ""
        if self._known != (message.ink, len(text)):
            self._known = (message.ink, len(text))
            self._tokens = unpacked(message.ink, len(text))
        token = token_at(self._tokens, place)
        return token_words(token) if token is not None else _piece_words(message, place)

    def position_at(self, place: QPoint) -> int:
        """The position before the character at this place of the viewport, -1 where there is none."""
        body = self._body
        exact = Qt.HitTestAccuracy.ExactHit
        if body.document().documentLayout().hitTest(place.toPointF(), exact) < 0:
            return -1
        cursor = body.cursorForPosition(place)
        left = body.cursorRect(cursor).left() > place.x() and not cursor.atBlockStart()
        return cursor.position() - 1 if left else cursor.position()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent) and self._message() is not None:
            position = self.position_at(event.pos())
            words = self.words_at(position) if position >= 0 else ""
            QToolTip.showText(event.globalPos(), words, self._body)
            return True
        return super().eventFilter(watched, event)

    def _on_cursor(self) -> None:
        body = self._body
        if self._message() is None or body.is_writing or not body.hasFocus():
            return
        cursor = body.textCursor()
        place = body.cursorRect(cursor).bottomLeft() + QPoint(0, 4)
        QToolTip.showText(body.viewport().mapToGlobal(place), self.words_at(cursor.position()), body)


def _head(text: str, units: int) -> str:
    return text.encode("utf-16-le", "surrogatepass")[: 2 * units].decode("utf-16-le", "ignore")


def _piece_words(message: Message, place: int) -> str:
    """Answers of older versions know the source only."""
    for piece in message.pieces:
        if place < len(piece.text):
            return source_words(piece.source)
        place -= len(piece.text)
    return ""
