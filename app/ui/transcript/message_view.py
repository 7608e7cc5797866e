"""One message of the conversation."""

import math
import time
from collections.abc import Iterator, Sequence

from PySide6.QtCore import QRect, QRectF, Qt, QTimer, QUrl, Signal
from PySide6.QtGui import QColor, QGuiApplication, QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from app.chat.conversation import Message
from app.core.thinking import Split
from app.protocol.messages import Piece
from app.ui.transcript import words
from app.ui.transcript.actions import Actions
from app.ui.transcript.body import Body
from app.ui.transcript.code_copy import CodeCopy
from app.ui.transcript.content import Content, MarkdownContent, PlainContent
from app.ui.transcript.footer import Footer, Legend, Note
from app.ui.transcript.formula import typesetter
from app.ui.transcript.ink_tip import InkTip
from app.ui.transcript.slices import Slices
from app.ui.transcript.style import Style
from app.ui.transcript.thinking_part import ThinkingPart, parts_of
from app.ui.transcript.writer import COPY_SCHEME, SAVE_SCHEME, copied_word, copy_word

_BUBBLE_SHARE, _BUBBLE_X, _BUBBLE_Y, _BUBBLE_RADIUS = 0.78, 14, 9, 12
_SPACE = 8
_AT_ONCE_S, _COSTLY_S, _REST = 0.02, 0.015, 3
_LONG = 4000
"""Characters above which a bubble is not measured to find its narrowest width."""


