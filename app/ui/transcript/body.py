"""The text of one message: a browser without resources, as high as its document."""

import math

from PySide6.QtCore import QEvent, QMimeData, QRect, Qt, QUrl, Signal
from PySide6.QtGui import (
    QColor,
    QContextMenuEvent,
    QFocusEvent,
    QKeyEvent,
    QKeySequence,
    QPainter,
    QPaintEvent,
    QPalette,
    QTextCursor,
    QTextOption,
    QWheelEvent,
)
from PySide6.QtWidgets import QFrame, QMenu, QTextBrowser, QWidget

from app.ui.theme import Theme, palette
from app.ui.transcript import decor, formula

_SCROLL_KEYS = {Qt.Key.Key_PageUp, Qt.Key.Key_PageDown, Qt.Key.Key_Home, Qt.Key.Key_End}


class Body(QTextBrowser):
    """Shows one document; the width is given with `fit`, the height follows.

    `is_writing`: the text is being changed by the program, so that no movement of the text cursor means anything.
    `space_below`: room kept below the text, px.

    Signals:
        height_changed: The document became higher or lower.
        reveal: This part (a QRect in this widget) should be in sight: the text cursor was moved there.
        copy_asked: Copy everything: the standard shortcut without a selection, or the menu.
        compare_asked: Answer this with and without speculation.
        focused: The keyboard is here now.
    """

    height_changed = Signal()
    reveal = Signal(QRect)
    copy_asked = Signal()
    compare_asked = Signal()
    focused = Signal()

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self.has_caret = False
        self.space_below = 0
        self.is_writing = False
        self._theme = theme
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setOpenLinks(False)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextBrowserInteraction | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self.viewport().setAutoFillBackground(False)
        document = self.document()
        document.setUndoRedoEnabled(False)
        document.setDocumentMargin(0)
        option = document.defaultTextOption()
        option.setWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        document.setDefaultTextOption(option)
        document.documentLayout().documentSizeChanged.connect(self._take_height)
        self.cursorPositionChanged.connect(self._reveal_cursor)
        self.set_theme(theme)

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        colours = palette(theme)
        colours.setColor(QPalette.ColorRole.Base, QColor(Qt.GlobalColor.transparent))
        self.setPalette(colours)
        self.viewport().update()

    def set_caret(self, shown: bool) -> None:
        """Show where the text goes on."""
        if shown != self.has_caret:
            self.has_caret = shown
            self.viewport().update()

    def keep_space(self, below: int) -> None:
        """Keep this much room below the text, px."""
        if below != self.space_below:
            self.space_below = below
            self._take_height()

    def rest_cursor(self) -> None:
        """Put an unused text cursor, which grew with the text, back to the start: the keyboard begins there."""
        cursor = self.textCursor()
        if cursor.position() and not self.hasFocus() and not cursor.hasSelection():
            cursor.setPosition(0)
            self.setTextCursor(cursor)

    def fit(self, width: int) -> None:
        """Lay the text out for this width, px."""
        if width != self.width() or self.document().textWidth() != width:
            self.resize(width, self.height())
            self.document().setTextWidth(width)
        self._take_height()

    # --- Qt overrides

    def loadResource(self, kind: int, name: QUrl | str) -> object:
        """Nothing is ever loaded, from the disk or from the net."""
        return None

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self.viewport())
        offset = self.horizontalScrollBar().value()
        painter.translate(-offset, 0)
        decor.paint(painter, self.document(), event.rect().translated(offset, 0).toRectF(), self._theme)
        if self.has_caret:
            painter.fillRect(self._caret(), QColor(self._theme.accent))
        painter.end()
        super().paintEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        plain = event.modifiers() in {Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.KeypadModifier}
        control = event.modifiers() == Qt.KeyboardModifier.ControlModifier
        if (event.key() in _SCROLL_KEYS and (plain or control)) or event.modifiers() == Qt.KeyboardModifier.AltModifier:
            # Scrolls the conversation; a browser would take the others as steps in its history.
            event.ignore()
        elif event.matches(QKeySequence.StandardKey.Copy) and not self.textCursor().hasSelection():
            self.copy_asked.emit()
        else:
            super().keyPressEvent(event)

    def wheelEvent(self, event: QWheelEvent) -> None:
        sideways = abs(event.angleDelta().x()) > abs(event.angleDelta().y())
        if sideways and self.horizontalScrollBar().maximum():
            super().wheelEvent(event)
        else:
            event.ignore()

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        menu = self.make_menu(event)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.popup(event.globalPos())

    def make_menu(self, event: QContextMenuEvent) -> QMenu:
        """The standard menu and what copies the whole message."""
        menu = self.createStandardContextMenu(event.pos())
        menu.addSeparator()
        menu.addAction(self.tr("Copy message"), self.copy_asked.emit)
        menu.addAction(self.tr("Compare with and without speculation"), self.compare_asked.emit)
        return menu

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self.focused.emit()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self.document().setDefaultFont(self.font())

    def createMimeDataFromSelection(self) -> QMimeData:
        """Formulas are copied as the model wrote them, not as the character that stands for a picture."""
        taken = super().createMimeDataFromSelection()
        chosen = self.textCursor()
        if "\ufffc" not in chosen.selectedText():
            return taken
        result = QMimeData()
        result.setText(formula.text_of(chosen))
        return result

    # --- inside

    def _take_height(self) -> None:
        size = self.document().size()
        height = math.ceil(size.height()) + self.space_below
        if size.width() > self.width() + 1:
            height += self.horizontalScrollBar().sizeHint().height()
        if height != self.height():
            self.resize(self.width(), height)
            self.height_changed.emit()

    def _caret(self) -> QRect:
        end = QTextCursor(self.document())
        end.movePosition(QTextCursor.MoveOperation.End)
        rect = self.cursorRect(end)
        return QRect(rect.left() + 2, rect.top() + 1, 3, max(rect.height() - 2, 8))

    def _reveal_cursor(self) -> None:
        if self.hasFocus() and not self.is_writing:
            self.reveal.emit(self.cursorRect())
