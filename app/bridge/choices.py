"""What the person chose, kept in the settings, in the form requests need it."""

from dataclasses import replace

from app.bridge.settings_store import SettingsStore
from app.chat.settings import Fit, LoadOptions, Pair, Settings
from app.core.errors import UserError
from app.protocol.messages import Load, Notice
from app.protocol.options import HEADS_OFF, SamplingOptions, SpeculationOptions


class Choices:
    """Sampling, speculation and load options, and the pairs used so far.

    Whether a drafter was chosen by the person is known for this run only, and only for the models it was chosen with.
    """

    def __init__(self, store: SettingsStore[Settings]) -> None:
        self._store = store
        self._explicit = False
        usual = store.value.speculation
        if usual.drafter == "off":
            store.update(speculation=replace(usual, drafter=Settings().speculation.drafter), speculation_on=False)

    @property
    def settings(self) -> Settings:
        return self._store.value

    def of_chat(self, options: SpeculationOptions) -> SpeculationOptions:
        """What a chat has for its own, in the form a request needs."""
        return replace(options, explicit=self._explicit and options.drafter != "off")

    @property
    def speculation(self) -> SpeculationOptions:
        """What the next message asks for; the drafter is "off" while speculation is switched off."""
        settings = self._store.value
        if not settings.speculation_on:
            return replace(settings.speculation, drafter="off")
        return replace(settings.speculation, explicit=self._explicit)

    def take_sampling(self, options: SamplingOptions) -> Notice | None:
        """Remember, or say why not."""
        problem = _problem(options)
        if problem is None:
            self._store.update(sampling=options)
        return problem

    def take_speculation(self, options: SpeculationOptions, before: SpeculationOptions | None = None) -> Notice | None:
        """Remember, or say why not. "off" switches off and keeps the drafter that was used.

        `before`: what the chat on the screen had for its own, None for nothing.
        """
        problem = _problem(options)
        if problem is not None:
            return problem
        usual = self._store.value.speculation
        if options.drafter == "off":
            self._store.update(
                speculation=replace(options, drafter=usual.drafter, explicit=False), speculation_on=False
            )
        else:
            used = usual.drafter if before is None or before.drafter == "off" else before.drafter
            self._explicit = self._explicit or options.explicit or options.drafter != used
            self._store.update(speculation=replace(options, explicit=False), speculation_on=True)
        return None

    def take_load(self, options: LoadOptions) -> Notice | None:
        """Remember, or say why not."""
        problem = _problem(options)
        if problem is None:
            self._store.update(load=options)
        return problem

    def forget_explicit(self) -> None:
        """The models are other ones now: an unfit drafter is to be explained, not refused."""
        self._explicit = False

    def note_loaded(self, request: Load, fit: Fit, *, is_demo: bool) -> None:
        """Remember a pair that was loaded, and with which options; `fit` is what was given up for it."""
        pair = Pair(target=request.target, draft=request.draft, fit=fit)
        layers = request.gpu_layers if fit.gpu_layers is None else self.settings.load.gpu_layers
        heads = request.heads != HEADS_OFF
        flash = request.flash_attention != "off" if fit.cache_type == "F16" else self.settings.load.flash_attention
        used = LoadOptions(
            context=request.context,
            threads=request.threads,
            gpu_layers=layers,
            heads=heads,
            flash_attention=flash,
        )
        self._store.replace_value(replace(self.settings.with_loaded(None if is_demo else pair), load=used))


def _problem(options: SamplingOptions | SpeculationOptions | LoadOptions) -> Notice | None:
    try:
        options.check()
    except UserError as error:
        return Notice(code=error.code, text=str(error))
    return None
