"""Connects the parts of the window to the conversation, both ways. It decides nothing about either."""

from pathlib import Path

from PySide6.QtCore import QObject
from PySide6.QtGui import QGuiApplication

from app.bridge.chat_controller import ChatController
from app.chat.banner import Banner
from app.chat.connections import is_remote
from app.chat.conversation import Conversation, Message
from app.chat.settings import LoadOptions
from app.core import paths
from app.protocol.messages import Loaded, Notice, Progress
from app.protocol.stats import GenerationStats
from app.ui import code_saving, figures, links, shortcuts
from app.ui.answer_sheet import AnswerSheet
from app.ui.appearance import Appearance
from app.ui.attaching import Attaching
from app.ui.branches import Branches
from app.ui.conversation_list.presenter import ChatsPresenter
from app.ui.looks import Looks
from app.ui.main_window import MainWindow


class Presenter(QObject):
    """Shows what the controller says and tells it what the person does."""

    def __init__(self, window: MainWindow, controller: ChatController, appearance: Appearance) -> None:
        super().__init__(window)
        self._window = window
        self._controller = controller
        self._appearance = appearance
        self._shown_stats: GenerationStats | None = None
        self._loading = True
        # Before the transcript hears of a conversation, since it shows the branches with it.
        self.branches = Branches(window.transcript, window.composer, controller, self)
        self._looks = Looks(window.top.view, appearance, controller, self)
        self._looks.said.connect(lambda words: self.show_note(Banner("info", words)))
        self.attaching = Attaching(window, controller, self.branches)
        self.attaching.said.connect(lambda words: self.show_note(Banner("info", words)))
        self._listen()
        self._obey()
        self._chats: ChatsPresenter | None = None
        if controller.history is not None:
            self._chats = ChatsPresenter(window.chats, window.composer, controller, controller.history, self)
            self._chats.chat_chosen.connect(self._write)
            self.branches.editing.connect(self._chats.pause_unsent)
        window.panel.speculation.set_options(controller.settings.speculation)
        self._on_options()
        self._on_conversation(controller.conversation)
        window.top.show_badge(controller.badge)
        self._on_phase(controller.phase)

    # --- what the controller says -----------------------------------------------------------------------------------

    def _listen(self) -> None:
        controller, window = self._controller, self._window
        controller.message_added.connect(self._on_added)
        controller.message_changed.connect(self._on_changed)
        controller.conversation_reset.connect(self._on_conversation)
        controller.phase_changed.connect(self._on_phase)
        controller.model_loaded.connect(self._on_loaded)
        controller.model_progress.connect(self._on_progress)
        controller.badge_changed.connect(window.top.show_badge)
        controller.banner_changed.connect(window.banner.show_banner)
        controller.options_changed.connect(self._on_options)
        controller.notice.connect(self._on_notice)
        window.page_shown.connect(window.top.show_page_open)
        self._appearance.theme_changed.connect(window.set_theme)
        window.transcript.action_asked.connect(self._on_action)

    def _on_added(self, message: Message) -> None:
        self._window.transcript.add_message(message)
        self._window.show_chat(empty=False)
        if message.role == "user":
            self._window.notes.show_banner(None)
        else:
            self._show_numbers(message)

    def _on_changed(self, message: Message) -> None:
        self._window.transcript.update_message(message)
        if message.stats is not self._shown_stats or message.status != "streaming":
            self._show_numbers(message)

    def _on_conversation(self, conversation: Conversation) -> None:
        self._window.find_bar.dismiss()
        self._window.transcript.reset(conversation)
        self._window.show_chat(empty=not conversation.messages)
        self._show_numbers(next((m for m in reversed(conversation.messages) if m.role == "assistant"), None))

    def _show_numbers(self, message: Message | None) -> None:
        window = self._window
        stats = message.stats if message is not None else None
        state = message.speculation if message is not None else None
        self._shown_stats = stats
        window.panel.last_answer.show_message(message)
        window.panel.speculation.show_state(state)
        window.details.show_answer(stats, state)

    def _on_action(self, message_id: str, action: str) -> None:
        message = self._controller.conversation.find(message_id)
        if action == "details" and message is not None:
            AnswerSheet(self._window, message, self._appearance.theme).open()

    def _on_phase(self, phase: str) -> None:
        window, controller = self._window, self._controller
        window.composer.set_phase(controller.phase)
        window.welcome.set_phase(controller.phase)
        if phase == "loading":
            window.top.model.show_loading(self.tr("Loading…"), None)
            self._loading = True
        elif self._loading or phase == "engine_down":
            self._loading = False
            self._on_loaded(controller.loaded)

    def _on_loaded(self, loaded: Loaded | None) -> None:
        window = self._window
        window.top.model.show_models(loaded)
        window.welcome.show_loaded(loaded)
        window.panel.speculation.show_loaded(loaded)
        window.panel.sampling.show_loaded(loaded)
        window.panel.model.show_loaded(loaded)
        window.details.show_files(loaded)
        name = (loaded.target.name or Path(loaded.target.path).stem) if loaded is not None else ""
        window.setWindowTitle(f"{name} \N{EN DASH} Outpace" if name else "Outpace")

    def _on_progress(self, progress: Progress) -> None:
        part = progress.done / progress.total if progress.total > 0 else None
        if progress.stage in ("load_target", "load_draft"):
            words = (
                self.tr("Loading the draft model") if progress.stage == "load_draft" else self.tr("Loading the model")
            )
            percent = f" {figures.share(part)}" if part is not None else "…"
            self._window.top.model.show_loading(words + percent, part)
        elif progress.stage == "prefill":
            words = self.tr("Reading your message: {0} of {1} tokens. Esc stops.")
            self._window.composer.set_progress(
                words.format(figures.count(progress.done), figures.count(progress.total))
            )

    def _on_notice(self, notice: Notice) -> None:
        self.show_note(Banner("info", notice.text))

    def _on_options(self) -> None:
        window, controller = self._window, self._controller
        window.panel.speculation.set_options(controller.speculation)
        window.panel.sampling.set_options(controller.sampling)
        window.panel.model.set_options(controller.load_options)
        window.top.model.set_recent(controller.settings.recent)

    def show_note(self, banner: Banner) -> None:
        """Say something that the controller does not know of; it stays until it is dismissed or a message is sent."""
        notes = self._window.notes
        old = notes.banner
        if old is not None and old.kind == banner.kind == "info" and banner.sentence not in old.sentence:
            banner = Banner("info", f"{old.sentence}\n{banner.sentence}")
        notes.show_banner(banner)

    # --- what the person does ---------------------------------------------------------------------------------------

    def _obey(self) -> None:
        controller, window = self._controller, self._window
        top, panel = window.top, window.panel
        window.composer.submitted.connect(self._send)
        window.composer.stop_wanted.connect(controller.stop)
        window.welcome.prompt_chosen.connect(self._send)
        window.welcome.open_wanted.connect(self._ask_for_model)
        window.model_dropped.connect(controller.open_model)
        window.banner.action_chosen.connect(controller.run_banner_action)
        window.notes.action_chosen.connect(lambda _action: window.notes.show_banner(None))
        window.transcript.link_activated.connect(lambda link: links.ask(link, window))
        window.transcript.save_asked.connect(self._save_code)
        top.model.open_wanted.connect(self._ask_for_model)
        top.model.model_chosen.connect(controller.open_model)
        top.model.demo_wanted.connect(controller.open_demo)
        top.new_chat_wanted.connect(self._new_chat)
        window.chats.new_wanted.connect(self._new_chat)
        top.shortcuts_wanted.connect(window.show_shortcuts)
        panel.speculation.changed.connect(controller.set_speculation)
        panel.speculation.draft_wanted.connect(self._ask_for_draft)
        panel.speculation.draft_cleared.connect(lambda: controller.choose_draft(""))
        panel.sampling.changed.connect(controller.set_sampling)
        panel.model.open_wanted.connect(self._ask_for_model)
        panel.model.load_wanted.connect(self._load_again)
        panel.last_answer.seed_wanted.connect(lambda seed: panel.sampling.numbers["seed"].setValue(seed))
        shortcuts.install(
            window,
            {
                "new_chat": self._new_chat,
                "find": window.find_in_chat,
                "search_chats": window.search_chats,
                "next_chat": lambda: self._step_chat(1),
                "previous_chat": lambda: self._step_chat(-1),
                "toggle_chats": lambda: window.set_list_open(not window.body.list_open),
                "escape": self._escape,
                "focus_composer": self._write,
                "copy_last": self._copy_last,
                "regenerate": self.branches.regenerate_last,
                "edit_last": self.branches.edit_last,
                "go_on": self.branches.go_on,
                "attach": self.attaching.ask,
                "toggle_speculation": panel.speculation.switch,
                "lookahead_up": lambda: panel.speculation.step_lookahead(1),
                "lookahead_down": lambda: panel.speculation.step_lookahead(-1),
                "toggle_ink": lambda: top.set_ink(not top.ink),
                "toggle_panel": window.toggle_panel,
                "badge_details": top.badge.click,
                "models": lambda: top.models.click(),
                "compare": lambda: top.compare.click(),
                "open_model": self._ask_for_model,
                "show_commands": window.show_commands,
                "show_shortcuts": window.show_shortcuts,
                "text_larger": lambda: self._looks.change_text_size(1),
                "text_smaller": lambda: self._looks.change_text_size(-1),
                "text_normal": lambda: self._looks.change_text_size(0),
                "quit": self._quit,
            },
        )

    def _send(self, text: str) -> None:
        files = self.attaching.files
        if self.branches.is_editing:
            sent = self.branches.send(text, files)
        elif sent := self._controller.send_text(text, files):
            self.attaching.clear()
        if not sent:
            self._window.composer.put_text(text)
        self._window.composer.setFocus()

    def _step_chat(self, places: int) -> None:
        if self._chats is not None:
            self._chats.step(places)

    def _new_chat(self) -> None:
        self._controller.new_chat()
        self._window.chats.forget_deleted()
        self._write()

    def _write(self) -> None:
        self._window.leave_page()
        self._window.body.close_what_covers()
        self._window.composer.setFocus()

    def _quit(self) -> None:
        self._window.close()

    def _escape(self) -> None:
        if self._window.close_what_is_open() or self.branches.cancel():
            return
        if self._controller.phase in ("loading", "prefill", "streaming"):
            self._controller.stop()

    def _copy_last(self) -> None:
        answers = [m for m in self._controller.conversation.messages if m.role == "assistant" and m.text]
        if answers:
            QGuiApplication.clipboard().setText(answers[-1].text)
            self._window.composer.set_progress(self.tr("The last answer is copied."))

    def _load_again(self, options: LoadOptions) -> None:
        self._controller.set_load_options(options)

    def _ask_for_model(self) -> None:
        dialog = self._window.ask_for_model(self.tr("Open a GGUF model"), self._folder())
        dialog.fileSelected.connect(self._controller.open_model)

    def _ask_for_draft(self) -> None:
        dialog = self._window.ask_for_model(self.tr("Choose a draft model"), self._folder())
        dialog.fileSelected.connect(self._controller.choose_draft)

    def _folder(self) -> str:
        loaded = self._controller.loaded
        if (
            loaded is not None
            and loaded.server is None
            and Path(loaded.target.path).parent != paths.demo_pair()[0].parent
        ):
            return str(Path(loaded.target.path).parent)
        recent = [pair for pair in self._controller.settings.recent if not is_remote(pair.target)]
        return str(Path(recent[0].target).parent) if recent else str(Path.home())

    def _save_code(self, code: str, language: str) -> None:
        dialog = code_saving.ask(language, self._window)
        dialog.fileSelected.connect(lambda path: self.show_note(code_saving.save(code, Path(path))))
