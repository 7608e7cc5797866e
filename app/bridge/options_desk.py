"""How the chat on the screen is answered, and how new ones are."""

from collections.abc import Callable
from dataclasses import replace

from PySide6.QtCore import QObject, Signal, Slot

from app.bridge.choices import Choices
from app.bridge.conversation_desk import ConversationDesk
from app.bridge.engine_client import EngineClient
from app.bridge.history import History
from app.bridge.settings_store import SettingsStore
from app.chat.options import ChatOptions
from app.chat.settings import Pair, Settings
from app.protocol.messages import Notice
from app.protocol.options import SamplingOptions, SpeculationOptions


class OptionsDesk(ConversationDesk):
    """Sampling, speculation, system prompt and the rest, of a chat and for new ones.

    A chat keeps what it was answered with. What was chosen last is what new chats begin with, unless their model has
    defaults.

    Attributes:
        defaults: Gives what new chats with a target (its path) begin with.

    Signals:
        options_changed: Sampling, speculation or load options, the theme or the recent models are different now, or a
            change was refused.
    """

    options_changed = Signal()

    def __init__(
        self,
        client: EngineClient,
        settings: SettingsStore[Settings],
        demo: Pair,
        history: History | None,
        parent: QObject | None,
    ) -> None:
        super().__init__(client, demo, history, parent)
        self._settings = settings
        self._demo = demo
        self._wanted = demo
        self._choices = Choices(settings)
        self.defaults: Callable[[str], ChatOptions] = lambda _target: ChatOptions()
        self._given = ChatOptions()

    @property
    def sampling(self) -> SamplingOptions:
        return self.chat_options.sampling or self._settings.value.sampling

    @property
    def speculation(self) -> SpeculationOptions:
        """What the next message asks for; the drafter is "off" while speculation is switched off."""
        own = self.chat_options.speculation
        return self._choices.speculation if own is None else self._choices.of_chat(own)

    @property
    def settings(self) -> Settings:
        return self._settings.value

    @Slot(object)
    def set_sampling(self, options: SamplingOptions) -> None:
        """Take effect at the next message."""
        problem = self._choices.take_sampling(options)
        if problem is None:
            self._own(sampling=options)
        self._after(problem)

    @Slot(object)
    def set_speculation(self, options: SpeculationOptions) -> None:
        """Take effect at the next message. Another drafter than before counts as chosen by the person."""
        problem = self._choices.take_speculation(options, self.chat_options.speculation)
        if problem is None:
            self._own(speculation=replace(options, explicit=False))
        self._after(problem)

    @Slot(bool)
    def switch_speculation(self, on: bool) -> None:  # noqa: FBT001 (a slot for QAbstractButton.toggled)
        """On with the drafter that was used last, or off, from the next message."""
        self._settings.update(speculation_on=on)
        self._own(speculation=replace(self._choices.speculation, explicit=False))

    def set_chat_options(self, options: ChatOptions) -> None:
        """Answer the chat on the screen in this way from the next message on."""
        self._tell(self._session.set_options(options))

    # --- steps ------------------------------------------------------------------------------------------------------

    def _own(self, **fields: object) -> None:
        """Change what the chat has for its own; a chat that has nothing yet follows what was used last."""
        options = self.chat_options
        if self._session.last is not None or options != ChatOptions():
            self.set_chat_options(replace(options, **fields))  # type: ignore[arg-type]  # fields of it, by name

    def _options_of_new_chat(self) -> ChatOptions:
        self._given = self.defaults(self._wanted.target)
        return self._given

    def _options_in_force(self) -> ChatOptions:
        request = self._session.load_request
        pair = None if request is None else Pair(target=request.target, draft=request.draft)
        return replace(
            self.chat_options,
            pair=Pair(target="") if pair == self._demo else pair,
            sampling=self.sampling,
            speculation=replace(self.speculation, explicit=False),
        )

    def _note_chat_options(self) -> None:
        self._on_options()

    def _note_opened(self) -> None:
        self._choices.forget_explicit()
        self._on_options()
        wanted = self._pair_of_chat()
        if wanted is not None and wanted != self._wanted:
            self._tell(self._session.offer_pair(wanted, self._wanted))

    def _pair_of_chat(self) -> Pair | None:
        pair = self.chat_options.pair
        return self._demo if pair is not None and not pair.target else pair

    def _load_pair_of_chat(self) -> None:
        wanted = self._pair_of_chat()
        self._tell(self._session.dismiss())
        if wanted is not None:
            self._choices.forget_explicit()
            self._load(wanted)

    def _after(self, problem: Notice | None) -> bool:
        if problem is not None:
            self.notice.emit(problem)
        self._on_options()
        return problem is None

    def _on_options(self) -> None:
        self._session.sampling = self.sampling
        self._session.speculation = self.speculation
        self.options_changed.emit()
        self._tell_badge()

    def _load(self, pair: Pair, *, draft_required: bool = False) -> None:
        raise NotImplementedError
