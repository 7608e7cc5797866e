"""The section of the side panel about the loaded models and how they are loaded."""

from typing import Literal

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from app.chat import phrases
from app.chat.settings import LoadOptions
from app.core.translation import translate
from app.protocol.messages import Loaded
from app.protocol.servers import KIND_NAMES
from app.ui import figures
from app.ui.theme import Theme
from app.ui.widgets.labels import ElidedLabel, label
from app.ui.widgets.number_field import NumberField
from app.ui.widgets.section import Rows, Section, wide_button
from app.ui.widgets.toggle import Toggle


class ModelSection(Section):
    """What is loaded, another file, and the settings of a load.

    Signals:
        open_wanted: Ask for a GGUF file.
        load_wanted: Load again with these `LoadOptions`.
    """

    open_wanted = Signal()
    load_wanted = Signal(object)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, parent)
        self.set_title(self.tr("Model"))
        self._options = LoadOptions()
        self._elsewhere = False
        self._name = ElidedLabel("strong")
        self._facts = label("", "small", wrap=True)
        self._open = wide_button(self.tr("Open GGUF file…"))
        self._open.clicked.connect(lambda _checked=False: self.open_wanted.emit())
        auto = self.tr("auto")
        self.context = NumberField(self.tr("Context length"), 0, 10_000_000, step=1024, special=(0, auto))
        self.gpu_layers = NumberField(self.tr("GPU layers"), -1, 10_000, special=(-1, auto))
        self.threads = NumberField(self.tr("Threads"), 0, 1024, special=(0, auto))
        self.gpu_layers.setValue(-1)
        rows = Rows()
        rows.add(self.tr("Context length"), self.context, self.tr("Tokens the model can look back on."))
        rows.add(
            self.tr("GPU layers"), self.gpu_layers, self.tr("Layers of the target on the GPU; auto is all that fit.")
        )
        rows.add(self.tr("Threads"), self.threads, self.tr("Auto is one for each physical core."))
        self.heads = Toggle(theme, self.tr("Load prediction heads"))
        self.heads.setChecked(True)
        self.heads.toggled.connect(lambda _on: self._update())
        rows.add(
            self.tr("Prediction heads"),
            self.heads,
            self.tr("Heads inside the model that draft its answers. They are read with the model and take memory."),
        )
        self.flash_attention = Toggle(theme, self.tr("Use flash attention"))
        self.flash_attention.setChecked(True)
        self.flash_attention.toggled.connect(lambda _on: self._update())
        rows.add(
            self.tr("Flash attention"),
            self.flash_attention,
            self.tr("Reads prompts faster and saves memory. On some processors long chats are faster without it."),
        )
        self._heads_words = label("", "small", wrap=True)
        self.apply = wide_button(self.tr("Apply and reload"))
        self.apply.clicked.connect(lambda _checked=False: self.load_wanted.emit(self.wanted()))
        for number in (self.context, self.gpu_layers, self.threads):
            number.valueChanged.connect(lambda _value: self._update())
        self.body.addWidget(self._name)
        self.body.addWidget(self._facts)
        self.body.addWidget(self._open)
        self.body.addLayout(rows)
        self.body.addWidget(self._heads_words)
        self.body.addWidget(self.apply)
        self.show_loaded(None)

    def wanted(self) -> LoadOptions:
        """What the fields say."""
        layers: int | Literal["auto"] = "auto" if self.gpu_layers.value() < 0 else self.gpu_layers.whole()
        return LoadOptions(
            context=self.context.whole(),
            threads=self.threads.whole(),
            gpu_layers=layers,
            heads=self.heads.isChecked(),
            flash_attention=self.flash_attention.isChecked(),
        )

    def set_options(self, options: LoadOptions) -> None:
        """Show what is in force; what a person is about to change stays until that is different."""
        if options == self._options:
            return
        self._options = options
        self.context.setValue(options.context)
        self.threads.setValue(options.threads)
        self.gpu_layers.setValue(-1 if options.gpu_layers == "auto" else options.gpu_layers)
        self.heads.setChecked(options.heads)
        self.flash_attention.setChecked(options.flash_attention)
        self._update()

    def show_loaded(self, loaded: Loaded | None) -> None:
        """Say what the target is."""
        if loaded is None:
            self._name.setText(self.tr("No model"))
            self._facts.setText("")
        else:
            target = loaded.target
            self._name.setText(target.name or target.path)
            self._name.setToolTip(target.path)
            lines = server_lines(loaded) or [
                " \N{MIDDLE DOT} ".join(
                    fact
                    for fact in (target.architecture, figures.parameters(target.parameters), target.quantisation)
                    if fact
                ),
                self.tr("{0} of {1} tokens of context").format(
                    figures.count(loaded.context), figures.count(target.context_trained)
                ),
                self.tr("{0} in memory, {1} threads").format(figures.size(target.memory_bytes), loaded.threads),
            ]
            if target.gpu_layers:
                lines.append(self.tr("{0} of {1} layers on the GPU").format(target.gpu_layers, target.layers))
            if loaded.devices:
                lines.append(", ".join(loaded.devices))
            if loaded.template == "plain":
                lines.append(self.tr("No chat template in the file; a plain one is used."))
            self._facts.setText("\n".join(lines))
        self._facts.setVisible(loaded is not None)
        self._elsewhere = loaded is not None and loaded.server is not None
        for number in (self.context, self.gpu_layers, self.threads):
            number.setEnabled(not self._elsewhere)
        self.flash_attention.setEnabled(not self._elsewhere)
        self._show_heads(loaded)
        self._update()

    def set_theme(self, theme: Theme) -> None:
        super().set_theme(theme)
        self.heads.set_theme(theme)
        self.flash_attention.set_theme(theme)

    def _show_heads(self, loaded: Loaded | None) -> None:
        """What they cost, or why there are none. The switch stays usable: it is kept for the next model too."""
        words = ""
        if loaded is not None and not self._elsewhere:
            cost = loaded.target.heads_bytes
            words = phrases.said(loaded.why_not.get("heads", ""))
            if cost:
                words = self.tr("The prediction heads take {0} of memory.").format(figures.size(cost))
        self.heads.setEnabled(not self._elsewhere)
        self._heads_words.setText(words)
        self._heads_words.setVisible(bool(words))

    def _update(self) -> None:
        self.apply.setEnabled(self.wanted() != self._options and not self._elsewhere)


def server_lines(loaded: Loaded) -> list[str]:
    """What is known about a model on a server; nothing for one on this machine."""
    server = loaded.server
    if server is None:
        return []
    context = figures.count(loaded.context) if loaded.context else figures.UNKNOWN
    return [
        translate("server", "On {0}: chats leave this machine.").format(server.name),
        f"{KIND_NAMES[server.kind]} \N{MIDDLE DOT} {server.origin}",
        translate("server", "{0} tokens of context").format(context),
    ]
