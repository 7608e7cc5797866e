"""What stands below a message: its numbers, a remark or a problem, the legend of the ink view."""

import html

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFont, QPainter, QPaintEvent, QPalette, QTextCharFormat, QTextCursor, QTextDocument
from PySide6.QtWidgets import QHBoxLayout, QLabel, QSizePolicy, QToolButton, QWidget

from app.chat.conversation import Message
from app.protocol.options import TokenSource
from app.ui.theme import Theme
from app.ui.transcript import words
from app.ui.transcript.style import Style


class Footer(QWidget):
    """The line below a finished answer.

    Signals:
        copy_asked: Copy the whole message.
    """

    copy_asked = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.numbers = QLabel(self, textFormat=Qt.TextFormat.RichText, wordWrap=True)
        self.numbers.setProperty("text_role", "small")
        self.numbers.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.copy = QToolButton(self)
        self.copy.setText(self.tr("Copy"))
        self.copy.setToolTip(self.tr("Copy the whole message as the model wrote it"))
        self.copy.setProperty("kind", "quiet")
        self.copy.setProperty("shape", "small")
        self.copy.setAccessibleName(self.tr("Copy message"))
        self.copy.setCursor(Qt.CursorShape.PointingHandCursor)
        self.copy.clicked.connect(self.copy_asked)
        self._row = row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(12)
        row.addWidget(self.numbers, 1)
        row.addWidget(self.copy, 0, Qt.AlignmentFlag.AlignTop)

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
