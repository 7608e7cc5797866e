"""Words looked for in the messages of one conversation."""

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QColor, QTextCharFormat, QTextCursor
from PySide6.QtWidgets import QTextEdit

from app.chat.conversation import Message
from app.ui.theme import Theme
from app.ui.transcript.message_view import MessageView
from app.ui.transcript.style import HEAD, PART
from app.ui.transcript.view import TranscriptView

MOST_IN_A_MESSAGE = 1000
"""Finds of one message that are walked through; more would hold up the window at every step."""
_MARKUP = str.maketrans("", "", "*_`~\\")


class ChatSearch(QObject):
    """Goes from find to find, and marks the finds in sight. Upper and lower case are the same.

    Messages are looked through as they were written and the finds shown in the rendered text, so that a message is
    rendered only when somebody goes there.

    Signals:
        changed: Which of the messages with finds is shown (from 1; 0 for none yet), and how many there are.
    """

    changed = Signal(int, int)

    def __init__(self, view: TranscriptView, theme: Theme) -> None:
        super().__init__(view)
        self._view = view
        self._theme = theme
        self._words = ""
        self._found: list[str] = []
        self._at = -1
        self._nth = 0
        self._marked: list[MessageView] = []
        self._plain: dict[str, tuple[int, str]] = {}
        self._marked_as: tuple[object, ...] = ()
        view.follower.changed.connect(self._mark)

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self._mark()

    def look_for(self, words: str) -> None:
        """Find these words, and go to the find nearest to what is in sight; "" for none."""
        self._words = words
        self._found, self._at, self._nth = [], -1, 0
        if words:
            self._found = [message.id for message in self._view.messages if self._may_have(message)]
        shown = self._view.first_visible()
        after = [place for place, name in enumerate(self._found) if self._view.number(name) >= shown]
        if self._found:
            self._show(after[0] if after else len(self._found) - 1, first=True, forward=True)
        else:
            self._tell()

    def step(self, direction: int) -> None:
        """Go to the next find (1) or the one before (-1), round the ends."""
        if not self._found:
            return
        finds = self._finds(self._current())
        if 0 <= self._nth + direction < len(finds):
            self._nth += direction
            self._reveal(finds)
        else:
            self._show((self._at + direction) % len(self._found), first=direction > 0, forward=direction > 0)

    def clear(self) -> None:
        """Mark nothing any more."""
        self._words, self._found, self._at = "", [], -1
        self._plain.clear()
        self._mark()

    # --- inside

    def _may_have(self, message: Message) -> bool:
        size, plain = self._plain.get(message.id, (-1, ""))
        if size != len(message.text):
            plain = message.text.translate(_MARKUP).casefold()
            self._plain[message.id] = (len(message.text), plain)
        bare = self._words.translate(_MARKUP).casefold()
        return bare in plain if bare else self._words in message.text

    def _show(self, place: int, *, first: bool, forward: bool) -> None:
        """Go to a message with finds; to its first one or its last one."""
        name = self._found[place]

        def there() -> None:
            if place >= len(self._found) or self._found[place] != name:
                return
            finds = self._finds(self._view.view_of(name))
            if not finds:
                # The words were in an address or another part that is not shown.
                self._leave_out(place, first=first, forward=forward)
                return
            self._at, self._nth = place, 0 if first else len(finds) - 1
            self._reveal(finds)

        self._view.bring(name, there)

    def _leave_out(self, place: int, *, first: bool, forward: bool) -> None:
        del self._found[place]
        self._at = min(self._at, len(self._found) - 1)
        if self._found:
            self._show((place if forward else place - 1) % len(self._found), first=first, forward=forward)
        else:
            self._tell()

    def _current(self) -> MessageView | None:
        return self._view.view_of(self._found[self._at]) if 0 <= self._at < len(self._found) else None

    def _finds(self, view: MessageView | None) -> list[QTextCursor]:
        if view is None or not self._words:
            return []
        document = view.body.document()
        finds: list[QTextCursor] = []
        cursor = document.find(self._words, 0)
        while not cursor.isNull() and len(finds) < MOST_IN_A_MESSAGE:
            if cursor.block().blockFormat().property(PART) != HEAD:
                finds.append(QTextCursor(cursor))
            cursor = document.find(self._words, cursor)
        return finds

    def _reveal(self, finds: list[QTextCursor]) -> None:
        view = self._current()
        if view is not None:
            end = QTextCursor(finds[self._nth])
            end.setPosition(finds[self._nth].selectionEnd())
            rect = view.body.cursorRect(end).translated(view.body.pos()).translated(view.pos())
            self._view.follower.reveal(rect.adjusted(0, -40, 0, 40))
        self._mark()
        self._tell()

    def _mark(self) -> None:
        views = self._view.follower.visible() if self._words else []
        seen = [(view.message.id, view.body.document().revision()) for view in views]
        state = (self._words, self._at, self._nth, self._theme, seen)
        if state == self._marked_as:
            return
        self._marked_as = state
        for view in self._marked:
            if view in self._view.views:
                view.body.setExtraSelections([])
        self._marked = []
        if not self._words:
            return
        current = self._current()
        for view in views:
            if view.message.id in self._found:
                finds = self._finds(view)
                marks = [
                    _mark(f, self._look(is_current=view is current and n == self._nth)) for n, f in enumerate(finds)
                ]
                view.body.setExtraSelections(marks)
                self._marked.append(view)

    def _look(self, *, is_current: bool) -> QTextCharFormat:
        form = QTextCharFormat()
        form.setBackground(QColor(self._theme.accent if is_current else self._theme.warn_bg))
        form.setForeground(QColor(self._theme.on_accent if is_current else self._theme.ink))
        return form

    def _tell(self) -> None:
        self.changed.emit(self._at + 1, len(self._found))


def _mark(cursor: QTextCursor, form: QTextCharFormat) -> QTextEdit.ExtraSelection:
    mark = QTextEdit.ExtraSelection()
    mark.cursor, mark.format = cursor, form
    return mark