class MessageView(QWidget):
    """Shows a message; `arrange` gives it a width, its height follows.

    Signals:
        height_changed: It became higher or lower.
        save_asked: Code and its language, for a file.
        link_activated: A link was clicked; nothing was opened.
        reveal: This part (a QRect in this widget) should be in sight.
        focused: The keyboard is in this message now.
        action_asked: A button of `Actions`.
        selected: Some of its text is selected now.
    """

    height_changed = Signal()
    link_activated = Signal(str)
    save_asked = Signal(str, str)
    reveal = Signal(QRect)
    focused = Signal()
    action_asked = Signal(str)
    selected = Signal()

    def __init__(self, message: Message, style: Style, slices: Slices, parent: QWidget, *, ink: bool = False) -> None:
        super().__init__(parent)
        self.message = message
        self._style = style
        self._slices = slices
        self._ink = ink
        self._is_arranging = False
        self.thinking: ThinkingPart | None = None
        self._shown = ""
        self.body = Body(style.theme, self)
        self.footer = Footer(self)
        self.note = Note(self)
        self.legend = Legend(self)
        self.tools = Actions(style.pictures, self, is_answer=message.role == "assistant")
        self.tools.asked.connect(self.action_asked)
        if message.role == "assistant":
            self.footer.hold(self.tools)
            self.footer.set_pictures(style.pictures)
        self._content = self._new_content()
        self._copy = CodeCopy(lambda: self._content, self)
        self._awaits_formulas = False
        self._next_at = 0.0
        self._fork = (0, 1)
        self._later = QTimer(self)
        self._later.setObjectName("show-later")
        self._later.setSingleShot(True)
        self._later.timeout.connect(lambda: self.show_message(self.message))
        self.body.height_changed.connect(self._lay_out)
        self.body.anchorClicked.connect(self._click)
        self.body.reveal.connect(lambda rect: self.reveal.emit(rect.translated(self.body.pos())))
        self.body.focused.connect(self.focused)
        self.body.selectionChanged.connect(self._selection_changed)
        self.body.copy_asked.connect(self.copy_message)
        self.body.compare_asked.connect(lambda: self.action_asked.emit("compare"))
        self.ink_tip = InkTip(self.body, lambda: self.message if self._ink else None)
        self.footer.copy_asked.connect(self.copy_message)
        self.footer.details_asked.connect(lambda: self.action_asked.emit("details"))
        self._copy.forgotten.connect(lambda: self.footer.copy.setText(copy_word()))
        self.set_tab_stop(stop=False)
        self.show_message(message)

    # --- what is shown

    def show_message(self, message: Message) -> None:
        """Show a newer state of the message; what only grew costs little."""
        self.message = message
        is_final = message.status != "streaming"
        wait = self._next_at - time.monotonic()
        if not is_final and wait > 0:
            self._later.start(math.ceil(wait * 1000))
            return
        self._shown = self._folded()
        self._work(self._content.show(self._shown, self._pieces(), final=is_final))
        self.body.set_caret(message.role == "assistant" and not is_final)
        self._describe()
        self._lay_out()

    def set_style(self, style: Style) -> None:
        """Change colours and font."""
        self._style = style
        self.body.set_theme(style.theme)
        self.tools.set_pictures(style.pictures)
        self.footer.set_pictures(style.pictures)
        if self.thinking is not None:
            self.thinking.set_style(style)
        self._describe()
        # A text that is not complete yet goes on in the new style after what is there was changed.
        self._work(self._restyled(style))
        self.update()

    def set_ink(self, *, shown: bool) -> None:
        """Show where the tokens of an answer came from, instead of rendered Markdown, or the other way round."""
        if shown == self._ink:
            return
        self._ink = shown
        if self.message.role == "assistant":
            self._slices.drop((self, "colour"))
            self.body.document().clear()
            self._content = self._new_content()
            self.show_message(self.message)

    def hurry(self, seconds: float = _AT_ONCE_S) -> None:
        """Do what is left to do right now, at most for so long."""
        self._slices.hurry(self, seconds)

    def arrange(self, width: int) -> None:
        """Take this width, px; the height follows."""
        if width != self.width():
            self.resize(width, self.height())
            self._content.set_width(width)
            self._lay_out()

    def set_tab_stop(self, *, stop: bool) -> None:
        """Can the Tab key go here? Only one message of a conversation is in its way."""
        policy = Qt.FocusPolicy.StrongFocus if stop else Qt.FocusPolicy.ClickFocus
        self.body.setFocusPolicy(policy)
        self.footer.set_focus_policy(policy)
        self.tools.set_focus_policy(policy)
        if self.thinking is not None:
            self.thinking.set_focus_policy(policy)

    def copy_message(self) -> None:
        """Put the text, exactly as it is, on the clipboard."""
        QGuiApplication.clipboard().setText(self.message.text)
        self.footer.copy.setText(copied_word())
        self._copy.start()

    def deselect(self) -> None:
        """Select nothing."""
        cursor = self.body.textCursor()
        cursor.clearSelection()
        self.body.setTextCursor(cursor)

    def has_keyboard(self) -> bool:
        """Is the keyboard here?"""
        folded = self.thinking is not None and self.thinking.header.hasFocus()
        return folded or self.body.hasFocus() or self.footer.has_keyboard() or self.tools.has_keyboard()

    def take_keyboard(self) -> None:
        """Move the keyboard here."""
        target = self.body if self.body.isVisibleTo(self) else self.footer.copy
        target.setFocus(Qt.FocusReason.OtherFocusReason)

    def show_fork(self, number: int, count: int) -> None:
        """It is alternative `number` (0 for the first) of so many."""
        if (number, count) != self._fork:
            self._fork = (number, count)
            self.tools.show_place(number, count)
            self._describe()
            self._lay_out()

    def offer_going_on(self, *, offered: bool) -> None:
        """Can this answer go on where it ended?"""
        self.tools.offer_going_on(offered=offered)
        self._lay_out()

    def forget(self) -> None:
        """Drop all work, before the view goes away."""
        if self.thinking is not None:
            self.thinking.forget()
        self._slices.drop(self)
        self._slices.drop((self, "colour"))

    def paintEvent(self, event: QPaintEvent) -> None:
        if self.message.role != "user":
            return
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(self._style.theme.accent_soft))
        bubble = QRectF(self.body.geometry()).adjusted(-_BUBBLE_X, -_BUBBLE_Y, _BUBBLE_X, _BUBBLE_Y)
        painter.drawRoundedRect(bubble, _BUBBLE_RADIUS, _BUBBLE_RADIUS)

    # --- inside

    def _new_content(self) -> Content:
        document = self.body.document()
        document.setDefaultFont(self.body.font())
        if self.message.role == "user" or self._ink:
            return PlainContent(document, self._style, marked=self.message.role != "user")
        content = MarkdownContent(document, self._style)
        content.set_width(self.width())
        return content

    def _pieces(self) -> Sequence[Piece]:
        if self._ink and self.message.pieces:
            return self.message.pieces
        return (Piece(text=self._shown, source="target"),)

    def _folded(self) -> str:
        """The text to show below the thinking. The ink view shows everything as it is."""
        found = Split() if self._ink else parts_of(self.message)
        if not found.has_thinking:
            if self.thinking is not None:
                self.thinking.hide()
            return self.message.text
        if self.thinking is None:
            self.thinking = ThinkingPart(self._style, self._slices, self)
            self.thinking.set_focus_policy(self.body.focusPolicy())
            self.thinking.height_changed.connect(self._lay_out)
        self.thinking.show_part(self.message, found)
        self.thinking.show()
        return self.message.text[found.answer :]

    def _work(self, steps: Iterator[None]) -> None:
        began = time.monotonic()
        self._slices.run(self, self._written(steps), urgent=True)
        self.hurry()
        spent = time.monotonic() - began
        # A paragraph of many thousand letters: rather show it less often than hold up everything else.
        self._next_at = time.monotonic() + _REST * spent if spent > _COSTLY_S else 0.0

    def _written(self, steps: Iterator[None]) -> Iterator[None]:
        while True:
            self.body.is_writing = True
            try:
                next(steps)
            except StopIteration:
                break
            finally:
                self.body.is_writing = False
            self._await_formulas()
            self.body.keep_space(self._content.space_below())
            self.body.rest_cursor()
            yield
        self.body.rest_cursor()
        self._start_colours()

    def _await_formulas(self) -> None:
        content = self._content
        if not self._awaits_formulas and isinstance(content, MarkdownContent) and content.awaited:
            self._awaits_formulas = True
            typesetter().drawn.connect(self._draw_formula)
            # Some may have been drawn between the question and this.
            for source in [source for source in content.awaited if typesetter().is_known(source)]:
                content.draw_formula(source)

    def _draw_formula(self, source: str) -> None:
        content = self._content
        if isinstance(content, MarkdownContent) and source in content.awaited:
            self.body.is_writing = True
            content.draw_formula(source)
            self.body.is_writing = False
            self.body.keep_space(content.space_below())
            self.body.rest_cursor()

    def _restyled(self, style: Style) -> Iterator[None]:
        yield from self._content.restyle(style)
        final = self.message.status != "streaming"
        yield from self._content.show(self._shown, self._pieces(), final=final)

    def _start_colours(self) -> None:
        if not isinstance(self._content, MarkdownContent):
            return
        final, key = self.message.status != "streaming", (self, "colour")
        if final or not self._slices.has(key):
            self._slices.run(key, self._content.colour(final=final))

    def _describe(self) -> None:
        message, theme = self.message, self._style.theme
        is_answer = message.role == "assistant"
        is_over = message.status != "streaming"
        if is_over:
            self.footer.show_message(message, theme)
        self.footer.setVisible(is_answer and is_over and (bool(message.text) or self._fork[1] > 1))
        self.tools.seed = message.seed
        problem, remarks = words.problem(message), "\n".join(words.remarks(message))
        if problem:
            self.note.say("\n".join(filter(None, (problem, remarks))), theme.bad, theme.bad_bg)
        else:
            self.note.say(remarks, theme.soft, theme.panel)
        self.note.setVisible(bool(problem or remarks))
        self.legend.setVisible(is_answer and self._ink)
        if is_answer and self._ink:
            self.legend.show_counts(words.legend(message), self._style, self.font())
        self.body.setVisible(bool(self._shown) or not is_over)
        self.body.setAccessibleName(self.tr("Answer") if is_answer else self.tr("Your message"))

    def _lay_out(self) -> None:
        width = self.width()
        if self._is_arranging:
            return
        self._is_arranging = True
        try:
            y = self._place_thinking(width)
            y = self._place_body(width, y) if self.body.isVisibleTo(self) else y
            for part in (self.note, self.legend, self.footer):
                if part.isVisibleTo(self):
                    y += _SPACE if y and part is not self.footer else 0
                    height = part.heightForWidth(width)
                    part.setGeometry(0, y, width, height)
                    y += height
        finally:
            self._is_arranging = False
        if y != self.height():
            self.resize(width, y)
            self.height_changed.emit()
        self.update()

    def _place_thinking(self, width: int) -> int:
        if self.thinking is None or not self.thinking.isVisibleTo(self):
            return 0
        return self.thinking.fit(width)

    def _place_body(self, width: int, top: int) -> int:
        if self.message.role != "user":
            self.body.fit(width)
            self.body.move(0, top)
            return top + self.body.height()
        self.tools.adjustSize()
        place = self.tools.size()
        inner = max(min(int(width * _BUBBLE_SHARE), width - place.width() - 4) - 2 * _BUBBLE_X, 40)
        if len(self.message.text) <= _LONG:
            document = self.body.document()
            document.setTextWidth(inner)
            inner = min(inner, max(math.ceil(document.idealWidth()) + 1, 16))
        self.body.fit(inner)
        self.body.move(width - inner - _BUBBLE_X, _BUBBLE_Y)
        self.tools.move(width - inner - 2 * _BUBBLE_X - place.width() - 4, _BUBBLE_Y)
        return self.body.height() + 2 * _BUBBLE_Y

    def _click(self, url: QUrl) -> None:
        target = bytes(url.toEncoded().data()).decode("ascii", "replace")
        content = self._content
        if target.startswith(COPY_SCHEME):
            self._copy.copy(int(target.removeprefix(COPY_SCHEME)))
        elif target.startswith(SAVE_SCHEME) and isinstance(content, MarkdownContent):
            number = int(target.removeprefix(SAVE_SCHEME))
            code = content.code(number)
            if code is not None:
                self.save_asked.emit(code, content.language(number))
        else:
            self.link_activated.emit(target)

    def _selection_changed(self) -> None:
        if self.body.textCursor().hasSelection():
            self.selected.emit()
