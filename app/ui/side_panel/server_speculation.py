"""What the speculation section shows for a model on a server."""

from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QPlainTextEdit, QVBoxLayout, QWidget

from app.chat.badge import drafter_words
from app.chat.remote_badge import told_words
from app.protocol.servers import ServerFacts
from app.ui.theme import GRID
from app.ui.widgets.labels import label
from app.ui.widgets.section import wide_button


class ServerSpeculation(QWidget):
    """Words and, where a server decides when it starts, a command to copy."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._told = label("", wrap=True)
        self._why = label("", "soft", wrap=True)
        self._hint = label("", "small", wrap=True)
        self.command = QPlainTextEdit()
        self.command.setReadOnly(True)
        self.command.setTabChangesFocus(True)
        self.command.setAccessibleName(self.tr("Start command with speculation"))
        self.command.setFixedHeight(5 * self.command.fontMetrics().lineSpacing() + GRID)
        self.copy = wide_button(self.tr("Copy the start command"))
        self.copy.clicked.connect(
            lambda _checked=False: QGuiApplication.clipboard().setText(self.command.toPlainText())
        )
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(GRID)
        for widget in (self._told, self._why, self.command, self.copy, self._hint):
            layout.addWidget(widget)

    def show_server(self, server: ServerFacts) -> None:
        """Say what is known about it."""
        drafter = drafter_words(server.drafter) if server.drafter and server.speculation == "on" else ""
        told = told_words(server.speculation) + (f" ({drafter})" if drafter else "")
        self._told.setText(f"{server.name}: {told}")
        self._why.setText(
            self.tr("The switch chooses for each message.") if server.can_switch else self._why_not(server)
        )
        has_command = bool(server.start_command)
        self.command.setPlainText(server.start_command)
        self.command.setVisible(has_command)
        self.copy.setVisible(has_command)
        self._hint.setText(server.hint if server.speculation == "unknown" else "")
        self._hint.setVisible(bool(self._hint.text()))

    def _why_not(self, server: ServerFacts) -> str:
        if server.start_command:
            return self.tr("Set when the server starts: a message cannot choose. This starts one with speculation:")
        return self.tr("Set when the server starts: a message cannot choose.")
