"""The way from the window to the Compare page and back."""

from PySide6.QtCore import QObject, QTimer

from app.bridge.chat_controller import ChatController
from app.bridge.compare_desk import CompareDesk
from app.chat.banner import Banner
from app.comparison.words import speed_sentence
from app.ui.appearance import Appearance
from app.ui.compare_page.page import ComparePage
from app.ui.compare_page.presenter import ComparePresenter
from app.ui.main_window import MainWindow


class CompareDoor(QObject):
    """Makes the page when somebody wants to see it for the first time."""

    def __init__(self, window: MainWindow, chat: ChatController, desk: CompareDesk, appearance: Appearance) -> None:
        super().__init__(window)
        self._window = window
        self._chat = chat
        self._desk = desk
        self._appearance = appearance
        self._page: ComparePage | None = None
        self._presenter: ComparePresenter | None = None
        window.top.compare_wanted.connect(self._on_wanted)
        window.transcript.action_asked.connect(self._on_action)
        # Who left the page hears of it in the chat.
        desk.shelf.notice.connect(lambda notice: self._tell_in_chat(notice.text))
        desk.failed.connect(self._tell_in_chat)
        desk.found.connect(lambda found: self._tell_in_chat(speed_sentence(found, found.best)))
        desk.gains.draft_gain_changed.connect(window.panel.speculation.show_gain)

    @property
    def page(self) -> ComparePage:
        """Made at the first call."""
        if self._page is None:
            self._page = ComparePage(self._appearance.theme)
            self._presenter = ComparePresenter(self._page, self._chat, self._desk)
            self._page.back_wanted.connect(self._window.leave_page)
            self._appearance.theme_changed.connect(self._page.set_theme)
        return self._page

    def open(self) -> None:
        """Show the page, with the last question of the chat if nothing is there yet."""
        page = self.page
        if not page.setup.prompt.toPlainText() and not self._desk.is_busy:
            questions = [m for m in self._chat.conversation.messages if m.role == "user" and m.text]
            if questions:
                self._offer(questions[-1].id)
        # Making and showing it at once would hold up the window.
        QTimer.singleShot(0, page, lambda: self._show(page))

    def _show(self, page: ComparePage) -> None:
        self._window.show_page(page)
        page.setup.prompt.setFocus()

    def _offer(self, message_id: str) -> None:
        conversation = self._chat.conversation
        message = conversation.find(message_id)
        if message is None or self._presenter is None:
            return
        answered = message.role == "assistant"
        before = conversation.before(message_id) if answered else conversation.up_to(message_id)
        plain = conversation.options.plain_template
        self._presenter.ask(before.turns(), message.seed if answered else None, plain_template=plain)

    def _on_action(self, message_id: str, action: str) -> None:
        if action == "compare" and self.page is not None:
            self._offer(message_id)
            QTimer.singleShot(0, self.page, lambda: self._show(self.page))

    def _tell_in_chat(self, sentence: str) -> None:
        if self._page is None or not self._page.isVisible():
            self._window.notes.show_banner(Banner("info", sentence))

    def _on_wanted(self, wanted: bool) -> None:
        if wanted:
            self.open()
        else:
            self._window.leave_page()
