"""Shows a report about a problem. The person reads it, and copies or saves it; nothing is ever sent from here."""

from pathlib import Path

from PySide6.QtCore import QSaveFile, Qt
from PySide6.QtGui import QFontDatabase, QGuiApplication
from PySide6.QtWidgets import QDialog, QFileDialog, QHBoxLayout, QPlainTextEdit, QPushButton, QVBoxLayout, QWidget

from app.ui.theme import GRID
from app.ui.widgets.labels import label

_WIDTH, _HEIGHT = 720, 540


class ReportSheet(QDialog):
    """The report, which can be shortened before it is copied or saved."""

    def __init__(self, report: str, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("report sheet")
        self.setWindowTitle(self.tr("Report a problem"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.text = QPlainTextEdit()
        self.text.setObjectName("report text")
        self.text.setAccessibleName(self.tr("Report"))
        self.text.setFont(QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont))
        self.text.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.text.setTabChangesFocus(True)
        self.text.setPlainText(report)
        self.said = label("", "soft", wrap=True)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(3 * GRID, 3 * GRID, 3 * GRID, 2 * GRID)
        layout.setSpacing(2 * GRID)
        layout.addWidget(label(self.tr("Nothing of this has been sent, and nothing will be."), "strong", wrap=True))
        how = self.tr(
            "Read it, delete what you do not want to tell, and copy or save it. It has versions and the newest lines of"
            " the logs, which name files of models; your chats are not in it."
        )
        layout.addWidget(label(how, wrap=True))
        layout.addWidget(self.text, 1)
        layout.addWidget(self.said)
        layout.addLayout(self._buttons())
        self.resize(min(_WIDTH, parent.width() - 4 * GRID), min(_HEIGHT, parent.height() - 4 * GRID))

    def copy(self) -> None:
        """Put the report as it is now into the clipboard."""
        QGuiApplication.clipboard().setText(self.text.toPlainText())
        self.said.setText(self.tr("Copied."))

    def save(self, path: str) -> None:
        """Write the report as it is now to a file, all of it or nothing, and say how that went."""
        file = QSaveFile(path)
        content = self.text.toPlainText().encode()
        if file.open(QSaveFile.OpenModeFlag.WriteOnly) and file.write(content) == len(content) and file.commit():
            self.said.setText(self.tr("Saved as {0}.").format(Path(path).name))
        else:
            words = self.tr("It could not be saved there: {0}. Choose another folder.")
            self.said.setText(words.format(file.errorString()))

    def ask_where(self) -> QFileDialog:
        """The dialog for the file; shown already."""
        dialog = QFileDialog(self, self.tr("Save the report"), str(Path.home() / "outpace-report.txt"))
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.fileSelected.connect(self.save)
        dialog.open()
        return dialog

    def _buttons(self) -> QHBoxLayout:
        copy, save, close = (QPushButton(words) for words in (self.tr("Copy"), self.tr("Save as…"), self.tr("Close")))
        copy.clicked.connect(lambda _checked=False: self.copy())
        save.clicked.connect(lambda _checked=False: self.ask_where())
        close.clicked.connect(self.reject)
        row = QHBoxLayout()
        row.setSpacing(GRID)
        row.addWidget(copy)
        row.addWidget(save)
        row.addStretch(1)
        row.addWidget(close)
        return row
