"""What an empty chat shows: which model listens, and what to try."""

from pathlib import Path

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QSizePolicy, QVBoxLayout, QWidget

from app.chat.session import Phase
from app.core import paths
from app.protocol.messages import Loaded
from app.ui import figures
from app.ui.theme import GRID
from app.ui.widgets.column import ScrollColumn
from app.ui.widgets.flow import FlowLayout
from app.ui.widgets.labels import label

DEMO_PROMPTS = (
    "Give me a JSON array of 5 users.",
    "Count from 3 to 30.",
    "Write Python code for `textwrap.dedent`.",
)
"""Prompts the demo pair was made for; not translated, since it reads English only."""
_WIDTH = 560


class Welcome(QWidget):
    """The empty chat.

    Signals:
        prompt_chosen: The text of an example.
        open_wanted: Ask for a GGUF file.
        models_wanted: Show what can be downloaded.
    """

    prompt_chosen = Signal(str)
    open_wanted = Signal()
    models_wanted = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._loaded: Loaded | None = None
        self._phase: Phase = "no_model"
        self._title = label("", "title", wrap=True)
        self._words = label("", "soft", wrap=True)
        self._examples = [QPushButton(prompt) for prompt in DEMO_PROMPTS]
        self.open = QPushButton(self.tr("Open GGUF file…"))
        self.open.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        self.open.clicked.connect(lambda _checked=False: self.open_wanted.emit())
        self.get = QPushButton(self.tr("Get a model"))
        self.get.setProperty("kind", "primary")
        self.get.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        self.get.clicked.connect(lambda _checked=False: self.models_wanted.emit())
        column = QWidget()
        column.setMaximumWidth(_WIDTH)
        inner = QVBoxLayout(column)
        inner.setContentsMargins(2 * GRID, 2 * GRID, 2 * GRID, 2 * GRID)
        inner.setSpacing(GRID)
        inner.addWidget(self._title)
        inner.addWidget(self._words)
        inner.addSpacing(GRID)
        for prompt, button in zip(DEMO_PROMPTS, self._examples, strict=True):
            button.setProperty("kind", "prompt")
            button.clicked.connect(lambda _checked=False, text=prompt: self.prompt_chosen.emit(text))
            inner.addWidget(button)
        inner.addSpacing(GRID)
        ways = FlowLayout()
        ways.addWidget(self.get)
        ways.addWidget(self.open)
        inner.addLayout(ways)
        area = ScrollColumn()
        across = QHBoxLayout()
        across.addStretch(1)
        across.addWidget(column, 1000)
        across.addStretch(1)
        centred = area.column
        centred.setContentsMargins(0, 0, 0, 0)
        centred.addStretch(2)
        centred.addLayout(across)
        centred.addStretch(3)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(area)
        self._update()

    def show_loaded(self, loaded: Loaded | None) -> None:
        self._loaded = loaded
        self._update()

    def set_phase(self, phase: Phase) -> None:
        self._phase = phase
        self._update()

    @property
    def examples(self) -> list[QPushButton]:
        """The buttons with the example prompts."""
        return self._examples

    def _update(self) -> None:
        loaded = self._loaded
        demo = loaded is not None and is_demo(loaded)
        for button in self._examples:
            button.setVisible(demo)
            button.setEnabled(self._phase == "idle")
        self._title.setText(self._headline(demo=demo))
        self._words.setText(self._sentence(demo=demo))
        for way in (self.open, self.get):
            way.setVisible(loaded is None or demo)

    def _headline(self, *, demo: bool) -> str:
        if self._phase == "loading":
            return self.tr("The model is loading…")
        if self._loaded is None:
            return self.tr("No model is loaded")
        if demo:
            return self.tr("The demo pair is ready")
        return self._loaded.target.name or Path(self._loaded.target.path).stem

    def _sentence(self, *, demo: bool) -> str:
        loaded = self._loaded
        if loaded is None:
            if self._phase == "loading":
                return self.tr("You can write your message already.")
            return self.tr("Open a GGUF file from this computer, or drop one onto this window.")
        if demo:
            size = figures.parameters(loaded.target.parameters)
            return self.tr(
                "A tiny demonstration model ({0} parameters) with a smaller one that drafts for it. It has learnt "
                "Python's documentation, JSON, tables and lists: enough to show how speculation saves time, and no "
                "assistant. For real answers, get a model that fits this computer, or open a GGUF file of your own."
            ).format(size)
        if loaded.draft is not None:
            return self.tr("Drafts come from {0}. What is said is always the large model's own text.").format(
                loaded.draft.name or Path(loaded.draft.path).stem
            )
        return self.tr("No draft model is chosen. A small model of the same family can make answers faster.")


def is_demo(loaded: Loaded) -> bool:
    """Whether the target is the built-in one."""
    return Path(loaded.target.path) == paths.demo_pair()[0]
