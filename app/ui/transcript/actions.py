"""What can be done with a message: change it, answer it again, walk through its alternatives."""

from typing import Literal

from PySide6.QtCore import QPoint, QSize, Qt, Signal
from PySide6.QtGui import QIcon
from PySide6.QtWidgets import QHBoxLayout, QLabel, QMenu, QSizePolicy, QToolButton, QWidget

from app.ui import icons
from app.ui.theme import Theme

Action = Literal["edit", "again", "again_same", "go_on", "previous", "next", "details", "compare"]
_ICON = 16
_PICTURES: dict[Action, str] = {
    "edit": "edit",
    "again": "again",
    "previous": "chevron-left",
    "next": "chevron-right",
    "details": "info",
}
Pictures = dict[Action, QIcon]


def pictures(theme: Theme) -> Pictures:
    """The icons of all buttons; made once for all messages, since drawing them takes a while."""
    return {action: icons.icon(name, theme.soft, theme.line_strong) for action, name in _PICTURES.items()}


class Actions(QWidget):
    """A row of small buttons. The arrows are made for messages with alternatives only, which are few.

    Signals:
        asked: The name of an `Action`.
    """

    asked = Signal(str)

    def __init__(self, made: Pictures, parent: QWidget, *, is_answer: bool) -> None:
        super().__init__(parent)
        self._pictures = made
        self._main_action: Action = "again" if is_answer else "edit"
        self._policy = Qt.FocusPolicy.ClickFocus
        self.seed: int | None = None
        self.arrows: tuple[QToolButton, QToolButton] | None = None
        self.place: QLabel | None = None
        self.on: QToolButton | None = None
        self.main = self._button(self._main_action)
        if is_answer:
            self.main.clicked.disconnect()
            self.main.clicked.connect(lambda _checked=False: self._show_menu())
        self._row = QHBoxLayout(self)
        self._row.setContentsMargins(0, 0, 0, 0)
        self._row.setSpacing(0)
        self._row.addWidget(self.main)
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Maximum)

    def _button(self, action: Action) -> QToolButton:
        words = {
            "edit": self.tr("Change this message and ask again"),
            "again": self.tr("Answer again"),
            "previous": self.tr("Previous version"),
            "next": self.tr("Next version"),
        }[action]
        button = QToolButton(self)
        button.setProperty("kind", "quiet")
        button.setProperty("shape", "small")
        button.setIconSize(QSize(_ICON, _ICON))
        button.setIcon(self._pictures[action])
        button.setToolTip(words)
        button.setAccessibleName(words)
        button.setCursor(Qt.CursorShape.PointingHandCursor)
        button.setFocusPolicy(self._policy)
        button.clicked.connect(lambda _checked=False: self.asked.emit(action))
        return button

    @property
    def _buttons(self) -> tuple[QToolButton, ...]:
        on = (self.on,) if self.on is not None and self.on.isVisibleTo(self) else ()
        return (*(self.arrows or ()), *on, self.main)

    def set_pictures(self, made: Pictures) -> None:
        """Take icons of another theme."""
        self._pictures = made
        self.main.setIcon(made[self._main_action])
        if self.arrows is not None:
            self.arrows[0].setIcon(made["previous"])
            self.arrows[1].setIcon(made["next"])

    def set_focus_policy(self, policy: Qt.FocusPolicy) -> None:
        """Whether the Tab key comes here."""
        self._policy = policy
        for button in self._buttons:
            button.setFocusPolicy(policy)

    def show_place(self, number: int, count: int) -> None:
        """The message is number `number` (0 for the first) of so many alternatives."""
        if count < 2 and self.arrows is None:
            return
        if self.arrows is None:
            self.arrows = (self._button("previous"), self._button("next"))
            self.place = QLabel(self)
            self.place.setProperty("text_role", "small")
            for at, widget in enumerate((self.arrows[0], self.place, self.arrows[1])):
                self._row.insertWidget(at, widget)
        assert self.place is not None  # made with the arrows
        for widget in (*self.arrows, self.place):
            widget.setVisible(count > 1)
        self.place.setText(f"{number + 1}/{count}")
        self.place.setAccessibleName(self.tr("Version {0} of {1}").format(number + 1, count))
        self.arrows[0].setEnabled(number > 0)
        self.arrows[1].setEnabled(number < count - 1)

    def offer_going_on(self, *, offered: bool) -> None:
        """Can this answer go on where it ended?"""
        if self.on is None and offered:
            self.on = QToolButton(self)
            self.on.setText(self.tr("Continue"))
            self.on.setToolTip(self.tr("Let the answer go on where it ended"))
            self.on.setProperty("kind", "quiet")
            self.on.setProperty("shape", "small")
            self.on.setCursor(Qt.CursorShape.PointingHandCursor)
            self.on.setFocusPolicy(self._policy)
            self.on.clicked.connect(lambda _checked=False: self.asked.emit("go_on"))
            self._row.insertWidget(self._row.indexOf(self.main), self.on)
        if self.on is not None:
            self.on.setVisible(offered)

    def take_keyboard(self, action: Action) -> None:
        """Put the keyboard at an arrow, or at the other one where there is no way on."""
        if self.arrows is not None:
            first, second = self.arrows if action == "previous" else reversed(self.arrows)
            (first if first.isEnabled() else second).setFocus(Qt.FocusReason.OtherFocusReason)

    def has_keyboard(self) -> bool:
        return any(button.hasFocus() for button in self._buttons)

    def menu(self) -> QMenu:
        """The ways to answer again."""
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        new = menu.addAction(self.tr("With a new seed"))
        new.triggered.connect(lambda _checked=False: self.asked.emit("again"))
        if self.seed is not None:
            same = menu.addAction(self.tr("With the same seed, {0}: the same text").format(self.seed))
            same.triggered.connect(lambda _checked=False: self.asked.emit("again_same"))
        menu.addSeparator()
        compare = menu.addAction(self.tr("Compare with and without speculation"))
        compare.triggered.connect(lambda _checked=False: self.asked.emit("compare"))
        return menu

    def _show_menu(self) -> None:
        self.menu().popup(self.main.mapToGlobal(QPoint(0, self.main.height())))
