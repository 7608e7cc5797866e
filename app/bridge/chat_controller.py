"""The one object the widgets talk to."""

import os
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import get_args

from PySide6.QtCore import QObject, Slot

from app.bridge.engine_client import EngineClient
from app.bridge.history import History
from app.bridge.options_desk import OptionsDesk
from app.bridge.process_outcome import ProcessOutcome
from app.bridge.settings_store import SettingsStore
from app.bridge.token_counter import TokenCounter
from app.chat.banner import Banner
from app.chat.connections import is_remote
from app.chat.settings import Fit, LoadOptions, Pair, Settings, Theme
from app.protocol.messages import Notice

__all__ = ["Banner", "ChatController"]


class ChatController(OptionsDesk):
    """A conversation with the engine: what the person can do, on top of what the session says."""

    def __init__(
        self,
        client: EngineClient,
        settings: SettingsStore[Settings],
        demo: Pair,
        parent: QObject | None = None,
        *,
        notices: Sequence[Notice] = (),
        history: History | None = None,
    ) -> None:
        """`demo`: absolute paths of the demo pair. `notices`: what went wrong before; `start` gives them.

        `history`: where chats are kept; it is started and ended with the controller. None keeps nothing.
        """
        super().__init__(client, settings, demo, history, parent)
        self.setObjectName("chat controller")
        self._client = client
        self._notices = tuple(notices)
        self.unlock: Callable[[str, Callable[[], object]], object] = lambda _target, then: then()
        """Called with a target before it is loaded; calls back when what is needed for it is there."""
        self.counter = TokenCounter(client, self)
        self.phase_changed.connect(lambda phase: self.counter.allow(now=phase == "idle"))
        self.model_loaded.connect(lambda _loaded: self.counter.forget())
        client.received.connect(self._on_event)
        client.stopped.connect(self._on_engine_stopped)
        settings.failed.connect(self.notice)
        settings.changed.connect(self._on_options)
        self._on_options()

    # --- what is ----------------------------------------------------------------------------------------------------

    @property
    def is_demo(self) -> bool:
        """Is the loaded target the one of the demo pair?"""
        request = self._session.load_request
        return request is not None and request.target == self._demo.target

    @property
    def load_options(self) -> LoadOptions:
        return self._settings.value.load

    # --- what the person does ---------------------------------------------------------------------------------------

    def start(self, pair: Pair | None = None) -> None:
        """Start the engine, load a pair, and tell what went wrong before.

        `pair`: absolute paths, asked for just now; without it the pair of last time, or the demo pair.
        """
        self._client.start()
        self._start_history()
        self._wanted = pair or self.settings.last or self._demo
        remembered = pair is None and self.settings.last is not None
        required = pair is not None and bool(pair.draft)
        self._start_loading(self._wanted, draft_required=required, remembered=remembered)
        for notice in self._notices:
            self.notice.emit(notice)

    def shut_down(self) -> None:
        """End the engine, write chats and settings; blocks until that is done. For the end of the application."""
        self._hush()
        self.counter.allow(now=False)
        self._end_history()
        self._client.wait()
        self._settings.flush()

    def note_pair_gain(self, gain: float | None) -> None:
        """What was measured with the loaded models and the chosen drafter, None for nothing."""
        self._session.pair_gain = gain
        self._tell_badge()

    @Slot(str)
    def open_model(self, path: str) -> None:
        """Load another target, with the draft model it was last used with."""
        if not path:
            return
        target = _absolute(path)
        self._choices.forget_explicit()
        self._on_options()
        self._load(self._demo if target == self._demo.target else self.settings.pair_for(target))

    @Slot(object)
    def open_pair(self, pair: Pair) -> None:
        """Load this target with exactly this draft model; a target that is loaded is kept."""
        if not pair.target:
            return
        target = _absolute(pair.target)
        if target == self._wanted.target:
            self._take_draft(pair.draft, pair.fit)
            return
        self._choices.forget_explicit()
        self._on_options()
        draft = _absolute(pair.draft) if pair.draft else ""
        self._load(Pair(target=target, draft=draft, fit=pair.fit), draft_required=bool(draft))

    @Slot()
    def open_demo(self) -> None:
        """Load the demo pair."""
        self.open_model(self._demo.target)

    @Slot(str)
    def choose_draft(self, path: str) -> None:
        """Take this draft model for the loaded target; "" for none."""
        self._take_draft(path, Fit())

    def _take_draft(self, path: str, fit: Fit) -> None:
        draft = _absolute(path) if path else ""
        if not draft:
            self._choices.forget_explicit()
            self._on_options()
        # The target stays as it is loaded, whatever else could be given up.
        kept = self._wanted.fit.with_draft_of(fit)
        self._load(replace(self._wanted, draft=draft, fit=kept), draft_required=bool(draft))

    def set_load_options(self, options: LoadOptions) -> None:
        """Load the pair again with these."""
        if options != self.load_options and self._after(self._choices.take_load(options)):
            self._load(replace(self._wanted, fit=Fit()))

    @Slot(str)
    def set_theme(self, theme: str) -> None:
        """Remember "system" or the name of a theme."""
        if theme in get_args(Theme):
            self._settings.update(theme=theme)

    def set_text_size(self, percent: int) -> None:
        """Remember how large text is, percent of the normal size."""
        self._settings.update(text_size=percent)

    def set_language(self, code: str) -> None:
        """Remember the language of the window, "" for the system's."""
        self._settings.update(language=code)

    @Slot(str)
    def run_banner_action(self, action: str) -> None:
        """Do what a button of the banner says."""
        if action == "restart":
            self._restart()
        elif action in ("retry", "retry_plain"):
            self.retry(plain=action == "retry_plain")
        elif action == "leave_out":
            self._tell(self._session.leave_out_oldest())
        elif action == "new_chat":
            self.new_chat()
        elif action == "plain_template":
            self._tell(self._session.use_plain_template())
        elif action == "load_pair":
            self._load_pair_of_chat()
        else:
            self._tell(self._session.dismiss())

    def retry(self, *, plain: bool = False) -> None:
        """Answer the last question again, in a new engine if the old one is gone; `plain` without speculation."""
        if self.phase == "engine_down":
            self._restart()
        self._tell(self._session.retry(plain=plain))

    # --- steps ------------------------------------------------------------------------------------------------------

    def _load(self, pair: Pair, *, draft_required: bool = False) -> None:
        self._wanted = pair
        self._client.start()
        self._start_loading(pair, draft_required=draft_required)

    def _start_loading(self, pair: Pair, *, draft_required: bool, remembered: bool = False) -> None:
        def load() -> None:
            if pair is self._wanted:  # else another one was chosen meanwhile
                self._tell(
                    self._session.load(pair, self.load_options, draft_required=draft_required, remembered=remembered)
                )

        self.unlock(pair.target, load)

    def _restart(self) -> None:
        self._gate.drop()
        self._client.restart()
        self._tell(self._session.restart())

    def _on_event(self, event: object) -> None:
        self._tell(self._session.apply(event))  # type: ignore[arg-type]  # a signal carries objects; these are events

    def _on_engine_stopped(self, outcome: ProcessOutcome) -> None:
        self._tell(self._session.engine_stopped(outcome.sentence, "Restart it to go on.", outcome.detail))

    def _note_loaded(self) -> None:
        request = self._session.load_request
        if request is None:
            return
        fit = self._wanted.fit if request.target == self._wanted.target else Fit()
        if request.target == self._wanted.target:
            # Else it stands in for something that could not be loaded now, and may be there again next time.
            self._choices.note_loaded(request, fit, is_demo=self.is_demo)
        self._wanted = Pair(target=request.target, draft=request.draft, fit=fit)
        if self._session.last is None and self.chat_options == self._given:
            self.set_chat_options(self._options_of_new_chat())


def _absolute(path: str) -> str:
    """One name for a file; a model on a server has one already."""
    # Path.absolute keeps "..", and one file would have two names.
    return path if is_remote(path) else os.path.abspath(path)  # noqa: PTH100 (see above)
