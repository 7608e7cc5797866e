"""The conversation area."""

from collections.abc import Callable, Iterator, Mapping, Sequence

from PySide6.QtCore import QEvent, QObject, Qt, QTimer, Signal
from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent, QKeyEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QAbstractSlider, QPushButton, QScrollArea, QVBoxLayout, QWidget

from app.chat.conversation import Conversation, Message
from app.ui.theme import Theme
from app.ui.transcript import words
from app.ui.transcript.actions import Action
from app.ui.transcript.column import Column
from app.ui.transcript.follow import Follower
from app.ui.transcript.message_view import MessageView
from app.ui.transcript.slices import TURN_S, Slices
from app.ui.transcript.style import Style

LOADED_AT_ONCE = 200
"""Messages that get a view when a conversation is opened; older ones come when the reader scrolls up to them."""
LOADED_MORE = 50
_NEAR_TOP = 600
_WARM_EVERY_MS = 200
_SCROLL_KEYS = {
    Qt.Key.Key_PageUp: QAbstractSlider.SliderAction.SliderPageStepSub,
    Qt.Key.Key_PageDown: QAbstractSlider.SliderAction.SliderPageStepAdd,
    Qt.Key.Key_Up: QAbstractSlider.SliderAction.SliderSingleStepSub,
    Qt.Key.Key_Down: QAbstractSlider.SliderAction.SliderSingleStepAdd,
    Qt.Key.Key_Home: QAbstractSlider.SliderAction.SliderToMinimum,
    Qt.Key.Key_End: QAbstractSlider.SliderAction.SliderToMaximum,
}


class _Area(QScrollArea):
    """Leaves the keys to the view: it would take Alt+Up for Up."""

    def keyPressEvent(self, event: QKeyEvent) -> None:
        event.ignore()


