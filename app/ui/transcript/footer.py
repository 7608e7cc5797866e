"""What stands below a message: its numbers, a remark or a problem, the legend of the ink view."""

import html

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QFont,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPalette,
    QTextCharFormat,
    QTextCursor,
    QTextDocument,
)
from PySide6.QtWidgets import QHBoxLayout, QLabel, QSizePolicy, QToolButton, QWidget

from app.chat.conversation import Message
from app.protocol.options import TokenSource
from app.ui.theme import Theme
from app.ui.transcript import words
from app.ui.transcript.actions import Pictures
from app.ui.transcript.style import Style


class Footer(QWidget):
    """The line below a finished answer.

    Signals:
        copy_asked: Copy the whole message.
        details_asked: Show everything that is known about this answer.
    """

    copy_asked = Signal()
    details_asked = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.numbers = _Numbers(self)
        self.numbers.clicked.connect(self.details_asked)
        self.details = self._button("", self.tr("Details: time, acceptance and files of this answer"))
        self.details.setAccessibleName(self.tr("Details of this answer"))
        self.details.clicked.connect(self.details_asked)
        self.copy = self._button(self.tr("Copy"), self.tr("Copy the whole message as the model wrote it"))
        self.copy.setAccessibleName(self.tr("Copy message"))
        self.copy.clicked.connect(self.copy_asked)
        self._row = row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(6)
        row.addWidget(self.numbers, 1)
        row.addWidget(self.details, 0, Qt.AlignmentFlag.AlignTop)
        row.addWidget(self.copy, 0, Qt.AlignmentFlag.AlignTop)

    def _button(self, text: str, tip: str) -> QToolButton:
        button = QToolButton(self)
        button.setText(text)
        button.setToolTip(tip)
        button.setProperty("kind", "quiet")
        button.setProperty("shape", "small")
        button.setCursor(Qt.CursorShape.PointingHandCursor)
        return button

    def set_focus_policy(self, policy: Qt.FocusPolicy) -> None:
        """Whether the Tab key comes here."""
        self.details.setFocusPolicy(policy)
        self.copy.setFocusPolicy(policy)

    def set_pictures(self, made: Pictures) -> None:
        self.details.setIcon(made["details"])

    def has_keyboard(self) -> bool:
        return self.details.hasFocus() or self.copy.hasFocus()

    def hold(self, actions: QWidget) -> None:
        """Take more buttons into the line."""
        self._row.insertWidget(1, actions, 0, Qt.AlignmentFlag.AlignTop)

    def show_message(self, message: Message, theme: Theme) -> None:
        """Say the numbers of a finished message."""
        parts = words.numbers(message)
        gain = f'<b style="color:{theme.good}">%s</b>'
        marked = [gain % html.escape(part) if "×" in part else html.escape(part) for part in parts]
        self.numbers.setText(f'&nbsp; <span style="color:{theme.line_strong}">·</span> &nbsp;'.join(marked))
        self.numbers.setToolTip(words.details(message))
        self.numbers.setAccessibleName(", ".join(parts))
        self.details.setVisible(message.stats is not None)


class _Numbers(QLabel):
    """Text to select; a click that selects nothing asks for more.

    Signals:
        clicked: See above.
    """

    clicked = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent, textFormat=Qt.TextFormat.RichText, wordWrap=True)
        self.setProperty("text_role", "small")
        self.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        super().mouseReleaseEvent(event)
        if event.button() == Qt.MouseButton.LeftButton and not self.hasSelectedText():
            self.clicked.emit()


class Note(QLabel):
    """A sentence on a coloured ground."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent, wordWrap=True, textFormat=Qt.TextFormat.PlainText)
        self.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.setMargin(10)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self._said = ("", "", "")

    def say(self, text: str, colour: str, ground: str) -> None:
        """Show the sentence in these colours."""
        if self._said == (text, colour, ground):
            return
        self._said = (text, colour, ground)
        colours = self.palette()
        colours.setColor(QPalette.ColorRole.WindowText, QColor(colour))
        self.setPalette(colours)
        self.setText(text)
        self.setAccessibleName(text)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(self._said[2]))
        painter.drawRoundedRect(QRectF(self.rect()), 8, 8)
        painter.end()
        super().paintEvent(event)


class Legend(QWidget):
    """Where the tokens of an answer came from, each source in its own ink, with its count."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._document = QTextDocument(self)
        self._document.setDocumentMargin(0)

    def show_counts(self, counts: tuple[tuple[TokenSource, int], ...], style: Style, font: QFont) -> None:
        """Say how many tokens came from each source."""
        self._document.clear()
        self._document.setDefaultFont(font)
        cursor = QTextCursor(self._document)
        plain = QTextCharFormat()
        plain.setForeground(QColor(style.theme.soft))
        plain.setFontPointSize(style.point_size * 0.9)
        said = []
        for source, count in counts:
            form = QTextCharFormat(style.ink(source))
            form.merge(plain)
            cursor.insertText(f"{words.source_words(source)} {count:,}", form)
            cursor.insertText("\u2003", plain)
            said.append(f"{words.source_words(source)}: {count}")
        if not counts:
            cursor.insertText(self.tr("Where these tokens came from is not known."), plain)
        counted = self.tr("Tokens by source: {0}").format(", ".join(said))
        self.setAccessibleName(counted if said else self._document.toPlainText())

    def heightForWidth(self, width: int) -> int:
        self._document.setTextWidth(width)
        return int(self._document.size().height()) + 6

    def sizeHint(self) -> QSize:
        return QSize(int(self._document.idealWidth()), self.heightForWidth(max(self.width(), 200)))

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        self._document.drawContents(painter)
