"""The side panel: speculation, the last answer, the chat, sampling, and the model."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QVBoxLayout, QWidget

from app.ui.side_panel.chat import ChatSection
from app.ui.side_panel.last_answer import LastAnswerSection
from app.ui.side_panel.model import ModelSection
from app.ui.side_panel.sampling import SamplingSection
from app.ui.side_panel.speculation import SpeculationSection
from app.ui.theme import GRID, Theme
from app.ui.widgets.column import ScrollColumn

WIDTH = 312


class SidePanel(QFrame):
    """Five sections in a column that scrolls; they are public, whoever arranges the window connects them."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("side panel")
        self.setAccessibleName(self.tr("Side panel"))
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.setProperty("ground", "panel")
        self.setProperty("hairline", "left")
        self.speculation = SpeculationSection(theme)
        self.last_answer = LastAnswerSection(theme)
        self.chat = ChatSection(theme)
        self.sampling = SamplingSection(theme)
        self.model = ModelSection(theme)
        self.setFocusProxy(self.speculation.toggle)
        self._sections = (self.speculation, self.last_answer, self.chat, self.sampling, self.model)
        area = ScrollColumn()
        inner = area.column
        inner.setContentsMargins(2 * GRID, 2 * GRID, 2 * GRID, 2 * GRID)
        inner.setSpacing(2 * GRID)
        for section in self._sections:
            inner.addWidget(section)
        inner.addStretch()
        layout = QVBoxLayout(self)
        layout.setContentsMargins(1, 0, 0, 0)
        layout.addWidget(area)

    def set_theme(self, theme: Theme) -> None:
        for section in self._sections:
            section.set_theme(theme)
