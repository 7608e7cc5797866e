"""The About box: what this is, which version, and what it is made of, with licences."""

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import (
    QDialog,
    QHBoxLayout,
    QLabel,
    QListWidget,
    QListWidgetItem,
    QPlainTextEdit,
    QPushButton,
    QSplitter,
    QVBoxLayout,
    QWidget,
)

import app
from app.core import parts
from app.ui import icons
from app.ui.theme import GRID
from app.ui.widgets.labels import label

_ICON = 64
_WIDTH, _HEIGHT = 640, 520


class AboutBox(QDialog):
    """Version, parts, and the licence of the part that is chosen.

    Signals:
        report_wanted: The person wants to report a problem.
    """

    report_wanted = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("about")
        self.setWindowTitle(self.tr("About Outpace"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._parts = parts.parts()
        self.rows = QListWidget()
        self.rows.setObjectName("parts")
        self.rows.setAccessibleName(self.tr("What Outpace is made of"))
        self.rows.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.rows.setSpacing(2)
        self.rows.setTextElideMode(Qt.TextElideMode.ElideRight)
        for part in self._parts:
            words = f"{part.name} {part.version}".strip()
            row = QListWidgetItem(f"{words} \N{MIDDLE DOT} {part.licence}" if part.licence else words, self.rows)
            row.setToolTip(row.text())
        self.text = QPlainTextEdit()
        self.text.setObjectName("licence")
        self.text.setAccessibleName(self.tr("Licence"))
        self.text.setReadOnly(True)
        self.rows.currentRowChanged.connect(self._show_licence)
        split = QSplitter(Qt.Orientation.Horizontal)
        split.setChildrenCollapsible(False)
        split.addWidget(self.rows)
        split.addWidget(self.text)
        split.setSizes([_WIDTH * 2 // 5, _WIDTH * 3 // 5])
        layout = QVBoxLayout(self)
        layout.setContentsMargins(3 * GRID, 3 * GRID, 3 * GRID, 2 * GRID)
        layout.setSpacing(2 * GRID)
        layout.addLayout(self._head())
        layout.addWidget(label(self.tr("What it is made of, and under which licences"), "strong"))
        layout.addWidget(split, 1)
        layout.addLayout(self._buttons())
        self.resize(min(_WIDTH, parent.width() - 4 * GRID), min(_HEIGHT, parent.height() - 4 * GRID))
        self.rows.setCurrentRow(0)

    def version_words(self) -> str:
        """The versions that matter, one a line, as "Copy versions" takes them."""
        wanted = ("Python", "PySide6-Essentials", "llama-cpp-python")
        return "\n".join([f"Outpace {app.__version__}", *(f"{name} {parts.version_of(name)}" for name in wanted)])

    def _head(self) -> QHBoxLayout:
        picture = QLabel()
        ratio = self.devicePixelRatioF()
        picture.setPixmap(icons.app_icon().pixmap(QSize(_ICON, _ICON), ratio))
        words = QVBoxLayout()
        words.setSpacing(GRID // 2)
        words.addWidget(label(f"Outpace {app.__version__}", "title"))
        words.addWidget(
            label(self.tr("Answers faster, and never changes what the model says. Apache License 2.0."), wrap=True)
        )
        qt = self.tr("Qt is used under the LGPL 3; its libraries can be replaced.")
        words.addWidget(label(qt, "soft", wrap=True))
        head = QHBoxLayout()
        head.setSpacing(2 * GRID)
        head.addWidget(picture, 0, Qt.AlignmentFlag.AlignTop)
        head.addLayout(words, 1)
        return head

    def _buttons(self) -> QHBoxLayout:
        copy = QPushButton(self.tr("Copy versions"))
        copy.clicked.connect(lambda _checked=False: QGuiApplication.clipboard().setText(self.version_words()))
        report = QPushButton(self.tr("Report a problem…"))
        report.clicked.connect(lambda _checked=False: self.report_wanted.emit())
        close = QPushButton(self.tr("Close"))
        close.setDefault(True)
        close.clicked.connect(self.reject)
        row = QHBoxLayout()
        row.setSpacing(GRID)
        row.addWidget(copy)
        row.addWidget(report)
        row.addStretch(1)
        row.addWidget(close)
        return row

    def _show_licence(self, row: int) -> None:
        text = parts.licence_text(self._parts[row]) if 0 <= row < len(self._parts) else ""
        self.text.setPlainText(text or self.tr("Its text is not at hand here; the name of the licence is in the list."))