class TranscriptView(QWidget):
    """Shows a conversation and follows it as it grows, as long as the reader is at its end.

    Keys: Page Up and Page Down, Home and End scroll; Alt+Up and Alt+Down go from message to message; Tab goes through
    the links of a message.

    Signals:
        link_activated: A link (str) was clicked. Nothing was opened: ask first.
        save_asked: Code (str) that should go into a file, and its language as the model named it.
        action_asked: Id of a message and what to do with it (see `actions.Action`).
    """

    link_activated = Signal(str)
    action_asked = Signal(str, str)
    save_asked = Signal(str, str)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._messages: list[Message] = []
        self._index: dict[str, int] = {}
        self._first_loaded = 0
        self._current: MessageView | None = None
        self._selected: MessageView | None = None
        self._ink = False
        self._forks: Mapping[str, tuple[int, int]] = {}
        self._can_act = True
        self._goes_on = ""
        self._theme = theme
        self._style = Style(theme, self.font())
        self._slices = Slices(self)
        self._area = _Area(self)
        self._area.setFrameShape(QScrollArea.Shape.NoFrame)
        self._area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._area.viewport().setAutoFillBackground(False)
        self._column = Column(self._area)
        self._area.setWidget(self._column)
        self._column.setAutoFillBackground(False)
        self._area.viewport().installEventFilter(self)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self._area)
        self.jump = QPushButton(self.tr("Jump to latest"), self)
        self.jump.setCursor(Qt.CursorShape.PointingHandCursor)
        self.jump.hide()
        self.follower = Follower(self._area, self._column)
        self.jump.clicked.connect(self.follower.follow)
        self.follower.changed.connect(self._reader_moved)
        self._warm = QTimer(self)
        self._warm.setObjectName("warm-languages")
        self._warm.setInterval(_WARM_EVERY_MS)
        self._cold: Iterator[str] | None = None
        self._warm.timeout.connect(self._warm_one)
        self.setAccessibleName(self.tr("Conversation"))

    # --- messages

    def reset(self, conversation: Conversation) -> None:
        """Show another conversation, from its end."""
        self._slices.clear()
        self._current = self._selected = None
        self._column.clear()
        self._messages = [message for message in conversation.messages if message.role != "system"]
        self._index = {message.id: number for number, message in enumerate(self._messages)}
        self._first_loaded = len(self._messages)
        self.follower.follow()
        older = self._load_older(LOADED_AT_ONCE)
        while self._column.height() < 1.5 * max(self.height(), 400) and next(older, self) is None:
            pass
        self._slices.run("older", older)
        self.follower.follow()

    def add_message(self, message: Message) -> None:
        """Show one more message at the end."""
        if message.id in self._index:
            self.update_message(message)
            return
        if message.role == "system":
            return
        self._index[message.id] = len(self._messages)
        self._messages.append(message)
        view = self._make(message)
        self._column.insert(len(self._column.views), view)
        if not self._has_keyboard():
            self._set_current(view)
        if message.role == "user":
            # Who sends something wants to see the answer.
            self.follower.follow()

    def update_message(self, message: Message) -> None:
        """Show a newer state of a message."""
        number = self._index.get(message.id)
        if number is None:
            self.add_message(message)
            return
        if self._messages[number].status == "streaming" != message.status and QAccessible.isActive():
            QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(self, words.announcement(message)))
        self._messages[number] = message
        if number >= self._first_loaded:
            self._column.views[number - self._first_loaded].show_message(message)

    def set_forks(self, forks: Mapping[str, tuple[int, int]]) -> None:
        """Which messages have alternatives: number (0 for the first) and count by id."""
        self._forks = forks
        for view in self._column.views:
            view.show_fork(*forks.get(view.message.id, (0, 1)))

    def set_can_act(self, can: bool) -> None:
        """Can messages be changed and answered again now?"""
        self._can_act = can
        for view in self._column.views:
            view.tools.setEnabled(can)

    def offer_going_on(self, message_id: str) -> None:
        """The answer that could go on, "" for none."""
        self._goes_on = message_id
        for view in self._column.views:
            if view.message.role == "assistant":
                view.offer_going_on(offered=view.message.id == message_id)

    def show_action(self, message_id: str, action: Action) -> None:
        """Bring a message into sight, with the keyboard at one of its arrows."""
        number = self._index.get(message_id, -1) - self._first_loaded
        if number >= 0:
            view = self._column.views[number]
            view.tools.take_keyboard(action)
            self.follower.reveal(view.geometry())

    # --- places

    @property
    def messages(self) -> Sequence[Message]:
        """All messages that are shown, or will be when the reader comes to them."""
        return self._messages

    @property
    def views(self) -> Sequence[MessageView]:
        """Of the messages that have one yet: the last ones of the conversation."""
        return self._column.views

    def number(self, message_id: str) -> int:
        """Which message of the conversation it is, from 0; -1 for none."""
        return self._index.get(message_id, -1)

    def first_visible(self) -> int:
        """Number of the first message in sight."""
        seen = self.follower.visible()
        return self.number(seen[0].message.id) if seen else 0

    def view_of(self, message_id: str) -> MessageView | None:
        """What shows this message, None if there is nothing yet."""
        number = self.number(message_id) - self._first_loaded
        return self._column.views[number] if 0 <= number < len(self._column.views) else None

    def bring(self, message_id: str, then: Callable[[], object]) -> None:
        """Call `then` when all of the message is shown: now, or after it and those below it have got their views."""
        if message_id not in self._index:
            return
        view = self.view_of(message_id)
        if view is not None and not self._slices.has(view):
            then()
            return
        missing = max(self._first_loaded - self.number(message_id), 0)
        self._slices.run("older" if missing else "bring", self._bring(message_id, missing, then), urgent=True)

    def _bring(self, message_id: str, missing: int, then: Callable[[], object]) -> Iterator[None]:
        yield from self._load_older(missing)
        while (view := self.view_of(message_id)) is not None and self._slices.has(view):
            view.hurry(TURN_S)
            yield
        then()

    # --- looks

    def set_theme(self, theme: Theme) -> None:
        """Change all colours."""
        self._theme = theme
        self._restyle()

    def set_ink(self, shown: bool) -> None:
        """Show where the tokens of the answers came from, or rendered Markdown."""
        self._ink = shown
        self._for_each("ink", lambda view: view.set_ink(shown=self._ink))

    # --- Qt overrides

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key = Qt.Key(event.key())
        if event.modifiers() == Qt.KeyboardModifier.AltModifier and key in {Qt.Key.Key_Up, Qt.Key.Key_Down}:
            self._go(-1 if key == Qt.Key.Key_Up else 1)
        elif key in _SCROLL_KEYS:
            self.follower.bar.triggerAction(_SCROLL_KEYS[key])
        else:
            super().keyPressEvent(event)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Resize and watched is self._area.viewport():
            self._fit()
        return super().eventFilter(watched, event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._place_jump()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._warm.start()
        self._fit()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self._restyle()

    # --- inside

    def _make(self, message: Message) -> MessageView:
        view = MessageView(message, self._style, self._slices, self._column, ink=self._ink)
        view.link_activated.connect(self.link_activated)
        view.save_asked.connect(self.save_asked)
        view.reveal.connect(lambda rect: self.follower.reveal(rect.translated(view.pos())))
        view.focused.connect(lambda: self._set_current(view))
        view.selected.connect(lambda: self._select(view))
        view.action_asked.connect(lambda action: self.action_asked.emit(view.message.id, action))
        view.tools.setEnabled(self._can_act)
        view.show_fork(*self._forks.get(message.id, (0, 1)))
        if message.id == self._goes_on:
            view.offer_going_on(offered=True)
        return view

    def _load_older(self, count: int) -> Iterator[None]:
        for _ in range(count):
            if not self._first_loaded:
                return
            self._first_loaded -= 1
            view = self._make(self._messages[self._first_loaded])
            self._column.insert(0, view)
            if self._current is None:
                self._set_current(view)
            yield

    def _for_each(self, key: str, change: Callable[[MessageView], None]) -> None:
        """Change the messages in sight now and the others soon."""
        near = self.follower.visible()
        for view in near:
            change(view)
        self._slices.run(key, self._change_rest([view for view in self._column.views if view not in near], change))

    def _change_rest(self, views: list[MessageView], change: Callable[[MessageView], None]) -> Iterator[None]:
        for view in reversed(views):
            change(view)
            yield

    def _restyle(self) -> None:
        self._style = Style(self._theme, self.font())
        self._for_each("style", lambda view: view.set_style(self._style))

    def _fit(self) -> None:
        width = self._area.viewport().width()
        if width == self._column.width():
            return
        self._column.set_width(width)
        self._for_each("width", lambda view: view.arrange(self._column.text_width))

    def _reader_moved(self) -> None:
        for view in self.follower.visible():
            view.arrange(self._column.text_width)
            view.hurry()
        self.jump.setVisible(not self.follower.is_following and not self.follower.is_at_end)
        self._place_jump()
        if self.follower.bar.value() < _NEAR_TOP and self._first_loaded and not self._slices.has("older"):
            self._slices.run("older", self._load_older(LOADED_MORE))

    def _place_jump(self) -> None:
        self.jump.adjustSize()
        self.jump.move((self.width() - self.jump.width()) // 2, self.height() - self.jump.height() - 12)
        self.jump.raise_()

    def _has_keyboard(self) -> bool:
        return self._current is not None and self._current.has_keyboard()

    def _set_current(self, view: MessageView) -> None:
        if self._current is not None:
            self._current.set_tab_stop(stop=False)
        self._current = view
        view.set_tab_stop(stop=True)

    def _select(self, view: MessageView) -> None:
        if self._selected is not None and self._selected is not view:
            self._selected.deselect()
        self._selected = view

    def _go(self, step: int) -> None:
        views = self._column.views
        if self._current is None:
            return
        number = views.index(self._current) + step
        if 0 <= number < len(views):
            views[number].take_keyboard()
            self.follower.reveal(views[number].geometry())

    def _warm_one(self) -> None:
        if self._messages and self._messages[-1].status == "streaming":
            return
        from app.ui.transcript import highlight

        self._cold = self._cold or iter(highlight.COMMON)
        language = next(self._cold, None)
        if language is None:
            self._warm.stop()
        else:
            highlight.load(language)
